"""Davidson's model of wins, draws and losses, and its maximum-likelihood fit.

With strengths exp(a) and exp(b), the odds of win : draw : loss are exp(a) : nu * sqrt(exp(a) * exp(b)) : exp(b)
(R. R. Davidson, "On extending the Bradley-Terry model to accommodate ties in paired comparison experiments",
Journal of the American Statistical Association 65, 1970; without draws it is R. A. Bradley and M. E. Terry's
model of 1952). The log-likelihood is concave in the log-strengths and log nu, so Newton's method finds its one
maximum, and the inverse of the Fisher information there is the estimates' covariance.

    fit(count(games)).strengths

It knows nothing of Elo points or files (`elo.py`). Standard library only.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

LARGEST = 15.0  # a log-strength beyond this is on its way to infinity (it would be 2,600 Elo points)

Counts = dict[tuple[str, str], list[float]]  # (first, second) -> [first's wins, draws, second's wins]


class NoMaximum(ValueError):
    """The games allow ratings without bound: somebody only won, or only lost, against all the others."""


@dataclass(frozen=True)
class Fit:
    """Log-strengths with mean 0 (and `log_nu`, None if nothing was drawn) and their covariance, in this order."""

    players: list[str]
    strengths: list[float]
    log_nu: float | None
    covariance: list[list[float]]


# --- Counting games ---------------------------------------------------------------------------------------


def count(games: Iterable[Mapping[str, Any]]) -> Counts:
    """Count results by pair of players; a game has `black`, `white` and `winner` ("b", "w" or "draw").

    Raises ValueError for a game that cannot be rated.
    """
    counts: Counts = {}
    for number, game in enumerate(games, start=1):
        black, white, winner = (game.get(key) for key in ("black", "white", "winner"))
        if not (isinstance(black, str) and isinstance(white, str)) or black == white:
            raise ValueError(f"Game {number} needs two different players, not {black!r} and {white!r}.")
        if winner not in ("b", "draw", "w"):
            raise ValueError(f'Game {number} has the winner {winner!r}: it must be "b", "draw" or "w".')
        first, second = sorted((black, white))
        place = 1 if winner == "draw" else 0 if {"b": black, "w": white}[winner] == first else 2
        counts.setdefault((first, second), [0, 0, 0])[place] += 1
    return counts


# --- The likelihood ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Outcome:
    """One way a game can end: how its log-weight runs along the parameters, its weight, and how often it was seen."""

    direction: dict[int, float]
    weight: float
    times: float


def _outcomes(x: list[float], first: int, second: int | None, seen: list[float], with_draws: bool) -> list[_Outcome]:
    """The outcomes between two players at the parameters `x`; the second may be an imagined one of strength 0."""
    sides: list[dict[int, float]] = [{first: 1.0}, {} if second is None else {second: 1.0}]
    a, b = (sum(x[i] for i in side) for side in sides)
    outcomes = [_Outcome(sides[0], math.exp(a), seen[0]), _Outcome(sides[1], math.exp(b), seen[2])]
    if with_draws:  # half along both players, and along log nu, the last parameter
        halves = {i: 0.5 for side in sides for i in side}
        outcomes.append(_Outcome({**halves, len(x) - 1: 1.0}, math.exp((a + b) / 2 + x[-1]), seen[1]))
    return outcomes


def _slopes(groups: Iterable[list[_Outcome]], size: int) -> tuple[list[float], list[list[float]]]:
    """The log-likelihood's gradient and Fisher information, summed over the pairs of players."""
    gradient = [0.0] * size
    information = [[0.0] * size for _ in range(size)]
    for outcomes in groups:
        games = sum(outcome.times for outcome in outcomes)
        total = sum(outcome.weight for outcome in outcomes)
        mean = [0.0] * size
        for outcome in outcomes:
            chance = outcome.weight / total
            for i, part in outcome.direction.items():
                gradient[i] += part * (outcome.times - games * chance)
                mean[i] += part * chance
                for j, other in outcome.direction.items():
                    information[i][j] += games * chance * part * other
        touched = [i for i in range(size) if mean[i]]
        for i in touched:
            for j in touched:
                information[i][j] -= games * mean[i] * mean[j]
    return gradient, information


def _pairs(players: list[str], counts: Counts, prior: float) -> list[tuple[int, int | None, list[float]]]:
    """What was seen between whom, by index; None is the imagined average player of a prior."""
    index = {player: i for i, player in enumerate(players)}
    pairs: list[tuple[int, int | None, list[float]]] = [
        (index[first], index[second], seen) for (first, second), seen in counts.items()
    ]
    if prior > 0:
        pairs += [(i, None, [prior, 0.0, prior]) for i in range(len(players))]
    return pairs


def fit(counts: Counts, prior: float = 0.0) -> Fit:
    """Return the strengths that make the counted results most likely.

    `prior` is a number of imagined wins, and as many losses, of every player against an average one; 0 is
    pure maximum likelihood. Raises NoMaximum when there is none.
    """
    players = sorted({player for pair in counts for player in pair})
    if len(players) < 2:
        raise ValueError("Ratings need games between at least two players; there are none.")
    with_draws = any(observed[1] for observed in counts.values())
    pairs = _pairs(players, counts, prior)
    x = [0.0] * (len(players) + with_draws)
    for _ in range(200):
        groups = [_outcomes(x, first, second, seen, with_draws) for first, second, seen in pairs]
        gradient, information = _slopes(groups, len(x))
        if prior == 0:
            _fix_mean(information, len(players))
        step = [sum(a * b for a, b in zip(row, gradient, strict=True)) for row in _inverse(information)]
        longest = max(abs(each) for each in step)
        shrink = min(1.0, 1.0 / longest) if longest else 1.0  # never far at once: the curve is flat far out
        x = [value + shrink * each for value, each in zip(x, step, strict=True)]
        if max(abs(value) for value in x) > LARGEST:
            break
        if longest < 1e-10:
            return _centred(players, x, _inverse(information), with_draws)
    raise NoMaximum(
        "The games alone set no bound to the ratings: somebody won, or lost, every decided game against the "
        "others. Play more games, or imagine some with --prior."
    )


def _fix_mean(information: list[list[float]], players: int) -> None:
    """Make the matrix invertible: moving all strengths together changes no likelihood, so their mean is pinned."""
    for i in range(players):
        for j in range(players):
            information[i][j] += 1 / players


def _inverse(matrix: list[list[float]]) -> list[list[float]]:
    """Invert by Gauss-Jordan elimination with partial pivoting. Raises NoMaximum for a singular matrix."""
    size = len(matrix)
    rows = [[*row, *(float(i == j) for j in range(size))] for i, row in enumerate(matrix)]
    for column in range(size):
        pivot = max(range(column, size), key=lambda i: abs(rows[i][column]))
        if abs(rows[pivot][column]) < 1e-12:
            raise NoMaximum("The games do not connect all players, so some cannot be compared; play more games.")
        rows[column], rows[pivot] = rows[pivot], rows[column]
        scale = rows[column][column]
        rows[column] = [value / scale for value in rows[column]]
        for i in range(size):
            if i != column and rows[i][column]:
                factor = rows[i][column]
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[column], strict=True)]
    return [row[size:] for row in rows]


def _centred(players: list[str], x: list[float], covariance: list[list[float]], with_draws: bool) -> Fit:
    """Measure strengths from their mean; the covariance changes with the point they are measured from."""
    n, size = len(players), len(x)
    centre = [[float(i == j) - (1 / n if i < n and j < n else 0) for j in range(size)] for i in range(size)]

    def product(a: list[list[float]], b: list[list[float]]) -> list[list[float]]:
        return [[sum(u * v for u, v in zip(row, column, strict=True)) for column in zip(*b, strict=True)] for row in a]

    mean = sum(x[:n]) / n
    strengths = [value - mean for value in x[:n]]
    return Fit(players, strengths, x[-1] if with_draws else None, product(product(centre, covariance), centre))

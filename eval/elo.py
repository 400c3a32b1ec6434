"""Elo ratings with intervals: the ratings under which a set of games was most likely, draws included.

    python eval/elo.py data/tournaments/20261028-140501.json
    python eval/elo.py games.pdn more.json --json

The model is Davidson's (see `davidson.py`). Draughts players draw often, and under this model two players who
mostly draw may lie far apart although the expected score is nearly even. So differences are given on the scale
of expected scores: each is multiplied by 2 / (2 + nu), which makes the slope at equality that of Elo's curve (R.
Coulom's BayesElo does the same for its own model of draws). A difference of 18 points then means what it means
to Elo: an expected score of 0.526.

It does not rate in the order of play (that is `ratings.py`), and takes no account of who had which colour:
let every opening be played twice. It needs nothing installed.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import NormalDist
from typing import Any

if not __package__:  # run as a file: the project's folder is not on the path yet
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agents.program import run_as_program
from eval.davidson import Counts, Fit, NoMaximum, count, fit

AVERAGE = 1200  # the ratings' mean, the course's start value
POINTS_PER_UNIT = 400 / math.log(10)  # Elo points for one unit of log-strength
WEAK_PRIOR = 0.5  # imagined wins and losses against an average player, for when the games alone leave it open
NORMAL_95 = NormalDist().inv_cdf(0.975)

# --- Ratings ----------------------------------------------------------------------------------------------


def scale_of(fitted: Fit) -> float:
    """Elo points for one unit of log-strength, so that small differences give Elo's expected scores."""
    nu = 0.0 if fitted.log_nu is None else math.exp(fitted.log_nu)
    return POINTS_PER_UNIT * 2 / (2 + nu)


def _variance(fitted: Fit, strength: float, direction: list[float]) -> float:
    """Variance in points of a sum of strengths (whose value is `strength`), the scale's own share included."""
    weights = [scale_of(fitted) * each for each in direction]
    if fitted.log_nu is not None:
        nu = math.exp(fitted.log_nu)
        weights.append(-scale_of(fitted) * strength * nu / (2 + nu))
    return sum(
        a * b * fitted.covariance[i][j] for i, a in enumerate(weights) for j, b in enumerate(weights)
    )  # fmt: skip


def _direction(fitted: Fit, plus: int, minus: int | None = None) -> list[float]:
    return [float(i == plus) - float(i == minus) for i in range(len(fitted.players))]


def superiority(fitted: Fit, player: str, other: str) -> float:
    """The likelihood of superiority: the probability (0 to 1), given the games, that `player` is the stronger."""
    i, j = fitted.players.index(player), fitted.players.index(other)
    difference = fitted.strengths[i] - fitted.strengths[j]
    deviation = math.sqrt(_variance(fitted, 0.0, _direction(fitted, i, j)))  # whether, not by how much
    return NormalDist().cdf(scale_of(fitted) * difference / deviation)


def rate(games: Iterable[Mapping[str, Any]], prior: float | None = None) -> dict[str, Any]:
    """Rate all players of `games` (see `count`).

    Returns `{"prior", "nu", "ratings": [{"player", "rating", "low", "high", "games", "wins", "draws",
    "losses", "score"}], "superiority": {player: {other: probability}}}`, the strongest first; `low` and `high`
    are the ends of the 95 % interval, and ratings have the mean 1200. Without a `prior` there is none, unless
    the games alone set no bound to the ratings; then it is the weak one. Raises ValueError.
    """
    counts = count(games)
    try:
        fitted, used = fit(counts, prior or 0.0), prior or 0.0
    except NoMaximum:
        if prior is not None:
            raise
        fitted, used = fit(counts, WEAK_PRIOR), WEAK_PRIOR
    rows = [_row(fitted, i, counts) for i in range(len(fitted.players))]
    rows.sort(key=lambda row: (-row["rating"], row["player"]))
    order = [row["player"] for row in rows]
    return {
        "prior": used,
        "nu": 0.0 if fitted.log_nu is None else math.exp(fitted.log_nu),
        "ratings": rows,
        "superiority": {a: {b: superiority(fitted, a, b) for b in order if b != a} for a in order},
    }


def _row(fitted: Fit, i: int, counts: Counts) -> dict[str, Any]:
    player, strength = fitted.players[i], fitted.strengths[i]
    rating = AVERAGE + scale_of(fitted) * strength
    margin = NORMAL_95 * math.sqrt(_variance(fitted, strength, _direction(fitted, i)))
    wins = draws = losses = 0.0
    for (first, second), (won, drawn, lost) in counts.items():
        if player in (first, second):
            wins += won if player == first else lost
            losses += lost if player == first else won
            draws += drawn
    total = wins + draws + losses
    return {
        "player": player, "rating": rating, "low": rating - margin, "high": rating + margin,
        "games": int(total), "wins": int(wins), "draws": int(draws), "losses": int(losses),
        "score": (wins + draws / 2) / total,
    }  # fmt: skip


# --- The program ------------------------------------------------------------------------------------------

PDN_TAG = re.compile(r'^\[\s*(Event|Black|White|Result)\s+"((?:[^"\\]|\\.)*)"\s*\]', re.MULTILINE)
PDN_WINNERS = {"1-0": "b", "0-1": "w", "1/2-1/2": "draw"}


def read_games(path: Path) -> list[dict[str, Any]]:
    """Read the games of a tournament file, a JSON list of games, or the tags of a PDN file.

    Unfinished PDN games (`*`) are left out. Raises ValueError naming the file.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        if path.suffix.lower() == ".pdn":
            return _pdn_games(text)
        content = json.loads(text)
    except (OSError, ValueError) as error:
        raise ValueError(f"{path.as_posix()} cannot be read: {error}") from error
    games = content.get("games") if isinstance(content, dict) else content
    if not isinstance(games, list) or not all(isinstance(game, dict) for game in games):
        raise ValueError(f"{path.as_posix()} holds no list of games: give a tournament file, or PDN ending in .pdn.")
    return games


def _pdn_games(text: str) -> list[dict[str, Any]]:
    games: list[dict[str, str]] = []
    for name, value in PDN_TAG.findall(text):
        if name == "Event" or not games or name in games[-1]:
            games.append({})
        games[-1][name] = re.sub(r"\\(.)", r"\1", value)
    return [
        {"black": game.get("Black"), "white": game.get("White"), "winner": PDN_WINNERS[game["Result"]]}
        for game in games
        if game.get("Result") in PDN_WINNERS
    ]


def report(rated: dict[str, Any]) -> str:
    """Return the ratings as a table for people."""
    rows = rated["ratings"]
    width = max(len("player"), *(len(row["player"]) for row in rows))
    lines = [f"{'player':{width}}  rating  95 % interval  games  score  draws  stronger than the next"]
    for row, below in zip(rows, [*rows[1:], None], strict=True):
        likely = "" if below is None else f"{rated['superiority'][row['player']][below['player']]:.1%}"
        lines.append(
            f"{row['player']:{width}}  {row['rating']:6.0f}  {row['low']:5.0f} to {row['high']:<5.0f} {row['games']:6}"
            f" {row['score']:6.1%} {row['draws'] / row['games']:6.1%}  {likely}".rstrip()
        )
    if rated["prior"]:
        lines.append(
            f"Every player was given {rated['prior']:g} imagined wins and as many losses against an average one, "
            "because the games alone set no bound to the ratings."
        )
    return "\n".join(lines)


def main(argv: list[str] | None = None) -> int:
    """Run the program and return its exit code: 0 rated, 2 files or games that cannot be rated."""
    parser = argparse.ArgumentParser(
        prog="python eval/elo.py",
        description="Rate players by maximum likelihood from tournament files, lists of games (JSON) or PDN.",
        epilog="Example: python eval/elo.py data/tournaments/20261028-140501.json",
    )
    parser.add_argument("files", nargs="+", type=Path, help="files with games; all are rated together")
    parser.add_argument("--prior", type=float, help="imagined wins, and losses, of every player (0: none at all)")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args(argv)
    if options.prior is not None and not 0 <= options.prior < math.inf:
        parser.error(f"--prior must be a number from 0, not {options.prior}")
    try:
        rated = rate([game for path in options.files for game in read_games(path)], options.prior)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    print(json.dumps(rated, indent=2, ensure_ascii=False) if options.json else report(rated))
    return 0


if __name__ == "__main__":
    raise SystemExit(run_as_program(main))

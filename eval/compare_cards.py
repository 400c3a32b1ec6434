"""Two scorecards, seed by seed: is the difference more than chance?

Role: `compare(a, b)` pairs the runs of the same suite and seed and counts who passed where the two differ; McNemar's
exact test (a sign test on those pairs) says how probable so uneven a split is if both are equally good. Steps, seconds
and tokens are compared as medians of ratios. One model in each card is compared with the other's, whatever their names;
of several, those of the same name. Not here: whether a difference matters, which is for people to say.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eval.paired import rounded_ratio, split
from eval.scorecard import Card, Record, steps_of, tokens_of

MORE_THAN_CHANCE = 0.05  # p below it, two-sided
COSTS: dict[str, Callable[[Record], float]] = {
    "steps": steps_of,
    "seconds": lambda run: run["seconds"],
    "tokens": tokens_of,
}


class NothingInCommon(ValueError):
    """The two cards hold no pair of runs; the text says why."""


def compare(first: Card, second: Card) -> list[dict[str, Any]]:
    """One comparison for each suite and pair of models. Raises NothingInCommon."""
    couples = _couples(list(first["settings"]["models"]), list(second["settings"]["models"]))
    suites = dict.fromkeys(run["suite"] for run in first["runs"])
    found = [_compared(first, second, suite, a, b) for suite in suites for a, b in couples]
    compared = [one for one in found if one["n"]]
    if not compared:
        raise NothingInCommon("The scorecards share no suite and seed (of several models, those of one name).")
    return compared


def _couples(first: list[str], second: list[str]) -> list[tuple[str, str]]:
    if len(first) == len(second) == 1:
        return [(first[0], second[0])]
    return [(name, name) for name in first if name in second]


def _compared(first: Card, second: Card, suite: str, a: str, b: str) -> dict[str, Any]:
    mine, theirs = _by_seed(first, suite, a), _by_seed(second, suite, b)
    pairs = [(mine[seed], theirs[seed]) for seed in sorted(mine) if seed in theirs]
    costs = {name: ([cost(x) for x, _ in pairs], [cost(y) for _, y in pairs]) for name, cost in COSTS.items()}
    return {
        "suite": suite,
        "first": a,
        "second": b,
        "left_out": len(mine) + len(theirs) - 2 * len(pairs),
        **split([(x["passed"], y["passed"]) for x, y in pairs]),
        "ratios": {name: rounded_ratio(*sides) for name, sides in costs.items()},
    }


def _by_seed(card: Card, suite: str, model: str) -> dict[int, Record]:
    return {run["seed"]: run for run in card["runs"] if (run["suite"], run["model"]) == (suite, model)}


def is_more_than_chance(p: float) -> bool:
    """Would so uneven a split be rare between equals?"""
    return p < MORE_THAN_CHANCE


def is_worse(comparison: dict[str, Any]) -> bool:
    """Does the second pass less often, by more than chance?"""
    worse: bool = comparison["only_second"] < comparison["only_first"]
    return worse and is_more_than_chance(comparison["p"])


# --- For people -------------------------------------------------------------------------------------------


def told(comparison: dict[str, Any], names: tuple[str, str] = ("A", "B")) -> str:
    """A comparison in a few plain lines; `names` are how the two cards are called."""
    one, other = names
    lines = [
        "{suite}: {one} ({first}) against {other} ({second}), {n} seeds".format(one=one, other=other, **comparison),
        f"  both passed {comparison['both']}, only {one} {comparison['only_first']}, "
        f"only {other} {comparison['only_second']}, neither {comparison['neither']}",
        f"  {verdict(comparison, names)}",
    ]
    for cost, ratio in comparison["ratios"].items():
        if ratio:
            lines.append(
                f"  {cost}: {other} uses {ratio[0]:.2f} times {one}'s (95 %: {ratio[1]:.2f} to {ratio[2]:.2f})"
            )
    if comparison["left_out"]:
        lines.append(f"  {comparison['left_out']} runs have no partner of the same seed and were left out")
    return "\n".join(lines)


def verdict(comparison: dict[str, Any], names: tuple[str, str] = ("A", "B")) -> str:
    """Is the difference in passing more than chance? One sentence, with p."""
    only_first, only_second, p = (comparison[key] for key in ("only_first", "only_second", "p"))
    if only_first == only_second:
        return f"No difference in how often they pass (p = {p:.3g})."
    better = names[0] if only_first > only_second else names[1]
    if is_more_than_chance(p):
        return f"The difference is more than chance (p = {p:.3g}): {better} passes more often."
    return (
        f"The difference is not more than chance (p = {p:.3g}): {better} is ahead, but so uneven a split comes about "
        "often enough between equals. More seeds would tell."
    )

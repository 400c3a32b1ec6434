"""How sure a comparison is: whether a difference is more than chance, and the interval of a ratio.

Everything is paired: both sides did the same jobs with the same seeds, so that only what differs counts.
Not here: running anything, the interval of one side's share (intervals.py), or how large a difference matters.

Sources: McNemar's test in its exact, binomial form (a sign test on the pairs that differ) for pairs of yes and no;
Efron's bootstrap (percentiles) for a median.
"""

from __future__ import annotations

import math
import random
import statistics
from collections import Counter
from collections.abc import Sequence
from typing import Any

RESAMPLES = 2000


def mcnemar(only_first: int, only_second: int) -> float:
    """How probable so uneven a split is, or a more uneven one, if the two sides are equally good (two-sided)."""
    n, fewer = only_first + only_second, min(only_first, only_second)
    return min(1.0, 2 * sum(math.comb(n, k) for k in range(fewer + 1)) / 2**n)


def split(outcomes: Sequence[tuple[bool, bool]]) -> dict[str, Any]:
    """How often both sides, only the first, only the second and neither passed, of n pairs, with McNemar's p."""
    counts = Counter(outcomes)
    only_first, only_second = counts[True, False], counts[False, True]
    return {
        "n": len(outcomes),
        "both": counts[True, True],
        "only_first": only_first,
        "only_second": only_second,
        "neither": counts[False, False],
        "p": round(mcnemar(only_first, only_second), 6),
    }


def rounded_ratio(first: Sequence[float], second: Sequence[float]) -> list[float] | None:
    """`median_ratio` to three decimals; None when nothing was counted on one side."""
    if not any(first) or not any(second):
        return None
    return [round(part, 3) for part in median_ratio(first, second)]


def median_ratio(first: Sequence[float], second: Sequence[float]) -> tuple[float, float, float]:
    """The median of second/first over the pairs, and its 95 % interval. Always the same for the same numbers.

    Pairs in which the first is 0 are left out; raises ValueError when none is left.
    """
    ratios = [b / a for a, b in zip(first, second, strict=True) if a > 0]
    if not ratios:
        raise ValueError("a ratio needs at least one pair whose first number is not 0")
    rand = random.Random(1)
    medians = sorted(statistics.median(rand.choices(ratios, k=len(ratios))) for _ in range(RESAMPLES))
    at = [medians[round(share * (RESAMPLES - 1))] for share in (0.025, 0.975)]
    return statistics.median(ratios), at[0], at[1]

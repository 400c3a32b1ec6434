"""How sure a comparison is: intervals for shares and ratios, and whether a difference is more than chance.

Everything is paired: both sides did the same jobs with the same seeds, so that only what differs counts.
Not here: running anything, or deciding how large a difference matters.

Sources: Wilson (1927) for a share's interval; McNemar's test in its exact, binomial form for pairs of yes and no;
Efron's bootstrap (percentiles) for a median.
"""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Sequence

Z_95 = 1.959964  # of the normal distribution, for 95 %
RESAMPLES = 2000


def wilson(passed: int, n: int) -> tuple[float, float]:
    """The 95 % interval of a share, each end from 0 to 1; without any run it is everything."""
    if n == 0:
        return 0.0, 1.0
    share, square = passed / n, Z_95 * Z_95
    middle = (share + square / (2 * n)) / (1 + square / n)
    half = Z_95 * math.sqrt(share * (1 - share) / n + square / (4 * n * n)) / (1 + square / n)
    return max(0.0, middle - half), min(1.0, middle + half)


def mcnemar(only_first: int, only_second: int) -> float:
    """How probable so uneven a split is, or a more uneven one, if the two sides are equally good (two-sided)."""
    n, fewer = only_first + only_second, min(only_first, only_second)
    return min(1.0, 2 * sum(math.comb(n, k) for k in range(fewer + 1)) / 2**n)


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

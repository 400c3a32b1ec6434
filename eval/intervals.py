"""How sure a single figure is: the 95 % interval of a share, and that of a mean.

Role: every share or mean that this folder reports stands beside one of these. Not here: comparing two sides, which is
done in pairs (paired.py).

Sources: E. B. Wilson, JASA 22 (1927), for the share; Efron's bootstrap (percentiles) for the mean.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from statistics import fmean

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


def bootstrap(values: Sequence[float], seed: int = 1) -> tuple[float, float]:
    """The 95 % interval of a mean, from samples drawn with replacement; the same for the same numbers and seed."""
    rand = random.Random(seed)
    means = sorted(fmean(rand.choices(values, k=len(values))) for _ in range(RESAMPLES))
    return means[int(0.025 * RESAMPLES)], means[int(0.975 * RESAMPLES) - 1]

"""Reads the steps' output: rows of `stowage compare`, episodes of `train`."""

import math
import statistics

WINDOW = 10
NEVER = math.inf


def rows(result):
    return result["output"] or [] if result else []


def row(result, policy, ratio=None):
    """Returns the row of a policy, at the ratio nearest to the one wanted."""
    found = [r for r in rows(result) if r["policy"] == policy and r["error"] is None]
    if ratio is not None:
        found = [r for r in found if abs(r["fast_ratio"] - ratio) < 5e-3]
    return found[0] if found else None


def value(result, policy, column="relative_performance", ratio=None):
    found = row(result, policy, ratio)
    return found.get(column) if found else None


def episodes(result):
    return result["output"]["episodes"] if result and result["output"] else []


def smoothed(values):
    """Returns the mean of each value and up to WINDOW - 1 before it."""
    return [statistics.fmean(values[max(0, i + 1 - WINDOW):i + 1]) for i in range(len(values))]


def convergence(values):
    """Returns the episode after which the mean of WINDOW stays near its last value.

    Near: within a tenth of the range of the means. NEVER where that is so only
    in the last fifth of the episodes; None for a curve that is not there."""
    if len(values) <= WINDOW:
        return None
    means = smoothed(values)[WINDOW - 1:]
    tolerance = (max(means) - min(means)) / 10
    far = [i for i, mean in enumerate(means) if abs(mean - means[-1]) > tolerance]
    if far and far[-1] >= 0.8 * len(means):
        return NEVER
    return WINDOW + (far[-1] + 1 if far else 0)

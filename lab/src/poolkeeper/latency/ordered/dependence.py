"""Information in a sample whose values depend on each other.

Response times of a test come in order, and a slow one follows a slow one. The variance of their mean is then not s2 / n
but s2 tau / n, with tau the integrated autocorrelation time: so many values say as much as one independent value.
tau is the spectrum at frequency zero, estimated in three steps:

1. von Neumann's ratio [1] asks whether neighbours depend on each other at all. If not, tau is 1.
2. A first tau sums the autocorrelations up to a lag of five tau (the automatic window of [2]), on the series and on
   its means over ever more neighbours, where a slow drift shows.
3. With it, so many cosine coefficients of the lowest frequencies are averaged as lie on the flat top of the spectrum.
   Their mean is tau to a known number of degrees of freedom, for Student's t in place of the normal distribution [3].

[1] von Neumann: Distribution of the ratio of the mean square successive difference to the variance, Ann. Math.
    Statist. 12, 1941.
[2] Sokal: Monte Carlo methods in statistical mechanics, in: Functional Integration, Springer 1997, section 3.
[3] Lazarus, Lewis, Stock, Watson: HAR inference: recommendations for practice, JBES 36(4), 2018 (the equal-weighted
    cosine estimator, and its 0.4 n^(2/3) coefficients).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.student import quantile

if TYPE_CHECKING:
    from poolkeeper.arrays import Floats

_LONGEST = 1 << 16
"""A longer series is summed over neighbours first: only its low frequencies count, and summing leaves them alone."""
_WINDOW = 5
"""The autocorrelations are summed up to so many times their own sum."""
_CLEARLY = 3.0
"""Von Neumann's statistic of means over neighbours that depend on each other beyond doubt."""
_FEWEST = 64
"""Means over neighbours from which a first autocorrelation time is taken."""
_TOP = 8
"""Of n values with an autocorrelation time of tau, n / (8 tau) coefficients lie on the top of the spectrum."""
_FAR = 0.4
"""Weight of the autocorrelation time against that of neighbours in judging whether there are enough values."""
STRETCHES = 30
"""Stretches of time from which their spread says how far values depend on each other."""
_INDEPENDENT = 1.645
"""Von Neumann's statistic of independent values exceeds it in 5 % of all samples."""


@dataclass(frozen=True, slots=True)
class Dependence:
    """The autocorrelation time of a series, in values; 1 if neighbours do not depend on each other.

    `freedom` is the number of degrees of freedom that it was estimated with. `near` is the time that neighbours alone
    suggest, as if each value depended on the one before it only: less right, and far less a matter of chance. That is
    one standard error below `near_high`.
    """

    time: float
    freedom: int
    independent: bool
    near: float = 1.0
    near_high: float = 1.0

    @property
    def cautious(self) -> float:
        """The autocorrelation time by which to judge whether there are enough values.

        To judge by `time` would offer intervals to those samples in which it happens to come out too small, and these
        would be too narrow. Neighbours decide, unless values far apart depend on each other as well.
        """
        return max(self.near, _FAR * self.time)


def dependence(series: Floats) -> Dependence:
    """Dependence of a series of values on each other. Shape (n,), in the order of time, n >= 2.

    A time below 1 (neighbours that balance each other) counts as 1: intervals are then too wide rather than too narrow.
    """
    count = series.size
    centred = series - series.mean()
    # Sums of products, not dot products: BLAS starts threads for those, which cost more than they give.
    squares = float((centred * centred).sum())
    steps = np.diff(centred)
    alike = float(np.ptp(series)) <= 1e-12 * float(np.abs(series).max())
    neighbours = 0.0 if alike else 1 - float((steps * steps).sum()) / squares / 2
    if neighbours * math.sqrt(count) < _INDEPENDENT:
        return Dependence(1.0, count - 1, independent=True)
    size = -(-count // _LONGEST)
    sums = centred[: count - count % size].reshape(-1, size).sum(axis=1)
    coefficients, first = _spectrum(sums), _first_time(sums)
    length = sums.size
    freedom = max(1, int(min(0.4 * length ** (2 / 3), length / (first * _TOP))))
    time = float(coefficients[:freedom].mean()) / (size * squares / count)
    near, near_high = (_near(at, count) for at in (neighbours, neighbours + math.sqrt((1 - neighbours**2) / count)))
    return Dependence(max(time, 1.0), freedom, independent=False, near=near, near_high=near_high)


def of_sums(residuals: Floats, count: int, variance: float) -> Dependence | None:
    """The same for `count` values of some variance of which only sums over stretches of time are known, shape (b,).

    `residuals` are the sums of the values less what they would be if each value were the mean. They hold how values
    depend on each other within a stretch, too. None for fewer than `STRETCHES`.
    """
    many = residuals.size
    if many < STRETCHES or not variance > 0:
        return None
    between = dependence(residuals)
    time = between.time * float(residuals.var(ddof=1)) / (count / many) / variance
    # Values within a stretch may depend on each other where stretches do not, so that the ratio decides.
    if between.independent and time < 1 + _INDEPENDENT * math.sqrt(2 / many):
        return Dependence(1.0, count - 1, independent=True)
    time = max(time, 1.0)
    near, near_high = (max(1.0, time / between.time * at) for at in (between.near, between.near_high))
    return Dependence(time, between.freedom, independent=False, near=near, near_high=near_high)


def between(independent: float, dependent: float, times: float) -> float:
    """Interpolates between requirements of independent values and of an autocorrelation time of 3 and more."""
    return independent + (dependent - independent) * min(1.0, (times - 1) / 2)


def effective(count: int, dependence: Dependence, confidence: float) -> float:
    """The number of independent values that say as much, made smaller for the freedom that it was estimated with."""
    if dependence.independent:
        return float(count)
    from scipy.special import ndtri

    level = (1 + confidence) / 2
    return count / dependence.time * (float(ndtri(level)) / quantile(dependence.freedom, confidence)) ** 2


def _near(correlation: float, count: int) -> float:
    """The autocorrelation time of `count` values each of which depends on the one before it, at most all of them."""
    return min(float(count), (1 + correlation) / (1 - correlation)) if correlation < 1 else float(count)


def _first_time(series: Floats) -> float:
    """First autocorrelation time, for the width of the spectrum's top.

    It is the largest over the series and its means over 4, 16, 64... neighbours: a slow drift under much noise hides
    from the series itself, whose window ends long before, but not from its means.
    """
    size, found = 1, _windowed(series)
    while series.size >= 4 * _FEWEST:
        series = series[: series.size - series.size % 4].reshape(-1, 4).mean(axis=1)
        size *= 4
        steps, spread = np.diff(series), float(series.var())
        if spread > 0 and (1 - float((steps * steps).mean()) / spread / 2) * math.sqrt(series.size) > _CLEARLY:
            found = max(found, size * (_windowed(series) - 1))
    return found


def _windowed(series: Floats) -> float:
    """The sum of the autocorrelations on both sides, up to a lag of `_WINDOW` times itself."""
    spectrum = np.fft.rfft(series - series.mean(), 2 * series.size)
    covariances = np.fft.irfft(spectrum.real**2 + spectrum.imag**2)[: series.size]
    sums = 2 * np.cumsum(covariances / covariances[0]) - 1
    enough = np.flatnonzero(np.arange(series.size) >= _WINDOW * sums)
    # No window is wide enough where a few values at an end are all that varies: these depend on each other most.
    return max(1.0, float(sums[enough[0]] if enough.size else sums.max()))


def _spectrum(series: Floats) -> Floats:
    """Squared cosine coefficients from the lowest frequency on, shape (n - 1,); the variance is their mean."""
    mirrored = np.fft.rfft(np.concatenate((series, series[::-1])))[1 : series.size]
    found: Floats = (mirrored.real**2 + mirrored.imag**2) / (2 * series.size)
    return found

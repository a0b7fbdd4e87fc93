"""Fits of the scalability law to many data sets at once, and intervals by their profiles.

The fit is by least squares, as published ones are. Its intervals would be too narrow where errors grow with the
throughput: 60 to 80 in 100 hold the truth. A few levels rarely tell how errors grow. So an interval holds those of all
powers of the throughput by which errors may grow, of those that the likelihood does not rule out [1, 2.8 and 3.4].

[1] Carroll, Ruppert: Transformation and Weighting in Regression, Chapman and Hall 1988.
[2] Bates, Watts: Nonlinear Regression Analysis and Its Applications, Wiley 1988, 3.10.
[3] Self, Liang: Asymptotic properties of maximum likelihood estimators and likelihood ratio tests under nonstandard
    conditions, JASA 82, 1987, case 5.
[4] Chandrupatla: A new hybrid quadratic/bisection algorithm for finding the zero of a nonlinear function without using
    derivatives, Advances in Engineering Software 28(3), 1997.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from poolkeeper.scalability import _views
from poolkeeper.scalability._least import Curve, Values, jacobian, least_squares
from poolkeeper.student import quantile

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from poolkeeper.arrays import Floats, Integers
    from poolkeeper.scalability._views import View

_STARTS = 4
"""Number of the tried places from which the search starts."""
_ALPHAS = (0.0, 0.001, 0.01, 0.05, 0.2, 0.5, 0.9)
_PEAKS = (0.03, 0.1, 0.3, 0.7, 1.5, 4.0, math.inf)
"""Places tried: contention, and the peak relative to the highest level."""
_FARTHEST = 2.0**40
"""Ratio of the farthest value that is tried to the first: beyond it there is no end."""
_FARTHER = 1.3
_STRETCHES = 2.0, 20.0
"""Least and greatest ratio of the distances of two values that are tried."""
POWERS = (0.0, 1.0, 2.0)
"""Powers of the throughput to which the standard deviation of errors may be proportional."""
RULED_OUT = 3.84
"""Twice the logarithm of the ratio of likelihoods from which a power is ruled out: chi-square at 95 %."""
_DIVISIONS = 200
_GAIN = 1e-10
"""Relative gain that counts as none in the search for a point of a profile."""
_NARROW, _ON_MARGIN = 1e-9, 1e-9
"""Relative width, and height of the profile, at which an end is found."""
_STEEP = 3.0
"""Height from which a profile is not taken for straight."""
_FAR = 1e6
"""Stands for the distance of values that no law of the form has."""


@dataclass(frozen=True)
class Form:
    """Free parameters of the law: `lambda_` is the value of one that is given."""

    name: str
    alpha: bool
    beta: bool
    lambda_: float | None = None

    @property
    def parameters(self) -> int:
        """Number of parameters that are learned."""
        return self.alpha + self.beta + (self.lambda_ is None)


@dataclass(frozen=True, eq=False)
class Fits:
    """The law fitted to data (p, n) measured at levels (n,); `law` (p, 3) holds lambda, alpha, beta.

    Residuals count by their `weights` (p, n).
    """

    form: Form
    levels: Floats
    data: Floats
    weights: Floats
    law: Floats
    squares: Floats
    converged: NDArray[np.bool_]

    @property
    def freedom(self) -> int:
        """Degrees of freedom of the residuals: measurements less parameters."""
        return self.levels.size - self.form.parameters

    @property
    def variance(self) -> Floats:
        """Variance of the residuals (p,); not a number without degrees of freedom."""
        return self.squares / self.freedom if self.freedom > 0 else np.full_like(self.squares, np.nan)

    @cached_property
    def errors(self) -> Floats:
        """Standard errors (p, 3) of lambda, alpha, beta from the curve's slopes; NaN at a bound or if held."""
        slopes = jacobian(_curve(_views.LAMBDA, self.levels), self.law, np.arange(len(self.law)))
        free = (self.law > 0) & ((self.law < 1) | (np.arange(3) != 1)) & _free(self.form)
        found = np.full_like(self.law, np.nan)
        for index in range(len(self.law)):
            part = slopes[index][:, free[index]]
            scale = np.sqrt((part**2).sum(axis=0))
            if (scale > 0).all():
                inverse = np.linalg.pinv((part / scale).T @ (part / scale))
                found[index, free[index]] = np.sqrt(self.variance[index] * np.diag(inverse)) / scale
        return found

    def interval(self, view: View, confidence: float) -> tuple[Floats, Floats]:
        """Interval of the view's first coordinate, by Student's t of its profiles: low, high (p,).

        A bound that a profile reaches is the end; infinite where it stays within for all values.
        """
        low, high = np.full_like(self.squares, np.inf), np.full_like(self.squares, -np.inf)
        models = [(weighted, np.flatnonzero(possible)) for _, weighted, possible in self.error_models]
        ends = _Profile(models, view, confidence).ends()
        places = np.concatenate([place for _, place in models])
        np.minimum.at(low, places, ends[0])
        np.maximum.at(high, places, ends[1])
        return low, high

    def profile(self, view: View, confidence: float) -> tuple[Floats, Floats]:
        """The same where the weights of this fit are right."""
        return _Profile([(self, np.arange(len(self.law)))], view, confidence).ends()

    def noise(self, throughput: Floats) -> Floats:
        """Standard deviation of a new measurement where the law says `throughput`: (p,), or any with one data set."""
        found = np.zeros_like(throughput)
        for power, weighted, possible in self.error_models:
            scale = np.exp(np.log(self.fitted).mean(axis=1))
            spread = np.sqrt(weighted.variance) * (throughput / scale) ** power
            found = np.where(possible, np.maximum(found, spread), found)
        return found

    @cached_property
    def fitted(self) -> Floats:
        """The throughput of the law at the levels, (p, n)."""
        found = _curve(_views.LAMBDA, self.levels)(self.law, np.arange(len(self.law)))
        positive: Floats = np.maximum(found, 1e-12 * self.data.max())
        return positive

    @cached_property
    def error_models(self) -> list[tuple[float, Fits, NDArray[np.bool_]]]:
        """Powers of the throughput, the fit with weights by each, and for which data sets it is not ruled out.

        The geometric mean of the weights is 1, so that sums of squares alone tell the likelihood.
        """
        logs = np.log(self.fitted)
        relative = logs - logs.mean(axis=1, keepdims=True)
        fits = [(power, self.weighted(np.exp(-power * relative)) if power else self) for power in POWERS]
        # What is left of exact data are rounding errors.
        least = 1e-24 * (self.data**2).sum(axis=1)
        squares = np.maximum([weighted.squares for _, weighted in fits], least)
        ratios = self.freedom * np.log(squares / squares.min(axis=0))
        return [(*pair, ratio <= RULED_OUT) for pair, ratio in zip(fits, ratios, strict=True)]

    def improvement_on(self, simpler: Fits) -> float:
        """The p value of the parameter that a simpler fit of the first data set lacks.

        The largest of all powers by which errors may grow: where they do, a parameter that follows the large errors of
        the high levels improves an unweighted fit by chance in a third of all samples, not in one of twenty.
        """
        return max(
            improvement(float(simpler.weighted(model.weights).squares[0]), float(model.squares[0]), self.freedom)
            for _, model, possible in self.error_models
            if possible[0]
        )

    @property
    def constant_errors(self) -> NDArray[np.bool_]:
        """For which data sets it is not ruled out that all errors are equally large (p,)."""
        return self.error_models[0][2]

    def weighted(self, weights: Floats) -> Fits:
        """The law fitted with other weights, from this one on."""
        low = np.zeros_like(self.law)
        high = np.tile(np.where(_free(self.form), _views.LAMBDA.high, 0.0), (len(self.law), 1))
        if self.form.lambda_ is not None:
            low[:, 0] = high[:, 0] = self.form.lambda_
        curve = _curve(_views.LAMBDA, self.levels, weights)
        found = least_squares(curve, self.data * weights, self.law, low, high)
        return replace(self, weights=weights, law=found.parameters, squares=found.squares, converged=found.converged)

    def repeated(self, times: int) -> Fits:
        """The same fit of one data set so many times, to ask about several quantities at once."""

        def again(values: NDArray[Any]) -> NDArray[Any]:
            return np.repeat(values[:1], times, axis=0)

        parts = (self.data, self.weights, self.law, self.squares, self.converged)
        return Fits(self.form, self.levels, *map(again, parts))


def improvement(simple: float, rich: float, freedom: int) -> float:
    """The p value of one more parameter that cannot be negative: sums of squares without and with it [2, 3].

    `freedom` is that of the richer model. 1 if it brings nothing.
    """
    if rich >= simple * (1 - 1e-12):
        return 1.0
    if rich == 0:
        return 0.0
    from scipy.special import fdtrc

    return float(fdtrc(1, freedom, (simple - rich) / (rich / freedom))) / 2


def fit(form: Form, levels: Floats, data: Floats) -> Fits:
    """Fit a form of the law to p data sets (p, n) at levels (n,), all from the same starts."""
    count = len(data)
    size = data.max()
    scaled = data / size
    lambda_ = None if form.lambda_ is None else form.lambda_ / size
    starts = _starts(form, levels, scaled, lambda_)
    low = np.zeros((count * _STARTS, 3))
    high = np.tile(np.where(_free(form), _views.LAMBDA.high, 0.0), (count * _STARTS, 1))
    if lambda_ is not None:
        low[:, 0] = high[:, 0] = lambda_
    found = least_squares(
        _curve(_views.LAMBDA, levels), np.repeat(scaled, _STARTS, axis=0), starts.reshape(-1, 3), low, high
    )
    best = found.squares.reshape(count, _STARTS).argmin(axis=1) + np.arange(count) * _STARTS
    law = found.parameters[best] * (size, 1, 1)
    weights = np.ones_like(data)
    return Fits(form, levels, data, weights, law, found.squares[best] * size**2, found.converged[best])


def _free(form: Form) -> NDArray[np.bool_]:
    return np.array([form.lambda_ is None, form.alpha, form.beta])


def _curve(view: View, levels: Floats, weights: Floats | None = None) -> Curve:
    """The law at the levels by the coordinates of a view, times the weights (p, n)."""

    def curve(parameters: Values, problem: Integers) -> Values:
        with np.errstate(all="ignore"):  # an end of the range may have no curve, which shows as no number
            lambda_, alpha, beta = (column[:, None] for column in view.law(parameters, problem).T)
            fitted: Values = lambda_ * levels / (1 + alpha * (levels - 1) + beta * levels * (levels - 1))
        return fitted if weights is None else fitted * weights[problem]

    return curve


def _starts(form: Form, levels: Floats, data: Floats, lambda_: float | None) -> Floats:
    """The best of the tried places for each data set, (p, starts, 3), each with its best lambda."""
    alphas = _ALPHAS if form.alpha else (0.0,)
    peaks = _PEAKS if form.beta else (math.inf,)
    places = np.array([(a, (1 - a) / (p * levels.max()) ** 2) for a in alphas for p in peaks])
    alpha, beta = places.T[:, :, None]
    shapes = levels / (1 + alpha * (levels - 1) + beta * levels * (levels - 1))
    lambdas = data @ shapes.T / (shapes**2).sum(axis=1)
    if lambda_ is not None:
        lambdas = np.full_like(lambdas, lambda_)
    residuals = data[:, None, :] - lambdas[:, :, None] * shapes
    order = (residuals**2).sum(axis=2).argsort(axis=1)[:, :_STARTS]
    if order.shape[1] < _STARTS:
        order = np.repeat(order[:, :1], _STARTS, axis=1)
    return np.concatenate([np.take_along_axis(lambdas, order, axis=1)[:, :, None], places[order]], axis=2)


class _Profile:
    """The smallest sum of squares for each value of a quantity, for p problems at once.

    Both ends of all intervals are looked for at the same time, as most of the time of such small searches is that of
    the calls: end k is the lower one of problem k below p, the upper one of problem k - p from there on.
    """

    def __init__(self, models: list[tuple[Fits, Integers]], view: View, confidence: float) -> None:
        """Profile the view's first coordinate, within Student's t of the least squares.

        The problems are some data sets of each of several fits to the same data, one fit after another.
        """
        fits = models[0][0]
        places = np.concatenate([place for _, place in models])
        weights = np.concatenate([weighted.weights[place] for weighted, place in models])
        count = len(places)
        self._problem = np.tile(np.arange(count), 2)
        self._side = np.repeat([-1, 1], count)
        self._data = fits.data[places] * weights
        here = replace(view, law=lambda coordinates, problem: view.law(coordinates, places[problem]))
        self._curve = _curve(here, fits.levels, weights)
        self._squares = np.concatenate([weighted.squares[place] for weighted, place in models])
        variance = np.concatenate([weighted.variance[place] for weighted, place in models])
        margin = quantile(fits.freedom, confidence) ** 2 * variance
        self._margin = np.sqrt(np.maximum(margin, 1e-24 * (self._data**2).sum(axis=1)))
        self._best = np.concatenate([view.of(weighted.law)[place] for weighted, place in models])
        self._state = self._best[self._problem]
        """For each end the outmost law within, so far."""
        allowed = {"alpha": fits.form.alpha, "beta": fits.form.beta, "": True}
        self._high = np.array([end if allowed[need] else 0.0 for end, need in zip(view.high, view.needs, strict=True)])
        self._low = np.zeros(3)
        self._most = np.full(count, self._high[0]) if view.most is None else view.most[places]
        if fits.form.lambda_ is not None and view.lambda_at is not None:
            self._low[view.lambda_at] = self._high[view.lambda_at] = fits.form.lambda_

    def ends(self) -> tuple[Floats, Floats]:
        """The lower and the upper end for each problem, in the unit of the quantity."""
        inside = self._state[:, 0].copy()
        if self._low[0] == self._high[0]:
            low, high = np.split(np.full_like(inside, self._low[0]), 2)
            return low, high
        bound = np.where(self._side < 0, self._low[0], self._most[self._problem])
        outside, height = self._outside(inside, bound)
        end = outside.copy()
        left = np.flatnonzero(height > 0)
        end[left] = self._crossing(left, inside[left], outside[left], height[left])
        low, high = np.split(end, 2)
        return low, high

    def _outside(self, inside: Floats, bound: Floats) -> tuple[Floats, Floats]:
        """A value beyond each end, or the bound, or infinity where there is no end, and the heights there."""
        endless = ~np.isfinite(bound)
        outside = np.where(endless, np.maximum(inside * 1.05, 1e-12), bound)
        most = outside * _FARTHEST
        height = self._above(outside, np.arange(outside.size))
        within = np.flatnonzero(endless & (height <= 0))
        while within.size:
            # A little farther than a straight profile reaches the margin: far outside a search takes long.
            stretch = np.clip(_FARTHER / np.maximum(1 + height[within], 1e-3), *_STRETCHES)
            reached = inside[within] + stretch * (outside[within] - inside[within])
            outside[within] = np.minimum(reached, most[within])
            height[within] = self._above(outside[within], within)
            within = within[height[within] <= 0]
            outside[within[outside[within] == most[within]]] = math.inf
            within = within[np.isfinite(outside[within])]
        return outside, height

    def _crossing(self, end: Integers, inside: Floats, outside: Floats, height: Floats) -> Floats:
        """The values between `inside` and `outside` at which some profiles reach the margin [4]."""
        found = inside.copy()
        at_work = np.arange(end.size)
        # The last value, the one on the other side of the end, and the one before: a profile is about straight.
        points, heights = (
            np.stack([outside, inside, inside]),
            np.stack([height, np.full_like(height, -1.0), np.full_like(height, -1.0)]),
        )
        place = np.where(height < _STEEP, height / (height + 1), 0.5)
        for _ in range(_DIVISIONS):
            last, other, _ = points
            value = last + place * (other - last)
            here = self._above(value, end[at_work])
            same = (here > 0) == (heights[0] > 0)
            points = np.stack([value, np.where(same, other, last), np.where(same, last, other)])
            heights = np.stack([here, np.where(same, heights[1], heights[0]), np.where(same, *heights[:2])])
            found[at_work] = best = np.where(np.abs(heights[0]) < np.abs(heights[1]), *points[:2])
            with np.errstate(all="ignore"):
                least = _NARROW * np.abs(best) / np.abs(points[1] - points[0])
                left = (least < 0.5) & (np.abs(heights[:2]).min(axis=0) > _ON_MARGIN)  # noqa: PLR2004 - one half
                place = np.clip(_interpolated(points, heights), least, 1 - least)
            at_work, points, heights, place = at_work[left], points[:, left], heights[:, left], place[left]
            if not at_work.size:
                break
        return found

    def _above(self, value: Floats, end: Integers) -> Floats:
        """Height of the profile above the margin at a value for each of some ends, about straight in the value.

        Below 0 within the interval.
        """
        problem = self._problem[end]
        searched = np.tile(problem, 2)
        # From the best fit and from the outmost law within: a search that starts outside may end in another valley.
        start = np.concatenate([self._best[problem], self._state[end]])
        start[:, 0] = np.tile(value, 2)
        low, high = (np.tile(ends, (len(start), 1)) for ends in (self._low, self._high))
        low[:, 0] = high[:, 0] = start[:, 0]

        def curve(parameters: Values, place: Integers) -> Values:
            return self._curve(parameters, searched[place])

        found = least_squares(curve, self._data[searched], start, low, high, gain=_GAIN)
        from_best, from_state = np.split(found.squares, 2)
        chosen = np.arange(len(end)) + len(end) * (from_state < from_best)
        rise = np.maximum(0.0, found.squares[chosen] - self._squares[problem])
        away: Floats = np.sqrt(rise) / self._margin[problem] - 1
        inside = away <= 0
        self._state[end[inside]] = found.parameters[chosen[inside]]
        return np.where(np.isfinite(away), away, _FAR)


def _interpolated(points: Floats, heights: Floats) -> Floats:
    """Likely place of height 0 from the first to the second of three points (3, p), as a share of their distance [4].

    By inverse quadratic interpolation where that is monotonous, or else in the middle.
    """
    (a, b, c), (fa, fb, fc) = points, heights
    across, up = (a - b) / (c - b), (fa - fb) / (fc - fb)
    smooth = (up**2 < across) & ((1 - up) ** 2 < 1 - across)
    share = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
    return np.where(smooth, share, 0.5)

"""Maximum likelihood by Newton's method, in the coordinates of a family."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.errors import DataError
from poolkeeper.latency.fits.data import Cells, Values
from poolkeeper.latency.fits.families.family import scalars

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from poolkeeper.arrays import Floats
    from poolkeeper.latency.fits.data import Data
    from poolkeeper.latency.fits.families.family import Family

_STEPS = 60
_HALVINGS = 30
_STEP = 1e-4
"""Of a numeric derivative, relative to the standard error of one value."""
_GAIN = 1e-8
"""Log-likelihood of all values that another step must promise."""
_NEAR = 1e-9
_CLIMBS = 2
_SHRINKS = 8
_LEAST = 1e-9


@dataclass(frozen=True, eq=False)
class Maximum:
    """Maximum of the likelihood, in units of the data's mean."""

    coordinates: Floats
    """Shape (p,)."""
    parameters: tuple[float, ...]
    log_likelihood: float
    """Mean of a value's."""
    information: Floats
    """Observed information of one value about the coordinates, shape (p, p)."""
    bound: NDArray[np.bool_]
    """Coordinates that lie on a bound of the search, shape (p,)."""


def maximise(family: Family, data: Data) -> Maximum:
    """Parameters with the largest likelihood of the data, and how sharp the maximum is."""
    x, weights = data.points()
    starts = [family.coordinates(*scalars(start)) for start in family.starts(x, weights)]
    low, high = family.bounds()
    if family.anchor:
        low, high = _anchor(family, data, low, high)
    if family.shift:
        low, high = _shift(family, data, low, high)
    tried = np.clip(np.array(starts, dtype=float), low, high)
    found = _Search(family, data, low, high)
    closed = family.closed and isinstance(data, Values)
    values = found.values(tried)
    order = [k for k in np.argsort(-values, kind="stable")[:_CLIMBS] if np.isfinite(values[k])]
    if not order:
        raise DataError(f"{family.name}: no parameters that a computer can hold give these values a likelihood")
    return max((found.climb(tried[k], still=closed) for k in order), key=lambda entry: entry.log_likelihood)


def _anchor(family: Family, data: Data, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Keeps the smallest value where it is, or within its cell."""
    first = last = float(data.points()[0][0])
    if isinstance(data, Cells):
        first, last = max(float(data.low[0]), _LEAST), float(data.high[0]) * (1 - _NEAR)
    low, high = low.copy(), high.copy()
    low[family.place], high[family.place] = np.log(first), np.log(last)
    return low, high


def _shift(family: Family, data: Data, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Keeps the location below the smallest value, or below the end of its cell."""
    x, weights = data.points()
    reach, high = family.reach(x, weights), high.copy()
    most = float(data.high[0]) if isinstance(data, Cells) and reach >= x[0] else reach
    high[0] = max(most * (1 - _NEAR), low[0])
    return low, high


class _Search:
    """Newton's method with numeric derivatives, within bounds."""

    def __init__(self, family: Family, data: Data, low: Floats, high: Floats) -> None:
        self.family, self.data, self.low, self.high = family, data, low, high
        self.fixed = high <= low
        self.sizes = np.ones(low.size)

    def values(self, theta: Floats) -> Floats:
        """Mean log-likelihoods at coordinates of shape (b, p)."""
        columns = (theta[:, j, None] for j in range(theta.shape[1]))
        with np.errstate(all="ignore"):
            return self.data.log_likelihood(self.family, self.family.natural(*columns))

    def climb(self, theta: Floats, *, still: bool) -> Maximum:
        self.sizes = np.ones(theta.size)
        value = float(self.values(theta[None])[0])
        for _ in range(_STEPS):
            gradient, curvature = self.derivatives(theta)
            if not np.all(np.isfinite(curvature)):
                break
            free = self.free(theta, gradient)
            step, gain = _newton(gradient, curvature, free)
            if still:
                self.sizes = self.scales(curvature)
                gradient, curvature = self.derivatives(theta)
                break
            if gain * self.data.size < _GAIN and self.settled(curvature):
                break
            self.sizes = self.scales(curvature)
            theta, value, moved = self.walk(theta, value, step)
            if not moved and self.settled(curvature):
                break
        bound = ((theta <= self.low + _NEAR) | (theta >= self.high - _NEAR)) & ~self.fixed
        with np.errstate(all="ignore"):
            natural = self.family.natural(*scalars(theta))
        return Maximum(theta, tuple(float(v) for v in natural), value, -curvature, bound)

    def walk(self, theta: Floats, value: float, step: Floats) -> tuple[Floats, float, bool]:
        factors = 0.5 ** np.arange(_HALVINGS)
        for part in np.split(factors, [1, 8]):
            tried = np.clip(theta + part[:, None] * step, self.low, self.high)
            values = self.values(tried)
            better = np.flatnonzero(values > value)
            if better.size:
                best = better[0]
                return tried[best], float(values[best]), True
        return theta, value, False

    def scales(self, curvature: Floats) -> Floats:
        """Standard error of one value in each coordinate: what a step of a derivative is measured by."""
        sizes: Floats = 1 / np.sqrt(np.clip(np.abs(np.diag(curvature)), 1e-4, 1e24))
        return sizes

    def settled(self, curvature: Floats) -> bool:
        """Whether the derivatives were taken with steps of about the right size."""
        ratio = self.scales(curvature) / self.sizes
        return bool(np.all((ratio > 0.1) & (ratio < 10)))  # noqa: PLR2004 - a factor of ten does no harm

    def free(self, theta: Floats, gradient: Floats) -> NDArray[np.bool_]:
        down = (theta <= self.low + _NEAR) & (gradient <= 0)
        up = (theta >= self.high - _NEAR) & (gradient >= 0)
        free: NDArray[np.bool_] = ~(down | up)
        return free

    def derivatives(self, theta: Floats) -> tuple[Floats, Floats]:
        """Gradient, shape (p,), and Hessian, shape (p, p), by central differences, next to bounds a little inside."""
        p = theta.size
        pairs = [(i, j) for i in range(p) for j in range(i)]
        for _ in range(_SHRINKS):
            h = np.where(self.fixed, 0.0, np.minimum(_STEP * self.sizes, (self.high - self.low) / 4))
            moves = np.diag(h)
            both = np.array([moves[i] + moves[j] for i, j in pairs]).reshape(-1, p)
            centre = np.clip(theta, self.low + h, self.high - h)
            value, *neighbours = self.values(centre + np.concatenate([np.zeros((1, p)), moves, -moves, both, -both]))
            values = np.array(neighbours)
            if np.all(np.isfinite(values)):
                break
            self.sizes = self.sizes / 10
        else:
            return np.full(p, np.nan), np.full((p, p), np.nan)
        h[self.fixed] = 1.0
        up, down = values[:p], values[p : 2 * p]
        gradient = (up - down) / (2 * h)
        hessian = np.diag((up + down - 2 * value) / (h * h))
        for place, (i, j) in enumerate(pairs):
            corner = values[2 * p + place] + values[2 * p + len(pairs) + place]
            mixed = (corner + 2 * value - up[i] - down[i] - up[j] - down[j]) / (2 * h[i] * h[j])
            hessian[i, j] = hessian[j, i] = mixed
        return gradient, hessian


def _newton(gradient: Floats, curvature: Floats, free: NDArray[np.bool_]) -> tuple[Floats, float]:
    """A step uphill, and the gain that it promises; directions that curve the wrong way are turned round."""
    step = np.zeros(gradient.size)
    if not free.any():
        return step, 0.0
    g, h = gradient[free], curvature[np.ix_(free, free)]
    scale = 1 / np.sqrt(np.maximum(np.abs(np.diag(h)), 1e-8))
    values, vectors = np.linalg.eigh(h * np.outer(scale, scale))
    size = np.maximum(np.abs(values), 1e-6)
    own = vectors.T @ (g * scale)
    move = scale * (vectors @ (own / size))
    step[free] = np.clip(move, -2, 2)
    return step, float((own * own / size).sum() / 2)

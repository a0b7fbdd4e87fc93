"""Fits of many samples of one distribution at once, from counts between places: Fisher's scoring."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from poolkeeper.arrays import Floats, Integers
    from poolkeeper.latency.fits.families.family import Family
    from poolkeeper.latency.fits.likelihood import Maximum

_ROUNDS = 25
_STEP = 1e-3
"""Of a numeric derivative, relative to the standard error of one value."""
_ENOUGH = 1e-4
"""Log-likelihood that another step of a replicate's fit must promise."""
_ROUNDING = 1e-9
_UNSEEN = 1e-14
"""Probabilities below it are differences of rounding errors."""
_TINY = 1e-300


class Scoring:
    """Fisher's scoring for all samples at once, from the fit that they were drawn from.

    A step that lessens the likelihood is taken back and quartered; samples whose next step promises next to nothing
    are done, so that of large samples most take one step.
    """

    def __init__(self, family: Family, found: Maximum, edges: Floats, counts: Integers) -> None:
        """`edges` ascend, shape (k,); `counts` are those below, between and above them, shape (r, k + 1)."""
        self.family, self.edges, self.counts = family, edges, counts
        self.scale = 1 / np.sqrt(np.clip(np.abs(np.diag(found.information)), 1.0, 1e24))
        self.bounds = _bounds(family, edges, counts)
        self.best = np.clip(np.tile(found.coordinates, (counts.shape[0], 1)), *self.bounds)
        self.likelihood = np.full(counts.shape[0], -np.inf)
        self.step = np.zeros_like(self.best)

    def climb(self) -> tuple[Floats, ...]:
        """Parameters of all samples, shape (r, 1) each."""
        size = self.counts[0].sum()
        active = np.arange(self.counts.shape[0])
        for _ in range(_ROUNDS):
            low, high = self.bounds[0][active], self.bounds[1][active]
            theta = np.clip(self.best[active] + self.step[active], low, high)
            cells, slopes = self._slopes(theta, low, high)
            likelihood = np.sum(self.counts[active] * np.log(cells), axis=1)
            better = likelihood >= self.likelihood[active] - _ROUNDING * np.abs(likelihood)
            self.step[active[~better]] /= 4
            ahead = active[better]
            self.best[ahead], self.likelihood[ahead] = theta[better], likelihood[better]
            gain = np.full(active.size, np.inf)
            step, gain[better] = _score(
                cells[better], slopes[:, better], self.counts[ahead], theta[better], (low[better], high[better])
            )
            self.step[ahead] = np.clip(step, -self.scale, self.scale)
            # The steps are nearly Newton's: what is left after one is of the order of its gain squared over n.
            done = np.minimum(gain, 10 * gain * gain / size) <= _ENOUGH
            last = active[done]
            self.best[last] = np.clip(self.best[last] + self.step[last], low[done], high[done])
            active = active[~done]
            if not active.size:
                break
        return self._natural(self.best)

    def _natural(self, theta: Floats) -> tuple[Floats, ...]:
        return self.family.natural(*(theta[:, j, None] for j in range(theta.shape[1])))

    def _probabilities(self, theta: Floats) -> Floats:
        below = np.asarray(self.family.cdf(self.edges, *self._natural(theta)))
        ends = np.zeros((below.shape[0], 1))
        return np.diff(np.concatenate([ends, below, ends + 1], axis=1), axis=1)

    def _slopes(self, theta: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """Probabilities of the cells, shape (r, k), and their derivatives by each coordinate, (p, r, k)."""
        slopes = []
        for j, step in enumerate(_STEP * self.scale):
            down, up = theta.copy(), theta.copy()
            down[:, j], up[:, j] = np.maximum(theta[:, j] - step, low[:, j]), np.minimum(theta[:, j] + step, high[:, j])
            width = (up[:, j] - down[:, j])[:, None]
            slopes.append((self._probabilities(up) - self._probabilities(down)) / width)
        return np.maximum(self._probabilities(theta), _TINY), np.array(slopes)


def _bounds(family: Family, edges: Floats, counts: Integers) -> tuple[Floats, Floats]:
    """Bounds of the search of each sample, shape (r, p); the smallest value is kept within its cell."""
    low, high = (np.tile(bound, (counts.shape[0], 1)) for bound in family.bounds())
    if family.anchor:
        first = np.argmax(counts > 0, axis=1)
        ends = np.log(np.concatenate([[max(edges[0] * _ROUNDING, _TINY)], edges, [edges[-1] * 2]]))
        place = family.place
        low[:, place], high[:, place] = ends[first], ends[first + 1] - _ROUNDING
    if family.shift:
        ends = np.concatenate([edges, [edges[-1] * 2]])
        high[:, 0] = ends[np.argmax(counts > 0, axis=1)] * (1 - _ROUNDING)
    return low, high


def _score(
    cells: Floats, slopes: Floats, counts: Integers, theta: Floats, bounds: tuple[Floats, Floats]
) -> tuple[Floats, Floats]:
    """Steps of Fisher's scoring, shape (r, p), and the gains that they promise, shape (r,)."""
    size, (low, high) = counts.sum(axis=1), bounds
    relative = np.where(cells > _UNSEEN, slopes / cells, 0.0)
    gradient = np.einsum("prk,rk->rp", relative, counts.astype(np.float64))
    information = np.einsum("prk,qrk->rpq", relative, slopes) * size[:, None, None]
    blocked = ((theta <= low) & (gradient <= 0)) | ((theta >= high) & (gradient >= 0))
    gradient = np.where(blocked, 0.0, gradient)
    unit = np.eye(theta.shape[1])
    information = np.where(blocked[:, :, None] | blocked[:, None, :], unit, information)
    diagonal = np.einsum("rpp->rp", information)
    information = information + unit * (_ROUNDING * diagonal + 1e-12)[:, None, :]
    usable = np.all(np.isfinite(information), axis=(1, 2)) & np.all(np.isfinite(gradient), axis=1)
    step = np.zeros_like(theta)
    step[usable] = np.linalg.solve(information[usable], gradient[usable][..., None])[..., 0]
    return step, np.sum(step * gradient, axis=1) / 2

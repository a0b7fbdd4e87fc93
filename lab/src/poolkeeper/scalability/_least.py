"""Least squares for very many very small problems at once: each a curve of three parameters within bounds.

Levenberg-Marquardt steps with an active set for the bounds [1]; derivatives by complex steps [2], which are exact to
the last digit. Library solvers take one problem at a time, some milliseconds each: profiles and studies of coverage
need hundreds of thousands of them.

[1] Nocedal, Wright: Numerical Optimization, 2nd ed., 10.3 and 16.7.
[2] Squire, Trapp: Using complex variables to estimate derivatives of real functions, SIAM Review 40(1), 1998.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from poolkeeper.arrays import Floats, Integers

_STEP = 1e-30
_ITERATIONS = 300
_EASY, _STUCK = 1e-14, 1e16
"""Least and greatest damping; at the greatest no step makes the sum smaller."""
_GAIN, _FREE = 1e-14, 1e-6
"""Relative gain that counts as none if nothing else is asked for, and damping that leaves a step its full length."""
_STILL = 1e-13
"""Relative change of all parameters that counts as none."""
_ROUNDED = 1e-16
"""Part of the sum of squares of the data that is left of exact ones, by rounding."""

Values = NDArray[Any]
"""Real numbers, or complex ones while derivatives are taken."""


class Curve(Protocol):
    """Parameters (p, k) of p problems, and which of all problems they are, to curves (p, n)."""

    def __call__(self, parameters: Values, problem: Integers, /) -> Values:
        """The values of the curves at the places where the data are."""


@dataclass(frozen=True, eq=False)
class Found:
    """Parameters (p, k) and sums of squares (p,) of p problems; `converged` (p,)."""

    parameters: Floats
    squares: Floats
    converged: NDArray[np.bool_]


def least_squares(  # noqa: PLR0913 - the parts of one problem
    curve: Curve, data: Floats, start: Floats, low: Floats, high: Floats, *, gain: float = _GAIN
) -> Found:
    """Minimise the sums of squares of data (p, n) minus curves from `start` (p, k) on, within bounds (p, k).

    A search ends where no step promises or brings more than `gain`, as a share of the sum.
    """
    parameters = np.clip(start, low, high)
    everything = np.arange(len(data))
    fitted = curve(parameters, everything)
    squares = _squares(fitted, data)
    converged = np.zeros(len(data), dtype=np.bool_)
    rounded = _ROUNDED * _squares(np.zeros_like(data), data)
    damping = np.full(len(data), 1e-3)
    at_work = everything
    for _ in range(_ITERATIONS):
        if not at_work.size:
            break
        here, lower, upper = parameters[at_work], low[at_work], high[at_work]
        slopes = jacobian(curve, here, at_work)
        step, promise = _step(slopes, data[at_work] - fitted[at_work], here, lower, upper, damping[at_work])
        # Beyond what rounding lets a sum show no step is better, however much it is damped.
        arrived = promise <= gain * (squares[at_work] + rounded[at_work])
        trial = np.clip(here + step, lower, upper)
        reached = curve(trial, at_work)
        tried = _squares(reached, data[at_work])
        better = tried < squares[at_work]
        # a step that is hardly damped and gains nothing has arrived, also where a flat valley lets it wander on
        with np.errstate(invalid="ignore"):  # two infinite sums have no difference, and neither is better
            flat = better & (squares[at_work] - tried <= gain * tried) & (damping[at_work] < _FREE)
        parameters[at_work[better]] = trial[better]
        fitted[at_work[better]] = reached[better]
        squares[at_work[better]] = tried[better]
        damping[at_work] = np.clip(np.where(better, damping[at_work] / 8, damping[at_work] * 6), _EASY, None)
        still = (np.abs(trial - here) <= _STILL * np.abs(here)).all(axis=1)
        done = still | flat | arrived | (damping[at_work] > _STUCK)
        converged[at_work[done]] = True
        at_work = at_work[~done]
    return Found(parameters, squares, converged)


def jacobian(curve: Curve, parameters: Floats, problem: Integers) -> Floats:
    """Derivatives (p, n, k) of the curves by the parameters (p, k)."""
    count, size = parameters.shape
    # all at once: most of the time of such small curves is that of the calls
    moved = np.repeat(parameters[None].astype(np.complex128), size, axis=0)
    places = np.arange(size)
    moved[places, :, places] += 1j * _STEP
    slopes = curve(moved.reshape(-1, size), np.tile(problem, size)).imag / _STEP
    return np.ascontiguousarray(np.moveaxis(slopes.reshape(size, count, -1), 0, 2))


def _squares(fitted: Values, data: Floats) -> Floats:
    residuals = data - fitted
    found: Floats = np.einsum("pn,pn->p", residuals, residuals)
    return np.where(np.isfinite(found), found, np.inf)


def _step(  # noqa: PLR0913 - the parts of one problem
    slopes: Floats,
    residuals: Floats,
    here: Floats,
    low: Floats,
    high: Floats,
    damping: Floats,
) -> tuple[Floats, Floats]:
    """A step of each problem, and the gain that it promises without damping (p,)."""
    pull = np.einsum("pnk,pn->pk", slopes, residuals)
    held = ((here <= low) & (pull <= 0)) | ((here >= high) & (pull >= 0)) | (low >= high)
    slopes = np.where(held[:, None, :], 0.0, slopes)
    pull = np.where(held, 0.0, pull)
    scale = np.sqrt(np.einsum("pnk,pnk->pk", slopes, slopes))
    scale[scale == 0] = 1.0
    slopes = slopes / scale[:, None, :]
    normal = np.einsum("pnk,pnl->pkl", slopes, slopes)
    # a parameter that is held has a row of its own, which makes its step 0
    places = np.arange(here.shape[1])
    normal[:, places, places] += _EASY + held
    pull = pull / scale
    damped = normal.copy()
    damped[:, places, places] += damping[:, None]
    free, step = np.linalg.solve(np.stack([normal, damped]), np.stack([pull, pull])[..., None])[..., 0]
    promise: Floats = np.einsum("pk,pk->p", pull, free)
    return step / scale, promise

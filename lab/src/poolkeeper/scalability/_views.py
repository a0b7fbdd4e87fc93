"""Coordinates of the scalability law in which a quantity of interest is one of the three parameters.

To profile a quantity is to hold it while the other two parameters find their best values: in these coordinates that is
least squares within bounds. The peak is written with nu = 1 / N*, which is 0 where there is none, so that a peak at
infinity is a value like any other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkeeper.arrays import Floats, Integers
    from poolkeeper.scalability._least import Values

_ANY = np.inf


@dataclass(frozen=True, eq=False)
class View:
    """Three coordinates, the first of them of interest; `law` leads to (lambda, alpha, beta), `of` back, (p, 3) each.

    `law` may be asked about some of all problems, whose places it gets too.
    `high` are the upper bounds where the law has contention and coherency, and `needs` says which of the two the
    second and third coordinate stand for: "alpha", "beta", or "" for others. All lower bounds are 0.
    """

    law: Callable[[Values, Integers], Values]
    of: Callable[[Floats], Floats]
    high: tuple[float, float, float]
    needs: tuple[str, str, str]
    lambda_at: int | None = None
    """Index of lambda among the coordinates, if it is one."""
    most: Floats | None = None
    """The highest values of interest, (p,), where each problem has its own."""


def _columns(*columns: Values) -> Values:
    return np.stack(np.broadcast_arrays(*columns), axis=-1)


LAMBDA = View(lambda c, _: c, lambda law: law, (_ANY, 1, _ANY), ("", "alpha", "beta"), 0)
ALPHA = View(lambda c, _: c[:, [1, 0, 2]], lambda law: law[:, [1, 0, 2]], (1, _ANY, _ANY), ("alpha", "", "beta"), 1)
BETA = View(lambda c, _: c[:, [1, 2, 0]], lambda law: law[:, [2, 0, 1]], (_ANY, _ANY, 1), ("beta", "", "alpha"), 1)


def _nu(law: Floats) -> Floats:
    found: Floats = np.sqrt(np.divide(law[:, 2], 1 - law[:, 1], out=np.ones(len(law)), where=law[:, 1] < 1))
    return np.minimum(found, 1.0)


def _peak_stretch(alpha: Values, nu: Values) -> Values:
    """Ratio of lambda to the throughput at the peak, lambda / X(N*)."""
    found: Values = nu * (2 - nu) + alpha * (1 - nu) ** 2
    return found


PEAK_CONCURRENCY = View(
    lambda c, _: _columns(c[:, 1], c[:, 2], (1 - c[:, 2]) * c[:, 0] ** 2),
    lambda law: _columns(_nu(law), law[:, 0], law[:, 1]),
    (1, _ANY, 1),
    ("beta", "", "alpha"),
    1,
)
"""Of interest: nu = 1 / N*."""

PEAK_THROUGHPUT = View(
    lambda c, _: _columns(c[:, 0] * _peak_stretch(c[:, 1], c[:, 2]), c[:, 1], (1 - c[:, 1]) * c[:, 2] ** 2),
    lambda law: _columns(law[:, 0] / np.maximum(_peak_stretch(law[:, 1], _nu(law)), 1e-12), law[:, 1], _nu(law)),
    (_ANY, 1, 1),
    ("", "alpha", "beta"),
)


def throughput_at(concurrency: Floats) -> View:
    """Of interest: X at a concurrency for each problem, (p,)."""

    def per_lambda(alpha: Values, beta: Values, n: Floats) -> Values:
        found: Values = n / (1 + alpha * (n - 1) + beta * n * (n - 1))
        return found

    return View(
        lambda c, problem: _columns(c[:, 0] / per_lambda(c[:, 1], c[:, 2], concurrency[problem]), c[:, 1], c[:, 2]),
        lambda law: _columns(law[:, 0] * per_lambda(law[:, 1], law[:, 2], concurrency), law[:, 1], law[:, 2]),
        (_ANY, 1, _ANY),
        ("", "alpha", "beta"),
    )


def normalised_peak_throughput(lambda_: float) -> View:
    """Of interest: X(N*), where lambda is known; the second coordinate shares the loss between the two parameters."""

    def law(c: Values, _problem: Integers) -> Values:
        share = lambda_ / np.maximum(c[:, 0].real, lambda_)
        nu = c[:, 1] * (1 - np.sqrt(1 - share))
        alpha = (share - nu * (2 - nu)) / (1 - nu) ** 2
        return _columns(np.full_like(c[:, 0], lambda_), alpha, (1 - alpha) * nu**2)

    def of(parameters: Floats) -> Floats:
        nu = _nu(parameters)
        peak = lambda_ / np.maximum(_peak_stretch(parameters[:, 1], nu), 1e-12)
        most = 1 - np.sqrt(np.maximum(0.0, 1 - lambda_ / peak))
        return _columns(peak, np.divide(nu, most, out=np.zeros_like(nu), where=most > 0), np.zeros_like(nu))

    return View(law, of, (_ANY, 1, 0), ("", "beta", ""))


def normalised_throughput_at(concurrency: Floats, lambda_: float) -> View:
    """Of interest: X at a concurrency above 1 for each problem, (p,), where lambda is known."""
    less, pairs = concurrency - 1, concurrency * (concurrency - 1)

    def law(c: Values, problem: Integers) -> Values:
        loss = np.maximum(0.0, lambda_ * concurrency[problem] / c[:, 0].real - 1)
        alpha, beta = (1 - c[:, 1]) * loss / less[problem], c[:, 1] * loss / pairs[problem]
        return _columns(np.full_like(c[:, 0], lambda_), alpha, beta)

    def of(parameters: Floats) -> Floats:
        by_pairs = parameters[:, 2] * pairs
        loss = parameters[:, 1] * less + by_pairs
        share = np.divide(by_pairs, loss, out=np.zeros_like(loss), where=loss > 0)
        return _columns(lambda_ * concurrency / (1 + loss), share, np.zeros_like(loss))

    return View(law, of, (_ANY, 1, 0), ("", "beta", ""), most=lambda_ * concurrency)

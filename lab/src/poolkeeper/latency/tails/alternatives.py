"""Alternatives to the power law for the upper end of a sample, on the same values.

With y = ln(x / xmin), a power law is an exponential distribution of y. Two questions are asked of each alternative:

- of the tail alone, cut at xmin: does it describe the values above xmin better? Lognormal and Weibull tails contain the
  power law as a limit, so they never fit worse; what counts is whether they fit better than chance alone makes them.
- of the whole: is there one lognormal, or one Weibull distribution, of which this is the upper end? It must also place
  the right number of values below xmin, so it has no such freedom, and the power law may win. Where all values are
  known and no such distribution comes near them, `contradicted` says so, and two lognormals stand in its place.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from poolkeeper.latency.tails.whole import CONTRADICTED, Whole, densities
from poolkeeper.present import Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkeeper.arrays import Floats
    from poolkeeper.latency.tails.power_law import PowerLaw

_TINY = 1e-4
_FLATTEST = 1e-3  # of Weibull's shape: below, its tail is a power law for any range that can be measured


@dataclass(frozen=True)
class Comparison:
    """A power law against one alternative on the same values.

    `ratio`: log-likelihood of the power law minus that of the alternative; positive speaks for the power law.
    `p`: how often chance alone makes a ratio this far from 0, if both are equally close to the truth (Vuong 1989), or,
    for `nested` ones, how often a power law makes the alternative win by as much.
    """

    alternative: str
    ratio: float
    z: float
    """The ratio over its standard deviation (Vuong); 0 where the alternative has become the power law itself."""
    p: float
    nested: bool
    parameters: dict[str, float]
    contradicted: bool = False
    """Whether the values below xmin are known too, and the alternative's best fit to all is nothing like them."""

    def better(self, level: float = 0.05) -> str | None:
        """Better of the two at this level: "power law", the alternative's name, or None for neither."""
        if self.p >= level:
            return None
        return "power law" if self.ratio > 0 else self.alternative

    def to_dict(self) -> dict[str, Any]:
        """All fields, and the better of the two."""
        return asdict(self) | {"better": self.better()}


def comparison_table(comparisons: tuple[Comparison, ...]) -> Table:
    """One row for each alternative."""
    rows = tuple((c.alternative, c.ratio, c.z, probability(c.p), _better(c)) for c in comparisons)
    return Table("Power law or something else", ("alternative", "log ratio", "z", "p", "better"), rows)


def _better(comparison: Comparison) -> str:
    return (
        "power law: the other is nothing like all values"
        if comparison.contradicted
        else comparison.better() or "neither"
    )


def probability(p: float) -> str:
    """A p value for reading."""
    return f"{p:.2g}" if p >= _TINY else f"< {_TINY:g}"


def compare(law: PowerLaw) -> tuple[Comparison, ...]:
    """The power law against three tails of the same values, and against distributions that also have a body.

    Of the values below xmin one lognormal and one Weibull are only asked for the number; whether their shape, too, is
    theirs is what `contradicted` says, where all values are known. Two lognormals are fitted to all values, and
    compared with the power law on those above xmin and the number of the others.
    """
    excess = law.tail.logs[: law.count] - law.tail.logs[law.count - 1]
    own = math.log(law.index) - law.index * excess
    tails = (_exponential(excess, own), _lognormal(excess, own), _weibull(excess, own))
    below = law.tail.total - law.count
    share = law.count / law.tail.total
    whole = own + math.log(share), math.log1p(-share) if below else 0.0
    ones = _whole_lognormal(excess, below, *whole), _whole_weibull(excess, below, *whole)
    if not (law.tail.complete and below):
        return (*tails, *ones)
    sample = Whole.of(law.tail.logs)
    distances = sample.lognormal_distance(), sample.weibull_distance()
    judged = (
        replace(comparison, contradicted=far > CONTRADICTED) for comparison, far in zip(ones, distances, strict=True)
    )
    return (*tails, *judged, _two_lognormals(sample, law, excess, *whole))


def _vuong(difference: Floats, rest: float = 0.0, below: int = 0) -> tuple[float, float]:
    """Sum of the differences of log-likelihood, and that over its standard deviation; `rest` occurs `below` times."""
    number = difference.size + below
    total = float(difference.sum()) + below * rest
    mean = total / number
    variance = (float(((difference - mean) ** 2).sum()) + below * (rest - mean) ** 2) / number
    return total, total / math.sqrt(number * variance) if variance > 0 else 0.0


def _two_sided(z: float) -> float:
    return math.erfc(abs(z) / math.sqrt(2))


def _exponential(excess: Floats, own: Floats) -> Comparison:
    beyond = np.expm1(excess)
    rate = 1 / float(beyond.mean())
    ratio, z = _vuong(own - (math.log(rate) - rate * beyond + excess))
    return Comparison("exponential tail", ratio, z, _two_sided(z), nested=False, parameters={"rate": rate})


def _lognormal(excess: Floats, own: Floats) -> Comparison:
    """The density of y is that of a normal distribution cut at 0: exp(-h z - z^2 / 2), z = q y, over a normalisation.

    The power law is its limit q = 0. Its likelihood depends on mean and mean square of y only; there is a maximum with
    q > 0 if and only if the mean square is less than twice the squared mean, its expectation under a power law. That
    ratio is Greenwood's statistic, whose law under a power law is known for any number of values; the test built on it
    is the uniformly most powerful unbiased one (del Castillo and Puig 1999).
    """
    from scipy.optimize import brentq
    from scipy.special import erfcx

    name, number = "lognormal tail", excess.size
    mean = float(excess.mean())
    curvature = float((excess**2).mean()) / mean**2
    p = greenwood(curvature, number)

    def mills(h: float) -> float:
        return math.sqrt(math.pi / 2) * float(erfcx(h / math.sqrt(2)))

    def first(h: float) -> float:
        return 1 / mills(h) - h

    def moments(h: float) -> float:
        value = first(h)
        return (1 - h * value) / value**2 - curvature

    low, high = -30.0, 200.0
    if moments(high) <= 0:
        return Comparison(name, 0.0, 0.0, p, nested=True, parameters={})
    if moments(low) >= 0:
        high = low  # all values nearly the same multiple of xmin: no lognormal is narrower
    h = brentq(moments, low, high) if high > low else low
    q = first(h) / mean
    z = q * excess
    ratio, vuong = _vuong(own - (math.log(q) - h * z - z * z / 2 - math.log(mills(h))))
    sigma = 1 / q
    return Comparison(
        name, min(ratio, 0.0), min(vuong, 0.0), p, nested=True, parameters={"mu": -h * sigma, "sigma": sigma}
    )


def greenwood(statistic: float, number: int) -> float:
    """Probability that `number` exponential values have so small a mean square over their squared mean, or smaller.

    By 2000 simulated samples for less than 1000 values; else a gamma distribution with the exact mean and variance of
    Greenwood's statistic and its skewness for large samples.
    """
    from scipy.special import gammainc

    if number < _SIMULATED:
        return float(np.searchsorted(_null(number), statistic, side="right") + 1) / (_SAMPLES + 1)
    n = float(number)
    mean = 2 * n / (n + 1)
    deviation = math.sqrt(4 * n * n * (n - 1) / ((n + 1) ** 2 * (n + 2) * (n + 3)))
    shape = 4 * n / _SKEW**2
    return float(gammainc(shape, max(0.0, shape + math.sqrt(shape) * (statistic - mean) / deviation)))


_SIMULATED = 1000
_SAMPLES = 2000
_SKEW = 10.0  # times 1 / sqrt(n): skewness of the mean square over the squared mean of n exponential values


@lru_cache(maxsize=32)
def _null(number: int) -> Floats:
    drawn = np.random.default_rng(number).standard_exponential((_SAMPLES, number))
    statistics: Floats = np.sort((drawn**2).mean(axis=1) / drawn.mean(axis=1) ** 2)
    return statistics


def _weibull(excess: Floats, own: Floats) -> Comparison:
    """P(Y > y) = exp(-b (exp(c y) - 1)), a Weibull distribution of x cut at xmin; the power law is its limit c = 0."""
    name = "Weibull tail"

    def profile(c: float) -> float:
        return math.log(c) - math.log(float(np.expm1(c * excess).mean())) + c * float(excess.mean())

    shape, best = _largest(profile, _FLATTEST, 20.0)
    flat = profile(_FLATTEST)
    if best <= flat or shape <= 2 * _FLATTEST:
        return Comparison(name, 0.0, 0.0, 1.0, nested=True, parameters={})
    scale = 1 / float(np.expm1(shape * excess).mean())
    likelihood = math.log(scale * shape) + shape * excess - scale * np.expm1(shape * excess)
    ratio, z = _vuong(own - likelihood)
    # On the border of what is possible half of all power laws have no better shape, the others a chi-square ratio.
    p = 0.5 * math.erfc(math.sqrt(max(0.0, -ratio)))
    return Comparison(
        name, min(ratio, 0.0), min(z, 0.0), p, nested=True, parameters={"shape": shape, "scale": scale ** (-1 / shape)}
    )


def _whole_lognormal(excess: Floats, below: int, own: Floats, rest: float) -> Comparison:
    from scipy.optimize import minimize
    from scipy.special import log_ndtr, ndtri

    mean, square = float(excess.mean()), float((excess**2).mean())
    number, constant = excess.size, 0.5 * math.log(2 * math.pi)

    def loss(at: Floats) -> float:
        mu, width = float(at[0]), math.exp(float(at[1]))
        inside = -((square - 2 * mu * mean + mu * mu) / (2 * width * width)) - math.log(width) - constant
        return -(number * inside + below * float(log_ndtr(-mu / width))) / (number + below)

    # Starts where the share above xmin is right and the mean excess is that of an exponential of the same mean.
    quantile = float(ndtri((below + 0.5) / (number + below + 1)))
    width = mean * (1 + max(quantile, 0.0))
    found = minimize(loss, [-quantile * width, math.log(width)], method="Nelder-Mead",
                     options={"xatol": 1e-8, "fatol": 1e-13, "maxiter": 2000})  # fmt: skip
    mu, width = float(found.x[0]), math.exp(float(found.x[1]))
    other = -((excess - mu) ** 2) / (2 * width * width) - math.log(width) - constant
    ratio, z = _vuong(own - other, rest - float(log_ndtr(-mu / width)), below)
    return Comparison("one lognormal", ratio, z, _two_sided(z), nested=False, parameters={"mu": mu, "sigma": width})


def _whole_weibull(excess: Floats, below: int, own: Floats, rest: float) -> Comparison:
    """P(Y > y) = exp(-b exp(c y)), with `below` values of which nothing but Y < 0 is known."""
    from scipy.optimize import brentq

    number, mean = excess.size, float(excess.mean())

    def scale(c: float) -> float:
        power = float(np.exp(c * excess).sum())

        def slope(log_b: float) -> float:
            b = math.exp(log_b)
            return number - b * power + below * b / math.expm1(b)

        return math.exp(brentq(slope, -60.0, 5.0))

    def profile(c: float) -> float:
        b = scale(c)
        return number * (math.log(b * c) + c * mean) - b * float(np.exp(c * excess).sum()) + below * _log1mexp(b)

    shape, _ = _largest(profile, _FLATTEST, 20.0)
    b = scale(shape)
    other = math.log(b * shape) + shape * excess - b * np.exp(shape * excess)
    ratio, z = _vuong(own - other, rest - _log1mexp(b), below)
    return Comparison(
        "one Weibull", ratio, z, _two_sided(z), nested=False, parameters={"shape": shape, "scale": b ** (-1 / shape)}
    )


def _two_lognormals(sample: Whole, law: PowerLaw, excess: Floats, own: Floats, rest: float) -> Comparison:
    from scipy.special import ndtr

    mixture = sample.two_lognormals()
    share, mu, sigma = mixture
    begin = float(law.tail.logs[law.count - 1])
    other = np.log(np.maximum(densities(excess + begin, mixture).sum(axis=0), np.finfo(float).tiny))
    beneath = math.log(float(share @ ndtr((begin - mu) / sigma)))
    ratio, z = _vuong(own - other, rest - beneath, law.tail.total - law.count)
    parameters = {
        f"{name}{k + 1}": float(values[k])
        for name, values in (("share", share), ("mu", mu - begin), ("sigma", sigma))
        for k in range(2)
    }
    return Comparison("two lognormals", ratio, z, _two_sided(z), nested=False, parameters=parameters)


def _log1mexp(b: float) -> float:
    return math.log(-math.expm1(-b))


def _largest(function: Callable[[float], float], low: float, high: float) -> tuple[float, float]:
    """Maximum of a function of one positive argument that has one, by its logarithm, and its place."""
    from scipy.optimize import minimize_scalar

    found = minimize_scalar(lambda log: -function(math.exp(log)), bounds=(math.log(low), math.log(high)),
                            method="bounded", options={"xatol": 1e-6})  # fmt: skip
    return math.exp(float(found.x)), -float(found.fun)

"""A distribution that learns its parameters from data: what all of them can do once fitted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from poolkeeper.arrays import Floats, fraction, generator
from poolkeeper.errors import DataError, InputError
from poolkeeper.latency.fits.data import Cells, Data, Values, observe
from poolkeeper.latency.fits.families.family import scalars
from poolkeeper.latency.fits.likelihood import Maximum, maximise
from poolkeeper.present import Table
from poolkeeper.present.numbers import finite

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import ArrayLike

    from poolkeeper.latency.binned import Binned
    from poolkeeper.latency.fits.families.family import Family, Parameter

_STEP = 1e-5


class Distribution:
    """A family of distributions, fitted by maximum likelihood.

    `fit` learns, and each parameter becomes an attribute with a trailing underscore, beside `log_likelihood_` (of all
    values; the logarithm of a density, or of probabilities where values are counted in bins), `size_`,
    `standard_errors_` (parameter to standard error, by the observed information) and `at_bound_` (parameters that stand
    at a bound of the search: the data ask for a limit of the family, and standard errors are NaN). There is no location
    but in the families that are named for it, where it lies between 0 and the smallest value. Parameters with a unit
    have the unit of the data.
    """

    family: ClassVar[Family]

    log_likelihood_: float
    size_: int
    standard_errors_: dict[str, float]
    at_bound_: tuple[str, ...]
    maximum: Maximum
    """Maximum of the likelihood, in units of the mean of the data, from which tests of the fit start."""

    @property
    def name(self) -> str:
        """Name of the family in tables and on the command line."""
        return self.family.name

    def fit(self, values: ArrayLike | Binned) -> Self:
        """Learn the parameters from values in any unit, or from counts in bins.

        Raises TooFewError below 30 values, DataError for values that the family cannot have.
        """
        return self.learn(observe(values, negative=self.family.name == "normal"))

    def learn(self, data: Data) -> Self:
        """Learn from data that is ready to be fitted; `fit` of several distributions shares it."""
        self.check(data)
        found = maximise(self.family, data)
        self.maximum = found
        scales = [data.unit if parameter.scaled else 1.0 for parameter in self.family.parameters]
        for parameter, value, scale in zip(self.family.parameters, found.parameters, scales, strict=True):
            setattr(self, f"{parameter.name}_", value * scale)
        self.size_ = data.size
        first, end = (int(data.counts[0]), data.high[0]) if isinstance(data, Cells) else (0, data.points()[0][0])
        self._first = first, float(end * data.unit)
        density = np.log(data.unit) if isinstance(data, Values) else 0.0
        self.log_likelihood_ = float(data.size * (found.log_likelihood - density))
        self.at_bound_ = tuple(
            parameter.name
            for parameter, bound in zip(self.family.parameters, found.bound, strict=True)
            if bound and parameter.name != self.family.anchor
        )
        self.standard_errors_ = self._errors(found, scales)
        return self

    def check(self, data: Data) -> None:
        """Raise DataError if the family cannot have produced the data."""
        if data.zeros and not self.family.takes_zero:
            share = f"{data.zeros} of {data.size} values are 0"
            raise DataError(
                f"{self.name}: {share}, where its density is 0 or infinite; leave them out, or take another"
            )
        count = len(self.family.parameters)
        if isinstance(data, Cells) and data.counts.size <= count:
            cells = f"values in {data.counts.size} {'bins' if data.resolution is None else 'distinct steps'}"
            raise DataError(f"{self.name}: {cells} cannot fix {count} parameter{'' if count == 1 else 's'}")

    @classmethod
    def of(cls, **parameters: float) -> Self:
        """The distribution with known parameters, as if it had learned them."""
        names = [parameter.name for parameter in cls.family.parameters]
        if sorted(parameters) != sorted(names):
            raise InputError(f"{cls.family.name}: its parameters are {', '.join(names)}, not {', '.join(parameters)}")
        made = cls()
        for parameter in cls.family.parameters:
            value = float(parameters[parameter.name])
            if not np.isfinite(value) or (parameter.positive and value <= 0) or (parameter.share and value >= 1):
                rule = "between 0 and 1" if parameter.share else "positive" if parameter.positive else "finite"
                raise InputError(f"{cls.family.name}: {parameter.name} {value:g} is not {rule}")
            setattr(made, f"{parameter.name}_", value)
        return made

    @property
    def parameters_(self) -> dict[str, float]:
        """Names and values of the learned parameters."""
        return {parameter.name: getattr(self, f"{parameter.name}_") for parameter in self.family.parameters}

    def __getattr__(self, name: str) -> Any:
        """Say that something is learned only by fit."""
        if name.endswith("_") and not name.startswith("_"):
            raise AttributeError(f"{type(self).__name__} has no {name} before fit")
        raise AttributeError(f"{type(self).__name__} has no attribute {name}")

    def _values(self) -> tuple[Floats, ...]:
        return scalars(self.parameters_.values())

    def logpdf(self, x: ArrayLike) -> Floats:
        """Logarithm of the density, per unit of the data; of the shape of x."""
        at = np.asarray(x, dtype=np.float64)
        with np.errstate(all="ignore"):
            found = np.asarray(self.family.logpdf(at, *self._values()))
        if self.family.name != "normal":
            found = np.where(at < 0, -np.inf, found)
        return np.where(np.isnan(found), np.where(np.isnan(at), np.nan, -np.inf), found)

    def pdf(self, x: ArrayLike) -> Floats:
        """Density, per unit of the data; of the shape of x."""
        return np.exp(self.logpdf(x))

    def cdf(self, x: ArrayLike) -> Floats:
        """Probability of at most x; of the shape of x."""
        with np.errstate(all="ignore"):
            return np.asarray(self.family.cdf(np.asarray(x, dtype=np.float64), *self._values()))

    def sf(self, x: ArrayLike) -> Floats:
        """Probability of more than x, exact in the tail; of the shape of x."""
        with np.errstate(all="ignore"):
            return np.asarray(self.family.sf(np.asarray(x, dtype=np.float64), *self._values()))

    def ppf(self, p: ArrayLike) -> Floats:
        """Quantiles, of the shape of p; raises InputError for p outside [0, 1]."""
        level = np.asarray(p, dtype=np.float64)
        return self._quantile(level, 1 - level)

    def isf(self, q: ArrayLike) -> Floats:
        """Values that a share q exceeds, exact in the tail, of the shape of q; raises InputError outside [0, 1]."""
        level = np.asarray(q, dtype=np.float64)
        return self._quantile(1 - level, level)

    def _quantile(self, p: Floats, q: Floats) -> Floats:
        if not np.all((p >= 0) & (p <= 1)):
            raise InputError(f"{self.name}: levels of quantiles lie between 0 and 1")
        with np.errstate(all="ignore"):
            return np.asarray(self.family.quantile(p, q, *self._values()))

    def rvs(self, size: int, seed: int | Generator = 0) -> Floats:
        """Random values, shape (size,), in the unit of the data; the same for the same seed."""
        return self.family.draw(size, generator(seed), *(float(value) for value in self._values()))

    def mean(self) -> float:
        """Mean, in the unit of the data; infinite where the tail is too heavy for one."""
        return float(self.family.mean(*(float(value) for value in self._values())))

    def intervals(self, confidence: float = 0.95) -> dict[str, tuple[float, float]]:
        """Parameter to its interval: Wald's, on the scale of the logarithm (of the logit for shares).

        A family that begins with the smallest value cannot begin above it, so the interval of its beginning ends there.
        NaN for parameters at a bound of the search.
        """
        from scipy.special import ndtri

        width = float(ndtri((1 + fraction(confidence, "confidence")) / 2))
        found = {}
        for parameter in self.family.parameters:
            value, error = self.parameters_[parameter.name], self.standard_errors_[parameter.name]
            found[parameter.name] = _interval(parameter, value, error, width)
        if self.family.anchor:
            found[self.family.anchor] = self._anchor((1 - confidence) / 2)
        return found

    def _anchor(self, tail: float) -> tuple[float, float]:
        """Interval of the place where the distribution begins, from how many values are in the first cell.

        Their share is binomial, with Clopper's and Pearson's interval; the hazard that it is divided by is known from
        the values above. Both errors are independent and join as squares (Zou, Donner 2008). Of values, the first
        cell ends at the smallest, none is in it, and the whole risk is below.
        """
        from scipy.special import betaincinv, ndtri

        counted, end = self._first
        shares = np.array([0.0, 0.0, -np.log(2 * tail) / self.size_])
        if counted:
            least = betaincinv(counted, self.size_ - counted + 1, tail)
            shares = np.array([least, counted / self.size_, betaincinv(counted + 1, self.size_ - counted, 1 - tail)])
        least, middle, most = -np.log1p(-shares)
        slack = float(ndtri(1 - tail)) * middle / np.sqrt(self.size_ - counted)
        near = max(middle - np.hypot(middle - least, slack), 0.0)
        far = middle + np.hypot(most - middle, slack)
        return max(self._before(end, far), 0.0), self._before(end, near)

    def _before(self, end: float, hazard: float) -> float:
        """Beginning of the distribution if its cumulative hazard at `end` is this."""
        # Just above its beginning, the density is the hazard.
        place = self.parameters_[self.family.anchor]
        slack = hazard / float(self.pdf(place))
        return float(end * np.exp(-slack / place)) if self.family.anchor == "scale" else float(end - slack)

    def _errors(self, found: Maximum, scales: list[float]) -> dict[str, float]:
        regular = self.family.regular(*found.parameters)
        free = regular & ~found.bound & (np.abs(np.diag(found.information)) > 0)
        covariance = np.full((free.size, free.size), np.nan)
        if free.any():
            with np.errstate(all="ignore"):
                try:
                    covariance[np.ix_(free, free)] = np.linalg.inv(found.information[np.ix_(free, free)]) / self.size_
                except np.linalg.LinAlgError:
                    free[:] = False
        with np.errstate(all="ignore"):
            slopes = self._slopes(found.coordinates)
        errors = {}
        for k, parameter in enumerate(self.family.parameters):
            used = slopes[k] != 0
            with np.errstate(all="ignore"):
                variance = float(slopes[k][used] @ covariance[np.ix_(used, used)] @ slopes[k][used])
            errors[parameter.name] = float(np.sqrt(variance)) * scales[k] if variance >= 0 else float("nan")
        if self.family.anchor:
            place = getattr(self, f"{self.family.anchor}_")
            share = self._first[0] / self.size_
            scatter = max(share / (1 - share), 1 / self.size_) if share < 1 else np.nan
            errors[self.family.anchor] = float(np.sqrt(scatter / self.size_) / self.pdf(place))
        return errors

    def _slopes(self, theta: Floats) -> Floats:
        """Derivatives of the parameters by the coordinates, shape (p, p)."""
        low, high = self.family.bounds()
        columns = []
        for j in range(theta.size):
            up, down = theta.copy(), theta.copy()
            moved = max(abs(theta[j]), 1.0) * _STEP
            up[j], down[j] = min(theta[j] + moved, high[j]), max(theta[j] - moved, low[j])
            change = np.array(self.family.natural(*scalars(up))) - np.array(self.family.natural(*scalars(down)))
            columns.append(change / (up[j] - down[j]))
        return np.array(columns).T

    def table(self, confidence: float = 0.95) -> Table:
        """Parameters with standard errors and intervals."""
        intervals = self.intervals(confidence)
        share = f"{confidence * 100:g} %"
        rows = tuple(
            (name, value, self.standard_errors_[name], *intervals[name]) for name, value in self.parameters_.items()
        )
        notes = tuple(
            f"{name} stands at a bound of the search: the data ask for a limit of this family"
            for name in self.at_bound_
        )
        columns = ("parameter", "value", "standard error", f"{share} from", f"{share} to")
        return Table(self.name, columns, rows, notes)

    def to_dict(self) -> dict[str, Any]:
        """Parameters, standard errors, 95 % intervals, log-likelihood and what stands at a bound."""
        intervals = self.intervals()

        return {
            "distribution": self.name,
            "parameters": {
                name: {
                    "value": finite(value),
                    "standard_error": finite(self.standard_errors_[name]),
                    "low": finite(intervals[name][0]),
                    "high": finite(intervals[name][1]),
                }
                for name, value in self.parameters_.items()
            },
            "log_likelihood": self.log_likelihood_,
            "at_bound": list(self.at_bound_),
        }


def _interval(parameter: Parameter, value: float, error: float, width: float) -> tuple[float, float]:
    if not np.isfinite(error):
        return float("nan"), float("nan")
    if parameter.share:
        from scipy.special import expit

        logit, slack = np.log(value / (1 - value)), width * error / (value * (1 - value))
        return float(expit(logit - slack)), float(expit(logit + slack))
    if parameter.positive:
        factor = np.exp(min(width * error / value, 700.0))
        return float(value / factor), float(value * factor)
    return value - width * error, value + width * error

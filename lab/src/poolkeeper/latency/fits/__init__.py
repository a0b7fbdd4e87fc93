"""Distributions of response times: maximum likelihood, how good the fits are, and which is best.

`fit(values)` ranks all of `DISTRIBUTIONS`; each of them is a class of its own that can be fitted alone. Values may be
arrays in any unit or counts in bins (`poolkeeper.latency.binned.Binned`).
"""

from poolkeeper.latency.fits.bootstrap import ChiSquare, PValues
from poolkeeper.latency.fits.distribution import Distribution
from poolkeeper.latency.fits.distributions import (
    DISTRIBUTIONS,
    Burr,
    Exponential,
    Gamma,
    GeneralisedPareto,
    Hyperexponential,
    InverseGaussian,
    LogLogistic,
    Lognormal,
    Lomax,
    Normal,
    Pareto,
    ShiftedExponential,
    ShiftedGamma,
    ShiftedLognormal,
    ShiftedWeibull,
    Weibull,
)
from poolkeeper.latency.fits.fitting import fit
from poolkeeper.latency.fits.quantiles import QuantilePlot
from poolkeeper.latency.fits.ranking import Candidate, Ranking, RejectedCandidate
from poolkeeper.latency.fits.resolution import Resolution, resolution

__all__ = [
    "DISTRIBUTIONS",
    "Burr",
    "Candidate",
    "ChiSquare",
    "Distribution",
    "Exponential",
    "Gamma",
    "GeneralisedPareto",
    "Hyperexponential",
    "InverseGaussian",
    "LogLogistic",
    "Lognormal",
    "Lomax",
    "Normal",
    "PValues",
    "Pareto",
    "QuantilePlot",
    "Ranking",
    "RejectedCandidate",
    "Resolution",
    "ShiftedExponential",
    "ShiftedGamma",
    "ShiftedLognormal",
    "ShiftedWeibull",
    "Weibull",
    "fit",
    "resolution",
]

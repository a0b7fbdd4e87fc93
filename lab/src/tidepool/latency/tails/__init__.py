"""Tails of distributions: how much of the time the longest requests take, and how fast they become rare."""

from tidepool.latency.tails.aggregation import Aggregation, aggregation
from tidepool.latency.tails.alternatives import Comparison, compare
from tidepool.latency.tails.goodness import Goodness, goodness
from tidepool.latency.tails.index import HillPlot, TailIndex, hill, maximum_likelihood, moment, regression
from tidepool.latency.tails.mass_count import MassCount, mass_count
from tidepool.latency.tails.power_law import PowerLaw, power_law
from tidepool.latency.tails.report import TailReport, analyze
from tidepool.latency.tails.upper import UpperTail
from tidepool.latency.tails.verdict import Tail, Verdict, judge

__all__ = [
    "Aggregation",
    "Comparison",
    "Goodness",
    "HillPlot",
    "MassCount",
    "PowerLaw",
    "Tail",
    "TailIndex",
    "TailReport",
    "UpperTail",
    "Verdict",
    "aggregation",
    "analyze",
    "compare",
    "goodness",
    "hill",
    "judge",
    "mass_count",
    "maximum_likelihood",
    "moment",
    "power_law",
    "regression",
]

"""Tails of distributions: how much of the time the longest requests take, and how fast they become rare."""

from poolkeeper.latency.tails.aggregation import Aggregation, aggregation
from poolkeeper.latency.tails.alternatives import Comparison, compare
from poolkeeper.latency.tails.goodness import Goodness, goodness
from poolkeeper.latency.tails.index import HillPlot, TailIndex, hill, maximum_likelihood, moment, regression
from poolkeeper.latency.tails.mass_count import MassCount, mass_count
from poolkeeper.latency.tails.power_law import PowerLaw, power_law
from poolkeeper.latency.tails.report import TailReport, analyze
from poolkeeper.latency.tails.upper import UpperTail
from poolkeeper.latency.tails.verdict import Tail, Verdict, judge

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

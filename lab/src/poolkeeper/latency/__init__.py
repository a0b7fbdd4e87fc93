"""Analysis of response times: summaries, distributions, tails, and differences between runs."""

from poolkeeper.latency.comparison.runs import Comparison, compare
from poolkeeper.latency.figures.estimate import Estimate
from poolkeeper.latency.figures.means import mean
from poolkeeper.latency.figures.percentiles import PERCENTILES, percentile
from poolkeeper.latency.figures.rates import Throughput, throughput
from poolkeeper.latency.figures.satisfaction import Apdex, apdex
from poolkeeper.latency.figures.summary import Summary, summarize
from poolkeeper.latency.ordered.conversion import in_order
from poolkeeper.latency.ordered.stretches import Stretches
from poolkeeper.latency.shapes.empirical import Distribution, distribution
from poolkeeper.latency.shapes.histograms import Histogram, histogram
from poolkeeper.latency.shapes.kernel import Density, density

__all__ = [
    "PERCENTILES",
    "Apdex",
    "Comparison",
    "Density",
    "Distribution",
    "Estimate",
    "Histogram",
    "Stretches",
    "Summary",
    "Throughput",
    "apdex",
    "compare",
    "density",
    "distribution",
    "histogram",
    "in_order",
    "mean",
    "percentile",
    "summarize",
    "throughput",
]

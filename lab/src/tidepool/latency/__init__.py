"""What response times say: summaries, distributions, tails, and whether two runs differ."""

from tidepool.latency.comparison.runs import Comparison, compare
from tidepool.latency.figures.estimate import Estimate
from tidepool.latency.figures.means import mean
from tidepool.latency.figures.percentiles import PERCENTILES, percentile
from tidepool.latency.figures.rates import Throughput, throughput
from tidepool.latency.figures.satisfaction import Apdex, apdex
from tidepool.latency.figures.summary import Summary, summarize
from tidepool.latency.ordered.stretches import Stretches
from tidepool.latency.ordered.take import in_order
from tidepool.latency.shapes.empirical import Distribution, distribution
from tidepool.latency.shapes.histograms import Histogram, histogram
from tidepool.latency.shapes.kernel import Density, density

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

"""What response times say: summaries, distributions, tails, and whether two runs differ."""

from tidepool.latency.comparison import Comparison, compare
from tidepool.latency.empirical import Distribution, distribution
from tidepool.latency.estimate import Estimate
from tidepool.latency.histograms import Histogram, histogram
from tidepool.latency.kernel import Density, density
from tidepool.latency.means import mean
from tidepool.latency.percentiles import PERCENTILES, percentile
from tidepool.latency.rates import Throughput, throughput
from tidepool.latency.satisfaction import Apdex, apdex
from tidepool.latency.stretches import Stretches
from tidepool.latency.summary import Summary, summarize
from tidepool.latency.take import in_order

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

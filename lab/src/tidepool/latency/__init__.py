"""What response times say: summaries, distributions, tails, and whether two runs differ."""

from tidepool.latency.estimate import Estimate
from tidepool.latency.mean import mean
from tidepool.latency.percentiles import PERCENTILES, percentile
from tidepool.latency.sample import Sample
from tidepool.latency.summary import Summary, summarize

__all__ = ["PERCENTILES", "Estimate", "Sample", "Summary", "mean", "percentile", "summarize"]

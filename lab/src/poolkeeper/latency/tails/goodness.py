"""Whether a power law can have made the values above xmin: a p value that knows that xmin was chosen from the data."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from poolkeeper.arrays import generator
from poolkeeper.errors import DataError
from poolkeeper.latency.replicates import check, standard_error
from poolkeeper.latency.tails.power_law import LEAST
from poolkeeper.latency.tails.search import closest
from poolkeeper.latency.tails.upper import UpperTail

if TYPE_CHECKING:
    from numpy.random import Generator

    from poolkeeper.latency.tails.power_law import PowerLaw

_REACH = 100_000
_WIDER = 4


@dataclass(frozen=True)
class Goodness:
    """`p`: share of samples of the fitted power law that lie as far from their own fit as the data from theirs.

    Below 0.1 Clauset, Shalizi and Newman (2009) rule the power law out, which is wrong of every tenth true one; the
    verdict then only doubts it, and denies it below 0.01. Larger values only say that it is not ruled out.
    """

    p: float
    replicates: int

    @property
    def error(self) -> float:
        """Standard error of `p`, which is counted on so many samples."""
        return standard_error(self.p, self.replicates)

    def to_dict(self) -> dict[str, Any]:
        """Both fields, and the error."""
        return {"p": self.p, "error": self.error, "replicates": self.replicates}


def goodness(
    law: PowerLaw, *, replicates: int = 200, seed: int | Generator = 0, least: int = LEAST, workers: int | None = None
) -> Goodness:
    """Semi-parametric bootstrap of Clauset, Shalizi and Newman (2009), section 4.1, on `workers` threads.

    Each sample has as many values as the data: with the share that the data have from xmin up, drawn from the power
    law, else drawn with replacement from the data below xmin; then xmin is searched again. Only whether a sample comes
    closer than the data is needed, so its search ends as soon as one threshold does. Of large data, and where only the
    upper values are known, the samples too are drawn and searched from the upper values alone: 100,000 of them, or four
    times as many as the power law has. p counts the data as one sample, so it is never
    0; it is the same for any number of workers.
    """
    check(replicates)
    if replicates < 1:
        raise DataError(f"replicates: {replicates} is less than 1")
    reach = max(_REACH, _WIDER * law.count)
    if law.tail.size > reach:
        law = replace(law, tail=UpperTail(law.tail.values[:reach], law.tail.total))
    streams = generator(seed).spawn(replicates)
    with ThreadPoolExecutor(workers or len(os.sched_getaffinity(0))) as pool:
        far = sum(pool.map(lambda stream: _as_far(law, stream, least), streams))
    return Goodness((1 + far) / (1 + replicates), replicates)


def _as_far(law: PowerLaw, random: Generator, least: int) -> bool:
    tail = law.tail
    above = int(random.binomial(tail.total, law.count / tail.total))
    drawn = law.xmin * np.exp(random.standard_exponential(above) / law.index)
    drawn[::-1].sort()
    lower = tail.values[law.count :]
    body = np.empty(0)
    if lower.size:
        # Of the values below xmin only the larger ones may be known; that many of the sample are.
        drawn_below = int(random.binomial(tail.total - above, lower.size / (tail.total - law.count)))
        body = np.repeat(lower, random.multinomial(drawn_below, np.full(lower.size, 1 / lower.size)))
    sample = UpperTail(np.concatenate([drawn, body]), tail.total)
    if sample.size <= least:
        return False
    return closest(sample, least, below=law.distance) is None

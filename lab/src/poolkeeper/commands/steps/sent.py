"""Rates and response times by when requests were sent, for response times of many intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.units import NS

if TYPE_CHECKING:
    from poolkeeper.arrays import Floats, Integers
    from poolkeeper.commands.load import Load

_SLOW = 3
"""Intervals that the usual response takes at most, beyond which its end says little about when it was sent."""
_USUAL = 0.99


@dataclass(frozen=True)
class Sent:
    """Requests a second and median response times of the intervals in which requests were sent.

    Of a steady load with response times of 5 to 60 s, only the fast requests end in the first minute, and only the slow
    ones after the last was sent: by their ends, rate and response times seem to rise and fall. The intervals are those
    of the series, without the last ones, whose slow requests a test does not wait for.
    """

    rates: Floats
    """Requests a second."""
    medians: Floats
    """In milliseconds, of the intervals `at`, in which something was sent that succeeded."""
    at: Integers
    since_s: Floats
    """When each request was sent, since the series began, in ascending order."""
    failed: Integers
    """Number of failed requests before each of them, and in all."""

    def counts(self, between_s: tuple[float, float]) -> tuple[int, int]:
        """Requests that were sent between two times, and those of them that failed."""
        low, high = np.searchsorted(self.since_s, between_s)
        return int(high - low), int(self.failed[high] - self.failed[low])

    @classmethod
    def of(cls, load: Load) -> Sent | None:
        """None where responses come fast, and where requests are not looked at one by one."""
        total, series = load.total, load.total.survey.series_of_load
        if series is None or not total.single or not load.single or "start_ns" not in total.rows:
            return None
        every_ns, usual_ns = series.every_s * NS, total.survey.digest.quantile(_USUAL)
        if usual_ns < _SLOW * every_ns:
            return None
        first, last = int(series.start_ns[0]), int(total.rows["start_ns"].max())
        n = max(0, int((last - usual_ns - first) // every_ns))
        places = ((total.rows["start_ns"] - first) // every_ns).astype(np.int64)
        rates = np.bincount(places[(places >= 0) & (places < n)], minlength=n) / series.every_s
        places = ((load.rows["start_ns"] - first) // every_ns).astype(np.int64)
        held = (places >= 0) & (places < n)
        order = np.argsort(places[held], kind="stable")
        at, begins = np.unique(places[held][order], return_index=True)
        parts = np.split(load.rows["response_ns"][held][order] / 1e6, begins[1:]) if at.size else []
        medians = np.array([float(np.median(part)) for part in parts])
        answered = medians > 0
        order = np.argsort(total.rows["start_ns"], kind="stable")
        ok = total.rows.get("ok", np.ones(order.size, np.bool_))[order]
        since_s = (total.rows["start_ns"][order] - first) / NS
        return cls(rates, medians[answered], at[answered], since_s, np.concatenate([[0], np.cumsum(~ok)]))

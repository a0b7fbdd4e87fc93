"""Counts of requests by one pass, here or on the workers of a cluster: those within a bound, and kinds of failures."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from poolkeeper.present import Axis, Chart, Kind, Series, Table
from poolkeeper.present.numbers import percent
from poolkeeper.results.results import unanswered
from poolkeeper.results.spreading import spread
from poolkeeper.units import NS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolkeeper.commands.load import Load

_MS = 1e-6
_EXCEPTION = re.compile(r"[a-z]\.[A-Z]\w*$")
_BARS = 8
_LETTERS = 56
"""Letters that fit under all bars of the chart."""
_SHOWN = 20
_UNTIMED = "mean and maximum are those of failed requests with a time: one that took no time and has no status has none"
_KEYS = ("code", "message")
FAILURE_KEYS = frozenset(_KEYS)
"""Columns each of which tells kinds of failures."""


@dataclass(frozen=True, slots=True)
class BoundCounts:
    """Counts requests that did not fail and took no longer than each bound, in nanoseconds: columns "0", "1" and so on.

    With `every_ns` a row for each interval of that length in which responses came, whose number since the epoch is in
    the column "place"; else one row. Of counts in buckets there may be several rows for an interval.
    """

    bounds_ns: tuple[float, ...]
    every_ns: int | None = None

    def __call__(self, requests: pl.LazyFrame) -> pl.DataFrame:
        """The counts."""
        names = requests.collect_schema().names()
        weight = pl.col("count") if "count" in names else pl.lit(1, pl.Int64)
        fine = pl.col("ok").fill_null(value=True) if "ok" in names else pl.lit(value=True)
        sums = [
            pl.when(fine & (pl.col("response_ns") <= bound)).then(weight).otherwise(0).sum().alias(str(place))
            for place, bound in enumerate(self.bounds_ns)
        ]
        if self.every_ns is None:
            return requests.select(sums).collect()
        if "length_ns" in names:
            pieces = spread(requests.collect(), self.every_ns)
            return pl.concat(rows.with_columns(place=places).group_by("place").agg(sums) for rows, places in pieces)
        place = (pl.col("start_ns") + pl.col("response_ns")) // self.every_ns
        return requests.group_by(place.alias("place")).agg(sums).collect()


def summed(found: Sequence[pl.DataFrame], column: int) -> int:
    """Sum of a column over all parts."""
    return sum(int(data_frame[str(column)].sum()) for data_frame in found)


@dataclass(frozen=True, slots=True)
class Failures:
    """Counts the failed requests of each code and message, their response times, and when they were first and last."""

    def __call__(self, requests: pl.LazyFrame) -> pl.DataFrame:
        """A row for each code and message."""
        names = requests.collect_schema().names()
        keys = [pl.col(name).fill_null("") if name in names else pl.lit("").alias(name) for name in _KEYS]
        sent = pl.col("start_ns") if "start_ns" in names else pl.lit(None, pl.Int64)
        times = pl.when(unanswered(names)).then(None).otherwise(pl.col("response_ns")).alias("response_ns")
        failed = requests.filter(~pl.col("ok").fill_null(value=True))
        return (
            failed.select(*keys, times, sent.alias("sent"))
            .group_by(_KEYS)
            .agg(
                pl.len().alias("count"),
                pl.col("response_ns").count().alias("answered"),
                pl.col("response_ns").cast(pl.Float64).sum().alias("total"),
                pl.col("response_ns").max().alias("longest"),
                pl.col("sent").min().alias("first"),
                pl.col("sent").max().alias("last"),
            )
            .collect()
        )


@dataclass(frozen=True)
class ErrorTable:
    """The kinds of failures of a load, the most frequent first."""

    rows: pl.DataFrame
    requests: int
    start_ns: int | None
    last_ns: int | None = None
    """When the last request was sent."""
    in_seconds: bool = False
    """Whether requests are stamped with whole seconds, which are half a second early in the mean."""

    @classmethod
    def of(cls, total: Load) -> ErrorTable:
        """The failures of a load that holds all requests; one more pass."""
        found = pl.concat(total.asked_of_failures(Failures()))
        merged = found.group_by(_KEYS).agg(
            pl.col("count").sum(),
            pl.col("answered").sum(),
            pl.col("total").sum(),
            pl.col("longest").max(),
            pl.col("first").min(),
            pl.col("last").max(),
        )
        rows = merged.sort(["count", *_KEYS], descending=[True, False, False])
        survey = total.survey
        in_seconds = all(file.whole_seconds for file in survey.seen if file.rows)
        return cls(rows, total.count, survey.first_start_ns, survey.last_start_ns, in_seconds)

    def _entries(self) -> list[dict[str, Any]]:
        return [
            {
                "code": row["code"],
                "message": row["message"],
                "count": row["count"],
                "share": row["count"] / self.requests,
                "timed": row["answered"],
                "mean_ms": row["total"] / row["answered"] * _MS if row["answered"] else None,
                "maximum_ms": row["longest"] * _MS if row["answered"] else None,
                "first_s": self._seconds(row["first"]),
                "last_s": self._seconds(row["last"]),
            }
            for row in self.rows.to_dicts()
        ]

    def _seconds(self, at_ns: int | None) -> float | None:
        if at_ns is None or self.start_ns is None:
            return None
        if self.in_seconds:
            # A response time that is taken from a whole second says no more of when its request was sent.
            at_ns = max(self.start_ns, min(at_ns + NS // 2, self.last_ns or at_ns))
        return (at_ns - self.start_ns) / NS

    def table(self) -> Table:
        """One row a kind; when they were sent counts from the first request.

        Where some have no response time, a column says of how many the mean is.
        """
        entries = self._entries()
        some_untimed = any(entry["timed"] < entry["count"] for entry in entries)
        rows = tuple(
            (
                entry["code"] or "–",
                entry["message"] or "–",
                entry["count"],
                f"{percent(entry['share'], 2)} %",
                *((entry["timed"],) if some_untimed else ()),
                entry["mean_ms"],
                entry["maximum_ms"],
                entry["first_s"],
                entry["last_s"],
            )
            for entry in entries[:_SHOWN]
        )
        left = len(entries) - len(rows)
        notes = (
            *([f"{left} more kinds of failures are rarer"] if left else []),
            *([_UNTIMED] if some_untimed else []),
        )
        timed = ("with a time",) if some_untimed else ()
        names = ("code", "message", "failed", "of all", *timed, "mean ms", "max ms", "first at s", "last at s")
        return Table("Failures", names, rows, notes)

    def to_dict(self) -> dict[str, Any]:
        """One entry a kind."""
        return {"errors": self._entries()}

    def plot(self) -> Chart:
        """The number of failures of the most frequent kinds, as bars."""
        return chart_of([(entry["code"], entry["message"], entry["count"]) for entry in self._entries()])


def chart_of(kinds: Sequence[tuple[str, str, int]]) -> Chart:
    """Code, message and number of the most frequent kinds of failures, which come first, as bars."""
    kinds = kinds[:_BARS]
    letters = _LETTERS // max(1, len(kinds))
    # Names stand at whole numbers; the last point ends the last bar.
    x = tuple(place - 0.5 for place in range(len(kinds) + 1))
    y = (*(float(count) for _, _, count in kinds), math.nan)
    names = tuple(_brief(code or message or "–", letters) for code, message, _ in kinds)
    return Chart("Failures", Axis("code", names=names), Axis("failed requests"), (Series("failed", x, y, Kind.BARS),))


def _brief(name: str, letters: int) -> str:
    """A name that fits under a bar: of an exception of Java without its package, and cut where it is still long."""
    last = name.rsplit(".", 1)[-1].removesuffix("Exception") if _EXCEPTION.search(name) else name
    return last if len(last) <= letters else f"{last[: letters - 1]}…"

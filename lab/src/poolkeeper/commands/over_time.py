"""Views of a survey that need no analysis: response times over time, and by label."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from poolkeeper.present import Axis, Chart, Kind, Series, Table
from poolkeeper.units import NS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from poolkeeper.arrays import Floats
    from poolkeeper.commands.load import Load
    from poolkeeper.latency.digest import Digest
    from poolkeeper.present import Mark
    from poolkeeper.results import Series as Intervals

MS = 1e-6
_SHOWN = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
_SPIKE = 10
_HALF = 0.5
"""A spike is so many times the value that this share of all values do not exceed."""
_LINES = 8
"""Labels of a chart."""
_POINTS = 150
"""Intervals of a label's line."""
_MOST_POINTS = 2_000
"""Points of a curve beyond which no screen shows more."""


@dataclass(frozen=True)
class OverTime:
    """Percentiles of the response time in each interval of a run."""

    series: Intervals
    title: str = "Response time over time"
    marks: tuple[Mark, ...] = ()
    whole: Intervals | None = None
    """Those of all requests, which count the failures; None where the results do not tell which failed."""

    def table(self) -> Table:
        """One row an interval; times in milliseconds."""
        return self.series.table()

    def to_dict(self) -> dict[str, Any]:
        """The curves of the chart, in milliseconds."""
        shown = self.series if self.whole is None else self.whole
        before = int(np.searchsorted(shown.start_ns, self.series.start_ns[0]))
        ends = before, len(shown) - before - len(self.series)
        # Of an interval in which all failed, others may have no response times.
        lines = {
            name: np.pad(self.series.quantile(q) * MS, ends, constant_values=np.nan).tolist()
            for name, q in _SHOWN.items()
        }
        errors = None if self.whole is None else self.whole.errors.tolist()
        counts = {"count": np.pad(self.series.count, ends).tolist(), "errors": errors}
        return {"every_s": self.series.every_s, "time_s": shown.time_s.tolist(), **counts, **lines}

    def plot(self) -> Chart:
        """Percentiles over time; of long runs every so many intervals."""
        lines = {name: self.series.quantile(q) * MS for name, q in _SHOWN.items()}
        return over_time(self.title, self.series, lines, Axis("response time", "ms"), self.marks)


def over_time(
    title: str, series: Intervals, lines: Mapping[str, Floats], axis: Axis, marks: tuple[Mark, ...] = ()
) -> Chart:
    """Values of each interval as lines, on a logarithmic axis where a spike would flatten them."""
    step = max(1, -(-len(series) // _MOST_POINTS))
    x = tuple(series.time_s[::step].tolist())
    found = tuple(Series(name, x, tuple(values[::step].tolist())) for name, values in lines.items())
    notes = (f"One interval of {series.every_s:g} s in {step} is drawn.",) if step > 1 else ()
    values = np.concatenate([*lines.values(), np.empty(0)])
    return Chart(title, Axis("time", "s"), replace(axis, log=axis.unit == "ms" and spiky(values)), found, marks, notes)


def users_over_time(series: Intervals, marks: tuple[Mark, ...]) -> Chart:
    """Users over time."""
    return over_time("Users over time", series, {"users": series.users}, Axis("users"), marks)


def failed_over_time(series: Intervals) -> Chart:
    """The median and the longest response time of the failed requests of each interval, as points: they are rare."""
    answered = series.count > 0
    x = tuple(series.time_s[answered].tolist())
    values = {name: series.quantile(q)[answered] * MS for name, q in (("median", 0.5), ("longest", 1.0))}
    drawn = tuple(Series(name, x, tuple(found.tolist()), Kind.POINTS) for name, found in values.items())
    both = np.concatenate(list(values.values()))
    log = bool(both.size and both.max() > _SPIKE * both.min() > 0)
    title, axis = "Response time of failed requests over time", Axis("response time", "ms", log=log)
    return Chart(title, Axis("time", "s"), axis, drawn)


def spiky(values: Floats) -> bool:
    """Whether the largest of some values would press the others to the ground of a linear axis."""
    shown = values[np.isfinite(values)]
    if not shown.size or shown.min() <= 0:
        return False
    return bool(shown.max() > _SPIKE * np.quantile(shown, _HALF))


@dataclass(frozen=True, slots=True)
class LabelMedians:
    """Median response times of some labels in intervals of the files' clock."""

    labels: tuple[str, ...]
    every_ns: int

    def __call__(self, requests: pl.LazyFrame) -> pl.DataFrame:
        """A row for each label and interval: label, place, median."""
        place = (pl.col("start_ns") + pl.col("response_ns")) // self.every_ns
        return (
            requests.filter(pl.col("label").is_in(self.labels))
            .group_by(pl.col("label").cast(pl.String), place.alias("place"))
            .agg(pl.col("response_ns").median().alias("median"))
            .collect()
        )


def labels_over_time(load: Load, marks: tuple[Mark, ...]) -> Chart | None:
    """Median response times of the most frequent labels over time; None where there are fewer than two, or no times.

    It takes one more pass over the files.
    """
    series, groups = load.survey.series, load.survey.groups
    named = sorted(groups, key=lambda name: -groups[name].count)[:_LINES]
    single_rows = load.results.kind == "samples" and len(load.results.parts) > 0
    if series is None or len(named) < 2 or not single_rows:  # noqa: PLR2004 - labels to tell apart
        return None
    every_s = max(1, -(-len(series) // _POINTS)) * series.every_s
    every_ns = round(every_s * NS)
    frames = load.asked(LabelMedians(tuple(named), every_ns))
    first = series.since(load.total.survey.first_start_ns).origin_ns or 0
    lines = []
    for name in named:
        rows = pl.concat([frame.filter(pl.col("label") == name) for frame in frames])
        # Files of a cluster are asked one by one, and may share an interval.
        rows = rows.group_by("place").agg(pl.col("median").mean()).sort("place")
        at = (rows["place"].to_numpy() * every_ns - first) / NS
        lines.append(
            Series(name or "(no label)", tuple(np.maximum(at, 0.0).tolist()), tuple((rows["median"] * MS).to_list()))
        )
    log = spiky(np.array([value for line in lines for value in line.y]))
    notes = (f"Medians of {every_s:g} s each; of {len(groups)} labels the {len(named)} most frequent.",)
    axis = Axis("response time", "ms", log=log)
    return Chart("Median response time by label", Axis("time", "s"), axis, tuple(lines), marks, notes)


@dataclass(frozen=True)
class ByLabel:
    """Rows by label; digests in milliseconds."""

    groups: Mapping[str, Digest]
    errors: Mapping[str, int]
    requests: Mapping[str, int]
    """All requests of each label, those among them whose response times are left out."""

    def _rows(self) -> list[dict[str, Any]]:
        rows = []
        for name, requests in self.requests.items():
            digest = self.groups.get(name)
            quantiles = {f"{key}_ms": None if digest is None else digest.quantile(q) for key, q in _SHOWN.items()}
            mean, most = (None, None) if digest is None else (digest.mean, digest.maximum)
            errors = {"errors": self.errors.get(name, 0)} if self.errors else {}
            ends = {"mean_ms": mean, **quantiles, "maximum_ms": most}
            rows.append({"label": name, "requests": requests, **errors, **ends})
        return rows

    def table(self) -> Table:
        """One row a label, those with most requests first."""
        rows = sorted(self._rows(), key=lambda row: -row["requests"])
        columns = tuple(name.replace("_", " ").replace("maximum", "max") for name in rows[0])
        return Table("By label", columns, tuple(tuple(row.values()) for row in rows))

    def to_dict(self) -> dict[str, Any]:
        """One entry a label."""
        return {"labels": self._rows()}

    def plot(self) -> Chart:
        """The complementary distribution of each label."""
        lines = []
        for name, digest in sorted(self.groups.items(), key=lambda pair: -pair[1].count)[:8]:
            bins = digest.binned()
            above = 1 - bins.counts.cumsum() / max(bins.total, 1)
            step = max(1, -(-above.size // _MOST_POINTS))
            x, y = bins.edges[1:][::step], above[::step]
            lines.append(Series(name or "(no label)", tuple(x.tolist()), tuple(y.tolist())))
        axes = Axis("response time", "ms", log=True), Axis("share of slower requests", log=True)
        return Chart("By label", *axes, tuple(lines))

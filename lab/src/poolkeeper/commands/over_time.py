"""Views of a survey that need no analysis: response times over time, and each label by itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from poolkeeper.present import Axis, Chart, Series, Table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from poolkeeper.latency.digest import Digest
    from poolkeeper.results import Series as Intervals

MS = 1e-6
_SHOWN = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
_MOST_POINTS = 2_000
"""Points of a curve beyond which no screen shows more."""


@dataclass(frozen=True)
class OverTime:
    """Percentiles of the response time in each interval of a run."""

    series: Intervals

    def table(self) -> Table:
        """One row an interval; times in milliseconds."""
        return self.series.table()

    def to_dict(self) -> dict[str, Any]:
        """The curves of the chart, in milliseconds."""
        lines = {name: (self.series.quantile(q) * MS).tolist() for name, q in _SHOWN.items()}
        counts = {"count": self.series.count.tolist(), "errors": self.series.errors.tolist()}
        return {"every_s": self.series.every_s, "time_s": self.series.time_s.tolist(), **counts, **lines}

    def plot(self) -> Chart:
        """Percentiles over time; of long runs every so many intervals."""
        step = max(1, -(-len(self.series) // _MOST_POINTS))
        x = tuple(self.series.time_s[::step].tolist())
        lines = tuple(
            Series(name, x, tuple((self.series.quantile(q)[::step] * MS).tolist())) for name, q in _SHOWN.items()
        )
        notes = (f"One interval of {self.series.every_s:g} s in {step} is drawn.",) if step > 1 else ()
        return Chart("Response time over time", Axis("time", "s"), Axis("response time", "ms"), lines, notes=notes)


@dataclass(frozen=True)
class ByLabel:
    """Each label by itself; digests in milliseconds."""

    groups: Mapping[str, Digest]
    errors: Mapping[str, int]

    def _rows(self) -> list[dict[str, Any]]:
        rows = []
        for name, digest in self.groups.items():
            quantiles = {f"{key}_ms": digest.quantile(q) for key, q in _SHOWN.items()}
            ends = {"mean_ms": digest.mean, **quantiles, "maximum_ms": digest.maximum}
            errors = {"errors": self.errors.get(name, 0)} if self.errors else {}
            rows.append({"label": name, "requests": digest.count, **errors, **ends})
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

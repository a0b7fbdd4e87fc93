"""Content of a chart, apart from its drawing: series over two axes, with marks and notes."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from poolkeeper.present.numbers import finite

_COLUMNS = ("x", "y", "low", "high")
"""Sequences of a series."""


class Kind(StrEnum):
    """Kind of drawing of a series."""

    LINE = "line"
    STEP = "step"
    """Constant from each point up to the next one: empirical distributions, sizes."""
    POINTS = "points"
    BARS = "bars"
    """A bar from each point up to the next one: histograms. The last point ends the last bar; its height is NaN."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A quantity with its unit, on a linear or a logarithmic scale."""

    label: str
    unit: str = ""
    log: bool = False
    names: tuple[str, ...] = ()
    """Words in place of numbers: names[k] stands at k. For quantities that are kinds, not sizes; horizontal only."""


@dataclass(frozen=True, slots=True)
class Series:
    """Points of one line, with the band of their uncertainty where `low` and `high` are given.

    All sequences are of the same length, and `x` ascends where lines, steps or bars are drawn. NaN leaves a gap.
    Raises ValueError if the lengths differ.
    """

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    kind: Kind = Kind.LINE
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        band = {len(self.x)} if self.low or self.high else {0}
        if len(self.x) != len(self.y) or {len(self.low), len(self.high)} != band:
            lengths = ", ".join(str(len(pair)) for pair in (self.x, self.y, self.low, self.high))
            raise ValueError(f"series {self.name}: x, y, low and high have {lengths} values")


@dataclass(frozen=True, slots=True)
class Mark:
    """A value of the horizontal axis that is worth a line and a word: a percentile, a knee."""

    x: float
    label: str


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart; `notes` help to read it correctly."""

    title: str
    x: Axis
    y: Axis
    series: tuple[Series, ...]
    marks: tuple[Mark, ...] = ()
    notes: tuple[str, ...] = field(default=())

    def to_dict(self) -> dict[str, Any]:
        """The chart for JSON; NaN and infinities are None."""
        return {
            "title": self.title,
            **{
                name: {"label": a.label, "unit": a.unit, "log": a.log} | ({"names": list(a.names)} if a.names else {})
                for name, a in (("x", self.x), ("y", self.y))
            },
            "series": [
                {"name": series.name, "kind": str(series.kind)}
                | {name: list(map(finite, values)) for name in _COLUMNS if (values := getattr(series, name))}
                for series in self.series
            ],
            "marks": [{"x": mark.x, "label": mark.label} for mark in self.marks],
            "notes": list(self.notes),
        }

    def _repr_html_(self) -> str:
        """The chart in a notebook."""
        from poolkeeper.present.page import framed

        return framed(self)

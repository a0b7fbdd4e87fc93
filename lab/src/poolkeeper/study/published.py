"""Figures that others published for the same cells, in a file next to the experiment's own."""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from poolkeeper.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

VARIANT = "variant"
FIGURES = {"throughput_per_s": "throughput", "mean_ms": "mean", "p99_ms": "p99"}
"""Columns that hold figures, and what the report calls them; every other column is an axis."""


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """One variant in one cell: the values of the axes, and the figures that were published, by the report's names."""

    place: Mapping[str, str]
    variant: str
    figures: Mapping[str, float]


def read_published(path: Path) -> tuple[PublishedRow, ...]:
    """Read a CSV file of published figures; the first line names the columns, and lines that begin with # are notes.

    A row is one line. Raises InputError, naming the line, for a missing column or one that stands twice, a line of
    another length, what is no positive number, and a variant that stands twice in the same place.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or 'is not UTF-8 text'}") from None
    numbered = [(at, line) for at, line in enumerate(text.splitlines(), 1) if line.strip() and not line.startswith("#")]
    lines = [(at, _cells(path, at, line)) for at, line in numbered]
    header = lines[0][1] if lines else []
    if twice := next((name for name in header if header.count(name) > 1), None):
        raise InputError(f"{path}:{lines[0][0]}: names the column {twice} twice")
    if VARIANT not in header or not set(FIGURES) & set(header):
        raise InputError(f"{path}: needs a column {VARIANT} and one of {', '.join(FIGURES)}, but has {header}")
    rows = []
    first: dict[tuple[str, ...], int] = {}
    for at, cells in lines[1:]:
        if len(cells) != len(header):
            raise InputError(f"{path}:{at}: has {len(cells)} values for {len(header)} columns")
        row = dict(zip(header, cells, strict=True))
        figures = {FIGURES[name]: _positive(path, at, name, row[name]) for name in FIGURES if row.get(name)}
        place = {name: value for name, value in row.items() if name != VARIANT and name not in FIGURES}
        if (before := first.setdefault((row[VARIANT], *place.values()), at)) != at:
            where = " ".join(f"{name} {value}" for name, value in place.items())
            raise InputError(f"{path}:{at}: has {row[VARIANT]} {where}".rstrip() + f" again, first on line {before}")
        rows.append(PublishedRow(place, row[VARIANT], figures))
    return tuple(rows)


def _cells(path: Path, line: int, text: str) -> list[str]:
    try:
        return next(csv.reader([text], strict=True))
    except csv.Error as error:
        raise InputError(f"{path}:{line}: is not CSV: {error}") from None


def _positive(path: Path, line: int, name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise InputError(f"{path}:{line}: {name} must be a number above 0, but is {text!r}")
    return value

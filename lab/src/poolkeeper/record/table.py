"""CSV files of a run record as columns of numbers, times in seconds since the run's start."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from poolkeeper.record.errors import BadLine, RecordError
from poolkeeper.record.lines import whole_lines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from poolkeeper.record.columns import Column

_WANTED = {"int": "a whole number", "float": "a number"}
Floats = NDArray[np.float64]

_INSTANTS = ("start_ns", "end_ns", "at_ns")
_NS = 1_000_000_000
_LARGEST = 2**63 - 1
"""Of a whole number in a record."""


@dataclass(frozen=True, slots=True)
class Table:
    """Columns of equal length; a cell that was not measured is NaN.

    A contract column `x_ns` is here `x_s`, in seconds: `start_s`, `end_s` and `at_s` since the run's start, the others
    as lengths.
    """

    labels: Mapping[str, tuple[str, ...]]
    numbers: Mapping[str, Floats]
    rows: int

    def __getitem__(self, name: str) -> Floats:
        """The numbers of one column."""
        return self.numbers[name]

    def __len__(self) -> int:
        """Number of rows."""
        return self.rows

    def where(self, keep: NDArray[np.bool_]) -> Table:
        """The rows for which `keep` is true."""
        return Table(
            MappingProxyType(
                {name: tuple(np.asarray(cells, dtype=object)[keep]) for name, cells in self.labels.items()}
            ),
            MappingProxyType({name: _sealed(cells[keep]) for name, cells in self.numbers.items()}),
            int(np.count_nonzero(keep)),
        )


def read_table(file: Path, columns: Sequence[Column], start_ns: int) -> tuple[Table, bool]:
    """Read a CSV file with header. Returns it, and whether its last line was cut off.

    Columns are found by name and unknown ones ignored. Raises RecordError for a missing column, BadLine for a bad line.
    """
    lines, cut_off = whole_lines(file)
    if not lines:
        raise RecordError(file, "is empty, not even a header")
    places = _places(file, _split(file, 1, lines[0]), columns)
    cells: dict[str, list[str]] = {column.name: [] for column in columns if column.type == "string"}
    values: dict[str, list[float]] = {column.name: [] for column in columns if column.type != "string"}
    width = len(_split(file, 1, lines[0]))
    for number, line in enumerate(lines[1:], start=2):
        row = _split(file, number, line)
        if len(row) != width:
            raise BadLine(file, number, f"has {len(row)} cells, the header has {width}")
        for column in columns:
            place = places[column.name]
            text = row[place] if place is not None else ""
            if column.type == "string":
                cells[column.name].append(text)
            else:
                values[column.name].append(_number(file, number, column, text, start_ns))
    numbers = {_seconds_name(name): _sealed(np.array(found, dtype=np.float64)) for name, found in values.items()}
    labels = {name: tuple(found) for name, found in cells.items()}
    _check_order(file, labels, numbers)
    return Table(MappingProxyType(labels), MappingProxyType(numbers), len(lines) - 1), cut_off


def _split(file: Path, number: int, line: str) -> list[str]:
    try:
        return next(csv.reader([line], strict=True), [])
    except csv.Error as error:
        raise BadLine(file, number, f"is not CSV: {error}") from error


def _places(file: Path, header: list[str], columns: Sequence[Column]) -> dict[str, int | None]:
    doubled = sorted({name for name in header if header.count(name) > 1})
    if doubled:
        raise BadLine(file, 1, f"names a column twice: {', '.join(doubled)}")
    missing = [column.name for column in columns if column.name not in header and not column.optional]
    if missing:
        raise BadLine(file, 1, f"column missing: {', '.join(missing)}")
    return {column.name: header.index(column.name) if column.name in header else None for column in columns}


def _number(file: Path, number: int, column: Column, text: str, start_ns: int) -> float:
    if text == "":
        if column.name in _INSTANTS:
            raise BadLine(file, number, f"{column.name} is empty")
        return float("nan")
    try:
        value = int(text) if column.type == "int" else float(text)
    except ValueError:
        raise BadLine(file, number, f"{column.name} is not {_WANTED[column.type]}: {text!r}") from None
    if not abs(value) < float("inf"):
        raise BadLine(file, number, f"{column.name} is not a finite number: {text!r}")
    if column.type == "int" and not -_LARGEST <= value <= _LARGEST:
        raise BadLine(file, number, f"{column.name} is beyond {_LARGEST}: {text}")
    if column.name in _INSTANTS:
        return (value - start_ns) / _NS
    if value < 0:
        raise BadLine(file, number, f"{column.name} is below 0: {text}")
    return value / _NS if column.name.endswith("_ns") else float(value)


def _check_order(file: Path, labels: Mapping[str, Sequence[str]], numbers: Mapping[str, Floats]) -> None:
    if "end_s" not in numbers:
        return
    starts, ends = numbers["start_s"], numbers["end_s"]
    wrong = np.flatnonzero(ends < starts)
    if wrong.size:
        raise BadLine(file, int(wrong[0]) + 2, "end_ns is before start_ns")
    before: dict[str, float] = {}
    for place, pool in enumerate(labels.get("pool", ())):
        if starts[place] < before.get(pool, -np.inf):
            raise BadLine(file, place + 2, "start_ns is before the end of the pool's window before it")
        before[pool] = ends[place]


def _seconds_name(name: str) -> str:
    return name.removesuffix("_ns") + "_s" if name.endswith("_ns") else name


def _sealed(values: Floats) -> Floats:
    values.flags.writeable = False
    return values

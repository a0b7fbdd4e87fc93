"""The results of a sweep, one row a simulation and kind of request."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

from poolkeeper.present import Axis, Chart, Series, Table
from poolkeeper.present.numbers import finite, number
from poolkeeper.units import NANOSECONDS, seconds

_MS = 1000
_FIGURES = (
    ("throughput", "Throughput", "throughput", "requests/s"),
    ("mean", "Mean response time", "response time", "ms"),
    ("p99", "99th percentile of the response time", "response time", "ms"),
)


@dataclass(frozen=True)
class Sweep:
    """Models, their settings, and the output of `./poolkeeper simulate --json` for each."""

    runs: tuple[tuple[str, dict[str, Any], dict[str, Any]], ...]

    @property
    def axes(self) -> list[str]:
        """Differences between the runs: settings, and the model where there are several."""
        paths = list(self.runs[0][1]) if self.runs else []
        return ["model", *paths] if len({model for model, _, _ in self.runs}) > 1 or not paths else paths

    def rows(self) -> list[dict[str, Any]]:
        """One row a run and kind of request: the values of the axes, and figures with their half widths."""
        rows = []
        for model, settings, result in self.runs:
            for request in result["requests"]:
                row = {"model": model, **settings, "request": request["request"]}
                row |= _figure("throughput", request["throughput_per_s"], 1)
                for name in ("mean", "p50", "p99"):
                    row |= _figure(name, request["response_s"][name], _MS)
                row |= _figure("failed", request["failed"], 1)
                rows.append(row)
        return rows

    def warnings(self) -> list[str]:
        """Warnings of the simulator, each once with the first run that it was about."""
        first_warnings: dict[str, str] = {}
        for model, settings, result in self.runs:
            name = ", ".join([model, *(f"{path}={value}" for path, value in settings.items())])
            for warning in result["warnings"]:
                first_warnings.setdefault(str(warning), f"{name}: {warning}")
        return list(first_warnings.values())

    def verdict(self) -> str:
        """Fastest simulation and the one with most answers, in two sentences."""
        rows = [row for row in self.rows() if math.isfinite(row["mean"])]
        if not rows:
            return f"{len(self.runs)} simulations, none of which answered a request."
        fastest, most = min(rows, key=lambda row: row["mean"]), max(rows, key=lambda row: row["throughput"])
        return (
            f"Of {len(self.runs)} simulations, the mean response time is lowest with {self._name(fastest)}: "
            f"{number(fastest['mean'])} ± {number(fastest['mean ±'], 2)} ms. Most requests are answered with "
            f"{self._name(most)}: {number(most['throughput'], 4)} ± {number(most['throughput ±'], 2)} per second."
        )

    def _name(self, row: dict[str, Any]) -> str:
        return ", ".join(str(row[axis]) if axis == "model" else f"{axis}={row[axis]}" for axis in self.axes)

    def table(self) -> Table:
        """One row a run and kind of request; half widths of the intervals behind ±."""
        rows = self.rows()
        several = len({row["request"] for row in rows}) > 1
        columns = {axis: axis for axis in self.axes}
        columns |= {"request": "request"} if several else {}
        columns |= {
            "throughput": "answered/s",
            "mean": "mean ms",
            "mean ±": "±",
            "p50": "p50 ms",
            "p99": "p99 ms",
            "p99 ±": "± ",
        }
        columns |= {"failed": "failed"}
        cells = tuple(tuple(finite(row[name]) for name in columns) for row in rows)
        confidence = self.runs[0][2]["confidence"] if self.runs else 0.95
        return Table("", tuple(columns.values()), cells, (f"± is half the width of the {confidence:.0%} interval",))

    def to_dict(self) -> dict[str, Any]:
        """The rows of the table, and the simulator's messages about each run."""
        runs = [{"model": model, "settings": settings, "result": result} for model, settings, result in self.runs]
        return {"axes": self.axes, "runs": runs}

    def plot(self) -> Chart:
        """The mean response time over the first setting that is a number."""
        return self.charts()[1]

    def charts(self) -> tuple[Chart, ...]:
        """Throughput, mean and 99th percentile over the first setting that is a number, a line for the others."""
        rows = self.rows()
        across = next((axis for axis in self.axes if len(_numbers(rows, axis)) > 1), None)
        at = {id(row): float(place) for place, row in enumerate(rows, start=1)}
        if across is not None:
            at = {id(row): quantity(row[across])[0] for row in rows}
        unit = quantity(rows[0][across])[1] if across is not None else ""
        lines: dict[str, list[dict[str, Any]]] = {}
        several = len({row["request"] for row in rows}) > 1
        for row in rows:
            others = [f"{axis}={row[axis]}" for axis in self.axes if axis != across and across is not None]
            lines.setdefault(", ".join([*others, *([row["request"]] if several else [])]) or "simulated", []).append(
                row
            )
        return tuple(
            Chart(
                title,
                Axis(across or "simulation", unit),
                Axis(label, of),
                tuple(
                    _line(name, sorted(members, key=lambda row: at[id(row)]), at, figure)
                    for name, members in lines.items()
                ),
            )
            for figure, title, label, of in _FIGURES
        )


def _line(name: str, rows: list[dict[str, Any]], at: dict[int, float], figure: str) -> Series:
    x = tuple(at[id(row)] for row in rows)
    y = tuple(row[figure] for row in rows)
    half = [row[f"{figure} ±"] for row in rows]
    if not all(map(math.isfinite, half)):
        return Series(name, x, y)
    low = tuple(max(0.0, value - width) for value, width in zip(y, half, strict=True))
    return Series(name, x, y, low=low, high=tuple(value + width for value, width in zip(y, half, strict=True)))


def quantity(value: Any) -> tuple[float, str]:
    """The number in a setting such as 8, '120/s' or 'exponential 25ms', and its unit; NaN where there is none.

    Times are in milliseconds.
    """
    if isinstance(value, bool):
        return math.nan, ""
    if isinstance(value, int | float):
        return float(value), ""
    found = re.fullmatch(r"(?:exponential )?([0-9.]+)\s*(/[smh]|us|ms|s|m|h|%)?", str(value))
    if found is None:
        return math.nan, ""
    unit = found[2] or ""
    return (seconds(found[1], unit) * _MS, "ms") if unit in NANOSECONDS else (float(found[1]), unit)


def _numbers(rows: list[dict[str, Any]], axis: str) -> set[float]:
    found = [quantity(row[axis]) for row in rows]
    numeric = all(math.isfinite(value) for value, _ in found) and len({unit for _, unit in found}) == 1
    return {value for value, _ in found} if numeric else set()


def _figure(name: str, estimate: dict[str, Any], scale: float) -> dict[str, float]:
    value, half = (estimate.get(key) for key in ("value", "half_width"))
    return {
        name: math.nan if value is None else value * scale,
        f"{name} ±": math.nan if half is None else half * scale,
    }

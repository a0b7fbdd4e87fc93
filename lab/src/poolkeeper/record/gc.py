"""The log of a garbage collector: gc.log as `-Xlog:gc,gc+init:file=gc.log:timenanos,tags` writes it [1].

[1] JEP 271: Unified GC logging. `timenanos` is System.nanoTime(), on Linux the monotonic clock of the other files.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.record.lines import whole_lines

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from poolkeeper.record.table import Floats

GC_LOG = "gc.log"
_PAUSE = re.compile(r"\[(\d+)ns\]\[gc *\] GC\(\d+\) Pause (.+?)(?: (\d+)M->(\d+)M\((\d+)M\))? (\d+(?:\.\d+)?)ms")
_COLLECTOR = re.compile(r"\[gc *(?:,init *)?\] Using (.+)")
_FULL = "Full"
_NS = 1_000_000_000
_MB = 1 << 20


@dataclass(frozen=True, slots=True)
class GcLog:
    """The pauses of a run, a row each in order of their ends; seconds since the run's start, and bytes of the heap.

    A pause that says nothing of the heap has NaN there.
    """

    collector: str
    """As the virtual machine calls it; empty if it does not say."""
    at_s: Floats
    pause_s: Floats
    full: NDArray[np.bool_]
    before_bytes: Floats
    after_bytes: Floats

    def __len__(self) -> int:
        """Number of pauses."""
        return self.at_s.size

    def during(self, start_s: float, end_s: float) -> GcLog:
        """The pauses that ended in [start, end]."""
        keep = (self.at_s >= start_s) & (self.at_s <= end_s)
        return GcLog(
            self.collector,
            self.at_s[keep],
            self.pause_s[keep],
            self.full[keep],
            self.before_bytes[keep],
            self.after_bytes[keep],
        )

    @property
    def allocated_bytes(self) -> float:
        """Bytes allocated between the first pause and the last: the growth of the heap from each to the next.

        To a megabyte a pause, as the log has it; NaN with fewer than two pauses.
        """
        if len(self) < 2:  # noqa: PLR2004 - a difference needs two
            return float("nan")
        return float(np.nansum(np.maximum(self.before_bytes[1:] - self.after_bytes[:-1], 0.0)))


def read_gc_log(file: Path, start_ns: int) -> tuple[GcLog, bool]:
    """Read the pauses of a log, skipping other lines. Returns them, and whether its last line was cut off."""
    lines, cut_off = whole_lines(file)
    collector = ""
    rows: list[tuple[float, float, bool, float, float]] = []
    for line in lines:
        if (pause := _PAUSE.match(line)) is not None:
            at_ns, kind, before, after, _, milliseconds = pause.groups()
            at_s, full = (int(at_ns) - start_ns) / _NS, kind.startswith(_FULL)
            rows.append((at_s, float(milliseconds) / 1000, full, _bytes(before), _bytes(after)))
        elif not collector and (named := _COLLECTOR.search(line)) is not None:
            collector = named[1].strip()
    columns = np.array(rows, dtype=np.float64).reshape(len(rows), 5).T
    return GcLog(collector, columns[0], columns[1], columns[2].astype(np.bool_), columns[3], columns[4]), cut_off


def _bytes(megabytes: str | None) -> float:
    return float("nan") if megabytes is None else float(megabytes) * _MB

"""The log of a garbage collector, as JVMs write it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from poolkeeper.record.gc import read_gc_log

if TYPE_CHECKING:
    from pathlib import Path

MB = 1 << 20
G1 = """\
[1000000000ns][gc     ] Using G1
[1000000100ns][gc,init] CPUs: 4 total, 2 available
[2000000000ns][gc     ] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 63M->4M(100M) 0.443ms
[3000000000ns][gc     ] GC(1) Concurrent Mark Cycle
[3500000000ns][gc     ] GC(1) Pause Remark 33M->33M(100M) 1.500ms
[4000000000ns][gc     ] GC(1) Concurrent Mark Cycle 20.123ms
[5000000000ns][gc     ] GC(2) Pause Full (G1 Compaction Pause) 99M->50M(100M) 30.000ms
[6000000000ns][gc     ] GC(3) Pause Young"""


def test_pauses_are_read_with_their_times_and_the_heap(tmp_path: Path) -> None:
    (tmp_path / "gc.log").write_text(G1, encoding="utf-8")
    log, cut_off = read_gc_log(tmp_path / "gc.log", 1_000_000_000)
    assert cut_off
    assert log.collector == "G1"
    assert len(log) == 3
    assert log.at_s.tolist() == [1.0, 2.5, 4.0]
    assert log.pause_s.tolist() == pytest.approx([0.000443, 0.0015, 0.03])
    assert log.full.tolist() == [False, False, True]
    assert (log.before_bytes / MB).tolist() == [63, 33, 99]
    # 4 to 33 and 33 to 99.
    assert log.allocated_bytes == (29 + 66) * MB
    later = log.during(2.0, 3.0)
    assert later.at_s.tolist() == [2.5]
    assert np.isnan(later.allocated_bytes)


SERIAL = """\
[5ns][gc] Using Serial
[9ns][gc] GC(0) Pause Young (Allocation Failure) 27M->0M(96M) 2.0ms
[10ns][gc] GC(1) Pause Full (Allocation Failure) 90M->89M(96M) 9.0ms
"""


@pytest.mark.parametrize(
    ("text", "collector", "full"),
    [
        (SERIAL, "Serial", [False, True]),
        (
            "[5ns][gc,init] Using Parallel\n[9ns][gc      ] GC(0) Pause Full (Ergonomics) 27M->0M(96M) 2.0ms\n",
            "Parallel",
            [True],
        ),
        ("", "", []),
    ],
)
def test_other_collectors_are_read_alike(tmp_path: Path, text: str, collector: str, full: list[bool]) -> None:
    (tmp_path / "gc.log").write_text(text, encoding="utf-8")
    log, cut_off = read_gc_log(tmp_path / "gc.log", 0)
    assert not cut_off
    assert (log.collector, log.full.tolist()) == (collector, full)

"""Threads of JMeter take one turn after the other, which response times in another unit do not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from poolkeeper import results

if TYPE_CHECKING:
    from pathlib import Path

HEADER = "timeStamp,elapsed,label,responseCode,threadName,success"


def turns(path: Path, *, threads: int, scale: int, names: int, users: bool = False) -> Path:
    """Samples of threads that wait for 50 ms on average, and think for half a second."""
    random = np.random.default_rng(1)
    rows = []
    for thread in range(threads):
        at = 1_700_000_000_000 + int(random.integers(1000))
        for _ in range(20):
            elapsed = int(random.exponential(50)) + 1
            end = f"Users 1-{thread % names + 1},true{f',{threads}' if users else ''}"
            rows.append((at + elapsed, f"{at},{elapsed * scale},a,200,{end}"))
            at += elapsed + int(random.exponential(500))
    header = f"{HEADER}{',allThreads' if users else ''}"
    path.write_text("\n".join([header, *(row for _, row in sorted(rows)), ""]), encoding="utf-8")
    return path


def warned(path: Path) -> list[str]:
    """Warnings about the unit."""
    return [str(finding) for finding in results.read(path).warnings if finding.kind == "unit"]


def test_microseconds_leave_threads_no_time_for_their_turns(tmp_path: Path) -> None:
    (warning,) = warned(turns(tmp_path / "us.jtl", threads=20, scale=1000, names=20))
    assert warning.startswith("us.jtl: its threads would have waited for ")
    assert warning.endswith(
        "answers at a time each: elapsed may be in another unit than milliseconds, such as microseconds"
    )


@pytest.mark.parametrize(
    ("threads", "scale", "names"), [(20, 1, 20), (200, 1, 10), (20, 20, 20), (200, 1000, 1), (4, 1000, 4)]
)
def test_times_that_may_be_milliseconds_are_taken_for_them(
    tmp_path: Path, threads: int, scale: int, names: int
) -> None:
    """Several engines may have the same names of threads, and a tool may write that of its group alone."""
    assert warned(turns(tmp_path / "ms.jtl", threads=threads, scale=scale, names=names)) == []


def test_where_the_number_of_threads_is_known_it_tells_the_unit(tmp_path: Path) -> None:
    (warning,) = warned(turns(tmp_path / "us.jtl", threads=20, scale=1000, names=20, users=True))
    assert "requests at a time, and there were 20.0 users" in warning

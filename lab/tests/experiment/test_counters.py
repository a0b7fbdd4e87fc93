"""Counters of the processor: what perf writes, and perfs that are missing, not permitted, or count."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

import pytest

from poolkeeper.experiment.recording.counters import FILE, Counters, counted

if TYPE_CHECKING:
    from pathlib import Path

COUNTED = """\
# started on Sat Nov 21 15:00:00 2026

123456789,,instructions,500000,100.00,1.20,insn per cycle
99999,,cycles:u,500000,100.00,,
<not supported>,,cache-references,0,100.00,,
42,,cache-misses,500000,100.00,,
7,,context-switches,500000,100.00,,
"""


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """As much time for a perf as a busy machine may take to run it."""
    for limit in ("_PATIENCE_S", "_STOP_S"):
        monkeypatch.setattr(f"poolkeeper.experiment.recording.counters.{limit}", 300.0)


def perf(folder: Path, body: str) -> str:
    file = folder / "perf"
    file.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    file.chmod(0o755)
    return str(file)


def test_what_perf_writes_is_read_by_event() -> None:
    found, problem = counted(COUNTED)
    assert found == {"instructions": 123456789, "cycles": 99999, "cache_misses": 42}
    assert problem == "this machine does not count them"


@pytest.mark.parametrize(
    ("body", "output"),
    [
        (
            "echo '<not supported>,,instructions,0,100.00,,' >&2; echo '<not supported>,,cycles,0,100.00,,' >&2",
            "this machine does not count them",
        ),
        (
            "echo 'Error:' >&2; echo 'Access to performance monitoring is limited.' >&2; exit 255",
            "Error:",
        ),
        ("exit 1", "it says nothing"),
    ],
)
def test_why_nothing_is_counted_is_said(tmp_path: Path, body: str, output: str) -> None:
    counters = Counters(perf(tmp_path, body))
    assert output in str(counters.problem)
    assert counters.start(os.getpid(), tmp_path) is None


def test_a_perf_that_is_not_there_is_named_with_how_to_get_it() -> None:
    assert Counters("no-such-perf").problem == "no-such-perf is not installed (Debian: linux-perf)"


def test_events_are_counted_until_the_counting_is_stopped(tmp_path: Path) -> None:
    script = (
        'case "$*" in *-p*) ;; *) echo "1,,instructions,1,100.00,," >&2; exit 0;; esac\n'
        'while [ $# -gt 0 ]; do [ "$1" = -o ] && out=$2; [ "$1" = -p ] && pid=$2; shift; done\n'
        'trap \'echo "$pid,,instructions,1,100.00,," > "$out"; exit 0\' TERM\n'
        "echo '{}'; while read -r line; do :; done; sleep 60 & wait"
    )

    async def count() -> dict[str, int]:
        counters = Counters(perf(tmp_path, script))
        assert counters.problem is None
        counting = counters.start(4242, tmp_path)
        assert counting is not None
        assert await counting.message() == {}
        return await counters.stop(counting, tmp_path)

    assert asyncio.run(count()) == {"instructions": 4242}
    assert (tmp_path / FILE).exists()

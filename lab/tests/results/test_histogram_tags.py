"""Tests of HdrHistogram logs that hold several times of the same requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hdrh.histogram import HdrHistogram

from poolkeeper import results

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

HEAD = "#[Histogram log format version 1.3]\n{more}#[StartTime: 1760000000.123 (seconds since epoch), x]\n"
COUNTS = (40, 50, 45)
"""Values of each interval."""


def row(tag: str, at: int, values: Sequence[int]) -> str:
    histogram = HdrHistogram(1, 3_600_000_000_000, 3)
    for value in values:
        histogram.record_value(value)
    return f"{f'Tag={tag},' if tag else ''}{at}.000,1.000,{max(values) / 1e6:.3f},{histogram.encode().decode()}\n"


def log(file: Path, times: dict[str, tuple[Sequence[int], int]], more: str = "") -> Path:
    """A log with tags, each with its number of values in each interval and its response time in milliseconds."""
    rows = [
        row(tag, at, [(ms + place % 9) * 1_000_000 for place in range(counts[at])])
        for at in range(len(COUNTS))
        for tag, (counts, ms) in times.items()
    ]
    file.write_text(HEAD.format(more=more) + "".join(rows), encoding="utf-8")
    return file


def warnings_of(*files: Path) -> list[str]:
    return [str(warning) for warning in results.read(files).survey().warnings if warning.kind == "transactions"]


OTHERS = (41, 49, 44)


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (("insert-st", "insert-rt", "insert-wt"), "insert-st, insert-rt and insert-wt"),
        (("raw", "co-fixed", "raw-read"), "raw, co-fixed and raw-read"),
        (("kv.result", "kv.result_success"), "kv.result and kv.result_success"),
        (("kv_main.bind", "kv_main.execute"), "kv_main.bind and kv_main.execute"),
    ],
)
def test_several_times_of_an_operation_are_told_by_their_names(
    tmp_path: Path, names: Sequence[str], shown: str
) -> None:
    counts = (COUNTS, OTHERS, (39, 51, 46))
    file = log(tmp_path / "a.hlog", {name: (counts[place], 20 + place) for place, name in enumerate(names)})
    (words,) = warnings_of(file)
    assert words.startswith(f"a.hlog: {shown} are, by their names, several times of the same requests")


def test_times_with_as_many_values_in_each_interval_are_told(tmp_path: Path) -> None:
    file = log(tmp_path / "a.hlog", {"simple": (COUNTS, 20), "metered": (COUNTS, 30), "other": (OTHERS, 5)})
    (words,) = warnings_of(file)
    assert "simple and metered have as many values in each interval" in words
    assert "each request counts several times; cut by label" in words


@pytest.mark.parametrize(
    "times",
    [
        {"read": (COUNTS, 20), "write": (OTHERS, 30)},
        {"checkout-st": (COUNTS, 20), "login-rt": (OTHERS, 30)},
        {"raw-read": (COUNTS, 20), "raw-write": (OTHERS, 30)},
        {"read": ((3, 3, 3), 20), "write": ((3, 3, 3), 30)},
        {"": (COUNTS, 20)},
    ],
)
def test_operations_apart_are_not(tmp_path: Path, times: dict[str, tuple[Sequence[int], int]]) -> None:
    assert warnings_of(log(tmp_path / "a.hlog", times)) == []


def test_files_of_ycsb_have_the_names_of_their_operations(tmp_path: Path) -> None:
    files = [
        log(tmp_path / f"{name}.hdr", {"": (counts, 20 + place)}, more=f"#[Logging for: {name}]\n")
        for place, (name, counts) in enumerate(
            [("READ", COUNTS), ("Intended-READ", OTHERS), ("UPDATE", (38, 52, 43)), ("CLEANUP", (1, 1, 1))]
        )
    ]
    intended, end = warnings_of(*files)
    assert "READ and Intended-READ are, by their names, several times of the same requests" in intended
    assert "CLEANUP is the closing of connections" in end
    assert warnings_of(files[0], files[2]) == []
    assert dict(results.read([files[0], files[2]]).survey().groups).keys() == {"READ", "UPDATE"}


def test_a_read_modify_write_beside_its_parts_is_told(tmp_path: Path) -> None:
    files = [
        log(tmp_path / f"{name}.hdr", {"": (COUNTS, 20 + place)}, more=f"#[Logging for: {name}]\n")
        for place, name in enumerate(["READ", "READ-MODIFY-WRITE"])
    ]
    assert any("holds each READ-MODIFY-WRITE beside the READ" in words for words in warnings_of(*files))

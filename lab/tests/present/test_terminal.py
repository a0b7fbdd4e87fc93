from __future__ import annotations

import io

import pytest
from rich.console import Console

from poolkeeper.present import Table
from poolkeeper.present.terminal import histogram, show

INTERVALS = Table(
    "3,000 values",
    ("figure", "value [ms]", "95 % from", "to"),
    (("mean", 45.64, 44.8, 46.5), ("standard deviation", 24.0, None, None)),
)
BY_LABEL = Table(
    "By label",
    ("label", "requests", "errors", "mean [ms]", "p50 [ms]", "p99 [ms]"),
    (("/api/v1/customers/orders/lines-of-an-order", 1_000_000, 14, 45.7, 41.0, 125.0),),
)


def printed(table: Table, width: int) -> list[str]:
    console = Console(file=io.StringIO(), width=width, color_system=None)
    show(table, console)
    file = console.file
    assert isinstance(file, io.StringIO)
    return file.getvalue().splitlines()


@pytest.mark.parametrize("width", [20, 30, 40, 80])
@pytest.mark.parametrize("table", [INTERVALS, BY_LABEL])
def test_no_number_is_cut_and_no_line_is_too_long(table: Table, width: int) -> None:
    lines = printed(table, width)

    assert max(map(len, lines)) <= width
    assert "…" not in "".join(lines)
    for cell in (cell for row in table.cells() for cell in row[1:]):
        assert any(cell in line.split() for line in lines), cell


def test_headings_break_before_a_table_becomes_a_list() -> None:
    assert [line.rstrip() for line in printed(INTERVALS, 30)[1:3]] == [
        "             value  95 %",
        "figure        [ms]  from    to",
    ]


def test_a_list_has_its_headings_with_their_units() -> None:
    lines = printed(BY_LABEL, 30)

    assert [line.split() for line in lines[-5:]][2] == ["mean", "[ms]", "45.7"]


@pytest.mark.parametrize("width", [30, 40, 60, 100])
def test_a_histogram_fits(width: int) -> None:
    lines = histogram((1.0, 10.0, 100.0, 1000.0), (5, 94, 1), "ms", width)

    assert max(map(len, lines)) <= width
    assert [line.split()[-1] for line in lines] == ["5.0%", "94.0%", "1.0%"]


def test_a_bin_of_nearly_all_is_not_all() -> None:
    shares = [line.split()[-1] for line in histogram((1.0, 2.0, 3.0, 4.0), (99_980, 20, 0), "ms", 80)]
    assert shares == [">99.9%", "<0.1%", "0.0%"]

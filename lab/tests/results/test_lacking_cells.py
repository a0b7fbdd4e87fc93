"""Rows that lack cells: the others move to wrong columns, so that they stop the reading wherever they stand."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, Any

import pytest

from poolkeeper import results
from poolkeeper.results.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

START = 1_700_000_000_000
ROWS = 60
CUT = 31
"""The row that is cut, from 0 on."""

TABLES: dict[str, tuple[str, list[str], dict[str, Any]]] = {
    "plain columns": ("", [f"{k}\ta\t{1500 + k}\t0\t200" for k in range(ROWS)], {"column": "2", "unit": "us"}),
    "plain columns, the last one empty": (
        "t,latency_ms,error\n",
        [f"{k},{5 + k % 7}," for k in range(ROWS)],
        {"column": "latency_ms"},
    ),
    "plain columns, the first one quoted": (
        "path,latency_ms,error\n",
        [f'"/a,""{k}""",{5 + k % 7},' for k in range(ROWS)],
        {},
    ),
    "JMeter, the last column empty": (
        "timeStamp,elapsed,label,success,failureMessage\n",
        [f'{START + 100 * k},{20 + k},"a, b",true,' for k in range(ROWS)],
        {},
    ),
    "h2load": ("", [f"{1000 * START + k}\t200\t{300 + k}\t1" for k in range(ROWS)], {}),
    "k6, the last column empty": (
        "metric_name,timestamp,metric_value,name,status,extra_tags,metadata\n",
        [f"http_req_duration,{START // 1000},{20 + k},/,200,," for k in range(ROWS)],
        {},
    ),
    "oha": (
        "request-start,DNS,DNS+dialup,Response-delay,request-duration,bytes,status\n",
        [f"{k / 100},0.001,0.002,0.003,0.0{k + 10},120,200" for k in range(ROWS)],
        {},
    ),
    "hey": (
        "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset\n",
        [f"0.0{k + 10},0.001,0.001,0.0001,0.002,0.0003,200,0.{k + 10}" for k in range(ROWS)],
        {},
    ),
}
FORMS: dict[str, Callable[[str], bytes]] = {
    "plain": lambda text: text.encode(),
    "packed": lambda text: gzip.compress(text.encode()),
    "without an end of the last line": lambda text: text.rstrip("\n").encode(),
    "after a comment with commas": lambda text: b"# a,b,c\t,,,,,,\n" + text.encode(),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("table", TABLES)
def test_a_row_that_lacks_a_cell_stops_the_reading(tmp_path: Path, table: str, form: str) -> None:
    header, rows, options = TABLES[table]
    file = tmp_path / "results"
    whole = header + "\n".join(rows) + "\n"
    file.write_bytes(FORMS[form](whole))
    assert results.read(file, **options).digest().count == ROWS
    separator = "\t" if "\t" in rows[0] else ","
    cells = rows[CUT].split(separator)
    # The two last cells become one, which keeps what is read but for the place.
    cut = [*rows[:CUT], separator.join([*cells[:-2], cells[-2] + cells[-1]]), *rows[CUT + 1 :]]
    file.write_bytes(FORMS[form](header + "\n".join(cut) + "\n"))
    line = CUT + 1 + bool(header) + ("comment" in form)
    with pytest.raises(FileError, match=rf"line {line}: (has \d cells, but there are|ends before|.* is not a whole)"):
        results.read(file, **options).digest()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("table", TABLES)
def test_two_rows_in_a_line_stop_the_reading(tmp_path: Path, table: str, form: str) -> None:
    header, rows, options = TABLES[table]
    file = tmp_path / "results"
    joined = [*rows[:CUT], rows[CUT] + rows[CUT + 1], *rows[CUT + 2 :]]
    file.write_bytes(FORMS[form](header + "\n".join(joined) + "\n"))
    line = CUT + 1 + bool(header) + ("comment" in form)
    with pytest.raises(FileError, match=rf"line {line}: "):
        results.read(file, **options).digest()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("table", TABLES)
def test_a_row_with_an_empty_cell_too_many_stops_the_reading(tmp_path: Path, table: str, form: str) -> None:
    """A separator within a cell moves all cells behind it, and the last one may be empty."""
    header, rows, options = TABLES[table]
    file = tmp_path / "results"
    separator = "\t" if "\t" in rows[0] else ","
    file.write_bytes(FORMS[form](header + "\n".join([*rows[:CUT], rows[CUT] + separator, *rows[CUT + 1 :]]) + "\n"))
    line = CUT + 1 + bool(header) + ("comment" in form)
    with pytest.raises(FileError, match=rf"line {line}: has \d+ cells, but there are \d+ columns"):
        results.read(file, **options).digest()


def test_an_empty_last_cell_is_none_that_is_missing(tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    file.write_text("t,latency_ms,error\n1,5,x\n2,6,\n3,7,y\n", encoding="utf-8")
    assert results.read(file).digest().count == 3


def test_a_cell_of_the_middle_that_is_lost_is_no_response_time_of_0(tmp_path: Path) -> None:
    rows = [f"{k}\ta\t{1500 + k}\t0\t200" for k in range(ROWS)]
    rows[CUT] = "31\ta15\t0\t200"
    file = tmp_path / "phout"
    file.write_text("\n".join(rows) + "\n", encoding="utf-8")
    with pytest.raises(FileError, match="line 32: has 4 cells, but there are 5 columns"):
        results.read(file, column="2", unit="us").digest()


def test_the_first_row_may_be_the_one_that_lacks_a_cell(tmp_path: Path) -> None:
    header, rows, _ = TABLES["JMeter, the last column empty"]
    file = tmp_path / "results.jtl"
    file.write_text(header + "\n".join([rows[0].removesuffix(","), *rows[1:], ""]), encoding="utf-8")
    with pytest.raises(FileError, match="line 2: has 4 cells, but there are 5 columns"):
        results.read(file).digest()


def test_two_rows_of_ab_in_one_stop_the_reading(tmp_path: Path) -> None:
    row = "Fri Nov 27 08:07:51 2026\t1795766871\t0\t5\t5\t5"
    file = tmp_path / "requests.tsv"
    lines = ["starttime\tseconds\tctime\tdtime\tttime\twait", *[row] * 20]
    file.write_text("\n".join([*lines, ""]), encoding="utf-8")
    assert results.read(file).digest().count == 20
    lines[9] = row[:12] + row[8:]
    file.write_text("\n".join([*lines, ""]), encoding="utf-8")
    with pytest.raises(FileError, match="line 10: starttime is no date: 'Fri Nov 27 0"):
        results.read(file).digest()

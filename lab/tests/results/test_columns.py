"""Tests of plain columns as engineers export them: units in names, figures of tools, access logs, totals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from poolkeeper import results
from poolkeeper.errors import InputError
from poolkeeper.results.errors import FileError

if TYPE_CHECKING:
    from pathlib import Path

MS = 1e6


def put(folder: Path, text: str) -> Path:
    file = folder / "table.csv"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("name", "scale"),
    [
        ("latency_seconds", 1e9),
        ("duration_sec", 1e9),
        ("Latency (s)", 1e9),
        ("latency [us]", 1e3),
        ("elapsed_micros", 1e3),
        ("responseTimeUs", 1e3),
        ("Latency (µs)", 1e3),
        ("latencyNs", 1),
        ("durationMs", MS),
        ("elapsedMillis", MS),
        ("response_time_milliseconds", MS),
        ("latencyus", 1e3),
        ("latency", MS),
    ],
)
def test_the_name_of_a_column_says_its_unit(tmp_path: Path, name: str, scale: float) -> None:
    alone = results.read(put(tmp_path, f"{name}\n12\n7\n")).values()
    second = results.read(put(tmp_path, f"t,{name}\n1,12\n2,7\n")).values()
    assert alone.tolist() == second.tolist() == [12 * scale, 7 * scale]


@pytest.mark.parametrize("name", ["latency_m", "duration_hours", "elapsed_ms_us"])
def test_a_name_that_leaves_the_unit_open_wants_it_said(tmp_path: Path, name: str) -> None:
    file = put(tmp_path, f"{name}\n12\n7\n")
    with pytest.raises(InputError, match=rf"'{name}' leaves open which unit"):
        results.read(file)
    assert results.read(file, unit="s").values().tolist() == [12e9, 7e9]


@pytest.mark.parametrize(
    "name",
    ["avgLatency", "latencyP99", "mean_latency_ms", "latency quantile 0.99", "latency 99th", "maxLatencyMs"],
)
def test_figures_of_a_tool_are_known_by_their_names(tmp_path: Path, name: str) -> None:
    for text in (f"{name}\n5\n6\n", f"time,{name}\n1,5\n2,6\n"):
        with pytest.raises(InputError, match="figure"):
            results.read(put(tmp_path, text))


@pytest.mark.parametrize(
    "name",
    [
        "bytes",
        "cpu",
        "Heap Usage",
        "status_code",
        "users",
        "requests_per_second",
        "size_kb",
        "cpuPercent",
        "latency count",
    ],
)
def test_a_name_of_something_else_is_no_response_time(tmp_path: Path, name: str) -> None:
    file = put(tmp_path, f"{name}\n12\n7\n")
    with pytest.raises(InputError, match=f"'{name}' of .* does not sound like response times.*say so: --column 0"):
        results.read(file)
    assert results.read(file, column=0, unit="ms").values().tolist() == [12 * MS, 7 * MS]


@pytest.mark.parametrize("name", ["value", "ms", "cpu time", "user wait", "time per request", "page load", "x"])
def test_other_names_are_read(tmp_path: Path, name: str) -> None:
    assert results.read(put(tmp_path, f"{name}\n12\n7\n"), unit="ms").values().tolist() == [12 * MS, 7 * MS]


def test_one_of_several_response_times_is_not_guessed(tmp_path: Path) -> None:
    file = put(tmp_path, "connect_latency_ms,read_latency_ms\n1,9\n2,8\n")
    with pytest.raises(InputError, match="has several response times, say which"):
        results.read(file)
    file = put(tmp_path, "connect_latency_ms,latency_ms,total_duration_ms\n1,9,10\n2,8,10\n")
    assert results.read(file).values().tolist() == [9 * MS, 8 * MS]
    with pytest.raises(InputError, match="say which"):
        results.read(put(tmp_path, "response_time_start,response_time_end\n1760000000000,1760000000009\n"))


@pytest.mark.parametrize("name", ["count", "n", "cnt", "requests", "number of requests", "Anzahl"])
def test_rows_that_stand_for_several_requests_are_refused(tmp_path: Path, name: str) -> None:
    file = put(tmp_path, f"latency_ms,{name}\n1,900\n2,8\n")
    with pytest.raises(InputError, match=f"has '{name}' beside 'latency_ms'"):
        results.read(file)


@pytest.mark.parametrize("text", ["n,latency_ms\n7,5\n8,6\n", "active_requests,latency_ms\n7,5\n7,6\n"])
def test_numbers_of_rows_and_of_other_requests_are_no_counts(tmp_path: Path, text: str) -> None:
    assert results.read(put(tmp_path, text)).values().tolist() == [5 * MS, 6 * MS]


@pytest.mark.parametrize(
    "name",
    ["duration_100ns", "Latency (100 ns)", "latency_tenths_of_ms", "elapsed_cs", "latency_ps", "duration_jiffies"],
)
def test_units_that_are_not_read_are_asked_for(tmp_path: Path, name: str) -> None:
    file = put(tmp_path, f"id,{name}\na,5\nb,6\n")
    with pytest.raises(InputError, match="leaves open which unit it has"):
        results.read(file)
    assert results.read(file, unit="us").values().tolist() == [5000, 6000]


def test_a_column_with_the_unit_of_another_one_is_heard(tmp_path: Path) -> None:
    file = put(tmp_path, "latency,unit\n5,us\n6,us\n")
    with pytest.raises(InputError, match=r"has its unit in the column 'unit' \(us\)"):
        results.read(file)
    assert results.read(file, unit="us").values().tolist() == [5000, 6000]
    mixed = put(tmp_path, "latency,time unit\n5,us\n6,ms\n")
    for unit in (None, "us"):
        with pytest.raises(InputError, match=r"has several units in its column 'time unit' \(us, ms\)"):
            results.read(mixed, unit=unit)
    other = put(tmp_path, "business_unit,latency\na,5\nb,6\n")
    assert results.read(other).values().tolist() == [5 * MS, 6 * MS]


def test_a_table_of_several_tests_is_no_table_of_requests(tmp_path: Path) -> None:
    file = put(tmp_path, "tool,vus,duration,rps,avg_cpu\nk6,5,30,100,9\nk6,9,30,180,8\n")
    with pytest.raises(InputError, match=r"has figures of whole tests beside 'duration' \(rps, avg_cpu\)"):
        results.read(file)
    assert results.read(file, column="duration").values().tolist() == [30 * MS, 30 * MS]


def test_other_columns_are_told(tmp_path: Path) -> None:
    file = put(tmp_path, "latency_ms,status\n1,200\n2,500\n")
    assert [str(warning) for warning in results.read(file).survey().warnings] == [
        "table.csv: only latency_ms was read, not status: what they tell of failures and times is left out"
    ]


def test_a_column_that_only_rises_may_be_the_time_since_the_start(tmp_path: Path) -> None:
    rising = "".join(f"{n},{0.3 * n:.2f}\n" for n in range(40))
    assert "rises from row to row" in str(results.read(put(tmp_path, f"n,elapsed\n{rising}")).survey().warnings)
    assert "rises" not in str(results.read(put(tmp_path, f"n,elapsed\n{rising}40,0.1\n")).survey().warnings)
    constant = "".join(f"{n},{n // 10}\n" for n in range(40))
    assert "rises" not in str(results.read(put(tmp_path, f"n,elapsed\n{constant}")).survey().warnings)


@pytest.mark.parametrize("name", ["Total", "Summe", "Mittelwert", "moyenne"])
def test_a_total_below_a_table_stops_the_reading(tmp_path: Path, name: str) -> None:
    file = put(tmp_path, f"t,latency_ms\n1,5\n2,6\n{name},11\n")
    with pytest.raises(InputError, match=f"line 4: begins with '{name}'"):
        results.read(file).values()


def test_so_does_one_without_a_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 4: has no first cell, as a figure below a table has"):
        results.read(put(tmp_path, "t,latency_ms\n1,5\n2,6\n,11\n")).values()
    others = put(tmp_path, "label,latency_ms\n,5\nb,6\n,11\n")
    assert results.read(others).values().tolist() == [5 * MS, 6 * MS, 11 * MS]


def test_points_between_thousands_are_doubted(tmp_path: Path) -> None:
    doubted = results.read(put(tmp_path, "t;latency_us\n1;27.214\n2;19.943\n3;980\n")).survey().warnings
    assert "if points part thousands (27.214)" in str(doubted)
    plain = results.read(put(tmp_path, "t;latency_us\n1;27.214\n2;0.943\n3;980\n")).survey().warnings
    assert "thousands" not in str(plain)


def test_access_logs_whose_browsers_have_semicolons(tmp_path: Path) -> None:
    begin = '10.0.0.1 - - [10/Oct/2026:13:00:00 +0000] "GET / HTTP/1.1" 200 12 "-"'
    agents = ["Mozilla/5.0 (X11; Linux x86_64)", "curl/8", "Mozilla/5.0 (X11; Linux x86_64) a, b"]
    file = put(tmp_path, "".join(f'{begin} "{agent}" 0.0{place}\n' for place, agent in enumerate(agents, 1)))
    assert results.read(file, column="10", unit="s").values().tolist() == [10 * MS, 20 * MS, 30 * MS]


@pytest.mark.parametrize("text", ["12 \n13\n 14 \n", "latency_ms,path\n12 ,/a\n 13,/b\n14,/c\n"])
def test_blanks_around_numbers_are_no_fault(tmp_path: Path, text: str) -> None:
    assert results.read(put(tmp_path, text)).values().tolist() == [12 * MS, 13 * MS, 14 * MS]
    with pytest.raises(FileError, match=r"line [34]: .* is not a number: ' ?x"):
        results.read(put(tmp_path, text.replace("14", "x14"))).values()


def test_empty_lines_between_numbers(tmp_path: Path) -> None:
    assert results.read(put(tmp_path, "60\n\n25\n\n")).values().tolist() == [60 * MS, 25 * MS]

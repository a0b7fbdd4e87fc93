"""Files that are read since they were missed: layouts of other versions, and tools of which a summary can be had."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from poolkeeper import results
from poolkeeper.results.errors import FileError

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import CommandLine

pytestmark = pytest.mark.usefixtures("without_fits")

MS = 10**6


@pytest.mark.parametrize(("version", "before"), [("2.3.1", "Shop\t7\t"), ("3.3.1", "7\t"), ("3.9.5", "")])
def test_gatling_logs_that_begin_with_many_users(tmp_path: Path, version: str, before: str) -> None:
    users = [f"USER\tShop\t{before}START\t{1795265423705 + k}" for k in range(3000)]
    requests = [
        f"REQUEST\t{before}Checkout\tGET /a\t{start}\t{start + 20}\t{'KO' if start % 5 == 0 else 'OK'}\t "
        for start in range(1795265424000, 1795265424050)
    ]
    file = tmp_path / "simulation.log"
    for lines in ([*users, *requests], [*requests, *users]):
        file.write_text("\n".join([f"RUN\tShop\tshop\t1795265418443\t \t{version}", *lines, ""]), encoding="utf-8")
        found = results.read(file).frame.collect()
        assert found.height == 50
        assert set(found["response_ns"]) == {20 * MS}
        assert found["label"][0] == "GET /a"
        assert found["group"][0] == "Checkout"
        assert found["ok"].sum() == 40


@pytest.mark.parametrize("damaged", ["USER\tShop", "USER\tShop\tSTART\t17952654", "USER\tShop\tSTART\tREQUEST\tx"])
def test_a_damaged_user_of_gatling_stops_the_reading(tmp_path: Path, damaged: str) -> None:
    request = "REQUEST\t\tGET /a\t1795265424000\t1795265424020\tOK\t "
    file = tmp_path / "simulation.log"
    lines = ["RUN\tShop\tshop\t1795265418443\t \t3.9.5", request, damaged, request, ""]
    file.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(FileError, match="line 3: a user without a time at which it started or ended"):
        results.read(file).frame.collect()


@pytest.mark.parametrize("before", ["Shop\t7\tREQUEST", "REQUEST\tShop\t7"])
def test_gatling_logs_with_four_times_a_request_count_from_the_first_to_the_last(tmp_path: Path, before: str) -> None:
    run = "Shop\tshop\tRUN" if before.startswith("Shop") else "RUN\tShop\tshop"
    requests = [
        "\t".join([before, "Checkout", "GET /a", *(str(start + more) for more in (0, 1, 40, 45)), outcome, " "])
        for start in range(1421671400000, 1421671400050)
        for outcome in ["KO" if start % 5 == 0 else "OK"]
    ]
    file = tmp_path / "simulation.log"
    file.write_text("\n".join([f"{run}\t1421671400000\t \t2.0", *requests, ""]), encoding="utf-8")
    found = results.read(file).frame.collect()
    assert set(found["response_ns"]) == {45 * MS}
    assert found["start_ns"].min() == 1421671400000 * MS
    assert (found["label"][0], found["group"][0], found["ok"].sum()) == ("GET /a", "Checkout", 40)
    file.write_text(file.read_text(encoding="utf-8").replace("/a\t1421671400003\t", "/a\tsoon\t"), encoding="utf-8")
    with pytest.raises(FileError, match="line 5: a request whose start and end are not whole numbers"):
        results.read(file).digest()


def test_requests_of_ab_have_response_times_and_no_order(tmp_path: Path, poolkeeper: CommandLine) -> None:
    rows = [f"Mon Nov 23 10:00:{k % 30:02} 2026\t{1795428000 + k % 30}\t1\t{k}\t{k + 1}\t{k}" for k in range(600)]
    file = tmp_path / "requests.tsv"
    file.write_text("\n".join(["starttime\tseconds\tctime\tdtime\tttime\twait", *rows, ""]), encoding="utf-8")
    found = results.read(file)
    assert (found.format, found.clock, found.survey().digest.count) == ("ab (requests)", "none", 600)
    assert found.digest().maximum == 600 * MS
    assert found.frame.collect()["first_byte_ns"].max() == 599 * MS
    assert [warning.kind for warning in found.warnings] == ["order"]
    done = poolkeeper(tmp_path, "analyze requests.tsv")
    assert done.code == 0
    assert "the values are sorted" in " ".join(done.out.split())


ARTILLERY_1: dict[str, Any] = {
    "aggregate": {
        "timestamp": "2020-05-30T01:26:12.130Z",
        "scenariosCreated": 250,
        "scenariosCompleted": 200,
        "requestsCompleted": 200,
        "latency": {"min": 2, "max": 141.5, "median": 34.5, "p95": 105.8, "p99": 118.2},
        "rps": {"count": 250, "mean": 19.45},
        "errors": {"ECONNRESET": 40, "ETIMEDOUT": 10},
        "codes": {"200": 190, "503": 10},
    },
    "intermediate": [],
}


def test_artillery_1_has_a_summary(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    file.write_text(json.dumps(ARTILLERY_1), encoding="utf-8")
    found = results.read(file)
    (summary,) = found.summaries
    assert (summary.count, summary.errors, summary.lost, summary.requests) == (200, 10, 50, 250)
    assert summary.percentiles == ((0.5, 34.5 * MS), (0.95, 105.8 * MS), (0.99, 118.2 * MS))
    assert (summary.minimum_ns, summary.maximum_ns) == (2 * MS, 141.5 * MS)
    assert not found.warnings
    changed = {**ARTILLERY_1["aggregate"], "rps": {"count": 300}}
    file.write_text(json.dumps({"aggregate": changed}), encoding="utf-8")
    assert "states 300 requests, but its answers" in str(results.read(file).warnings[0])


TAURUS_CSV = """label,avg_rt,bytes,fail,stdev_rt,succ,throughput,perc_0.0,perc_50.0,perc_99.0,perc_100.0,rc_200,rc_500
,0.02500,1000,3,0.01000,97,100,0.00100,0.02000,0.09000,0.12000,97,3
"GET /a, fast",0.02500,1000,3,0.01000,97,100,0.00100,0.02000,0.09000,0.12000,97,3
"""
TAURUS_XML = """<?xml version='1.0' encoding='UTF-8'?>
<FinalStatus>
  <TestDuration>10.0</TestDuration>
  {}
</FinalStatus>
"""
FIGURES = {"avg_rt": 0.025, "stdev_rt": 0.01, "fail": 3, "succ": 97, "throughput": 100}
LEVELS = {"0.0": 0.001, "50.0": 0.02, "99.0": 0.09, "100.0": 0.12}


def group(label: str) -> str:
    figures = "".join(f'<{name} value="{value}"><name>{name}</name></{name}>' for name, value in FIGURES.items())
    levels = "".join(f'<perc value="{value}" param="{level}"/>' for level, value in LEVELS.items())
    return f'<Group label="{label}">{figures}{levels}<rc value="97" param="200"/></Group>'


@pytest.mark.parametrize("xml", [False, True])
def test_final_statistics_of_taurus(tmp_path: Path, *, xml: bool) -> None:
    file = tmp_path / ("final.xml" if xml else "final.csv")
    file.write_text(TAURUS_XML.format(group("") + group("GET /a, fast")) if xml else TAURUS_CSV, encoding="utf-8")
    found = results.read(file)
    whole, label = found.summaries
    assert (whole.label, label.label) == ("", "GET /a, fast")
    assert (whole.count, whole.errors, whole.mean_ns, whole.std_ns) == (100, 3, 25 * MS, 10 * MS)
    assert whole.percentiles == ((0.5, 20 * MS), (0.99, 90 * MS))
    assert (whole.minimum_ns, whole.maximum_ns) == (1 * MS, 120 * MS)
    assert found.format == "Taurus (final statistics)"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (TAURUS_XML.format(""), "holds no requests"),
        (TAURUS_XML.format("<Group"), "is not XML"),
        (TAURUS_CSV.replace(",97,100,", ",,100,"), "line 2: succ is no count: ''"),
        (TAURUS_CSV.replace("0.02500", "fast"), "line 2: avg_rt is not a number: 'fast'"),
        ('<?xml version="1.0"?>\n<testsuites tests="3"><testsuite name="a">\n', "is JUnit XML"),
        ('<testsuite name="a" tests="3">\n', "is JUnit XML"),
        ('<?xml version="1.0"?>\n<jmeterTestPlan version="1.2">\n', "is a test plan of JMeter; run it: jmeter -n"),
        ("Method,Name,Error,Occurrences\nGET,/a,boom,3\n", "lists the failures of Locust; give the file that ends"),
        ('"Method","Name","Error","Occurrences"\n"GET","/a","boom",3\n', "lists the failures of Locust"),
        ("Count,Message,Traceback,Nodes\n1,boom,File,local\n", "lists the exceptions in the tasks of Locust"),
    ],
)
def test_files_that_are_named_and_refused(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "file"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(FileError) as error:
        results.read(file)
    assert words in str(error.value)


ROW = ["1700000000000", "42", "home", "200", "OK", "Users 1-1", "text", "true"]


@pytest.mark.parametrize(
    ("cells", "users"),
    [
        ([*ROW, "900", "41"], None),
        ([*ROW, "", "900", "7", "7", "41", "0"], 7),
        ([*ROW, "", "900", "100", "7", "7", "41", "0", "1"], 7),
        ([*ROW, "", "900", "100", "7", "7", "http://a", "41", "0", "1"], 7),
    ],
)
def test_jtl_without_a_header_in_the_orders_of_jmeter(tmp_path: Path, cells: list[str], users: int | None) -> None:
    file = tmp_path / "bare.jtl"
    file.write_text("".join(f"{int(cells[0]) + k},{','.join(cells[1:])}\n" for k in range(20)), encoding="utf-8")
    found = results.read(file).frame.collect()
    assert found.height == 20
    assert found["first_byte_ns"][0] == 41 * MS
    assert (found["users"][0] if "users" in found.columns else None) == users


@pytest.mark.parametrize(
    "cells",
    [
        [*ROW, "900", "7", "7", "41"],
        [*ROW, "", "900", "100", "7", "7", "http://a", "41", "0", "1", "more"],
        [*ROW, "text", "900"],
        ["2026/11/23 10:00:00.123", *ROW[1:], "", "900", "7"],
        [*ROW[:6], "true", "900", "7", "7", "41"],
    ],
)
@pytest.mark.parametrize("separator", [",", ";"])
def test_jtl_without_a_header_in_another_order_says_what_to_do(
    tmp_path: Path, cells: list[str], separator: str
) -> None:
    file = tmp_path / "bare.jtl"
    file.write_text(separator.join(cells) + "\n", encoding="utf-8")
    with pytest.raises(FileError) as error:
        results.read(file)
    assert f"is a JTL without a header, and its {len(cells)} columns are none of JMeter's defaults" in str(error.value)
    assert "jmeter.save.saveservice.print_field_names=true" in str(error.value)


def test_vegeta_with_bodies_longer_than_the_beginning_that_is_looked_at(tmp_path: Path) -> None:
    body = "QUJD" * 60_000
    rows = [
        f'{1700000000000000000 + k},200,{1000 + k},0,180000,"",{body},attack,{k},GET,http://a/,"{body}"'
        for k in range(4)
    ]
    file = tmp_path / "hits.csv"
    file.write_text("\n".join([*rows, ""]), encoding="utf-8")
    found = results.read(file)
    assert found.format == "vegeta (CSV)"
    assert found.frame.collect()["response_ns"].to_list() == [1000, 1001, 1002, 1003]
    assert set(found.frame.collect()["label"]) == {"GET http://a/"}

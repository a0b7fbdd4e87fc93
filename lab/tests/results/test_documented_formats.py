"""Formats of which no real file is here, as their documentation has them."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogWriter

from poolkeeper import results
from poolkeeper.results.errors import FileError

if TYPE_CHECKING:
    from pathlib import Path

MS = 1_000_000


def put(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def test_vegeta_csv(tmp_path: Path) -> None:
    rows = (
        "1700000000000000000,200,35000000,10,1000,,Ym9keQ==,test,0,GET,http://x/a,Q29udGVudA==",
        '1700000000100000000,0,250000000,10,0,"dial tcp, refused",,test,1,GET,http://x/a,',
    )
    found = results.read(put(tmp_path, "hits.csv", "\n".join((*rows, ""))))
    assert (found.format, found.resolution_ns) == ("vegeta (CSV)", 1)
    assert found.values().tolist() == [35 * MS, 250 * MS]
    assert found.survey().errors == {"GET http://x/a": 1}
    assert found.frame.collect()["message"].to_list() == ["", "dial tcp, refused"]


def test_vegeta_json(tmp_path: Path) -> None:
    row = (
        '{"attack":"test","seq":0,"code":503,"timestamp":"2023-11-14T22:13:20.5Z","latency":35000000,"bytes_out":1,'
        '"bytes_in":9,"error":"503 Service Unavailable","body":null,"method":"GET","url":"http://x/a","headers":null}\n'
    )
    frame = results.read(put(tmp_path, "hits.json", row)).frame.collect()
    assert frame["start_ns"].to_list() == [1_700_000_000_500_000_000]
    assert frame["response_ns"].to_list() == [35_000_000]
    assert frame["ok"].to_list() == [False]


def test_hyperfoil(tmp_path: Path) -> None:
    head = "Requests,Responses,Mean,StdDev,Min,p50.0,p99.0,Max,"
    head += "ConnectionErrors,RequestTimeouts,InternalErrors,Invalid,BlockedTime"
    row = "100,98,5000000,1000000,100000,4500000,9000000,12000000,1,1,0,0,0"
    found = results.read(put(tmp_path, "total.csv", f"Phase,Metric,Start,End,{head}\nmain,test,1000,3000,{row}\n"))
    (stated,) = found.summaries
    assert (stated.label, stated.count, stated.errors, stated.throughput) == ("main/test", 98, 0, 49)
    assert stated.percentiles == ((0.5, 4.5 * MS), (0.99, 9 * MS))
    series = results.read(put(tmp_path, "main.test.series.csv", f"Start,End,{head}\n1000,2000,{row}\n"))
    assert series.summaries[0].at_ns == 10**9


SPECTRUM = """\
       Value     Percentile TotalCount 1/(1-Percentile)

       0.921     0.000000            1         1.00
       1.250     0.500000           50         2.00
       9.500     1.000000          100          inf
#[Mean    =        1.500, StdDeviation   =        0.700]
#[Max     =        9.500, Total count    =          100]
"""


def test_percentile_distributions(tmp_path: Path) -> None:
    found = results.read(put(tmp_path, "all.hgrm", SPECTRUM))
    (stated,) = found.summaries
    assert stated.percentiles == ((0.0, 0.921 * MS), (0.5, 1.25 * MS), (1.0, 9.5 * MS))
    assert (stated.count, stated.mean_ns, stated.maximum_ns) == (100, 1.5 * MS, 9.5 * MS)
    assert results.read(tmp_path / "all.hgrm", unit="us").summaries[0].maximum_ns == 9500
    csv = '"Value","Percentile","TotalCount","1/(1-Percentile)"\n0.9,0.5,1,2.0\n9.5,1.0,2,Infinity\n'
    assert results.read(put(tmp_path, "main.histogram.csv", csv)).summaries[0].count == 2


def test_percentiles_that_a_distribution_lacks_are_found_by_its_counts(tmp_path: Path) -> None:
    """Other rows stand beside p50 and p99.9: their counts tell which values these lie between."""
    rows = (
        "5.000 0.000000 1 1.00",
        "38.591 0.468559 1875 1.88",
        "41.247 0.521703 2087 2.09",
        "77.000 0.900000 3600 10.00",
        "91.900 0.949000 3796 19.61",
        "92.000 0.951000 3804 20.41",
        "122.000 0.990000 3960 100.00",
        "151.551 0.998689 3995 763.35",
        "162.559 0.998820 3996 848.16",
        "191.999 0.999044 3997 1047.11",
        "211.967 1.000000 4000",
    )
    found = results.read(
        put(tmp_path, "all.hgrm", "\n".join(["Value Percentile TotalCount 1/(1-Percentile)", *rows, ""]))
    )
    stated = dict(found.summaries[0].percentiles)
    assert [stated[level] / MS for level in (0.5, 0.9, 0.95, 0.99, 0.999)] == [41.247, 77, 92, 122, 162.559]
    wanted = (
        "all.hgrm: its rows stand for other percentiles: p50 lies between 38.6 ms and 41.2 ms; the upper end is given"
    )
    assert [str(warning) for warning in found.warnings] == [wanted]
    cut = results.read(put(tmp_path, "cut.hgrm", "\n".join(["Value Percentile TotalCount", *rows[:-2], ""])))
    assert 0.999 not in dict(cut.summaries[0].percentiles)
    assert "it was cut off" in str(cut.warnings[0])


def test_percentile_distributions_with_decimal_commas_are_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"no percentiles below its header; write decimal points: tr , \. < FILE"):
        results.read(put(tmp_path, "all.hgrm", SPECTRUM.replace(".", ",")))


def test_wrk2(tmp_path: Path) -> None:
    head = "Running 30s test @ http://127.0.0.1:80/\n  Thread Stats   Avg      Stdev     Max   +/- Stdev\n"
    spread = "    Latency     1.49ms    0.70ms   9.50ms   90.00%\n"
    recorded = "  Latency Distribution (HdrHistogram - Recorded Latency)\n 50.000%    1.25ms\n\n"
    recorded += "  Detailed Percentile spectrum:\n"
    rest = "  100 requests in 30.00s, 1.00MB read\nRequests/sec:    3.33\n"
    found = results.read(put(tmp_path, "wrk2.txt", head + spread + recorded + SPECTRUM + rest))
    assert found.format == "wrk2 (text)"
    assert (found.summaries[0].count, found.summaries[0].mean_ns, len(found.summaries[0].percentiles)) == (
        100,
        1.5 * MS,
        3,
    )


def test_histogram_logs_with_tags(tmp_path: Path) -> None:
    text = io.StringIO()
    log = HistogramLogWriter(text)
    log.output_log_format_version()
    log.output_comment("[StartTime: 1700000000.000 (seconds since epoch), Tue Nov 14 22:13:20 UTC 2023]")
    log.output_legend()
    for tag, value in (("a", 1000), ("b", 5_000_000), ("a", 3_000_000_000)):
        histogram = HdrHistogram(1, 10_000_000_000, 3)
        histogram.record_value(value, 7)
        text.write(f"Tag={tag},")
        log.output_interval_histogram(histogram, 1_700_000_000.0, 1_700_000_001.0)
    found = results.read(put(tmp_path, "two.hlog", text.getvalue()))
    digests = found.digests()
    assert {name: digest.count for name, digest in digests.items()} == {"a": 14, "b": 7}
    assert digests["b"].quantile(0.5) == pytest.approx(5_000_000, rel=0.001)
    assert found.clock == "wall"
    assert found.survey().first_start_ns == 1_700_000_000 * 10**9
    assert results.read(tmp_path / "two.hlog", unit="us").digest().maximum == pytest.approx(3e12, rel=0.001)

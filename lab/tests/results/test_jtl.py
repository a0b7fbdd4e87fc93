"""JMeter's CSV, with and without a header, and plain columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from poolkeeper import results
from poolkeeper.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

HEADER = (
    "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,bytes,sentBytes,"
    "grpThreads,allThreads,URL,Latency,IdleTime,Connect"
)
ROWS = (
    '1700000000000,35,"GET /a, fast",200,OK,Users 1-1,text,true,,1000,100,2,3,http://x/a,30,0,1',
    '1700000000500,250,"two\nlines",500,"said ""no""",Users 1-2,text,false,broken,500,100,2,3,http://x/b,240,0,1',
    "1700000002000,10,plain,200,OK,Others 2-1,text,true,,1,100,1,3,http://x/c,9,0,1",
)


@pytest.mark.parametrize("head", [[HEADER], []])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_rows_are_read_by_name_or_by_the_default_order(tmp_path: Path, head: list[str], end: str) -> None:
    file = tmp_path / "results.jtl"
    file.write_text(end.join([*head, *ROWS, ""]), encoding="utf-8", newline="")
    found = results.read(file)
    assert (found.format, found.kind, found.clock) == ("JMeter JTL (CSV)", "samples", "wall")
    frame = found.frame.collect()
    assert frame["response_ns"].to_list() == [35_000_000, 250_000_000, 10_000_000]
    assert frame["start_ns"][0] == 1_700_000_000_000_000_000
    assert [label.replace("\r", "") for label in frame["label"]] == ["GET /a, fast", "two\nlines", "plain"]
    assert frame["ok"].to_list() == [True, False, True]
    assert frame["group"].to_list() == ["Users", "Users", "Others"]
    assert frame["first_byte_ns"][1] == 240_000_000
    assert found.values().tolist() == [35e6, 250e6, 10e6]
    assert found.digest().mean == pytest.approx(295e6 / 3)
    assert found.survey().errors == {"GET /a, fast": 0, frame["label"][1]: 1, "plain": 0}
    series = found.series()
    assert series.count.tolist() == [2, 0, 1]
    assert series.errors.tolist() == [1, 0, 0]
    assert found.warnings == ()


def test_cuts_leave_what_was_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "results.jtl"
    file.write_text("\n".join([HEADER, *ROWS, ""]), encoding="utf-8")
    found = results.read(file)
    assert found.cut(label="plain").values().tolist() == [10e6]
    assert found.cut(group="Users").values().tolist() == [35e6, 250e6]
    assert found.cut(ok=False).values().tolist() == [250e6]
    assert found.cut(warm_up=0.5).values().tolist() == [250e6, 10e6]
    assert found.cut(cool_down=1).values().tolist() == [35e6, 250e6]
    assert found.cut(start=0.1, end=1).values().tolist() == [250e6]
    with pytest.raises(InputError, match=r"nothing is left of 2\.00 s"):
        found.cut(warm_up=3)


def test_a_column_of_numbers_is_milliseconds_unless_its_name_or_the_caller_says_otherwise(tmp_path: Path) -> None:
    file = tmp_path / "times.txt"
    file.write_text("1.5\n2\n", encoding="utf-8")
    assert results.read(file).values().tolist() == [1.5e6, 2e6]
    assert results.read(file, unit="s").values().tolist() == [1.5e9, 2e9]
    file.write_text("name,latency_us\na,5\nb,7\n", encoding="utf-8")
    assert results.read(file).values().tolist() == [5e3, 7e3]
    with pytest.raises(InputError, match=r"unknown unit 'msec'; did you mean 'ms'.* known: ns, us"):
        results.read(file, unit="msec")

"""Gatling's binary simulation.log, as versions from 3.13 on write it."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path

import pytest
from gatling_log import BEGAN, Log

from poolkeeper import results
from poolkeeper.results.errors import FileError

FILES = Path(__file__).parent / "files"
MS = 10**6
NEVER = (-(2**63) - BEGAN) % 2**32
"""The four bytes of the end that Gatling writes of a message for which no request waited."""


def log() -> Log:
    made = Log().user(1)
    for k in range(40):
        name, message = ("Zürich", "") if k % 4 else ("試験", "status.find.is(200), found 503")
        made.request(("Shop", "Basket") if k % 3 else (), name, (10 * k, 11 * k + 5), message)
        made.group(("Shop", "Basket"))
    return made.error("no such function").user(500)


def test_what_gatling_itself_wrote_is_read() -> None:
    found = results.read(FILES / "gatling-3.13.log")
    # > Checkout / GET /a, fast (OK=45 KO=0) > Checkout / fail (OK=0 KO=45), as in the text of version 3.9
    assert {name: digest.count for name, digest in found.digests().items()} == {"GET /a, fast": 45, "fail": 45}
    assert found.survey().errors == {"GET /a, fast": 0, "fail": 45}
    assert found.cut(group="Checkout").digest().count == 90
    assert found.frame.collect()["message"].unique().sort().to_list() == [
        "",
        "status.find.in([200, 209], 304), found 503",
    ]


@pytest.mark.parametrize("block", [1, 7, 100, 1 << 20])
def test_every_request_is_read_whatever_else_there_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    monkeypatch.setattr("poolkeeper.results.source._BLOCK", block)
    file = tmp_path / "simulation.log"
    file.write_bytes(log().bytes)
    found = results.read(file)
    frame = found.frame.collect()
    assert frame["start_ns"].to_list() == [(BEGAN + 10 * k) * MS for k in range(40)]
    assert frame["response_ns"].to_list() == [(k + 5) * MS for k in range(40)]
    assert frame["label"].to_list() == ["Zürich" if k % 4 else "試験" for k in range(40)]
    assert frame["ok"].to_list() == [k % 4 > 0 for k in range(40)]
    assert frame["group"].to_list() == ["Shop,Basket" if k % 3 else "" for k in range(40)]
    assert set(frame["message"]) == {"", "status.find.is(200), found 503"}
    assert not found.warnings
    packed = tmp_path / "simulation.log.gz"
    packed.write_bytes(gzip.compress(file.read_bytes()))
    assert results.read(packed).frame.collect().equals(frame)


def test_a_log_that_was_cut_off_is_used_as_far_as_it_goes(tmp_path: Path) -> None:
    whole, file = log().bytes, tmp_path / "simulation.log"
    # The last 10 bytes are of a user, 30 before them of the error, 26 of a group, and 29 of the last request.
    ends = {len(whole): 40, len(whole) - 1: 40, len(whole) - 11: 40, len(whole) - 67: 39}
    for end, count in ends.items():
        file.write_bytes(whole[:end])
        found = results.read(file)
        assert found.digest().count == count
        assert [warning.kind for warning in found.warnings] == (["cut off"] if end < len(whole) else [])


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (b"\x09", r"9 is not the kind of a record"),
        (b"\1" + struct.pack(">ii", 0, -99), r"text 99 is used before it is written"),
        (b"\1" + struct.pack(">i", -5), r"-5 is not the length of a text or list"),
        (b"\4" + struct.pack(">ii2s", 1000, 1, b"x\7"), r"7 is not the encoding of a text"),
    ],
)
def test_damage_is_named_with_its_place(tmp_path: Path, damage: bytes, words: str) -> None:
    file = tmp_path / "simulation.log"
    file.write_bytes(log().bytes + damage + b"\2" * 100)
    with pytest.raises(FileError, match=rf"is damaged at byte [\d,]+, or of another version of Gatling: {words}"):
        results.read(file).digest()


@pytest.mark.parametrize("binary", [True, False])
def test_messages_that_no_request_waited_for_have_no_response_time(tmp_path: Path, *, binary: bool) -> None:
    file = tmp_path / "simulation.log"
    if binary:
        file.write_bytes(Log().request((), "a", (0, 9)).request((), "push", (3, NEVER)).bytes)
    else:
        rows = [f"REQUEST\t\ta\t{BEGAN}\t{BEGAN + 9}\tOK\t ", f"REQUEST\t\tpush\t{BEGAN + 3}\t{-(2**63)}\tOK\t "]
        file.write_text("\n".join([f"RUN\tShop\tshop\t{BEGAN}\t \t3.9.5", *rows, ""]), encoding="utf-8")
    found = results.read(file)
    assert (found.digest().count, found.digest().maximum) == (1, 9 * MS)
    assert [warning.words for warning in found.warnings] == [
        "simulation.log: 1 request without a response time (missing, or not a number) was left out"
    ]

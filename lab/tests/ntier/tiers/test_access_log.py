"""The log of a front server, read while it grows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from poolkeeper.ntier.tiers.servers.access_log import NO_STATUS, AccessLog

if TYPE_CHECKING:
    from pathlib import Path


def test_what_is_written_between_two_readings_is_taken_in_once(tmp_path: Path) -> None:
    file = tmp_path / "access.log"
    file.write_text("1000000 5 200 earlier 0 /\n")
    log = AccessLog(file)
    log.read()
    assert log.total.requests == 0, "lines of an earlier server are not its own"
    with file.open("a") as lines:
        lines.write("1700000 200000 200 a 50000 /\n19000")
        lines.flush()
        log.read()
        assert log.total.requests == 1
        assert log.total.response_s == pytest.approx(0.2)
        lines.write("00 100000 503 b 0 /\n2500000 300000 <BADREQ> c -1 /\n")
        lines.flush()
        log.read()
    assert log.total.requests == 3
    assert log.total.response_s == pytest.approx(0.6)
    assert log.total.wait_s == pytest.approx(0.05), "-1 stands for a wait that did not begin"
    assert dict(log.failed) == {503: 1, NO_STATUS: 1}
    assert log.malformed == 0


def test_units_are_those_of_the_server(tmp_path: Path) -> None:
    log = AccessLog(tmp_path / "nginx.log", 1.0, 1.0)
    log.tracing = True
    log.read()
    (tmp_path / "nginx.log").write_text("1795461361.358 0.052 200 id-1 0 /\n1795461362.001 0.048 200 id-2 0 /\n")
    log.read()
    assert log.total.response_s == pytest.approx(0.1)
    assert log.traces == {"id-1": (1795461361.358, 0.052), "id-2": (1795461362.001, 0.048)}


@pytest.mark.parametrize("line", ["", "1 2 3", "one 2 200 a 0 /", "haproxy[7]: Server application/s1 is DOWN"])
def test_other_lines_are_counted_and_passed_over(tmp_path: Path, line: str) -> None:
    log = AccessLog(tmp_path / "access.log")
    (tmp_path / "access.log").write_text(f"{line}\n1000000 5 200 a 0 /\n")
    log.read()
    assert log.total.requests == 1
    assert log.malformed == 1

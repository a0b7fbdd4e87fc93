"""Access logs: whether servers stamp requests when they begin or when they end, which only slow ones tell."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from poolkeeper import results

if TYPE_CHECKING:
    from pathlib import Path

START = 1_700_000_000


def access_log(file: Path, *, at_begin: bool) -> list[int]:
    """A log of 2,000 fast requests and of 400 slow ones behind them; returns the seconds in which they began."""
    requests = [(0.05 * place, 0.02) for place in range(2000)]
    requests += [(100 + 0.05 * place, 4 + place * 7 % 11 / 2) for place in range(400)]
    requests.sort(key=sum)
    lines = []
    for sent, took in requests:
        stamp = datetime.fromtimestamp(START + int(sent if at_begin else sent + took), UTC)
        lines.append(f'::1 - - [{stamp:%d/%b/%Y:%H:%M:%S} +0000] "GET / HTTP/1.1" 200 100 {round(took * 1e6)}\n')
    file.write_text("".join(lines), encoding="utf-8")
    return [START + int(sent) for sent, _ in requests]


@pytest.mark.parametrize("at_begin", [True, False], ids=["Apache", "nginx"])
@pytest.mark.parametrize("block", [4096, 1 << 20])
def test_slow_requests_tell_the_stamps_wherever_they_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int, *, at_begin: bool
) -> None:
    monkeypatch.setattr("poolkeeper.results.source._BLOCK", block)
    begun = access_log(tmp_path / "access.log", at_begin=at_begin)
    found = results.read(tmp_path / "access.log", column=8, unit="us")
    starts = found.frame.select("start_ns").collect()["start_ns"].to_list()
    # The end of a request is known to a second.
    assert max(abs(start / 1e9 - second) for start, second in zip(starts, begun, strict=True)) <= 1.01
    assert "clock" not in {warning.kind for warning in found.survey().warnings}

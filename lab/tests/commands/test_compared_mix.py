"""The command compare: runs that sent other requests, or each in other shares."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import CommandLine

HEADER = "timeStamp,elapsed,label,responseCode,threadName,success,allThreads\n"
START = 1_760_000_000_000


def write(file: Path, labels: str, count: int = 2000) -> None:
    """Requests whose labels repeat; `slow` ones take five times as long."""
    names = labels.split()
    rows = (
        f"{START + 20 * place},{(60 if name == 'slow' else 10) + place * 7 % 5},{name},200,t {place % 3},true,3\n"
        for place, name in ((place, names[place % len(names)]) for place in range(count))
    )
    file.write_text(HEADER + "".join(rows), encoding="utf-8")


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ("fast fast fast slow", "fast slow", "slow is 25 % of the requests of a.jtl and 50 % of those of b.jtl"),
        ("fast", "slow", "the runs have no label in common (fast and slow, say)"),
        ("fast", "fast slow", "slow is 0 % of the requests of a.jtl and 50 % of those of b.jtl"),
    ],
)
def test_another_mix_is_told(poolkeeper: CommandLine, tmp_path: Path, first: str, second: str, words: str) -> None:
    write(tmp_path / "a.jtl", first)
    write(tmp_path / "b.jtl", second)
    assert words in poolkeeper(tmp_path, "compare a.jtl b.jtl").out


def test_the_same_mix_is_not_told(poolkeeper: CommandLine, tmp_path: Path) -> None:
    write(tmp_path / "a.jtl", "fast slow slow")
    write(tmp_path / "b.jtl", "slow fast slow", count=100)
    assert "of the requests of" not in poolkeeper(tmp_path, "compare a.jtl b.jtl").out


def test_other_rates_are_told_where_users_are_unknown(poolkeeper: CommandLine, tmp_path: Path) -> None:
    for name, apart_ms in (("a", 20), ("b", 10), ("c", 20.2)):
        rows = (f"{START + apart_ms * place:.0f},{40 + place * 7 % 5},home,200,t 1,true\n" for place in range(3000))
        text = HEADER.replace(",allThreads", "") + "".join(rows)
        (tmp_path / f"{name}.jtl").write_text(text, encoding="utf-8")
    other = poolkeeper(tmp_path, "compare a.jtl b.jtl").out
    assert "the runs had 50.0 requests/s and 100 requests/s: where the servers did not make it so" in other
    assert "a difference may be one of their loads" not in poolkeeper(tmp_path, "compare a.jtl c.jtl").out


@pytest.mark.parametrize("more", [0, 500])
def test_runs_that_hold_the_same_requests_are_told(poolkeeper: CommandLine, tmp_path: Path, more: int) -> None:
    write(tmp_path / "a.jtl", "fast slow slow")
    write(tmp_path / "b.jtl", "fast slow slow", count=2000 + more)
    shares = ": about 100 % of the first and 80 % of the second" if more else ""
    words = f"a.jtl and b.jtl hold the same requests, with the same times{shares}: they are compared with themselves"
    assert words in poolkeeper(tmp_path, "compare a.jtl b.jtl").out
    levels = "hold the same requests, with the same times"
    write(tmp_path / "c.jtl", "fast slow")
    write(tmp_path / "d.jtl", "slow slow slow fast")
    out = poolkeeper(tmp_path, "usl a.jtl b.jtl c.jtl d.jtl --users 3,6,9,12").out
    assert f"a.jtl and b.jtl {levels}" in out
    assert out.count(levels) == 1
    write(tmp_path / "b.jtl", "slow fast fast")
    assert levels not in poolkeeper(tmp_path, "compare a.jtl b.jtl").out

"""The command compare: runs that sent other requests, or each in other shares."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from command_line import answer

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


def put(file: Path, shares: dict[str, tuple[int, int]], count: int = 4000) -> None:
    """Requests of labels, each so many of ten and of so many milliseconds, in turn."""
    names = [name for name, (tenths, _) in shares.items() for _ in range(tenths)]
    rows = (
        f"{START + 20 * place},{shares[name][1] + place * 7 % 5},{name},{200 if place % 50 else 500},t 1,"
        f"{str(place % 50 > 0).lower()}\n"
        for place, name in ((place, names[place * 7 % 10]) for place in range(count))
    )
    file.write_text(HEADER.replace(",allThreads", "") + "".join(rows), encoding="utf-8")


def test_labels_that_all_got_slower_are_not_faster_together(poolkeeper: CommandLine, tmp_path: Path) -> None:
    put(tmp_path / "a.jtl", {"quick": (2, 20), "heavy": (8, 200)})
    put(tmp_path / "b.jtl", {"quick": (8, 24), "heavy": (2, 240)})
    found = answer(poolkeeper, tmp_path, "compare a.jtl b.jtl")
    verdict = found["verdict"]
    assert verdict.startswith("The runs sent different mixes (")
    assert "so that they are not comparable as a whole" in verdict
    assert "In heavy the second run is slower" in verdict
    assert "In quick the second run is slower" in verdict
    assert "faster" not in verdict
    assert set(found["results"]["labels"]["labels"]) == {"quick", "heavy"}
    text = poolkeeper(tmp_path, "compare a.jtl b.jtl --report page.html").out
    assert "Label with label" in text
    assert "probability that a response" not in text, "figures of all requests are no answer"
    assert "Label with label" in (tmp_path / "page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(("which", "ended"), [("", "succeeded"), (" --failures only", "failed")])
def test_requests_of_one_label_that_fail_are_no_other_mix(
    poolkeeper: CommandLine, tmp_path: Path, which: str, ended: str
) -> None:
    for name, label, often in (("a", "one", 10), ("b", "other", 2)):
        put(tmp_path / f"{name}.jtl", {"one": (5, 20), "other": (5, 60)})
        lines = (tmp_path / f"{name}.jtl").read_text(encoding="utf-8").splitlines()
        bad = [
            line.replace(",200,", ",500,").replace("true", "false") if f",{label}," in line and k % often else line
            for k, line in enumerate(lines)
        ]
        (tmp_path / f"{name}.jtl").write_text("\n".join([*bad, ""]), encoding="utf-8")
    found = answer(poolkeeper, tmp_path, f"compare a.jtl b.jtl{which}")
    sentences = [found["verdict"], *found["warnings"]]
    assert sentences[0].startswith(f"The runs sent the same mix, but other requests {ended} (o")
    assert f"% of the requests that {ended} of a.jtl" in sentences[0]
    assert not any("different mixes" in words for words in sentences)
    assert "mix" not in str(answer(poolkeeper, tmp_path, "compare a.jtl b.jtl --failures include")["warnings"])
    put(tmp_path / "b.jtl", {"one": (9, 20), "other": (1, 60)})
    sent = "The runs sent different mixes (one is 50 % of the requests of a.jtl and 90 % of those of b.jtl)"
    assert sent in answer(poolkeeper, tmp_path, "compare a.jtl b.jtl")["verdict"]


def test_labels_of_one_run_alone_are_listed(poolkeeper: CommandLine, tmp_path: Path) -> None:
    put(tmp_path / "a.jtl", {"quick": (5, 20), "heavy": (5, 200)})
    put(tmp_path / "b.jtl", {"quick": (5, 20), "other": (5, 200)})
    found = answer(poolkeeper, tmp_path, "compare a.jtl b.jtl")
    assert "In quick no difference is seen." in found["verdict"]
    assert found["results"]["labels"]["left_out"] == ["sent by one of the two only: heavy and other"]
    put(tmp_path / "c.jtl", {"new": (5, 20), "other": (5, 200)})
    assert "so that nothing shows whether they did the same" in poolkeeper(tmp_path, "compare a.jtl c.jtl").out


def test_a_label_that_always_fails_in_one_run_has_no_times_to_compare(poolkeeper: CommandLine, tmp_path: Path) -> None:
    put(tmp_path / "a.jtl", {"quick": (2, 20), "heavy": (8, 200)})
    put(tmp_path / "b.jtl", {"quick": (8, 24), "heavy": (2, 240)})
    lines = (tmp_path / "b.jtl").read_text(encoding="utf-8").splitlines()
    failed = [line.replace(",200,", ",500,").replace("true", "false") if ",heavy," in line else line for line in lines]
    (tmp_path / "b.jtl").write_text("\n".join([*failed, ""]), encoding="utf-8")
    found = answer(poolkeeper, tmp_path, "compare a.jtl b.jtl --failures include")
    assert set(found["results"]["labels"]["labels"]) == {"quick", "heavy"}
    found = answer(poolkeeper, tmp_path, "compare a.jtl b.jtl")
    assert set(found["results"]["labels"]["labels"]) == {"quick"}

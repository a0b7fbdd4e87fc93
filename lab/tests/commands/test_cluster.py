"""With a cluster the words that read results find what they find on one machine."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from command_line import CommandLine, same
from result_files import START_MS, staircase, steady

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made: Path = tmp_path_factory.mktemp("shared")
    steady(made / "first.jtl", count=3000)
    steady(made / "second.jtl", count=3000, seed=2, start_ms=START_MS + 31_000)
    steady(made / "later.jtl", count=500, seed=3, start_ms=START_MS + 86_400_000)
    steady(made / "years.jtl", count=500, seed=4, start_ms=START_MS + 3 * 365 * 86_400_000)
    steady(made / "slow.jtl", count=500, seed=5, mean_ms=40_000)
    rows = (made / "second.jtl").read_text(encoding="utf-8").splitlines()
    mixed = [text.replace(",home,", ",search,") if place % 2 else text for place, text in enumerate(rows)]
    (made / "mixed.jtl").write_text("\n".join([*mixed, ""]), encoding="utf-8")
    late = [text.replace(",search,", ",home,") if place < 1000 else text for place, text in enumerate(rows)]
    (made / "late.jtl").write_text("\n".join([*late, ""]), encoding="utf-8")
    staircase(made / "stairs.jtl", seconds=12)
    for users, mean_ms in ((10, 20), (20, 40), (40, 90)):
        steady(made / f"{users}.jtl", count=3000, mean_ms=mean_ms, seed=users, start_ms=START_MS + 100_000 * users)
    return made


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("poolkeeper.spread._CONNECT", "300s")
    monkeypatch.setattr("poolkeeper.spread._ANSWER", "300s")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    from distributed import LocalCluster  # takes a second, which other tests need not wait for

    # One process of two threads: a second one would import all once more, and answers come in any order as well.
    with LocalCluster(  # type: ignore[no-untyped-call]
        n_workers=1, threads_per_worker=2, dashboard_address=":0", silence_logs="CRITICAL"
    ) as cluster:
        yield cluster.scheduler_address


def check(poolkeeper: CommandLine, folder: Path, command: str, address: str) -> dict[str, Any]:
    """The answer that one machine and a cluster give."""
    answers = []
    for more in ("", f" --cluster {address}"):
        done = poolkeeper(folder, f"{command} --json{more}")
        assert (done.code, done.err) == (0, "")
        answers.append(json.loads(done.out))
    here, there = answers
    assert here["verdict"] == there["verdict"]
    assert here["warnings"] == there["warnings"]
    assert same(here["results"], there["results"])
    found: dict[str, Any] = here
    return found


@pytest.mark.parametrize(
    "command",
    [
        "usl stairs.jtl",
        "usl stairs.jtl --over requests",
        "usl 10.jtl 20.jtl 40.jtl --users 10,20,40 --warm-up 3s",
        "capacity stairs.jtl --p95 60ms",
        "capacity 10.jtl 20.jtl 40.jtl --users 10,20,40 --mean 60ms --warm-up 3s --label home",
        "analyze late.jtl --label search --from 12s",
        "compare first.jtl second.jtl --warm-up 5s",
        "compare first.jtl mixed.jtl --warm-up 5s",
    ],
)
def test_a_cluster_finds_what_one_machine_finds(
    poolkeeper: CommandLine, folder: Path, address: str, command: str
) -> None:
    check(poolkeeper, folder, command, address)


@pytest.mark.parametrize(
    ("other", "output"),
    [
        ("later.jtl", "these may be two tests"),
        ("years.jtl", "too long to look at each interval"),
        ("slow.jtl", "the files may be in different units"),
    ],
)
def test_what_it_takes_two_files_to_notice_is_noticed(
    poolkeeper: CommandLine, folder: Path, address: str, other: str, output: str
) -> None:
    assert output in " ".join(check(poolkeeper, folder, f"analyze {other} first.jtl", address)["warnings"])


def test_of_many_requests_failures_are_counted_where_they_are_read(
    poolkeeper: CommandLine, folder: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("poolkeeper.commands.load.WHOLE", 100)
    command = "analyze first.jtl second.jtl --apdex 20ms --bound 50ms --warm-up 5s --cool-down 4s --label home"
    found = check(poolkeeper, folder, command, address)["results"]
    assert found["apdex"]["failed"] > 0
    count = sum(found["apdex"][name] for name in ("satisfied", "tolerating", "frustrated"))
    assert count == found["summary"]["count"] + found["apdex"]["failed"]
    assert 0 < found["throughput"]["goodput_per_s"]["value"] < found["throughput"]["throughput_per_s"]["value"]


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("usl first.jtl nowhere.jtl --users 1,2", "nowhere.jtl: cannot be read"),
        ("capacity first.jtl --users 1 --p99 1s --label hmoe", "--label: unknown label 'hmoe'; did you mean 'home'?"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    poolkeeper: CommandLine, folder: Path, address: str, command: str, output: str
) -> None:
    done = poolkeeper(folder, f"{command} --cluster {address}")
    assert done.code == 2
    (line,) = done.err.splitlines()
    assert output in line


def test_files_of_other_threads_of_pgbench_are_not_missed(
    poolkeeper: CommandLine, tmp_path: Path, address: str
) -> None:
    """Each worker saw one file, and said that the other one was not given."""
    for client, name in enumerate(("c.4000", "c.4000.1")):
        rows = (f"{client} {k} 9000 0 {1_790_000_000 + k // 50} {k % 50 * 20_000 + client}" for k in range(400))
        (tmp_path / name).write_text("\n".join([*rows, ""]))
    found = check(poolkeeper, tmp_path, "capacity c.4000 c.4000.1 --users 2 --mean 1s", address)
    assert not any("not given" in warning for warning in found["warnings"])

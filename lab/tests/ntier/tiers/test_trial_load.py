"""The load of a trial and what it found; shapes of topologies; faults."""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest
import yaml

from poolkeeper.errors import InputError
from poolkeeper.experiment.processes.process import Child
from poolkeeper.ntier.system import Tier, TierFigures
from poolkeeper.ntier.tiers.faults import Fault
from poolkeeper.ntier.tiers.java import JavaPrograms
from poolkeeper.ntier.tiers.load import SUMMARY, Load, LoadResult, description, lost_message, lost_so_far, within
from poolkeeper.ntier.tiers.running import RunningTiers, check_shape
from poolkeeper.ntier.tiers.trial import TrialPlan, TrialRun, generator_limits, unbalanced
from poolkeeper.ntier.topology import read_topology
from poolkeeper.record.latency import Distribution

if TYPE_CHECKING:
    from pathlib import Path

    from poolkeeper.ntier.system import Topology
    from poolkeeper.ntier.tiers.servers.server import Counters

SERVERS = {
    "web": {"server": "httpd", "cores": 0.2, "threads": 20},
    "front": {"server": "haproxy", "cores": 0.2, "connections": 20},
    "application": {"server": "board", "cores": 0.2, "threads": 5, "connections": 2, "heap": "64m"},
    "middleware": {"server": "pgpool", "cores": 0.2, "connections": 4},
    "bouncer": {"server": "pgbouncer", "cores": 0.2, "connections": 4},
    "database": {"server": "postgres", "cores": 0.2},
}


def topology(folder: Path, *tiers: str, **changes: dict[str, object]) -> Topology:
    stated = {
        "question": "?",
        "load": "load.yaml",
        "think_time": "500ms",
        "tiers": {name: {**SERVERS[name], **changes.get(name, {})} for name in tiers},
    }
    (folder / "topology.yaml").write_text(yaml.safe_dump(stated, sort_keys=False), encoding="utf-8")
    return read_topology(folder / "topology.yaml").topology


def test_the_users_of_a_trial_send_the_requests_of_the_topologys_load(tmp_path: Path) -> None:
    stated = {
        "clients": {"kind": "half-open", "rate": "3/s", "chain": {"first": "home", "next": {"home": {"end": 1}}}},
        "for": "1h",
        "timeout": "5s",
        "connections": 17,
        "http": {"home": "/StoriesOfTheDay"},
    }
    (tmp_path / "load.yaml").write_text(yaml.safe_dump(stated), encoding="utf-8")
    assert description(topology(tmp_path, "web", "application", "database"), 30, 12) == {
        "clients": {
            "kind": "closed",
            "users": 30,
            "chain": {"first": "home", "next": {"home": {"end": 1}}},
            "think_time": "exponential 0.5s",
        },
        "timeout": "5s",
        "http": {"home": "/StoriesOfTheDay"},
        "for": "13s",
    }


def test_what_an_earlier_load_in_the_folder_lost_is_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    summary = {"requests": 9, "errors": 3, "errors_by_kind": {"timeout": 3}}
    (tmp_path / SUMMARY).write_text(json.dumps(summary), encoding="utf-8")
    assert lost_so_far(tmp_path) == "3 of 9 requests failed (timeout: 3)"
    monkeypatch.setattr(JavaPrograms, "load", lambda *_: ["true"])
    monkeypatch.setattr(Child, "start", lambda *_: None)
    Load.start(1, {"for": "1s"}, tmp_path)
    assert lost_so_far(tmp_path) == ""


def test_a_warm_up_has_no_think_times(tmp_path: Path) -> None:
    (tmp_path / "load.yaml").write_text("{clients: {kind: closed, users: 3}, http: {home: /}}", encoding="utf-8")
    stated = description(topology(tmp_path, "web", "application", "database"), 8, 15, 0.0)
    assert stated["clients"] == {"kind": "closed", "users": 8, "think_time": "0ms"}


@pytest.mark.parametrize(
    ("text", "message"), [(None, "No such file"), ("[1, 2]", "is not a load description"), ("a: [", "load.yaml: ")]
)
def test_a_load_that_cannot_be_read_is_named(tmp_path: Path, text: str | None, message: str) -> None:
    if text is not None:
        (tmp_path / "load.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        description(topology(tmp_path, "web", "application", "database"), 30, 12)


@pytest.mark.parametrize(
    ("tiers", "changes", "message"),
    [
        (("application", "database"), {}, "these are board, postgres"),
        (("web", "database"), {}, "these are httpd, postgres"),
        (("web", "application", "middleware"), {}, "these are httpd, board, pgpool"),
        (("web", "front", "application", "database"), {}, "these are httpd, haproxy, board, postgres"),
        (("web", "application", "database"), {"database": {"count": 2}}, "board can use one postgres, but there are 2"),
        (
            ("web", "application", "bouncer", "database"),
            {"database": {"count": 2}},
            "pgbouncer can use one postgres, but there are 2; pgpool in front of them can use several",
        ),
        (("web", "application", "database"), {"web": {"count": 3}}, "users reach one front server, but there are 3"),
        (
            ("web", "application", "database"),
            {"application": {"cores": 0.01}},
            r"tiers\.application\.cores must be 0\.02 or more for a real server, but is 0\.01",
        ),
    ],
)
def test_tiers_that_real_servers_cannot_form_are_refused(
    tmp_path: Path, tiers: tuple[str, ...], changes: dict[str, dict[str, object]], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        check_shape(topology(tmp_path, *tiers, **changes))


@pytest.mark.parametrize(
    ("tiers", "changes"),
    [
        (("web", "application", "database"), {}),
        (("front", "application", "bouncer", "database"), {}),
        (
            ("web", "application", "middleware", "database"),
            {"application": {"count": 4}, "database": {"count": 4}},
        ),
    ],
)
def test_tiers_that_real_servers_can_form_are_taken(
    tmp_path: Path, tiers: tuple[str, ...], changes: dict[str, dict[str, object]]
) -> None:
    check_shape(topology(tmp_path, *tiers, **changes))


def times(**counts: int) -> Distribution:
    """Response times in whole milliseconds, in buckets of 1 ms."""
    milliseconds = [int(name.removeprefix("ms")) for name in counts]
    lowest = np.array(milliseconds, dtype=np.int64) * 1_000_000
    return Distribution(lowest, np.full(len(counts), 2, np.int64), np.array(list(counts.values()), np.int64))


def test_goodput_counts_right_answers_within_the_bound() -> None:
    seconds = (times(ms100=3, ms400=2, ms600=5), times(ms2000=4))
    result = LoadResult(20, 6, 0.5, seconds, "", 0.0, 0.0, ())
    assert result.throughput_series == (10, 4)
    assert result.goodput_series(0.5) == (5, 0)
    assert result.goodput_series(1.0) == (10, 0)
    assert result.goodput_series(3.0) == (10, 4)
    assert within(seconds[0], 0.05) == 0


def test_lost_requests_are_told_by_kind() -> None:
    summary = {"requests": 20, "errors": 6, "errors_by_kind": {"timeout": 2, "status 503": 4}}
    assert lost_message(summary) == "6 of 20 requests failed (status 503: 4, timeout: 2)"
    assert lost_message({"requests": 3, "errors": 0, "errors_by_kind": {}}) == "0 of 3 requests failed"


@pytest.mark.parametrize(
    ("response_s", "errors", "busy", "messages"),
    [
        (0.2, 0, 0.0, []),
        (0.26, 0, 0.0, []),  # 60 of 760 ms
        (0.30, 0, 0.0, ["100 ms of the mean response time, 12% of a user's cycle"]),
        (0.30, 30, 0.0, []),  # 70 % of 300 ms, as the front tier has the times of failures as well
        (0.45, 30, 0.0, ["115 ms of the mean response time, 12% of a user's cycle"]),
        (0.2, 0, 0.2, ["used up its processor in 20% of the seconds"]),
    ],
)
def test_a_load_generator_that_makes_users_slower_is_told(
    response_s: float, errors: int, busy: float, messages: list[str]
) -> None:
    result = LoadResult(100, errors, response_s, (), "", 0.0, busy, ())
    front = TierFigures("web", 0.5, throughput=50, visits=1, response_s=0.16, threads_waiting=2.0)
    found = generator_limits(result, front, 0.5)
    assert len(found) == len(messages)
    assert all(message in text for message, text in zip(messages, found, strict=True))


@pytest.mark.parametrize(
    ("users", "message"),
    [
        (600, None),  # 200/s x (0.5 s + 2.5 s)
        (660, None),  # a tenth is within what chance and a warm-up bring about
        (6000, "the answers account for 600 of 6000 users: the requests of the others took longer than the trial"),
    ],
)
def test_users_who_got_no_answer_at_all_are_told(users: int, message: str | None) -> None:
    found = unbalanced(LoadResult(2000, 0, 2.5, (), "", 0.0, 0.0, ()), TrialPlan(users, 10, 0.0), 0.5)
    assert found == message or (message is not None and str(found).startswith(message))


def test_a_trial_of_few_users_may_answer_fewer_by_chance() -> None:
    assert unbalanced(LoadResult(10, 0, 0.0, (), "", 0.0, 0.0, ()), TrialPlan(10, 10, 0.0), 0.5) is None


def test_a_slow_down_tells_of_which_quota_its_cpu_is_shown() -> None:
    assert str(Fault("slow", "web", 4.0)) == (
        "web was given half of its CPU quota after 4 s; its CPU is shown as part of the whole"
    )


def test_a_slow_down_needs_a_quota_that_can_be_halved() -> None:
    small, large = (Tier("web", "httpd", 1, cores, threads=True) for cores in (0.03, 0.04))
    fault = Fault("slow", "web", 4.0)
    fault.check(large, None)
    with pytest.raises(InputError, match=r"fault slow:web@4s: a quota of 0\.03 cores cannot be halved"):
        fault.check(small, None)
    with pytest.raises(InputError, match="there is no CPU quota to halve: not root"):
        fault.check(large, "not root")
    Fault("kill", "web", 4.0).check(small, "not root")


def test_databases_are_compared_once_a_late_restart_is_over() -> None:
    order: list[str] = []

    class Late(Fault):
        """A restart that ends after the load."""

        async def happen(self, tiers: object) -> None:
            del tiers
            for _ in range(3):
                await asyncio.sleep(0.02)
            order.append("restarted")

    unused = cast("Any", None)
    run = TrialRun(unused, TrialPlan(1, 0, 0.0, faults=(Late("restart", "database-1", 0.0),)), unused, unused)

    async def both() -> None:
        run.counting.set()
        async with asyncio.TaskGroup() as group:
            group.create_task(run._happen(run.plan.faults[0]))
            await run._settle()
            order.append("compared")

    asyncio.run(both())
    assert order == ["restarted", "compared"]


def test_a_fault_is_read_and_described() -> None:
    fault = Fault.parse("restart:database-1@1500ms")
    assert fault == Fault("restart", "database-1", 1.5)
    assert str(fault) == "database-1 was restarted after 1.5 s"


def test_a_fault_comes_after_the_first_counters_however_late_these_are() -> None:
    """Without them those of a database that is being restarted would be missing, which ended the trial."""
    order: list[str] = []

    class Noted(Fault):
        async def happen(self, tiers: object) -> None:
            del tiers
            order.append("fault")

    class LateTiers:
        allocation = None
        front = SimpleNamespace(access=SimpleNamespace(read=lambda: None, failed={}))

        def switches(self) -> dict[str, dict[int, int]]:
            return {"database": {}}

        def server(self, name: str) -> SimpleNamespace:
            return SimpleNamespace(tier=SimpleNamespace(name=name))

        async def count(self, earlier: object = None) -> dict[str, list[Counters]]:
            del earlier
            for _ in range(100):
                await asyncio.sleep(0)
            order.append("counters")
            return {"database": []}

    fault = Noted("restart", "database", 0.0)
    plan = TrialPlan(1, 0, 0.0, faults=(fault,))
    unused = cast("Any", None)

    async def both() -> None:
        run = TrialRun(cast("Any", LateTiers()), plan, unused, unused)
        await asyncio.gather(run._happen(fault), run.sample())

    asyncio.run(both())
    assert order == ["counters", "fault"]


def test_a_tier_is_checked_before_the_next_one_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clients may take all that a server can give: a pgpool with fewer processes than connections has none left."""
    order: list[str] = []

    class Server:
        def __init__(self, name: str) -> None:
            self.name, self.port, self.tier = name, 1, Tier(name, "httpd", 1, 1.0)

        def require_port(self) -> None:
            pass

        async def start(self) -> None:
            order.append(f"{self.name} starts")

        async def check(self) -> str:
            order.append(f"{self.name} answers")
            return ""

    async def nothing(*_: object) -> None:
        pass

    tiers = RunningTiers.__new__(RunningTiers)
    tiers.servers = cast("Any", {name: [Server(name)] for name in ("web", "middleware")})
    monkeypatch.setattr(RunningTiers, "front", Server("web"))
    monkeypatch.setattr(RunningTiers, "_start_databases", nothing)
    asyncio.run(tiers.start(lambda _: None))
    assert order == ["middleware starts", "middleware answers", "web starts", "web answers"]


@pytest.mark.parametrize("text", ["", "kill", "kill:web", "stop:web@1s", "kill:web@soon", "kill:@1s"])
def test_another_fault_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="fault"):
        Fault.parse(text)

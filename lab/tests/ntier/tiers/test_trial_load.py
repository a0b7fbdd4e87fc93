"""The load of a trial and what it found; shapes of topologies; faults."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest
import yaml

from poolkeeper.errors import InputError
from poolkeeper.ntier.system import TierFigures
from poolkeeper.ntier.tiers.faults import Fault
from poolkeeper.ntier.tiers.load import LoadResult, description, lost_message, within
from poolkeeper.ntier.tiers.running import check_shape
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
    ("response_s", "busy", "messages"),
    [
        (0.2, 0.0, []),
        (0.26, 0.0, []),  # 60 of 760 ms
        (0.30, 0.0, ["100 ms of the mean response time, 12% of a user's cycle"]),
        (0.2, 0.2, ["used up its processor in 20% of the seconds"]),
    ],
)
def test_a_load_generator_that_makes_users_slower_is_told(response_s: float, busy: float, messages: list[str]) -> None:
    result = LoadResult(100, 0, response_s, (), "", 0.0, busy, ())
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


@pytest.mark.parametrize("text", ["", "kill", "kill:web", "stop:web@1s", "kill:web@soon", "kill:@1s"])
def test_another_fault_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="fault"):
        Fault.parse(text)

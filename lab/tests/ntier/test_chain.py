"""Pools around an application, which follow those that it sizes itself: arithmetic by hand, and one second of a run."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, cast

import pytest
import yaml
from topologies import topology

from poolkeeper.errors import RunError
from poolkeeper.ntier.online.chain import MEMORY_S, ChainSizes
from poolkeeper.ntier.online.run import _Player
from poolkeeper.ntier.system import PoolKey, PoolKind
from poolkeeper.ntier.tiers.servers.server import Counters

if TYPE_CHECKING:
    from pathlib import Path

    from poolkeeper.ntier.topology import TopologyFile

FRONT, MIDDLEWARE = PoolKey("web", "connections"), PoolKey("middleware", "connections")
TIERS: dict[str, Any] = {
    "question": "Which pools do these tiers need?",
    "bounds": ["500ms"],
    "tiers": {
        "web": {"server": "haproxy", "cores": 1, "connections": 200},
        "application": {"server": "board", "count": 2, "cores": 1, "threads": 200, "connections": 10, "heap": "128m"},
        "middleware": {"server": "pgbouncer", "cores": 1, "connections": 20},
        "database": {"server": "postgres", "cores": 1},
    },
}


def file_of(folder: Path, **middleware: str) -> TopologyFile:
    tiers = {**TIERS["tiers"], "middleware": {**TIERS["tiers"]["middleware"], **middleware}}
    return topology(folder, text=yaml.safe_dump({**TIERS, "tiers": tiers}, sort_keys=False))


def counted(at_s: float, factor: float = 1.0) -> dict[str, list[Counters]]:
    """At the front 30 requests at a time, 8 of which wait for the 20 busy threads; these hold or want 5 connections.

    2.4 of them are in a transaction, and 1 waits for the middleware.
    """
    sum_s = factor * at_s
    board = Counters(at_s, 0, threads_s=10 * sum_s, threads_wait_s=4 * sum_s, held_s=2.5 * sum_s)
    return {
        "web": [Counters(at_s, 0, held_s=30 * sum_s)],
        "application": [board, board],
        "middleware": [Counters(at_s, 0, held_s=2.4 * sum_s, wait_s=sum_s)],
        "database": [Counters(at_s, 0)],
    }


def test_pools_around_the_application_follow_by_equation_6(tmp_path: Path) -> None:
    chain = ChainSizes(file_of(tmp_path).topology)
    sizes: dict[PoolKind, float] = {"threads": 10, "connections": 4}
    assert chain.pools == (FRONT, MIDDLEWARE)
    chain.add(counted(0))
    assert chain.sizes(sizes, 2) == {}, "one reading is no time"
    chain.add(counted(1))
    # 20 threads x (30 - 8) / 20 = 22, and 3 x 4.69 + 1; 8 connections x 2.4 / (5 - 1) = 4.8, and 3 x 2.19 + 1.
    assert chain.sizes(sizes, 2) == {FRONT: 38, MIDDLEWARE: 13}
    # 11 and 3 x 3.32 + 1 for one server, which has half of HAProxy's limit; 2.4 and 3 x 1.55 + 1.
    assert chain.sizes(sizes, 1) == {FRONT: 44, MIDDLEWARE: 9}


def test_sizes_stay_within_the_bounds_of_the_topology(tmp_path: Path) -> None:
    chain = ChainSizes(file_of(tmp_path, connections_bounds="15..20").topology)
    chain.add(counted(0))
    chain.add(counted(1))
    assert chain.sizes({"threads": 10, "connections": 4}, 2)[MIDDLEWARE] == 15
    assert chain.sizes({"threads": 10, "connections": 400}, 2)[MIDDLEWARE] == 20


def test_what_was_long_ago_is_forgotten(tmp_path: Path) -> None:
    chain = ChainSizes(file_of(tmp_path).topology)
    chain.add(counted(0, 0))
    for second in range(1, MEMORY_S + 2):
        chain.add(counted(100 + second))
    assert chain.sizes({"threads": 10, "connections": 4}, 2) == {FRONT: 38, MIDDLEWARE: 13}


def test_without_requests_all_stay_as_they_are(tmp_path: Path) -> None:
    chain = ChainSizes(file_of(tmp_path).topology)
    chain.add(counted(0, 0))
    chain.add(counted(1, 0))
    assert chain.sizes({"threads": 10, "connections": 4}, 2) == {}


class _Server:
    """A server that takes sizes, or a board with those of its own."""

    def __init__(self, own: dict[str, int] | None = None) -> None:
        self.sizes = own or {"connections": 200}
        self.fails = False

    async def current_sizes(self) -> dict[str, int]:
        if self.fails:
            raise RunError("does not answer")
        return self.sizes

    async def resize(self, sizes: dict[str, int]) -> bool:
        self.sizes = sizes
        return False

    async def raise_if_ended(self) -> None:
        pass


class _Tiers:
    def __init__(self) -> None:
        self.servers = {"web": [_Server()], "middleware": [_Server()]}
        self.seconds = 0

    async def count(self, earlier: object) -> dict[str, list[Counters]]:
        assert (earlier is None) == (self.seconds == 0)
        self.seconds += 1
        return counted(self.seconds)


def _player(tiers: _Tiers, chain: ChainSizes | None) -> _Player:
    unused = cast("Any", None)
    return _Player(unused, unused, 1, unused, cast("Any", tiers), unused, unused, chain=chain)


def test_a_second_of_a_run_has_the_mean_sizes_and_resizes_the_others(tmp_path: Path) -> None:
    tiers = _Tiers()
    player = _player(tiers, ChainSizes(file_of(tmp_path).topology))
    boards = [_Server({"threads": 8, "connections": 4}), _Server({"threads": 12, "connections": 4})]

    async def look() -> None:
        for _ in range(2):
            await player._look(cast("Any", boards))
        boards[1].fails = True
        await player._look(cast("Any", boards))

    asyncio.run(look())
    assert player.sizes == [{"threads": 10.0, "connections": 4.0}] * 3, "one that does not tell has those of before"
    assert player.others == {"web.connections": [200, 38, 38], "middleware.connections": [200, 13, 13]}


def test_a_board_that_never_told_its_sizes_fails_the_run() -> None:
    player = _player(_Tiers(), None)
    board = _Server()
    board.fails = True
    with pytest.raises(RunError, match="does not answer"):
        asyncio.run(player._look(cast("Any", [board])))

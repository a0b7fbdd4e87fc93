"""Front servers: as many requests at once as their pool says, trace ids, logs, faults."""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING

import pytest
from tier_servers import HeldApplication, needs, until

from poolkeeper.errors import RunError
from poolkeeper.ntier.system import PoolKind, Tier
from poolkeeper.ntier.tiers.servers.front import shares
from poolkeeper.ntier.tiers.servers.haproxy import HAProxy
from poolkeeper.ntier.tiers.servers.http import get
from poolkeeper.ntier.tiers.servers.httpd import Httpd
from poolkeeper.ntier.tiers.servers.nginx import Nginx
from poolkeeper.ntier.tiers.workplace import Workplace

if TYPE_CHECKING:
    from pathlib import Path

    from poolkeeper.ntier.tiers.servers.front import Front

KINDS: dict[str, tuple[type[Front], PoolKind | None]] = {
    "httpd": (Httpd, "threads"),
    "haproxy": (HAProxy, "connections"),
    "nginx": (Nginx, None),
}
USERS = 12


def front(  # noqa: PLR0913 - the last three have defaults
    name: str,
    workplace: Workplace,
    ports: list[int],
    size: int = 5,
    port: int | None = None,
    patience_s: float | None = None,
) -> Front:
    needs(name)
    kind, pool = KINDS[name]
    tier = Tier(
        "web", name, 1, 0.5, threads=pool == "threads", connections=pool == "connections", patience_s=patience_s
    )
    return kind("web", tier, {pool: size} if pool else {}, workplace, ports, port)


async def serve_at_once(server: Front, application: HeldApplication, most: int) -> None:
    """Send requests of more users than `most`; see that so many arrive together, and all others after them."""
    requests = [asyncio.create_task(get(server.port, f"/{user}", 300.0)) for user in range(USERS)]
    await until(lambda: application.waiting == most)
    if most < USERS and "threads" in server.sizes:
        await until(lambda: _sees_waiting(server))
    application.let_go()
    assert {answer.status for answer in await asyncio.gather(*requests)} == {200}
    assert application.most == most


def _sees_waiting(server: Front) -> bool:
    server.tick()
    return server._waiting_s > 0


@pytest.mark.parametrize(("name", "most"), [("httpd", 5), ("haproxy", 5), ("nginx", USERS)])
def test_as_many_requests_go_through_at_once_as_the_pool_says(tmp_path: Path, name: str, most: int) -> None:
    async def run(workplace: Workplace) -> None:
        async with HeldApplication(held=True) as application:
            server = front(name, workplace, [application.port])
            try:
                await server.start()
                await serve_at_once(server, application, most)
                counted = await until_counted(server, USERS)
                assert counted.visits == USERS
                assert counted.failed == 0
                assert len(set(application.traces) - {""}) == USERS, "each request has an id of its own"
            finally:
                await server.stop()

    with Workplace(tmp_path) as workplace:
        asyncio.run(run(workplace))


async def until_counted(server: Front, visits: int):  # type: ignore[no-untyped-def] # noqa: ANN201
    async with asyncio.timeout(300):
        while True:
            counted = await server.count()
            if counted.visits is not None and counted.visits >= visits:
                return counted
            await asyncio.sleep(0.01)


def test_httpd_has_no_more_connections_to_the_application_than_its_pool_says(tmp_path: Path) -> None:
    async def run(workplace: Workplace) -> None:
        async with HeldApplication(held=True) as application:
            needs("httpd")
            tier = Tier("web", "httpd", 1, 0.5, threads=True, connections=True)
            server = Httpd("web", tier, {"threads": USERS, "connections": 3}, workplace, [application.port])
            try:
                await server.start()
                requests = [asyncio.create_task(get(server.port, f"/{user}", 300.0)) for user in range(USERS)]
                await until(lambda: application.waiting == 3)
                application.let_go()
                await asyncio.gather(*requests)
                assert application.most == 3
            finally:
                await server.stop()

    with Workplace(tmp_path) as workplace:
        asyncio.run(run(workplace))


def test_haproxy_takes_a_server_out_of_service_and_back_without_a_lost_request(tmp_path: Path) -> None:
    async def run(workplace: Workplace) -> None:
        async with HeldApplication(held=True) as first, HeldApplication(held=True) as second:
            server = front("haproxy", workplace, [first.port, second.port], size=USERS)
            assert isinstance(server, HAProxy)
            try:
                await server.start()
                requests = [asyncio.create_task(get(server.port, f"/{user}", 300.0)) for user in range(4)]
                await until(lambda: first.waiting == second.waiting == 2)
                await server.use(1)
                requests += [asyncio.create_task(get(server.port, f"/{user}", 300.0)) for user in range(4)]
                await until(lambda: first.waiting == 6)
                assert second.waiting == 2, "it has those that it was working on"
                first.let_go()
                second.let_go()
                assert {answer.status for answer in await asyncio.gather(*requests)} == {200}
                await server.use(2)
                await asyncio.gather(*(get(server.port, f"/{user}", 300.0) for user in range(4)))
                assert (len(first.traces), len(second.traces)) == (8, 4)
            finally:
                await server.stop()

    with Workplace(tmp_path) as workplace:
        asyncio.run(run(workplace))


def test_haproxy_refuses_a_request_that_waits_longer_than_its_patience(tmp_path: Path) -> None:
    async def run(workplace: Workplace) -> None:
        async with HeldApplication(held=True) as application:
            server = front("haproxy", workplace, [application.port], size=1, patience_s=0.05)
            try:
                await server.start()
                first = asyncio.create_task(get(server.port, "/first", 300.0))
                await until(lambda: application.waiting == 1)
                # Less than the 60 s after which every HAProxy refuses it.
                assert (await get(server.port, "/second", 30.0)).status == 503
                application.let_go()
                assert (await first).status == 200, "one that is served has no limit"
            finally:
                await server.stop()

    with Workplace(tmp_path) as workplace:
        asyncio.run(run(workplace))


@pytest.mark.parametrize("name", ["httpd", "haproxy"])
def test_a_new_size_is_in_force_after_a_resize(tmp_path: Path, name: str) -> None:
    async def run(workplace: Workplace) -> None:
        async with HeldApplication(held=True) as application:
            server = front(name, workplace, [application.port], size=3)
            try:
                await server.start()
                before = server.pid
                assert await server.resize(dict.fromkeys(server.sizes, 7)) == (name == "httpd")
                assert not await server.resize(dict.fromkeys(server.sizes, 7)), "nothing is left to change"
                assert (server.pid == before) == (name == "haproxy"), "HAProxy is resized while it runs"
                await serve_at_once(server, application, 7)
            finally:
                await server.stop()

    with Workplace(tmp_path) as workplace:
        asyncio.run(run(workplace))


@pytest.mark.parametrize("name", ["httpd", "haproxy", "nginx"])
def test_the_trace_id_of_a_request_goes_through_and_into_the_log(tmp_path: Path, name: str) -> None:
    async def run(workplace: Workplace) -> None:
        async with HeldApplication(held=False) as first, HeldApplication(held=False) as second:
            server = front(name, workplace, [first.port, second.port])
            try:
                await server.start()
                server.access.tracing = True
                assert "trace id" in await server.check()
                await until_counted(server, 2)
                assert len(first.traces) == len(second.traces) == 1, "each server behind it was asked"
                assert set(server.access.traces) == {*first.traces, *second.traces}
                assert server.access.malformed == 0
            finally:
                await server.stop()

    with Workplace(tmp_path) as workplace:
        asyncio.run(run(workplace))


@pytest.mark.parametrize("name", ["httpd", "haproxy", "nginx"])
def test_requests_that_a_dead_application_loses_are_counted(tmp_path: Path, name: str) -> None:
    async def run(workplace: Workplace) -> None:
        with socket.socket() as dead:
            dead.bind(("127.0.0.1", 0))  # and does not listen
            server = front(name, workplace, [dead.getsockname()[1]])
            try:
                await server.start()
                assert (await get(server.port, "/", 300.0)).status in {502, 503}
                assert (await until_counted(server, 1)).failed == 1
                with pytest.raises(RunError, match=r"web: /StoriesOfTheDay was answered with 50\d"):
                    await server.check()
            finally:
                await server.stop()

    with Workplace(tmp_path) as workplace:
        asyncio.run(run(workplace))


def test_a_port_in_use_is_named(tmp_path: Path) -> None:
    with socket.socket() as taken, Workplace(tmp_path) as workplace:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        server = front("httpd", workplace, [1], port=port)
        with pytest.raises(RunError, match=f"web: port {port} is in use"):
            asyncio.run(server.start())


def test_a_server_that_does_not_start_is_told_with_its_last_output(tmp_path: Path) -> None:
    class Broken(Httpd):
        def _configuration(self, folder: Path) -> list[str]:
            return [*super()._configuration(folder), "NoSuchDirective on"]

    async def run(workplace: Workplace) -> None:
        server = Broken("web", Tier("web", "httpd", 1, 0.5, threads=True), {"threads": 2}, workplace, [1])
        try:
            await server.start()
        finally:
            await server.stop()

    needs("httpd")
    with (
        Workplace(tmp_path) as workplace,
        pytest.raises(RunError, match=r"web \(httpd\) ended with exit code 1; last output: .*NoSuchDirective"),
    ):
        asyncio.run(run(workplace))


def test_a_pool_is_divided_evenly_and_never_to_none() -> None:
    assert shares(15, 2) == [8, 7]
    assert shares(12, 4) == [3, 3, 3, 3]
    assert shares(1, 3) == [1, 1, 1], "0 would be no limit"

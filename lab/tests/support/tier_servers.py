"""Real servers for tests: what is missing, and an application behind a front tier that answers when it is told to."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Self

import pytest

from poolkeeper.errors import RunError
from poolkeeper.ntier.tiers import programs

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType


def needs(*servers: str) -> None:
    """Skip a test, with the reason, where a server is missing."""
    try:
        programs.check(servers)
    except RunError as error:
        pytest.skip(str(error))


class HeldApplication:
    """An HTTP server whose requests wait until they are let go.

    Attributes:
        waiting: requests that wait now.
        most: most that have ever waited at once.
        traces: trace ids that came.
    """

    def __init__(self, *, held: bool) -> None:
        self.waiting = 0
        self.most = 0
        self.traces: list[str] = []
        self._open = asyncio.Event()
        if not held:
            self._open.set()
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, backlog=1000)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server
        self._open.set()
        self._server.close()
        for writer in self._writers:
            writer.close()

    @property
    def port(self) -> int:
        assert self._server
        return int(self._server.sockets[0].getsockname()[1])

    def let_go(self) -> None:
        """Answer all."""
        self._open.set()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
                trace = next((line[13:].strip() for line in head if line.lower().startswith("x-request-id:")), "")
                self.traces.append(trace)
                self.waiting += 1
                self.most = max(self.most, self.waiting)
                await self._open.wait()
                self.waiting -= 1
                answer = f"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Request-Id: {trace}\r\n\r\nhello"
                writer.write(answer.encode())
                await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            self._writers.discard(writer)
            writer.close()


async def until(condition: Callable[[], bool], within_s: float = 300.0) -> None:
    """Wait until a function returns true."""
    async with asyncio.timeout(within_s):
        while not condition():  # noqa: ASYNC110 - nothing tells when it does
            await asyncio.sleep(0.01)

"""A connection to a PostgreSQL server, or to one that speaks its protocol, over a psql that stays open."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from contextlib import suppress
from typing import TYPE_CHECKING

from poolkeeper.errors import RunError
from poolkeeper.experiment.processes.process import dying_with
from poolkeeper.ntier.tiers.programs import find

if TYPE_CHECKING:
    from asyncio.subprocess import Process

_SEPARATOR = "\x1f"
_END = "poolkeeper-end-of-answer"
_PROBLEM = re.compile(r"(?:psql:<stdin>:\d+: )?((?:ERROR|FATAL|PANIC): .*)")
"""Message of a server in psql's output. No answer that the lab asks for begins like it."""
_CONNECT_S = 30
_ANSWER_S = 60.0
"""Far above what a statement takes on a machine with twenty busy processes a processor."""
_LIMIT = 1 << 22

LAB_USER = "poolkeeper"
"""Name of the lab's role: what it asks is told apart from what the application asks."""


class QueryError(RunError):
    """A server has refused a statement, or does not answer."""


class Psql:
    """One session. It connects with the first statement, and again with the next one after it was lost."""

    def __init__(self, port: int, database: str, user: str = LAB_USER) -> None:
        """Nothing is connected yet."""
        self._arguments = [f"host=127.0.0.1 port={port} dbname={database} user={user} connect_timeout={_CONNECT_S}"]
        self._process: Process | None = None
        self._turn = asyncio.Lock()

    async def rows(self, statement: str, within_s: float = _ANSWER_S) -> list[list[str]]:
        """Rows of the answer. Raises QueryError, with the server's message, if there is none."""
        return await self._rows(f"{statement};\n", statement, within_s)

    async def records(self, statement: str, within_s: float = _ANSWER_S) -> list[dict[str, str]]:
        """Rows of the answer, each value by the name of its column. Raises QueryError."""
        head, *rows = await self._rows(f"\\t off\n{statement};\n\\t on\n", statement, within_s) or [[]]
        return [dict(zip(head, row, strict=False)) for row in rows]

    async def close(self) -> None:
        """End the session."""
        async with self._turn:
            await self._close()

    async def _rows(self, text: str, statement: str, within_s: float) -> list[list[str]]:
        async with self._turn:
            try:
                async with asyncio.timeout(within_s):
                    return await self._ask(text)
            except TimeoutError:
                await self._close()
                raise QueryError(f"no answer within {within_s:g} s to: {statement}") from None
            except (OSError, ValueError) as error:
                await self._close()
                raise QueryError(f"{error} at: {statement}") from None
            except asyncio.CancelledError:
                await self._close()  # half an answer may be on its way
                raise

    async def _ask(self, text: str) -> list[list[str]]:
        process = self._process
        if process is None or process.returncode is not None:
            process = self._process = await self._connect()
        assert process.stdin  # noqa: S101 - it was asked for
        assert process.stdout  # noqa: S101 - it was asked for
        process.stdin.write(f"{text}\\echo {_END}\n".encode())
        await process.stdin.drain()
        rows: list[list[str]] = []
        while (line := (await process.stdout.readline()).decode(errors="replace").rstrip("\n")) != _END:
            if process.stdout.at_eof() and not line:
                message = " ".join(" ".join(row) for row in rows) or "the connection was closed"
                raise OSError(message)
            rows.append(line.split(_SEPARATOR))
        for row in rows:
            if (problem := _PROBLEM.match(row[0])) is not None:
                raise OSError(problem[1])
        return rows

    async def _connect(self) -> Process:
        return await asyncio.create_subprocess_exec(
            *(find("psql"), "-X", "-q", "-A", "-t", "-P", "footer=off", "-F", _SEPARATOR, "-f", "-"),
            *self._arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=dying_with(os.getpid(), signal.SIGKILL),
            limit=_LIMIT,
        )

    async def _close(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        # Process.kill would collect the end of one that has ended by itself, for which asyncio's watcher waits.
        with suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)
        await process.wait()

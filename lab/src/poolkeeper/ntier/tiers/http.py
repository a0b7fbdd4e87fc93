"""Single HTTP requests of the lab."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_MOST = 1 << 22
_BEGINNING = 200


@dataclass(frozen=True, slots=True)
class Answer:
    """Answer to a request; names of headers in small letters."""

    status: int
    headers: dict[str, str]
    body: bytes

    def beginning(self) -> str:
        """Beginning of the body in one line."""
        return " ".join(self.body.decode(errors="replace").split())[:_BEGINNING]


async def get(
    port: int, path: str, within_s: float, headers: Mapping[str, str] | None = None, method: str = "GET"
) -> Answer:
    """The answer of a server on the loopback interface. Raises OSError, TimeoutError among them, if there is none."""
    async with asyncio.timeout(within_s):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            lines = [f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", "Connection: close", "Content-Length: 0"]
            lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
            writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
            return _parsed(await reader.read(-1))
        finally:
            writer.close()


def _parsed(data: bytes) -> Answer:
    head, separator, body = data[:_MOST].partition(b"\r\n\r\n")
    first, *rest = head.decode("latin-1").split("\r\n")
    if not separator or not first.startswith("HTTP/1."):
        raise ConnectionError("not an HTTP answer" if data else "closed without an answer")
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in rest)}
    if headers.get("transfer-encoding", "").lower() == "chunked":
        body = _joined(body)
    return Answer(int(first.split()[1]), headers, body)


def _joined(chunked: bytes) -> bytes:
    joined, rest = b"", chunked
    while rest:
        size, _, rest = rest.partition(b"\r\n")
        length = int(size.partition(b";")[0] or b"0", 16)
        if length == 0:
            break
        joined, rest = joined + rest[:length], rest[length + 2 :]
    return joined

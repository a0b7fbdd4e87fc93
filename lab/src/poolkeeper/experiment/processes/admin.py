"""The admin endpoint of a server: the state of its pool, and changes while it runs."""

from __future__ import annotations

import json
import urllib.request
from typing import Any
from urllib.parse import quote

from poolkeeper.errors import RunError


def let_go(port: int, within_s: float) -> None:
    """Let the controller decide from now on; raises RunError if the server does not answer."""
    _tell(port, "/mode?mode=active", within_s)


def resize(port: int, size: int, within_s: float) -> None:
    """Set the size of the pool; raises RunError if the server does not answer."""
    _tell(port, f"/resize?size={size}", within_s)


def current_size(port: int, within_s: float) -> int:
    """Size of the pool; raises RunError if the server does not answer."""
    return int(json.loads(_tell(port, "/state", within_s, method="GET"))["size"])


def begin_slice(port: int, variant: str, within_s: float) -> int:
    """Begin a slice of a variant; when it began, in nanoseconds of the monotonic clock.

    Raises RunError if the server does not answer.
    """
    answer = json.loads(_tell(port, f"/variant?name={quote(variant)}", within_s))
    return int(answer["at_ns"])


def state(port: int, within_s: float) -> dict[str, Any]:
    """State of the pool. Raises OSError or ValueError if there is no answer."""
    found: dict[str, Any] = json.loads(_ask(port, "/state", within_s))
    return found


def _tell(port: int, path: str, within_s: float, method: str = "POST") -> bytes:
    try:
        return _ask(port, path, within_s, method)
    except OSError as error:
        raise RunError(f"server: its admin port {port} does not answer: {error}") from None


def _ask(port: int, path: str, within_s: float, method: str = "GET") -> bytes:
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", method=method)
    with urllib.request.urlopen(request, timeout=within_s) as answer:  # noqa: S310
        body: bytes = answer.read()
        return body

"""Requests that a server did not answer, out of nginx's error log."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_LINE = re.compile(r"\S+ \S+ \[(?P<level>\w+)\] \d+#\d+: (?:\*\d+ )?(?P<text>.*)")
_UPSTREAM = re.compile(r'upstream: "http://127\.0\.0\.1:(\d+)[/"]')
_NO_SERVER_LEFT = "no live upstreams"
_EXPLAINED = "upstream server temporarily disabled"
"""Follows a line that tells why."""
_KINDS = (
    ("connect() failed", "refused"),
    ("upstream timed out", "timed out"),
    ("upstream prematurely closed", "broke off"),
    ("recv() failed", "broke off"),
    ("readv() failed", "broke off"),
    ("send() failed", "broke off"),
    ("writev() failed", "broke off"),
    ("sendfile() failed", "broke off"),
)
"""Beginnings of lines, and the fate of the request."""


@dataclass(frozen=True, slots=True)
class LostRequests:
    """Attempts to have a request answered that failed. nginx may have had another server answer the same request."""

    by_server: Mapping[int, Mapping[str, int]]
    """By port of the server: attempts that were `refused`, that `broke off` after they were sent, or `timed out`."""
    without_server: int
    """Requests for which no server was left to try."""
    others: tuple[str, ...]
    """Other complaints, each once, in nginx's words."""

    @staticmethod
    def read(lines: Iterable[str]) -> LostRequests:
        """Count the lost requests in the lines of an error log; a line of another form is a complaint too."""
        servers: dict[int, Counter[str]] = {}
        without = 0
        others: dict[str, None] = {}
        for line in filter(str.strip, lines):
            found = _LINE.match(line)
            text = found["text"] if found else line.strip()
            upstream = _UPSTREAM.search(text)
            kind = next((kind for beginning, kind in _KINDS if text.startswith(beginning)), None)
            if kind is not None and upstream is not None:
                servers.setdefault(int(upstream[1]), Counter())[kind] += 1
            elif text.startswith(_NO_SERVER_LEFT):
                without += 1
            elif not text.startswith(_EXPLAINED):
                others[text.partition(", client: ")[0]] = None
        return LostRequests(servers, without, tuple(others))

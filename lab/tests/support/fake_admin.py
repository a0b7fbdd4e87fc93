"""The admin endpoint of a server that only seems to work."""

from __future__ import annotations

import json
import time
from socketserver import StreamRequestHandler

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any


class Admin(StreamRequestHandler):
    """Answers one request; `log` keeps the requests.

    `asked` is called when the state is asked for, with whether that is under load.

    As much of HTTP as the lab speaks: importing the library's takes longer than all that a fake server does.
    """

    def __init__(self, asked: Callable[[bool], None], log: Path, *rest: Any) -> None:
        self.asked = asked
        self.log = log
        super().__init__(*rest)

    def handle(self) -> None:
        method, path, _ = self.rfile.readline().decode().split()
        length = 0
        while line := self.rfile.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        self.rfile.read(length)
        self.answer(self.posted(path) if method == "POST" else self.state())

    def posted(self, path: str) -> object:
        with self.log.open("a") as output:
            output.write(f"{path}\n")
        return {"at_ns": time.monotonic_ns()} if path.startswith("/variant") else {}

    def state(self) -> object:
        self.asked(self.log.exists() and "active" in self.log.read_text())
        return {"size": 11, "decision": {"reason": "step up by 10"}}

    def answer(self, document: object) -> None:
        body = json.dumps(document).encode()
        self.wfile.write(f"HTTP/1.0 200 OK\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)

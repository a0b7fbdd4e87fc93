"""A headless Chromium for tests, spoken to over a pair of pipes in the DevTools protocol."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import time
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

PATIENCE_S = 300.0
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)


def chromium() -> str | None:
    """Path of Chromium, if it is installed."""
    return shutil.which("chromium") or shutil.which("google-chrome")


def _high(pair: tuple[int, int]) -> tuple[int, int]:
    """The same pipe at descriptors that do not collide with 3 and 4."""
    high = tuple(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in pair)
    for end in pair:
        os.close(end)
    return high[0], high[1]


class Browser:
    """One page in one browser; records what it logs and requests."""

    def __init__(self, profile: Path) -> None:
        command = chromium()
        assert command is not None
        to_browser, self._out = _high(os.pipe())
        self._in, from_browser = _high(os.pipe())
        # The protocol's pipes are file descriptors 3 and 4 of the browser.
        self._process = os.posix_spawn(
            command,
            [command, *FLAGS, f"--user-data-dir={profile}", "about:blank"],
            os.environ,
            file_actions=[
                (os.POSIX_SPAWN_DUP2, to_browser, 3),
                (os.POSIX_SPAWN_DUP2, from_browser, 4),
                (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
            ],
        )
        os.close(to_browser)
        os.close(from_browser)
        self._buffer = b""
        self._number = 0
        self._session = ""
        self.events: list[dict[str, Any]] = []
        targets = self.send("Target.getTargets")["targetInfos"]
        page = next(target["targetId"] for target in targets if target["type"] == "page")
        self._session = self.send("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(f"{domain}.enable")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        os.close(self._out)  # the browser ends when nobody speaks to it any more
        os.close(self._in)
        os.waitpid(self._process, 0)

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the protocol and return its result."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive(time.monotonic() + PATIENCE_S)
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                result: dict[str, Any] = answer["result"]
                return result

    def wait_for(self, event: str) -> dict[str, Any]:
        """Wait for an event of the protocol, or take one that came already."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            for place, available in enumerate(self.events):
                if available["method"] == event:
                    return self.events.pop(place)
            self._receive(deadline)

    def _receive(self, deadline: float) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._in], [], [], max(0.0, deadline - time.monotonic()))
            data = os.read(self._in, 1 << 20) if ready else b""
            if not data:
                raise AssertionError("the browser did not answer in time" if not ready else "the browser ended")
            self._buffer += data
        line, self._buffer = self._buffer.split(b"\0", 1)
        message: dict[str, Any] = json.loads(line)
        if "method" in message:
            self.events.append(message)
        return message

    def open(self, page: Path | str, *, width: int = 1280, height: int = 900, scheme: str = "light") -> None:
        """Show a file, or the page at an address, in a window of a size, in light or dark."""
        mobile = width < 600
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)
        self.send("Emulation.setTouchEmulationEnabled", enabled=mobile)
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.send("Emulation.setFocusEmulationEnabled", enabled=True)
        self.events.clear()
        self.send("Page.navigate", url=page if isinstance(page, str) else page.resolve().as_uri())
        self.wait_for("Page.loadEventFired")

    def run(self, script: str) -> Any:
        """Evaluate JavaScript, awaiting a promise, and return its value."""
        found = self.send("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in found:
            raise AssertionError(found["exceptionDetails"])
        return found["result"].get("value")

    def press(self, key: str) -> None:
        """Press and release a key."""
        for kind in ("keyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, key=key, code=key)

    def point(self, x: float, y: float) -> None:
        """Move the pointer."""
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def tap(self, x: float, y: float) -> None:
        """Tap with a finger."""
        self.send("Input.synthesizeTapGesture", x=round(x), y=round(y), gestureSourceType="touch")

    def drag(self, start: float, end: float, y: float) -> None:
        """Press, move to the side, release."""
        self._mouse("mousePressed", start, y)
        self._mouse("mouseMoved", (start + end) / 2, y)
        self._mouse("mouseMoved", end, y)
        self._mouse("mouseReleased", end, y)

    def double_click(self, x: float, y: float) -> None:
        """Click twice."""
        for count in (1, 2):
            self._mouse("mousePressed", x, y, count)
            self._mouse("mouseReleased", x, y, count)

    def _mouse(self, kind: str, x: float, y: float, count: int = 1) -> None:
        self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=count)

    def screenshot(self, file: Path, *, whole: bool = True) -> None:
        """Save what is shown, or the whole page, as PNG."""
        found = self.send("Page.captureScreenshot", captureBeyondViewport=whole, **(self._whole() if whole else {}))
        file.write_bytes(base64.b64decode(found["data"]))

    def _whole(self) -> dict[str, Any]:
        size = self.send("Page.getLayoutMetrics")["cssContentSize"]
        return {"clip": {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}}

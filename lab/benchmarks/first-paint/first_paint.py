"""Measures how soon the page of the console is there, in Chromium, in turns with a page of one line."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "lab" / "tests" / "support"))
sys.path.insert(0, str(ROOT / "testbed" / "benchmarks"))

from browser import Browser, chromium  # noqa: E402 - the path is set above
from console_page import first_line, wait  # noqa: E402
from rounds import Arguments, interruptible, judged, progress, told, whole  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

TARGET_MS = 300.0
PAINTED = "performance.getEntriesByName('first-contentful-paint')"
LISTED = "document.querySelectorAll('#pools tbody tr').length === 100"
WATCH = """new MutationObserver((_, watch) => {
  if (document.querySelectorAll('#pools tbody tr').length !== 100) return;
  window.listed = performance.now();
  watch.disconnect();
}).observe(document, { childList: true, subtree: true });"""
LINE = b"<!doctype html><title>line</title><p>one line</p>"


class OneLine(BaseHTTPRequestHandler):
    """Answers with a page of one line."""

    def do_GET(self) -> None:
        """Send the page."""
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(LINE)))
        self.end_headers()
        self.wfile.write(LINE)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is that of the method it takes the place of
        """Say nothing."""


@contextmanager
def page_of_one_line() -> Iterator[str]:
    """Serve the page that the console is compared with; yields its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), OneLine) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()


def painted_after(browser: Browser, address: str, until: str = "true") -> float:
    """Milliseconds from the request to the first paint with content."""
    browser.open("about:blank")
    browser.open(address)
    wait(browser, f"{PAINTED}.length > 0 && {until}")
    return float(browser.run(f"{PAINTED}[0].startTime"))


def console() -> list[str]:
    """The command of a service whose console is measured."""
    target = ROOT / "testbed" / "benchmarks" / "target"
    if not (target / "lib").is_dir():
        sys.exit("poolkeeper: the testbed is not built; start this with ./poolkeeper bench first-paint")
    java = Path(os.environ.get("JAVA_HOME", "/usr")) / "bin" / "java"
    path = f"{target / 'classes'}:{target / 'lib'}/*"
    return [str(java), "-cp", path, "io.poolkeeper.testbed.benchmarks.overhead.ConsoleService"]


def main() -> None:
    """Open both pages again and again, each time without a cache."""
    parser = Arguments(prog="./poolkeeper bench first-paint", description=__doc__)
    parser.add_argument(
        "--times",
        type=whole(1),
        default=20,
        help="how often each page is opened; 6 or more to tell anything (default 20)",
    )
    times = parser.parse_args().times
    if chromium() is None:
        sys.exit("poolkeeper: this needs Chromium; on Debian: apt-get install chromium")
    command = console()
    print(f"command: ./poolkeeper bench first-paint --times {times}")
    print(f"machine: {os.cpu_count()} CPUs, {platform.platform()}, load average {os.getloadavg()[0]:.1f}", flush=True)
    paints: list[float] = []
    lists: list[float] = []
    lines: list[float] = []
    progress("starting a service with 100 pools, and Chromium")
    with (
        tempfile.TemporaryDirectory(prefix="poolkeeper-first-paint-") as folder,
        first_line(command, Path(folder) / "log") as address,
        page_of_one_line() as line,
        Browser(Path(folder) / "profile") as browser,
    ):
        browser.send("Network.setCacheDisabled", cacheDisabled=True)
        browser.send("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
        for turn in range(times + 1):  # The first one warms up browser and service.
            if turn % 10 == 0:
                progress(f"opening the pages, {turn} of {times}")
            if turn % 2:
                lines.append(painted_after(browser, line))
            paints.append(painted_after(browser, address, LISTED))
            lists.append(browser.run("window.listed"))
            if turn % 2 == 0:
                lines.append(painted_after(browser, line))
    print(f"opened {times} times without a cache; the first opening of all, with cold code: {paints[0]:.0f} ms")
    for name, values in (("first contentful paint", paints[1:]), ("all 100 pools listed", lists[1:])):
        print(f"  {name}: {told(values, 0)} ms; target < {TARGET_MS:.0f} ms: {judged(values, TARGET_MS, below=True)}")
    print(f"  first paint of a page of one line: {told(lines[1:], 0)} ms")
    ratios = [paint / base for paint, base in zip(paints[1:], lines[1:], strict=True)]
    print(f"  ratio of the console's first paint to that of the line in the same turn: {told(ratios)}")


if __name__ == "__main__":
    interruptible(main)

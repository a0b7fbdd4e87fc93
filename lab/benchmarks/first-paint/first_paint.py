"""Measures how soon the page of the console is there, in Chromium."""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "lab" / "tests" / "support"))

from browser import Browser, chromium  # noqa: E402 - the path is set above
from console_page import first_line, wait  # noqa: E402

TARGET_MS = 300.0
PAINTED = "performance.getEntriesByName('first-contentful-paint').length > 0"
LISTED = "document.querySelectorAll('#pools tbody tr').length === 100"
WATCH = """new MutationObserver((_, watch) => {
  if (document.querySelectorAll('#pools tbody tr').length !== 100) return;
  window.listed = performance.now();
  watch.disconnect();
}).observe(document, { childList: true, subtree: true });"""


def spread(name: str, values: list[float]) -> None:
    """Print the median and the range, and whether the target was reached."""
    median = statistics.median(values)
    verdict = "reached" if max(values) < TARGET_MS else "reached by the median" if median < TARGET_MS else "missed"
    times = f"{median:.0f} ms ({min(values):.0f} to {max(values):.0f}, n = {len(values)})"
    print(f"  {name}: {times}; target < {TARGET_MS:.0f} ms: {verdict}")


def main() -> int:
    """Open the page again and again, each time without a cache."""
    parser = argparse.ArgumentParser(prog="./poolkeeper bench first-paint", description=__doc__)
    parser.add_argument("--times", type=int, default=20, help="how often the page is opened (default 20)")
    times = parser.parse_args().times
    if chromium() is None:
        print("poolkeeper: chromium is not installed: apt-get install chromium", file=sys.stderr)
        return 1
    target = ROOT / "testbed" / "benchmarks" / "target"
    if not (target / "lib").is_dir():
        print("poolkeeper: the testbed is not built; start this with ./poolkeeper bench first-paint", file=sys.stderr)
        return 1
    print(f"command: ./poolkeeper bench first-paint --times {times}")
    print(f"machine: {os.cpu_count()} CPUs, {platform.platform()}, load average {os.getloadavg()[0]:.1f}")
    command = ["java", "-cp", f"{target / 'classes'}:{target / 'lib'}/*"]
    command += ["io.poolkeeper.testbed.benchmarks.overhead.ConsoleCost", "--serve"]
    paints: list[float] = []
    lists: list[float] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        first_line(command, Path(folder) / "log") as address,
        Browser(Path(folder) / "profile") as browser,
    ):
        browser.send("Network.setCacheDisabled", cacheDisabled=True)
        browser.send("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
        for _ in range(times + 1):  # The first one warms up browser and service.
            browser.open("about:blank")
            browser.open(address)
            wait(browser, f"{PAINTED} && {LISTED}")
            paints.append(browser.run("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
            lists.append(browser.run("window.listed"))
    print(f"opened {times} times without a cache; the first opening of all, with cold code: {paints[0]:.0f} ms")
    spread("first contentful paint", paints[1:])
    spread("all 100 pools listed", lists[1:])
    return 0


if __name__ == "__main__":
    sys.exit(main())

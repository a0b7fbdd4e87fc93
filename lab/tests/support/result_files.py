"""Small result files as tools write them, whole and broken, from seeded random numbers."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import ArrayLike

HEADER = (
    "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,bytes,sentBytes,"
    "grpThreads,allThreads,URL,Latency,IdleTime,Connect"
)
START_MS = 1_700_000_000_000


def row(start_ms: float, elapsed: object, label: str = "home", *, ok: bool = True, users: int = 10) -> str:
    """One row of a JTL with JMeter's default columns."""
    code = 200 if ok else 500
    return (
        f"{start_ms:.0f},{elapsed},{label},{code},OK,Users 1-1,text,{str(ok).lower()},,900,100,{users},{users},,1,0,1"
    )


def jtl(file: Path, rows: Sequence[str]) -> Path:
    """A JTL with header; packed if its name ends with .gz."""
    text = "\n".join([HEADER, *rows]) + "\n"
    if file.suffix == ".gz":
        file.write_bytes(gzip.compress(text.encode()))
    else:
        file.write_text(text, encoding="utf-8")
    return file


def later(file: Path, seconds: int) -> Path:
    """The same test of a JTL, so much later."""
    header, *rows = file.read_text(encoding="utf-8").splitlines()
    columns = (text.partition(",") for text in rows)
    moved = (f"{int(start) + 1000 * seconds},{rest}" for start, _, rest in columns)
    file.write_text("\n".join([header, *moved, ""]), encoding="utf-8")
    return file


def steady(file: Path, *, count: int = 2000, mean_ms: float = 40.0, seed: int = 1, start_ms: float = START_MS) -> Path:
    """A test of steady load: lognormal response times, Poisson arrivals of 100 a second, two labels, some errors."""
    random = np.random.default_rng(seed)
    starts = start_ms + np.cumsum(random.exponential(10, count))
    times = np.ceil(random.lognormal(np.log(mean_ms), 0.5, count)).astype(int)
    failed = random.random(count) < 0.005
    labels = np.where(random.random(count) < 0.7, "home", "search")
    return jtl(file, [row(*start[:3], ok=not start[3]) for start in zip(starts, times, labels, failed, strict=True)])


def staircase(
    file: Path, users: ArrayLike = (1, 2, 4, 8, 16, 32), *, seconds: int = 20, seed: int = 1, sigma: float = 0.2
) -> Path:
    """A closed test whose users step up: throughput after a scalability law, response times by Little's law."""
    random = np.random.default_rng(seed)
    rows = []
    for step, n in enumerate(np.asarray(users)):
        rate = 80 * n / (1 + 0.05 * (n - 1) + 0.002 * n * (n - 1))
        mean_ms = 1000 * n / rate
        for user in range(int(n)):
            now = step * seconds * 1000.0 + user / n * mean_ms
            while now < (step + 1) * seconds * 1000:
                took = mean_ms * random.lognormal(-(sigma**2) / 2, sigma)
                rows.append((now + took, row(START_MS + now, round(took), users=int(n))))
                now += took
    return jtl(file, [text for _, text in sorted(rows)])

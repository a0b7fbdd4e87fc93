"""Writes a JTL of any length as JMeter would: ten requests, 500 users or a staircase of them, 0.2 % of errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from pathlib import Path

CHUNK = 1_000_000
PER_SECOND = 28_000
START_MS = 1_700_000_000_000
LEVELS = (25, 50, 100, 200, 300, 400, 500, 600)
"""Users of a staircase: each step has as many rows."""
LAW = (100.0, 0.02, 2e-5)
"""Throughput of the staircase by the Universal Scalability Law: of one user, contention, coherency."""
MEAN_MS = 39.7
"""Of the response times before they are scaled to a step of the staircase."""
USUAL = 0.98
FAILED = 0.002
USERS = 500


def generate(path: Path, rows: int, seed: int = 0, *, staircase: bool = False) -> None:
    """Write `rows` samples: 98 % lognormal of some 20 ms, 2 % Pareto of exponent 1.5; whole milliseconds.

    Of a `staircase`, the users rise from step to step, throughput follows `LAW`, and response times Little's law.
    """
    rng = np.random.default_rng(seed)
    with path.open("wb") as file:
        for first in range(0, rows, CHUNK):
            place = first + np.arange(min(CHUNK, rows - first))
            request = rng.integers(0, 10, place.size)
            usual = rng.lognormal(3 + request * 0.1, 0.6)
            elapsed = np.where(rng.random(place.size) < USUAL, usual, 20 * (rng.pareto(1.5, place.size) + 1))
            users, ended = np.full(place.size, USERS), START_MS + place * 1000 // PER_SECOND
            if staircase:
                users, ended, factor = _steps(place, rows)
                elapsed *= factor
            elapsed = elapsed.astype(np.int64)
            _chunk(ended - elapsed, elapsed, request, users, rng).write_csv(file, include_header=first == 0)


def _steps(place: np.ndarray, rows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Users, ends in milliseconds, and factors of the response times of rows of a staircase."""
    n = np.array(LEVELS, dtype=float)
    rate = LAW[0] * n / (1 + LAW[1] * (n - 1) + LAW[2] * n * (n - 1))
    each = -(-rows // n.size)
    level = place // each
    before = np.concatenate([[0.0], np.cumsum(each / rate)])
    ended = START_MS + 1000 * (before[level] + (place - level * each) / rate[level])
    return n[level].astype(np.int64), ended.astype(np.int64), (1000 * n / rate / MEAN_MS)[level]


def _chunk(
    start: np.ndarray, elapsed: np.ndarray, request: np.ndarray, users: np.ndarray, rng: np.random.Generator
) -> pl.DataFrame:
    n = start.size
    numbers = {"thread": rng.integers(1, 501, n), "request": request, "ok": rng.random(n) > FAILED}
    frame = pl.DataFrame(
        {"timeStamp": start, "elapsed": elapsed, "bytes": rng.integers(200, 9000, n), "users": users} | numbers
    )
    ok = pl.col("ok")
    return frame.select(
        "timeStamp",
        "elapsed",
        pl.format("/api/resource/{}", "request").alias("label"),
        pl.when(ok).then(pl.lit("200")).otherwise(pl.lit("503")).alias("responseCode"),
        pl.when(ok).then(pl.lit("OK")).otherwise(pl.lit("Service Unavailable")).alias("responseMessage"),
        pl.format("Shop Users 1-{}", "thread").alias("threadName"),
        pl.lit("text").alias("dataType"),
        ok.cast(pl.String).alias("success"),
        pl.lit(None, pl.String).alias("failureMessage"),
        "bytes",
        pl.lit(123).alias("sentBytes"),
        pl.col("users").alias("grpThreads"),
        pl.col("users").alias("allThreads"),
        (pl.col("elapsed") - 1).clip(0).alias("Latency"),
        pl.lit(0).alias("IdleTime"),
        pl.lit(0).alias("Connect"),
    )

"""Writes a JTL of any length as JMeter would: ten requests, 500 users, a fifth of a percent of errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from pathlib import Path

CHUNK = 1_000_000
PER_SECOND = 28_000
START_MS = 1_700_000_000_000
USUAL = 0.98
FAILED = 0.002


def generate(path: Path, rows: int, seed: int = 0) -> None:
    """Write `rows` samples: 98 % lognormal of some 20 ms, 2 % Pareto of exponent 1.5; whole milliseconds."""
    rng = np.random.default_rng(seed)
    with path.open("wb") as file:
        for first in range(0, rows, CHUNK):
            n = min(CHUNK, rows - first)
            request = rng.integers(0, 10, n)
            usual = rng.lognormal(3 + request * 0.1, 0.6)
            elapsed = np.where(rng.random(n) < USUAL, usual, 20 * (rng.pareto(1.5, n) + 1)).astype(np.int64)
            ended = START_MS + (first + np.arange(n)) * 1000 // PER_SECOND
            _chunk(ended - elapsed, elapsed, request, rng).write_csv(file, include_header=first == 0)


def _chunk(start: np.ndarray, elapsed: np.ndarray, request: np.ndarray, rng: np.random.Generator) -> pl.DataFrame:
    n = start.size
    numbers = {"thread": rng.integers(1, 501, n), "request": request, "ok": rng.random(n) > FAILED}
    frame = pl.DataFrame({"timeStamp": start, "elapsed": elapsed, "bytes": rng.integers(200, 9000, n)} | numbers)
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
        pl.lit(500).alias("grpThreads"),
        pl.lit(500).alias("allThreads"),
        (pl.col("elapsed") - 1).clip(0).alias("Latency"),
        pl.lit(0).alias("IdleTime"),
        pl.lit(0).alias("Connect"),
    )

"""The verdict's intervals: they cover what they claim, and find what is there."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

from poolkeeper.report.judging.compare import Comparison, compare
from poolkeeper.report.measuring.measurement import Blocks, Floats

PHASES = (100.0, 10.0, 100.0)
BLOCKS = 4
SECONDS = 5.0
TRIALS = 200


def run(rng: np.random.Generator, *, speed: float = 1.0, wobble: float = 0.05, shift: float = 0.0) -> Blocks:
    """A run of three phases: Poisson completions whose rate wobbles from block to block, log-normal response times.

    `shift` moves the whole run, as one run differs from the next.
    """
    phase = np.repeat(np.arange(len(PHASES)), BLOCKS)
    faster = speed * math.exp(shift)
    rates = np.repeat(np.array(PHASES), BLOCKS) * faster * np.exp(rng.normal(0, wobble, phase.size))
    completions = rng.poisson(rates * SECONDS)
    lowest = np.round(np.geomspace(1e6, 1e9, 400)).astype(np.int64)
    counts = np.zeros((phase.size, lowest.size), dtype=np.int64)
    for row, number in zip(counts, completions, strict=True):
        times = np.exp(rng.normal(math.log(2e7 / faster) + rng.normal(0, wobble), 0.4, number))
        np.add.at(row, np.clip(np.searchsorted(lowest, times) - 1, 0, lowest.size - 1), 1)
    return Blocks(
        phase=phase,
        place=np.tile(np.arange(BLOCKS), len(PHASES)),
        seconds=np.full(phase.size, SECONDS),
        completions=completions.astype(np.float64),
        thread_seconds=np.full(phase.size, 10 * SECONDS),
        counts=counts,
        lowest_ns=lowest,
        width_ns=np.diff(np.append(lowest, 2 * lowest[-1])),
    )


def p99(blocks: Blocks, weights: Floats) -> float:
    return blocks.percentile_s(99.0, weights)


STATISTICS = {"throughput": Blocks.throughput, "mean": Blocks.mean_s, "p99": p99}


@cache
def trials(repetitions: int, speed: float, shift: float) -> list[list[tuple[Blocks, Blocks]]]:
    rng = np.random.default_rng(7)
    return [
        [
            (run(rng, speed=speed, shift=rng.normal(0, shift)), run(rng, shift=rng.normal(0, shift)))
            for _ in range(repetitions)
        ]
        for _ in range(TRIALS)
    ]


def comparisons(statistic: str, repetitions: int, speed: float, shift: float) -> list[Comparison]:
    return [compare(pairs, STATISTICS[statistic]) for pairs in trials(repetitions, speed, shift)]


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize(("repetitions", "shift"), [(1, 0.0), (2, 0.0), (4, 0.05)])
def test_intervals_cover_no_difference_as_often_as_they_claim(statistic: str, repetitions: int, shift: float) -> None:
    found = comparisons(statistic, repetitions, 1.0, shift)
    covered = np.mean([comparison.low <= 0.0 <= comparison.high for comparison in found])
    # Over 600 trials 94 to 97 %; without giving a phase its weight back after a block was left out, 90 to 93 %.
    assert 0.92 <= covered <= 0.99


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize(("repetitions", "shift"), [(1, 0.0), (4, 0.02)])
def test_a_difference_of_a_quarter_is_found_with_its_size(statistic: str, repetitions: int, shift: float) -> None:
    found = comparisons(statistic, repetitions, 1.25, shift)
    expected = 0.25 if statistic == "throughput" else 1 / 1.25 - 1
    assert np.mean([comparison.seen for comparison in found]) >= 0.95
    assert np.mean([comparison.change for comparison in found]) == pytest.approx(expected, abs=0.02)


def test_three_pairs_make_the_interval_of_student() -> None:
    rng = np.random.default_rng(3)
    pairs = [(run(rng, speed=speed), run(rng)) for speed in (1.1, 1.2, 1.3)]
    logs = [
        math.log(ours.throughput(ours.everything()) / theirs.throughput(theirs.everything())) for ours, theirs in pairs
    ]
    half = 4.302653 * float(np.std(logs, ddof=1)) / math.sqrt(3)  # t of 2 degrees of freedom at 97.5 %
    found = compare(pairs, Blocks.throughput)
    assert (found.basis, found.samples) == ("repetitions", 3)
    assert found.low == pytest.approx(math.expm1(np.mean(logs) - half), rel=1e-6)
    assert found.high == pytest.approx(math.expm1(np.mean(logs) + half), rel=1e-6)


def test_a_run_compared_with_itself_is_no_different() -> None:
    blocks = run(np.random.default_rng(1))
    found = compare([(blocks, blocks)], Blocks.throughput)
    assert (found.change, found.low, found.high, found.seen) == (0.0, 0.0, 0.0, False)


def test_a_difference_below_one_percent_is_not_seen_however_certain() -> None:
    assert not Comparison(0.009, 0.008, 0.010, "repetitions", 5).seen
    assert Comparison(0.011, 0.010, 0.012, "repetitions", 5).seen
    assert not Comparison(0.5, -0.1, 1.2, "repetitions", 5).seen


def first_blocks(blocks: Blocks) -> Blocks:
    first = blocks.place == 0
    return Blocks(
        phase=blocks.phase[first],
        place=blocks.place[first],
        seconds=blocks.seconds[first],
        completions=blocks.completions[first],
        thread_seconds=blocks.thread_seconds[first],
        counts=blocks.counts[first],
        lowest_ns=blocks.lowest_ns,
        width_ns=blocks.width_ns,
    )


def test_one_block_a_phase_tells_no_spread() -> None:
    blocks, other = (first_blocks(run(np.random.default_rng(seed))) for seed in (1, 2))
    found = compare([(blocks, other)], Blocks.throughput)
    assert found.basis == "none"
    assert not found.seen
    assert not math.isnan(found.change)


def test_only_blocks_that_both_runs_have_are_compared() -> None:
    blocks, other = (run(np.random.default_rng(seed)) for seed in (1, 2))
    found = compare([(blocks, first_blocks(other))], Blocks.throughput)
    assert found.samples == len(PHASES)


def test_nothing_served_cannot_be_compared() -> None:
    rng = np.random.default_rng(1)
    found = compare([(run(rng, speed=1e-9), run(rng))], Blocks.throughput)
    assert (found.basis, found.seen) == ("none", False)


def closed_users(factor: float) -> Blocks:
    """A run of ten users who do not think: their number is throughput times mean response time in every block."""
    rng = np.random.default_rng(11)
    lowest = np.round(np.geomspace(1e6, 1e9, 4000)).astype(np.int64)
    completions = np.round(rng.uniform(900, 1100, 6) * factor)
    counts = np.zeros((6, lowest.size), dtype=np.int64)
    for row, number in zip(counts, completions, strict=True):
        row[np.searchsorted(lowest, 10 * SECONDS / number * 1e9)] = number
    return Blocks(
        phase=np.zeros(6, dtype=np.int64),
        place=np.arange(6),
        seconds=np.full(6, SECONDS),
        completions=completions,
        thread_seconds=np.full(6, SECONDS),
        counts=counts,
        lowest_ns=lowest,
        width_ns=np.diff(np.append(lowest, 2 * lowest[-1])),
    )


def test_throughput_and_mean_of_users_who_do_not_think_say_the_same() -> None:
    """Also where one repetition was three times as fast: an arithmetic mean would follow it in throughput alone."""
    pairs = [(closed_users(2.0), closed_users(1.0)), (closed_users(5.0), closed_users(3.3))]
    throughput, mean = (compare(pairs, statistic) for statistic in (Blocks.throughput, Blocks.mean_s))
    assert 1 + throughput.change == pytest.approx(math.sqrt(2.0 * 5.0 / 3.3), rel=1e-3)
    assert 1 + throughput.change == pytest.approx(1 / (1 + mean.change), rel=5e-3)
    assert 1 + throughput.low == pytest.approx(1 / (1 + mean.high), rel=5e-3)
    assert 1 + throughput.high == pytest.approx(1 / (1 + mean.low), rel=5e-3)

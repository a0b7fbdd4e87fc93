"""Data that the laws do not reach: superlinear, falling throughout, or without any bend."""

from __future__ import annotations

import re

import numpy as np
import pytest

from poolkeeper.queueing import Centre, mva
from poolkeeper.scalability import Amdahl, Law, Usl, choose
from poolkeeper.scalability.advice import superlinear
from poolkeeper.scalability.misfit import highest, misfit

LEVELS = np.array([1.0, 2, 4, 8, 16, 32, 64, 128])


def test_growth_faster_than_in_proportion_is_named() -> None:
    throughput = 50 * LEVELS**1.3

    fit = Usl().fit(LEVELS, throughput)

    assert fit.verdict_.startswith(
        "The throughput grows faster than in proportion, 50.0/s with each request at 1 and 214"
    )
    assert "alpha would have to be negative" in fit.verdict_
    assert not any("in proportion" in text for text in fit.advice_)
    assert "none of these laws describes that" in choose(LEVELS, throughput).verdict


def test_proportional_growth_is_rarely_called_faster() -> None:
    samples = 10 * LEVELS + np.random.default_rng(5).normal(0, 8, (1000, LEVELS.size))

    share = np.mean([superlinear(LEVELS, sample, 0.95) for sample in samples])

    assert share == pytest.approx(0.025, abs=2.58 * (0.025 * 0.975 / 1000) ** 0.5)
    assert not superlinear(LEVELS, 10 * LEVELS, 0.95)


def test_growth_in_proportion_is_rarely_called_faster_where_errors_grow_with_it() -> None:
    """Of unweighted fits, 29 in 100 were."""
    samples = 10 * LEVELS * (1 + np.random.default_rng(5).normal(0, 0.05, (1000, LEVELS.size)))

    assert np.mean([superlinear(LEVELS, sample, 0.95) for sample in samples]) < 0.07


def test_a_full_pool_has_no_peak_and_no_knee() -> None:
    levels = np.arange(1.0, 13)

    scatter = 1 + np.random.default_rng(3).normal(0, 0.015, levels.size)
    fit = Usl(load="users").fit(levels, np.minimum(20 * levels, 80) * scatter)

    assert fit.verdict_.startswith(
        "The throughput stays at 79.8/s from 4 to 12 users: a bound that is reached all at once"
    )
    assert not any("measure above" in text or "far enough" in text for text in (fit.verdict_, *fit.warnings_))
    assert fit.advice_ == ("what limits the throughput is fully used from 4 users on: make it larger",)


@pytest.mark.parametrize("levels", [[1, 2, 4, 8, 16, 32, 64], np.arange(10, 90, 10), [1, 2, 5, 10, 15, 20, 25, 30, 40]])
def test_a_saturated_server_has_no_peak(levels: list[int]) -> None:
    """By mean value analysis of one server and a think time: its curve bends more slowly than that of a full pool."""
    waiting, throughput = 0.0, []
    for users in range(1, max(levels) + 1):
        rate = users / (0.0025 * (1 + waiting) + 0.0225)
        waiting = rate * 0.0025 * (1 + waiting)
        throughput.append(rate)
    measured = np.array([throughput[level - 1] for level in levels])

    for seed in range(5):
        scatter = 1 + np.random.default_rng(seed).normal(0, 0.01, measured.size)
        headline = choose(levels, measured * scatter, load="users").headline

        assert headline.startswith("The throughput stays at ")
        assert "is highest" not in headline
        assert "No peak is claimed" not in headline, "there is nothing to claim"


def test_throughputs_that_are_all_alike_do_not_fall() -> None:
    measured = 400 * (1 + np.random.default_rng(2).normal(0, 0.01, 8))

    assert choose(np.arange(10, 90, 10), measured).headline.startswith("The throughput stays at 40")


def test_a_peak_that_the_levels_show_is_no_plateau() -> None:
    law = Law(50, 0.02, 0.0005)
    levels = np.array([1.0, 4, 16, 24, 30, 36, 44, 52, 60, 68])
    flat = law.throughput(levels[4:])
    assert flat.max() < 1.1 * flat.min()

    fit = Usl(load="users").fit(levels, law.throughput(levels) * (1 + np.random.default_rng(4).normal(0, 0.002, 10)))

    assert fit.verdict_.startswith("The throughput is highest with 44.")


@pytest.mark.parametrize("law", [Law(50, 0.05), Law(50, 0.02, 0.0005), Law(50)])
def test_what_follows_a_law_is_not_called_full(law: Law) -> None:
    measured = law.throughput(LEVELS) * (1 + np.random.default_rng(7).normal(0, 0.03, LEVELS.size))

    for fit in (Amdahl().fit(LEVELS, measured), Usl().fit(LEVELS, measured)):
        assert "stays at" not in fit.verdict_
        assert "hardly changes" not in " ".join((fit.verdict_, *fit.warnings_, *fit.advice_))


def test_a_peak_below_the_lowest_level_is_extrapolated() -> None:
    levels = np.array([64.0, 80, 96, 112, 128, 160, 192, 224, 256])
    measured = [648.1, 612.97, 562.08, 526.58, 485.71, 430.41, 385.46, 344.11, 309.45]

    fit = Usl().fit(levels, measured)

    assert "the peak at 38.7 is below the lowest level 64" in fit.verdict_
    assert "far enough" not in fit.verdict_


def test_nothing_far_beyond_the_levels_is_given_as_a_number() -> None:
    straight = Usl().fit(LEVELS, 50 * LEVELS)
    faint = Usl().fit(LEVELS, Law(50.0, 1e-9, 1e-13).throughput(LEVELS))

    for fit in (straight, faint):
        output = " ".join((fit.verdict_, *map(str, fit.table().rows), *fit.warnings_, *fit.advice_))
        assert "grows in proportion" in fit.verdict_
        assert not re.search(r"\d,\d{3},\d{3}|e\d\d", output), output


def thinking(users: list[int]) -> np.ndarray:
    """Throughputs of eight servers of 30 ms and users who think for 0.3 s, which mean value analysis has exactly."""
    servers = [Centre("server", 0.03, 8)]
    return np.array([mva(servers, count, 0.3).throughput for count in users])


@pytest.mark.parametrize("levels", [[20, 40, 60, 80, 100], list(range(10, 110, 10))])
def test_a_server_that_is_full_at_the_last_levels_has_no_line_and_no_peak(levels: list[int]) -> None:
    """Each user added 2.72/s, which "the measurements reach far enough to say"; or 310/s came with 190 users."""
    measured = thinking(levels) * (1 + np.random.default_rng(1).normal(0, 0.005, len(levels)))

    found = choose(levels, measured, load="users")

    assert re.match(
        r"The throughput rises by 3\.0\d/s with each user, and levels off towards 2[6-8]\d/s", found.headline
    )
    assert "far enough" not in found.headline
    assert not any("the peak" in note or "admit" in note for note in (*found.chosen.warnings_, *found.chosen.advice_))
    assert found.verdict.endswith("levels off more sharply than by any of these laws.")


@pytest.mark.parametrize("law", [Law(50), Law(50, 0.05), Law(50, 0.02, 0.0005)])
def test_what_follows_a_law_is_not_said_to_bend_more_sharply(law: Law) -> None:
    measured = law.throughput(LEVELS) * (1 + np.random.default_rng(8).normal(0, 0.03, (2, LEVELS.size)))

    assert not any(choose(LEVELS, data).chosen.is_saturated_ for data in measured)


def test_a_peak_that_no_level_shows_is_no_headline() -> None:
    """The throughput was said to be highest with 17.9 where that of the last level, with 25, is the highest."""
    levels = np.array([2, 4, 8, 12, 16, 20.0])
    falling = Usl(load="users").fit(levels, Law(50, 0.02, 0.004).throughput(levels))
    sparse = np.array([1, 2, 4, 8, 20.0])
    rising = Usl(load="users").fit(sparse, Law(50, 0.02, 0.004).throughput(sparse))

    assert rising.law_.peak_concurrency < 20
    assert "is highest with" not in rising.verdict_
    assert falling.verdict_.startswith("The throughput is highest with 15.7 users")
    assert "no level is beyond the knee" not in " ".join(falling.warnings_)


def test_a_peak_of_the_law_that_no_level_shows_is_told() -> None:
    """It was "not seen to fall. The measurements reach far enough to say so", above a table with a peak at 10.1."""
    levels = np.array([1, 2, 3, 4, 6, 8, 12.0])
    measured = np.array([1006.1, 1959.9, 2870.9, 3541.5, 4601.5, 5146.8, 5185.8])
    choice = choose(levels, measured, load="users")

    assert choice.fits[-1].law_.peak_concurrency == pytest.approx(10.1, abs=0.05)
    assert choice.headline.endswith(
        "and is not seen to fall. But no level shows the peak of the law at 10.1: the highest throughput measured is"
        " that of the highest level, 12; measure above it."
    )
    assert "(USL): it has a peak, which no level shows (p = " in choice.verdict


def test_a_law_without_contention_is_not_said_to_have_some() -> None:
    """Beside "no contention is seen" it read "Contention and coherency limit the throughput"."""
    levels = np.array([1, 2, 4, 8, 16, 32.0])
    measured = Law(1000, 0, 0.01).throughput(levels) * [0.98, 1, 1.01, 1.01, 0.99, 0.98]
    choice = choose(levels, measured, load="users")

    assert choice.fits[-1].alpha_ == 0
    assert choice.verdict.startswith("Coherency limits the throughput (USL): it has a peak and falls beyond it (p = ")


def test_levels_that_exclude_the_law_are_told() -> None:
    levels = np.array([1, 2, 4, 8, 16.0])
    fit = Amdahl(load="users").fit(levels, Law(50, 0.05).throughput(levels) * [1, 1, 1.15, 1, 1])

    assert misfit(fit, np.full(5, 1.0)).startswith(
        "the law does not describe 3 of 5 levels: with 1 user it says 54.5/s"
    )
    assert highest(fit).startswith("The highest throughput that was measured is ")
    assert misfit(fit, np.full(5, 20.0)) == misfit(fit, np.full(5, np.nan)) == ""

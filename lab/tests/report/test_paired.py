"""Variants that took turns: whether the method tells the truth, and what the report makes of records."""

from __future__ import annotations

import json
import math
from io import StringIO
from typing import TYPE_CHECKING

import numpy as np
import pytest
from rich.console import Console
from slices import Turns, courses, write_sliced

from poolkeeper.record import RecordError, read_run
from poolkeeper.report.description import description
from poolkeeper.report.experiment import by_variant, load_experiments
from poolkeeper.report.findings import warnings
from poolkeeper.report.judging.claim_comparison import ClaimedCell
from poolkeeper.report.judging.claims import judge
from poolkeeper.report.judging.paired import Course, compare_slices, paired_mean
from poolkeeper.report.measuring.shares import Share
from poolkeeper.report.page import render
from poolkeeper.report.paired import drawn, paired_table
from poolkeeper.report.summary import REPETITIONS_DISAGREE, variants
from poolkeeper.study.claims import Claim

if TYPE_CHECKING:
    from pathlib import Path

SEEDS = range(200)
THREE_PERCENT = math.log(1.03)


def covered(effect: float, **how: object) -> float:
    """In how many of the seeds the interval holds the truth."""
    found = [paired_mean([courses(seed, effect, **how)]) for seed in SEEDS]  # type: ignore[arg-type]
    return float(np.mean([abs(mean.mean - effect) <= mean.half for mean in found]))


@pytest.mark.parametrize("kind", ["none", "swings", "drops", "wanders", "bursts"])
@pytest.mark.parametrize(("variants", "blocks"), [(2, 24), (8, 20)])
def test_the_interval_holds_the_truth_on_a_machine_that_drifts_by_a_fifth(
    kind: str, variants: int, blocks: int
) -> None:
    """95 % of 200 are 190 +- 3; where the machine drops once, the interval is too wide rather than too narrow."""
    assert 0.90 <= covered(THREE_PERCENT, kind=kind, variants=variants, blocks=blocks) <= 0.995


@pytest.mark.parametrize(("ours", "theirs"), [(0.06, 0.02), (0.02, 0.06)])
def test_the_interval_holds_the_truth_where_one_of_the_two_is_less_even(ours: float, theirs: float) -> None:
    assert 0.90 <= covered(0.0, kind="swings", blocks=30, noise_of_variant=ours, noise=theirs) <= 0.99


def test_the_same_variant_under_two_names_does_not_differ() -> None:
    found = [compare_slices([courses(seed, 0.0, kind="swings", blocks=24)]) for seed in SEEDS]
    assert np.mean([comparison.seen for comparison in found]) <= 0.09
    largest = [max(abs(comparison.low), abs(comparison.high)) for comparison in found]
    assert np.median(largest) < 0.025, "so much is excluded after two slices a block, 24 blocks: four minutes"


@pytest.mark.parametrize(("variants", "blocks", "minutes"), [(2, 24, 4), (8, 24, 16)])
def test_three_percent_are_decided_within_minutes(variants: int, blocks: int, minutes: float) -> None:
    """Slices of 5 s with a noise of 2 %, while the machine is up to 20 % faster and slower within five minutes."""
    assert blocks * variants * 5 / 60 == minutes
    found = [
        compare_slices([courses(seed, THREE_PERCENT, kind="swings", variants=variants, blocks=blocks)])
        for seed in SEEDS
    ]
    assert np.mean([comparison.seen and comparison.change > 0 for comparison in found]) >= 0.95


def test_whole_halves_of_such_a_run_would_decide_nothing() -> None:
    """The same slices, compared as a run of one variant after a run of the other would be."""
    misses = []
    for seed in SEEDS:
        _, theirs = courses(seed, 0.0, kind="swings", blocks=24)
        half = theirs.logs.size // 2
        misses.append(abs(theirs.logs[:half].mean() - theirs.logs[half:].mean()) > THREE_PERCENT)
    assert np.mean(misses) > 0.5


def test_a_line_cancels_but_for_the_ends() -> None:
    at_s = np.arange(20.0)
    logs = 0.01 * at_s
    ours, theirs = Course(at_s[1::2][:-1], logs[1::2][:-1] + 0.05), Course(at_s[::2], logs[::2])
    found = paired_mean([(ours, theirs)])
    assert found.mean == pytest.approx(0.05)
    assert found.slices == 9


def test_slices_without_an_answer_are_left_out() -> None:
    ours, theirs = courses(1, 0.0, kind="none", blocks=10)
    logs = ours.logs.copy()
    logs[3] = math.nan
    assert paired_mean([(Course(ours.at_s, logs), theirs)]).slices == 9


def test_too_few_slices_have_no_interval_and_none_no_mean() -> None:
    few = compare_slices([courses(1, 0.0, kind="none", blocks=3)])
    assert (few.basis, few.samples, few.seen) == ("none", 3, False)
    nothing = Course(np.empty(0), np.empty(0))
    assert math.isnan(paired_mean([(nothing, nothing)]).mean)
    assert math.isnan(compare_slices([]).change)


def test_runs_that_contradict_each_other_leave_the_difference_open(tmp_path: Path) -> None:
    workers = {"a": 4, "b": 8}
    write_sliced(tmp_path / "1", Turns({"a": 1000, "b": 1100}, workers), versus="a")
    write_sliced(tmp_path / "2", Turns({"a": 1100, "b": 1000}, workers), versus="a", repetition=2)
    ours = next(summary for summary in summaries(tmp_path) if summary.name == "b")
    assert ours.comparisons["throughput"].doubt == REPETITIONS_DISAGREE
    assert ours.verdict == f"open: {REPETITIONS_DISAGREE}"


TURNS = Turns({"four": 1000.0, "twin": 1000.0, "eight": 1100.0}, {"four": 4, "twin": 4, "eight": 8})


def summaries(folder: Path) -> list:  # type: ignore[type-arg]
    return variants(load_experiments([folder])[0].runs)


def test_a_run_in_turns_is_shown_as_one_of_each_variant(tmp_path: Path) -> None:
    write_sliced(tmp_path / "slices" / "1", TURNS, versus="four")
    found = {summary.name: summary for summary in summaries(tmp_path)}
    assert list(found) == ["eight", "four", "twin"]
    assert found["four"].mean_pool_size.mean == pytest.approx(4)
    assert found["eight"].mean_pool_size.mean == pytest.approx(8)
    assert found["four"].verdict == "baseline"
    assert found["eight"].verdict.startswith("faster: +")
    change = found["eight"].comparisons["throughput"]
    assert change.low < 0.1 < change.high
    assert change.samples == 8
    assert found["eight"].comparisons["mean"].change == pytest.approx(1 / (1 + change.change) - 1, abs=0.002)
    assert found["twin"].verdict.startswith("no difference larger than ")


def test_the_first_second_of_a_slice_is_left_out_and_another_one_where_the_switch_is_late(tmp_path: Path) -> None:
    (in_time,) = load_experiments([write_sliced(tmp_path / "a", TURNS)])
    (late,) = load_experiments([write_sliced(tmp_path / "b", Turns(TURNS.rates, TURNS.workers, late_s=0.7))])
    for experiment, seconds in ((in_time, 4), (late, 3)):
        for run in experiment.runs:
            assert isinstance(run, Share)
            assert run.load is not None
            # The last slice ends with the load, which a late switch does not.
            assert len(run.load) in {8 * seconds, 8 * seconds + 1}
            assert np.all(np.diff(run.load["start_s"]) > 0)
            assert float(run.load["end_s"][-1] - run.load["start_s"][0]) == pytest.approx(len(run.load))


def test_the_answer_begins_with_what_the_slices_say(tmp_path: Path) -> None:
    write_sliced(tmp_path / "slices" / "1", TURNS, versus="four")
    (experiment,) = load_experiments([tmp_path])
    page = render(experiment)
    assert page.answer.startswith("Slice by slice against four, in 8 slices of each, eight was ")
    assert "% faster (95 % interval +" in page.answer
    assert "twin showed no difference larger than" in page.answer
    assert "Slice by slice against four</h3>" in page.html
    assert "shuffled slices of 5 s" in " ".join(description(experiment))
    assert (len(experiment.runs), len(experiment.records)) == (3, 1)
    table = paired_table(summaries(tmp_path))
    assert table is not None
    assert [(row.variant, row.slices) for row in table.rows] == [("eight", 8), ("twin", 8)]
    console = Console(width=120, file=StringIO())
    console.print(drawn(table))
    assert "against four" in console.file.getvalue()  # type: ignore[attr-defined]


def test_over_several_combinations_the_answer_counts(tmp_path: Path) -> None:
    for users in (10, 100):
        folder = write_sliced(tmp_path / f"users-{users}" / "slices", TURNS, versus="four", seed=users)
        document = json.loads((folder / "run.json").read_text())
        document["configuration"]["cell"] = {"users": users}
        (folder / "run.json").write_text(json.dumps(document))
    (experiment,) = load_experiments([tmp_path])
    answer = render(experiment).answer
    assert answer.startswith("Slice by slice against four, over 2 combinations, eight was faster in 2 (+")
    assert "twin was no different in 2" in answer


def test_a_run_that_was_stopped_keeps_the_slices_that_were_finished(tmp_path: Path) -> None:
    write_sliced(tmp_path / "1", TURNS, versus="four", status="interrupted", finished=15)
    (experiment,) = load_experiments([tmp_path])
    found = {summary.name: summary for summary in variants(experiment.runs)}
    assert found["eight"].comparisons["throughput"].samples == 5
    assert found["eight"].verdict.startswith("faster")
    messages = warnings(experiment, [*found.values()])
    assert messages[0] == "The run 1 was interrupted; its verdicts rest on the slices that were finished."
    assert len([text for text in messages if "interrupted" in text]) == 1


def test_a_run_that_was_stopped_in_its_first_slice_measured_nothing(tmp_path: Path) -> None:
    write_sliced(tmp_path / "1", TURNS, versus="four", status="interrupted", finished=0)
    (experiment,) = load_experiments([tmp_path])
    assert [run.variant for run in experiment.runs] == ["slices"]
    assert "nothing to compare" in render(experiment).answer


def test_a_load_generator_at_its_own_limit_hides_differences_and_one_held_up_does_not(tmp_path: Path) -> None:
    write_sliced(tmp_path / "busy" / "1", TURNS, versus="four", about={"bottleneck": True, "cpu_share": 0.9})
    write_sliced(tmp_path / "held" / "1", TURNS, versus="four", about={"bottleneck": True, "cpu_share": 0.1})
    busy, held = ({summary.name: summary for summary in summaries(tmp_path / name)} for name in ("busy", "held"))
    assert math.isinf(busy["eight"].comparisons["throughput"].high)
    assert busy["eight"].verdict.startswith("faster: ")
    assert busy["twin"].verdict == "open: load at its limit"
    assert held["twin"].verdict.startswith("no difference larger than ")


@pytest.mark.parametrize(
    ("above", "below", "verdict"), [(1.05, None, "confirmed"), (None, 1.02, "refuted"), (1.099, None, "undecided")]
)
def test_claims_are_judged_by_slices_of_a_single_run(
    tmp_path: Path, above: float | None, below: float | None, verdict: str
) -> None:
    write_sliced(tmp_path / "1", TURNS, versus="four")
    (experiment,) = load_experiments([tmp_path])
    claim = Claim(claim="Eight do more", of=("eight",), to=("four",), above=above, below=below)
    cell = ClaimedCell("cell-1", "", {}, by_variant(experiment.runs))
    (judged,) = judge([claim], [cell])
    assert judged.verdict == verdict, judged.reason
    assert judged.low < 1.1 < judged.high


def test_a_complete_run_in_turns_needs_its_slices(tmp_path: Path) -> None:
    folder = write_sliced(tmp_path / "1", TURNS)
    (folder / "slices.csv").unlink()
    with pytest.raises(RecordError, match=r"slices\.csv"):
        read_run(folder)

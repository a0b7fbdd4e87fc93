"""The file of a disk experiment: its runs, and what is wrong in it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from disk_experiments import TEXT, selection, written

from poolkeeper.disk.definition import plan, read_disk_experiment, variants
from poolkeeper.disk.launch import choose
from poolkeeper.errors import InputError
from poolkeeper.experiment.launch import RunOptions

if TYPE_CHECKING:
    from command_line import CommandLine

PROJECT = Path(__file__).parents[3]


@pytest.fixture
def experiment(tmp_path: Path) -> Path:
    return written(tmp_path)


def test_pools_become_variants_of_every_combination(experiment: Path) -> None:
    names = [variant.name for variant in variants(read_disk_experiment(experiment))]
    assert names == ["fixed-1", "fixed-4", "fixed-8", "ours", "computed", "plain"]
    by_name = {variant.name: variant for variant in variants(read_disk_experiment(experiment))}
    assert by_name["fixed-4"].arguments()[:4] == ["--controller", "fixed", "--set", "size=4"]
    assert by_name["ours"].arguments()[-6:] == ["--initial", "8", "--maximum", "64", "--window", "500"]
    assert by_name["computed"].arguments()[-1] == "--advice-only"
    assert by_name["plain"].arguments()[-1] == "--no-loop"
    assert [by_name[name].fixed_size for name in ("fixed-8", "plain", "ours")] == [8, None, None]


def test_runs_are_interleaved_and_can_be_chosen(experiment: Path) -> None:
    runs = selection(experiment).runs
    assert len(runs) == 24
    assert runs[0].title == "small · fixed-1 · 1"
    assert runs[12].title == "mixed · plain · 2"
    assert {run.workload for run in selection(experiment, ("workload=mixed",)).runs} == {"mixed"}
    with pytest.raises(InputError, match="did you mean 'fixed-4'"):
        selection(experiment, ("variant=fixed-44",))
    with pytest.raises(InputError, match="--only must be"):
        selection(experiment, ("size=4",))


SMALL = """\
small:
  disk: {small: rw_4kb:7:oneshot}
  variants: [fixed-4, ours]
  files: 5
  repetitions: 3
"""


def test_small_form_is_run_unless_all_is_wanted(experiment: Path, tmp_path: Path) -> None:
    experiment.write_text(TEXT + SMALL, encoding="utf-8")
    small = choose(experiment, RunOptions(), tmp_path)
    assert small.listing() == [
        "small · fixed-4: rw_4kb:7:oneshot × 3",
        "small · ours: rw_4kb:7:oneshot × 3",
        "6 runs",
    ]
    assert small.experiment.files == 5
    full = choose(experiment, RunOptions(full=True), tmp_path)
    assert full.listing()[0] == "small · fixed-1: rw_4kb:100:oneshot × 2"
    assert full.experiment.small is None
    with pytest.raises(InputError, match=r"--only variant=plain: only in the full form: --full"):
        choose(experiment, RunOptions(only=("variant=plain",)), tmp_path)
    with pytest.raises(InputError, match=r"--only: unknown variant 'none'"):
        choose(experiment, RunOptions(only=("variant=none",)), tmp_path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (RunOptions(scale=-1), "--scale must be above 0, but is -1"),
        (RunOptions(scale=float("nan")), "--scale must be above 0, but is nan"),
        (
            RunOptions(scale=1e30),
            "scale 1e\\+30 makes 1e\\+32 jobs of rw_4kb:100:oneshot; a phase may have 10,000,000 at",
        ),
        (RunOptions(repetitions=0), "--repetitions must be from 1 to 1000, but is 0"),
    ],
)
def test_wrong_option_is_named(experiment: Path, tmp_path: Path, options: RunOptions, message: str) -> None:
    with pytest.raises(InputError, match=message):
        choose(experiment, options, tmp_path)


def test_full_form_of_an_experiment_without_a_small_one_is_refused(experiment: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="states no small form"):
        choose(experiment, RunOptions(full=True), tmp_path)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("[fixed-4, ours]", "[fixed-4, our]", "small.variants: unknown variant 'our'; did you mean 'ours'?"),
        ("[fixed-4, ours]", "[ours]", "small.variants: none is fixed, and versus is optimal-fixed"),
        ("rw_4kb:7:oneshot", "rw_4kb:7", "small.disk.small must be workload:jobs:arrivals"),
        ("rw_4kb:7:oneshot", "rw_4k:7:oneshot", "small.disk.small: unknown workload 'rw_4k'; did you mean 'rw_4kb'"),
        ("files: 5", "pools: 5", "unknown setting 'pools'"),
        ("files: 5", "file: 5", "unknown setting 'file'; did you mean 'files'?"),
    ],
)
def test_wrong_small_form_is_named(experiment: Path, before: str, after: str, message: str) -> None:
    experiment.write_text(TEXT + SMALL.replace(before, after), encoding="utf-8")
    with pytest.raises(InputError) as error:
        read_disk_experiment(experiment)
    assert message in str(error.value)


def test_scale_is_a_factor_on_jobs(experiment: Path) -> None:
    stated = read_disk_experiment(experiment).model_copy(update={"scale": 0.25})
    assert plan(stated, Path(), ())[6].phases == ("rw_2mb:3:30ms", "rw_2mb:5:oneshot")


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("rw_4kb:100:oneshot", "rw_4k:100:oneshot", "unknown workload 'rw_4k'; did you mean 'rw_4kb'"),
        (
            "rw_4kb:100:oneshot",
            "rw_4kb:0:oneshot",
            "disk.small must be workload:jobs:arrivals, such as rw_2mb:1500:oneshot, but is 'rw_4kb:0:oneshot'",
        ),
        ("rw_2mb:20:oneshot", "20", "disk.mixed[2] must be a text, but is 20"),
        ("size: [1, 4, 8]", "sice: 1", "needs settings: {size"),
        ("size: [1, 4, 8]", "size: [1, many]", "whole numbers from 1 to 1024, but has many"),
        ("size: [1, 4, 8]", "size: [0, 4]", "whole numbers from 1 to 1024, but has 0"),
        ("size: [1, 4, 8]", "size: [1, 2.5]", "whole numbers from 1 to 1024, but has 2.5"),
        ("ours:", "fixed-4:", "pools: two variants are called fixed-4"),
        ("ours:", "../ours:", "pools: '../ours' is no name of a variant"),
        ("small:", "a/b:", "disk: 'a/b' is no name of a workload"),
        ("initial: 8", "initail: 8", "unknown setting 'initail'; did you mean 'initial'?"),
        ("initial: 8", "initial: many", "pools.ours.initial must be a whole number, but is 'many'"),
        (
            "controller: response-curve, initial",
            "controller: response-curv, initial",
            "unknown controller 'response-curv'; did you",
        ),
        (
            "controller: response-curve, initial: 8, window: 500ms",
            "runtime: node, controller: throughput, initial: 8",
            "known: fixed, response-curve, sc",
        ),
        (
            "controller: response-curve, initial",
            "controller: adoc, initial",
            "pools.ours.controller: unknown controller 'adoc'",
        ),
        (
            "objective: disk-throughput",
            "objective: .nan",
            "pools.ours.settings.objective must be a text, a finite number, true or ",
        ),
        (
            "question: Which pool is the fastest?",
            "qestion: Which?",
            "unknown setting 'qestion'; did you mean 'question'?",
        ),
        ("question: Which pool is the fastest?", "", "the setting 'question' is missing"),
        ("initial: 8", "initial: 8, minimum: 9", "needs minimum <= initial <= maximum, but has 9, 8, 64"),
        ("repetitions: 2", "versus: fixd-4", "unknown variant 'fixd-4'; did you mean 'fixed-4'"),
        ("repetitions: 2", "published: no.csv", "there is no file"),
        (
            "decisions: computed",
            "decisions: compute",
            "pools.computed.decisions: unknown value 'compute'; did you mean 'computed'?",
        ),
        ("disk:", "engine: rocksdb\ndisk:", "unknown workload 'rw_4kb'"),
        (
            "rw_4kb:100:oneshot",
            "rw_4kb:10000001:oneshot",
            "disk.small must have 10,000,000 jobs at most, but is 'rw_4k",
        ),
        ("rw_4kb:100:oneshot", "mixed:100:oneshot", "disk.small: unknown workload 'mixed'"),
        ("repetitions: 2", "layout: families=2", "layout: is that of a RocksDB, and needs engine: rocksdb"),
        (
            "controller: response-curve, initial: 8",
            "runtime: node, controller: response-curve, initial: 8",
            "pools.ours has a setting window, which has no effect with runtime: node",
        ),
        (
            "controller: response-curve, initial: 8, window: 500ms, settings: {",
            "runtime: node, controller: response-curve, initial: 8, settings: {tolerance: 0.1, ",
            "has runtime: node, where response-curve takes objective alone, but has tolerance",
        ),
        ("repetitions: 2", "java: 8", "java must be a version, 17 or later"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(experiment: Path, before: str, after: str, message: str) -> None:
    experiment.write_text(TEXT.replace(before, after), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_disk_experiment(experiment)
    assert message in str(caught.value)
    assert str(caught.value).startswith(f"{experiment}:")


DISK_EXPERIMENTS = [
    *("disk/arrivals", "disk/single-phase", "disk/multi-phase", "disk/overhead", "disk/parameters"),
    *("node", "rocksdb", "rocksdb/bulkload.yaml", "virtual-files"),
]


@pytest.mark.parametrize("name", DISK_EXPERIMENTS)
def test_experiments_of_the_project_can_be_listed(poolkeeper: CommandLine, name: str) -> None:
    listed = poolkeeper(PROJECT, f"run experiments/{name} --list")
    assert listed.code == 0, listed
    assert "runs" in listed.out

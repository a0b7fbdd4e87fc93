"""Experiments as files: those of this project, and faults that are told in a line."""

from __future__ import annotations

from pathlib import Path

import pytest
from experiment_files import GOOD, read, refusal
from hypothesis import given
from hypothesis import strategies as st

from poolkeeper.disk.definition import is_disk_experiment
from poolkeeper.errors import InputError
from poolkeeper.experiment.definition.read import read_experiment
from poolkeeper.experiment.definition.write import resolved
from poolkeeper.experiment.planning.plan import plan
from poolkeeper.study import PUBLISHED
from poolkeeper.study.source import read_source

EXPERIMENTS = Path(__file__).parents[4] / "experiments"
OTHERS = (
    "response-curve/long.yaml",
    "server-architectures/handlers.yaml",
    *(f"real-work/{name}.yaml" for name in ("curves", "phases", "arrivals", "random", "mixed", "steady")),
)
FILES = [
    *(file for file in sorted(EXPERIMENTS.glob("*/matrix.yaml")) if not is_disk_experiment(file)),
    *(EXPERIMENTS / name for name in OTHERS),
]


def test_a_good_file_is_read(tmp_path: Path) -> None:
    assert read(tmp_path, GOOD)


@pytest.mark.parametrize(
    ("good", "bad", "line", "output"),
    [
        ("application", "aplication", 2, "unknown setting 'aplication'; did you mean 'application'? known: name, "),
        (
            "prime1m",
            "prime1",
            2,
            "application[1]: unknown application 'prime1'; did you mean 'prime1m'? known: prime1m",
        ),
        ("[prime1m, dbwrite]", "prime1", 2, "application: unknown application 'prime1'; did you mean 'prime1m'?"),
        ("dbwrite", "prime1m", 2, "application holds prime1m twice"),
        ("[prime1m, dbwrite]", "[]", 2, "application must hold at least one value"),
        ("[1, 2]", "[1, 0]", 4, "pools.fixed.size must be at least 1, but is 0"),
        ("[1, 2]", "[]", 4, "size must hold at least one value"),
        ("[1, 2]", "1.5", 4, "pools.fixed.size must be a whole number, but is 1.5"),
        ("[1, 2]", "yes", 4, "pools.fixed.size must be a whole number, but is True"),
        ("[1, 2]", "[1, 300]", 4, "size 300 of fixed-300 is not within its bounds 1..256"),
        (
            "[1, 2]}",
            "[1, 2], step: 3}",
            4,
            "unknown setting 'step'; did you mean 'size'? known: balancer, back_ends, kill_after, window, bounds, ",
        ),
        ("step: 5", "stepp: 5", 5, "unknown setting 'stepp'; did you mean 'step'?"),
        ("step: 5", "threshold: 5", 5, "pools.own.threshold must be below 1, but is 5"),
        ("step: 5", "threshold: 0", 5, "pools.own.threshold must be above 0, but is 0"),
        ("step: 5", "lock: -1", 5, "pools.own.lock must be at least 0, but is -1"),
        ("step: 5", "window: 0s", 5, "pools.own.window must be longer than 0"),
        ("step: 5", "initial: 300", 5, "initial 300 of own is not within its bounds 1..256"),
        ("step: 5", "bounds: 10..2", 5, "pools.own.bounds must have minimum <= maximum, but are 10..2"),
        ("step: 5", "bounds: 0..2", 5, "pools.own.bounds must begin at 1 or above, but are 0..2"),
        ("step: 5", "bounds: 7", 5, "pools.own.bounds must be MIN..MAX, such as 1..256, but is 7"),
        ("step: 5", "step: &a [*a]", 5, "this alias stands for what it is part of"),
        ("throughput", "throughptu", 5, "unknown controller 'throughptu'; did you mean 'throughput'?"),
        ("controller: throughput, step", "step", 5, "own needs a size or a controller"),
        ("controller: throughput", "controller: fixed", 5, "unknown setting 'step'; did you mean 'size'?"),
        ("{controller: throughput, step: 5}", "{controller: fixed}", 5, "pools.own: the setting 'size' is missing"),
        ("{controller: throughput, step: 5}", "3", 5, "pools.own must be a mapping of settings, but is 3"),
        (
            "controller: throughput, step: 5",
            "admission: vegas",
            5,
            "pools.own.admission: unknown admission 'vegas'; did you mean 'netflix-vegas'?",
        ),
        (
            "controller: throughput, step: 5",
            "admission: fixed:0",
            5,
            "pools.own.admission: unknown admission 'fixed:0'",
        ),
        (
            "controller: throughput, step: 5",
            "admission: none, size: 3",
            5,
            "own has an admission, which takes the place of its size",
        ),
        (
            "controller: throughput, step: 5",
            "admission: none, patience: 1s",
            5,
            "pools.own has a setting patience, which belongs to",
        ),
        (
            "controller: throughput, step: 5",
            "admission: none, bounds: 1..2",
            5,
            "pools.own has a setting bounds, which belongs to",
        ),
        (
            "controller: throughput, step: 5",
            "admission: adaptive, patience: 5",
            5,
            "pools.own.patience must be a number with",
        ),
        (
            "controller: throughput, step: 5",
            "admission: adaptive, objective: fast",
            5,
            "pools.own.objective must be throughput, ",
        ),
        (
            "controller: throughput, step: 5",
            'admission: adaptive, objective: "goodput:5"',
            5,
            "pools.own.objective must be a number",
        ),
        ("controller: throughput, step: 5", "admission: adaptive, step: 5", 5, "unknown setting 'step'"),
        ("own", "fixed-1", 5, "a second variant has the name 'fixed-1'"),
        ("own", "so und so", 5, "a variant 'so und so' must be letters, digits"),
        ("versus: fixed-1", "versus: fixed-3", 9, "versus: unknown variant 'fixed-3'; did you mean 'fixed-2'?"),
        ("question: Which?", "question:", 1, "question must be a text, but is nothing"),
        ("question: Which?\n", "", 1, "the setting 'question' is missing"),
        ("question: Which?", "question: Which?\nquestion: Why?", 2, "'question' stands here for the second time"),
        ("question: Which?", "question: [Which?", 1, "is not YAML: "),
        ("question: Which?", "question: Which?\nscale: -1", 2, "scale must be above 0, but is -1"),
        ("question: Which?", "question: Which?\nscale: .inf", 2, "scale must be a finite number, but is inf"),
        ("question: Which?", "question: Which?\nscale: large", 2, "scale must be a number, but is 'large'"),
        ("question: Which?", "question: Which?\nrepetitions: 0", 2, "repetitions must be at least 1, but is 0"),
        (
            "question: Which?",
            "question: Which?\norder: interleavd",
            2,
            "order: unknown value 'interleavd'; did you mean 'inter",
        ),
        (
            "question: Which?",
            "question: Which?\nconnections: pool:0",
            2,
            "connections must be per-request, or pool:N with",
        ),
        ("question: Which?", "question: Which?\nn: 1", 2, "n must be at least 2, but is 1"),
        ("question: Which?", "question: Which?\nn: 11", 2, "n belongs to the application prime, which is not among"),
        ("question: Which?", "question: Which?\nwarm_up: -1s", 2, "warm_up must not be negative, but is -1s"),
        (
            "question: Which?",
            "question: Which?\nwarm_up: stedy",
            2,
            "warm_up must be steady, or a number with its unit",
        ),
        (
            "question: Which?",
            "question: Which?\nwarm_up: {until: stedy}",
            2,
            "warm_up.until: unknown value 'stedy'; did",
        ),
        ("question: Which?", "question: Which?\nwarm_up: {size: 3}", 2, "warm_up needs either for or until"),
        (
            "question: Which?",
            "question: Which?\nwarm_up: {for: 2s, within: 30s}",
            2,
            "warm_up has a setting within, which",
        ),
        (
            "question: Which?",
            "question: Which?\nwarm_up: {until: steady, within: 9s}",
            2,
            "warm_up has within 9s, which must",
        ),
        (
            "question: Which?",
            "question: Which?\nwarm_up: {for: 2s, sise: 3}",
            2,
            "unknown setting 'sise'; did you mean 'size'?",
        ),
        (
            "question: Which?",
            "question: Which?\nwarm_up: {for: 2s, size: 999}",
            2,
            "warm_up.size 999 is not within the bounds 1..256",
        ),
        (
            "question: Which?",
            "question: Which?\nserver: per-cell",
            2,
            "server: unknown value 'per-cell'; did you mean 'per-run'?",
        ),
        (
            "question: Which?",
            "question: Which?\ncontroller: fixed",
            2,
            "controller: unknown controller 'fixed'; known: thr",
        ),
        ("step: 5", "bounds: 1..1000000000", 5, "pools.own.bounds must end at 100000 or below"),
        (
            "step: 5",
            "window: 6m",
            5,
            "window of own must not be longer than the shortest phase of the load, but",
        ),
        (
            "question: Which?",
            "question: Which?\nwindow: 301s",
            2,
            "window of fixed-1 must not be longer than the",
        ),
        (
            "question: Which?",
            "question: Which?\nrepetitions: 1000000",
            2,
            "repetitions must be at most 1000, but",
        ),
        ("question: Which?", "question: Which?\nname: a/b", 2, "name: string should match pattern"),
    ],
)
def test_what_is_wrong_is_told_with_its_line_and_the_nearest_word(
    tmp_path: Path, good: str, bad: str, line: int, output: str
) -> None:
    assert refusal(tmp_path, GOOD.replace(good, bad, 1)).startswith(f":{line}: {output}")


def test_bounds_and_initial_size_are_a_pair_even_where_all_pools_are_fixed(tmp_path: Path) -> None:
    fixed = GOOD.replace("  own: {controller: throughput, step: 5}\n", "bounds: 1..4\ninitial: 5\n")
    with pytest.raises(InputError, match=r"asked.yaml:6: initial 5 is not within the bounds 1\.\.4$"):
        read(tmp_path, fixed)
    assert read(tmp_path, fixed.replace("initial: 5", "initial: 4"))


@pytest.mark.parametrize(
    ("content", "output"),
    [
        (b"", "an experiment is a mapping"),
        (b"- a", "an experiment is a mapping"),
        (b"\xff\xfe\xff", "is not UTF-8 text"),
    ],
)
def test_what_is_no_experiment_at_all(tmp_path: Path, content: bytes, output: str) -> None:
    file = tmp_path / "asked.yaml"
    file.write_bytes(content)
    with pytest.raises(InputError, match=output):
        read_experiment(file)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.yaml: cannot be read: No such file or directory"):
        read_experiment(tmp_path / "none.yaml")


@given(st.text(alphabet="abz019 :-[]{}&*!|>'\"\n#,.?%@`\t\x00", max_size=60))
def test_any_text_is_read_or_refused_in_one_line(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    file = tmp_path_factory.getbasetemp() / "any.yaml"
    file.write_text(text, encoding="utf-8")
    refused = ""
    try:
        source = read_source(file)
    except InputError as error:
        refused = str(error)
    assert "\n" not in refused
    assert refused or isinstance(source.data, dict)


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_the_experiments_of_this_project_are_right(file: Path, tmp_path: Path) -> None:
    experiment = read_experiment(file)
    assert experiment.name == file.parent.name or file.stem != "matrix"
    assert experiment.versus
    assert plan(experiment, tmp_path)
    assert plan(experiment.model_copy(update={"scale": 1.0}), tmp_path)


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_an_experiment_that_is_written_back_is_the_same(file: Path, tmp_path: Path) -> None:
    experiment = read_experiment(file)
    again = tmp_path / "experiment.yaml"
    again.write_text(resolved(experiment), encoding="utf-8")
    copy = tmp_path / PUBLISHED
    if experiment.published:
        copy.write_bytes(Path(experiment.published).read_bytes())
        experiment = experiment.model_copy(update={"published": str(copy)})
    assert read_experiment(again) == experiment


def test_settings_that_no_experiment_of_the_project_states_are_written_back(tmp_path: Path) -> None:
    file, again = tmp_path / "stated.yaml", tmp_path / "experiment.yaml"
    rare = "goodput_within: 200ms\njava: {}\ndownstream: {call: {latency: 20ms}}\nquotas: {server: 0.5, settle: 2s}\n"
    file.write_text(GOOD.replace("prime1m, dbwrite", "prime1m, call") + rare, encoding="utf-8")
    again.write_text(resolved(read_experiment(file)), encoding="utf-8")
    assert read_experiment(again).model_copy(update={"name": "stated"}) == read_experiment(file)

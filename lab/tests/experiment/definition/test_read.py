"""Experiments as files: those of this project, and faults of a load, each told in a line."""

from __future__ import annotations

from pathlib import Path

import pytest
from experiment_files import GOOD, PHASES, USERS, read, refusal
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
        ("users: 3", "users: 3\n  threads: 65", 8, "load.threads must be at most 64, but is 65"),
        ("users: 3", "users: 3\n  threads: 0", 8, "load.threads must be at least 1, but is 0"),
        ("users: 3", "users: 0", 7, "load.users must be at least 1, but is 0"),
        ("users: 3", "user: 3", 7, "unknown setting 'user'; did you mean 'users'? known: users, open, half-open, for"),
        ("users: 3", "users: [1, 1]", 7, "load.users holds 1 twice"),
        ("5m", "-5m", 8, "load.for must not be negative, but is -5m"),
        ("5m", "300", 8, "load.for must be a number with its unit, such as 500ms, 10s, 5m or 1h, but is 300"),
        ("5m", "0s", 8, "load.for must be longer than 0"),
        ("  for: 5m\n", "", 6, "load needs either users and for, or phases"),
        (PHASES, "  phases: []", 6, "load needs either users and for, or phases"),
        (PHASES, "  phases: [{users: 0, for: 1s}]", 6, "load has no phase with a user"),
        (
            PHASES,
            "  phases: [{users: 1, fro: 1s}]",
            7,
            "unknown setting 'fro'; did you mean 'for'? known: users, rate, for",
        ),
        (PHASES, "  phases: [{users: 0 to 0, for: 1s}]", 6, "load has no phase with a user"),
        (
            PHASES,
            "  phases: [{users: 1 to -3, for: 1s}]",
            7,
            "load.phases[1].users must be a whole number within 0..64000, ",
        ),
        (PHASES, "  phases: [{users: 1 to 65000, for: 1s}]", 7, "load.phases[1].users must be a whole number within"),
        (PHASES, "  phases: [{users: 1 to 5, for: 0s}]", 7, "load.phases[1].for must be longer than 0"),
        (
            PHASES,
            "  open:\n  phases: [{rate: 1 to 5/s, for: 1s}]",
            8,
            "load.phases[1].rate must be a rate such as 500/s, ",
        ),
        (
            PHASES,
            "  open:\n  phases: [{rate: -1/s to 5/s, for: 1s}]",
            8,
            "load.phases[1].rate must be within 0..1,000,000 a second, but is -1",
        ),
        (USERS, "  users: 1 to 5\n", 7, "load.users is a ramp, which stands in phases: they say how long"),
        (USERS, "  open: {rate: 1/s to 5/s}\n", 7, "load.open.rate is a ramp, which stands in phases"),
        (PHASES, "  phases:\n    - {users: 1, for: 1s}\n    - {users: -1, for: 1s}", 9, "load.phases[2].users must be"),
        (USERS, "  open: {rate: 0}\n", 7, "load.open.rate must be above 0"),
        (USERS, "  open: {rate: -5/s}\n", 7, "load.open.rate must be within 0..1,000,000 a second, but is -5/s"),
        (USERS, "  open: {rate: .nan}\n", 7, "load.open.rate must be within 0..1,000,000 a second, but is nan"),
        (USERS, "  open: {rate: fast}\n", 7, "load.open.rate must be a number of arrivals a second, or a text such as"),
        (USERS, "  open: {rate: [5, 5]}\n", 7, "load.open.rate holds 5.0 twice"),
        (
            USERS,
            "  open: {rtae: 5}\n",
            7,
            "unknown setting 'rtae'; did you mean 'rate'? known: rate, arrivals, connections",
        ),
        (USERS, "  opne: {rate: 5}\n", 7, "unknown setting 'opne'; did you mean 'open'?"),
        (
            USERS,
            "  open: {rate: 5, arrivals: poison}\n",
            7,
            "load.open.arrivals: unknown arrivals 'poison'; did you mean 'poisson'? known: poisson, constant, {pe",
        ),
        (
            USERS,
            "  open: {rate: 5, arrivals: bursty}\n",
            7,
            "load.open.arrivals that are bursty need their figures: {peak: 5, burst: 1s, quiet: 9s}",
        ),
        (
            USERS,
            "  open: {rate: 5, arrivals: {peak: 11, burst: 1s, quiet: 9s}}\n",
            7,
            "load.open.arrivals must have a peak above 1 and at most (burst + quiet) / burst = 10, but it is 11",
        ),
        (USERS, "  open: {rate: 5, connections: 0}\n", 7, "load.open.connections must be at least 1, but is 0"),
        (USERS, "  open: {rate: 5}\n  users: 3\n", 6, "load has users and open, which exclude each other"),
        (
            USERS,
            "  open: {rate: 5}\n  think_time: 5ms\n",
            6,
            "load has a think_time, which belongs to users who send more",
        ),
        (USERS, "  open:\n", 6, "load needs either a rate and for, or phases"),
        (PHASES, "  open: {}\n  phases: [{users: 5, for: 1s}]", 6, "load is open, so phase 1 needs a rate"),
        (PHASES, "  phases: [{rate: 5, for: 1s}]", 6, "load is closed, so phase 1 needs users"),
        (PHASES, "  phases: [{rate: 5, users: 5, for: 1s}]", 7, "load.phases[1] needs either users or a rate"),
        (PHASES, "  open: {}\n  phases: [{rate: 0, for: 1s}]", 6, "load has no phase with arrivals"),
        (USERS, "  half-open: {rate: 5}\n", 7, "load.half-open needs either stay or a chain"),
        (USERS, "  half-open: {rate: 5, stay: 1}\n", 7, "load.half-open.stay must be below 1, but is 1"),
        (
            USERS,
            "  half-open: {rate: 5, stay: 0.5}\n  think_time: -5ms\n",
            8,
            "load.think_time must not be negative, but is -5ms",
        ),
        (
            USERS,
            "  half-open: {rate: 5, chain: {first: a, next: {a: {a: 0.5, end: 0.4}}}}\n",
            7,
            "load.half-open.chain.next must have probabilities that sum to 1 after a, but they sum to 0.9",
        ),
        (
            USERS,
            "  half-open: {rate: 5, chain: {first: a, next: {a: {b: 1}}}}\n",
            7,
            "load.half-open.chain.next must say what follows b, which may follow a",
        ),
        (
            USERS,
            "  half-open: {rate: 5, chain: {first: c, next: {c: {a: 0.1, end: 0.9}, a: {b: 1, end: 0}, b: {a: 1}}}}\n",
            7,
            "load.half-open.chain never comes to end once it is at a, so that users would only pile up",
        ),
        (
            USERS,
            "  half-open: {rate: 5, chain: {first: c, next: {c: {a: 0.1, end: 0.9}, a: {b: 1}, b: {back: 1}}}}\n",
            7,
            "load.half-open.chain never comes to end once it is at a, so that users would only pile up",
        ),
        (
            USERS,
            "  half-open: {rate: 5, chain: {first: a, next: {a: {back: 1}}}}\n",
            7,
            "load.half-open.chain must say what follows a where a session begins, but knows only back",
        ),
        (
            USERS,
            "  half-open: {rate: 5, chain: {first: a, next: {a: {end: 1}, back: {a: 1}}}}\n",
            7,
            "load.half-open.chain.next must not name a request back, which stands for the one before",
        ),
        (
            USERS,
            "  half-open: {rate: 5, stay: 0.5, http: {a: /prime}}\n",
            7,
            "load.half-open has a setting http, which belongs to a chain",
        ),
        (
            USERS,
            "  half-open: {rate: 5, chain: {first: abc, next: {abc: {end: 1}}}, http: {abd: /prime}}\n",
            7,
            "load.half-open has in http an unknown request 'abd'; did you mean 'abc'?",
        ),
        (
            USERS,
            "  half-open: {rate: 5, chain: {first: a, next: {a: {end: 1}}}, http: {a: /prim}}\n",
            7,
            "load.half-open.http.a.path must ask for an application, as /prime does: unknown application 'prim'; did",
        ),
        (
            USERS,
            "  half-open: {rate: 5, chain: {first: a, next: {a: {end: 1}}}, http: {a: prime}}\n",
            7,
            "load.half-open.http.a.path must be a path of visible ASCII that begins with / and has no #, but is prime",
        ),
        (
            USERS,
            "  half-open: {rate: 5, chain: {first: a, next: {a: {end: 1}}}, http: {a: {path: /prime, methd: GET}}}\n",
            7,
            "unknown setting 'methd'; did you mean 'method'? known: method, path",
        ),
        ("5m", "1000000000s", 8, "load.for must be at most 720h, but is 1000000000s"),
        ("users: 3", "users: 1000000000", 7, "load.users must be at most 64000, but is 1000000000"),
        (PHASES, "  phases: [{users: 99999, for: 1s}]", 7, "load.phases[1].users must be a whole number within 0..6"),
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
        (b"", "is not a mapping of settings, such as"),
        (b"- a", "is not a mapping of settings, such as"),
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

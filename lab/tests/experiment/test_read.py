from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolkeeper.disk.definition import is_disk_experiment
from poolkeeper.errors import InputError
from poolkeeper.experiment.definition.read import read_experiment
from poolkeeper.experiment.definition.write import resolved
from poolkeeper.experiment.planning.plan import plan
from poolkeeper.study import PUBLISHED
from poolkeeper.study.source import read_source

EXPERIMENTS = Path(__file__).parents[3] / "experiments"
OTHERS = (
    "response-curve/long.yaml",
    "server-architectures/handlers.yaml",
    *(f"real-work/{name}.yaml" for name in ("curves", "phases", "arrivals", "random", "mixed", "steady")),
)
FILES = [
    *(file for file in sorted(EXPERIMENTS.glob("*/matrix.yaml")) if not is_disk_experiment(file)),
    *(EXPERIMENTS / name for name in OTHERS),
]
GOOD = """\
question: Which?
application: [prime1m, dbwrite]
pools:
  fixed: {size: [1, 2]}
  own: {controller: throughput, step: 5}
load:
  users: 3
  for: 5m
versus: fixed-1
"""
PHASES = "  users: 3\n  for: 5m"
USERS = "  users: 3\n"


def read(folder: Path, text: str) -> object:
    file = folder / "asked.yaml"
    file.write_text(text, encoding="utf-8")
    return read_experiment(file)


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
        (USERS, "  open: {rate: 5}\n  users: 3\n", 6, "load has users and open, of which it can be but one"),
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
    with pytest.raises(InputError) as error:
        read(tmp_path, GOOD.replace(good, bad, 1))
    message = str(error.value).removeprefix(str(tmp_path / "asked.yaml"))
    assert message.startswith(f":{line}: {output}")
    assert "\n" not in message
    assert error.value.exit_code == 2


def test_bounds_and_initial_size_are_a_pair_even_where_all_pools_are_fixed(tmp_path: Path) -> None:
    fixed = GOOD.replace("  own: {controller: throughput, step: 5}\n", "bounds: 1..4\ninitial: 5\n")
    with pytest.raises(InputError, match=r"asked.yaml:6: initial 5 is not within the bounds 1\.\.4$"):
        read(tmp_path, fixed)
    assert read(tmp_path, fixed.replace("initial: 5", "initial: 4"))


@pytest.mark.parametrize(
    ("content", "output"),
    [
        (b"", "is no mapping of settings, such as"),
        (b"- a", "is no mapping of settings, such as"),
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


CLAIMS = """claims:
  - {claim: More is more, source: A paper, of: fixed-2, to: fixed-1, where: {application: prime1m, users: 3}, above: 1}
  - {claim: And again, figure: p99, of: own, to: [fixed-1, fixed-2], below: 1.5}
published: figures.csv
"""


def test_claims_and_published_figures_are_read_and_written_back(tmp_path: Path) -> None:
    (tmp_path / "figures.csv").write_text("variant,mean_ms\nown,1\n", encoding="utf-8")
    file = tmp_path / "asked.yaml"
    file.write_text(GOOD + CLAIMS, encoding="utf-8")
    experiment = read_experiment(file)
    assert [claim.figure for claim in experiment.claims] == ["throughput", "p99"]
    assert experiment.claims[0].where == {"application": ("prime1m",), "users": ("3",)}
    (tmp_path / PUBLISHED).write_bytes((tmp_path / "figures.csv").read_bytes())
    (tmp_path / "experiment.yaml").write_text(resolved(experiment), encoding="utf-8")
    again = read_experiment(tmp_path / "experiment.yaml")
    assert (again.name, again.claims) == ("asked", experiment.claims)


@pytest.mark.parametrize(
    ("good", "bad", "line", "output"),
    [
        ("of: fixed-2", "of: fixed-3", 11, "claims[1].of: unknown variant 'fixed-3'; did you mean 'fixed-2'?"),
        ("of: fixed-2", "of: fixd-*", 11, "claims[1] needs one * in each name of `of` and `to`, or"),
        ("users: 3}", "user: 3}", 11, "claims[1].where: unknown axis 'user'; did you mean 'users'?"),
        ("users: 3}", "users: 4}", 11, "claims[1].where.users: unknown users '4'; known: 3"),
        ("figure: p99", "figure: p98", 12, "claims[2].figure: unknown value 'p98'; did you mean 'p99'?"),
        (", below: 1.5", "", 12, "claims[2] needs above or below: the ratio that it claims"),
        ("below: 1.5", "belo: 1.5", 12, "unknown setting 'belo'; did you mean 'below'?"),
        ("claim: And again", "claim: More is more", 10, "claims say twice: More is more"),
        ("figures.csv", "nothing.csv", 13, "published: there is no file "),
    ],
)
def test_what_is_wrong_in_claims_is_told_with_its_line(
    tmp_path: Path, good: str, bad: str, line: int, output: str
) -> None:
    (tmp_path / "figures.csv").write_text("variant,mean_ms\nown,1\n", encoding="utf-8")
    with pytest.raises(InputError) as refused:
        read(tmp_path, (GOOD + CLAIMS).replace(good, bad))
    assert str(refused.value).startswith(f"{tmp_path / 'asked.yaml'}:{line}: ")
    assert output in str(refused.value)

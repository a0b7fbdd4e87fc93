"""Faults of the settings of an experiment, each told in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from experiment_files import GOOD, refusal

if TYPE_CHECKING:
    from pathlib import Path


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
        ("controller: throughput", "controller: {a: 1}", 5, "controller of own must be a text, but is {'a': 1}"),
        ("controller: throughput", "controller: 5", 5, "controller of own must be a text, but is 5"),
        ("{size: [1, 2]}", "{siez: [1, 2]}", 4, "unknown setting 'siez'; did you mean 'size'?"),
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
def test_a_fault_of_a_setting_is_told_with_its_line(
    tmp_path: Path, good: str, bad: str, line: int, output: str
) -> None:
    assert refusal(tmp_path, GOOD.replace(good, bad, 1)).startswith(f":{line}: {output}")

from __future__ import annotations

import math
import shutil
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from simulator import simulate

from poolkeeper import results
from poolkeeper.errors import DataError, InputError
from poolkeeper.record import read_run
from poolkeeper.scalability import Law, LoadLevels, Usl

if TYPE_CHECKING:
    from poolkeeper.arrays import Floats

LAW = Law(100.0, 0.05, 0.001)


def staircase(steps: list[int], seconds: int, *, ramp: int, seed: int = 1) -> tuple[Floats, Floats]:
    """Users and completions of each second: ramps between the levels, and a warm-up of ten seconds in each."""
    rng = np.random.default_rng(seed)
    users: list[float] = []
    for low, high in zip([0, *steps[:-1]], steps, strict=True):
        users += np.linspace(low, high, ramp + 2)[1:-1].round().tolist()
        users += [high] * seconds
    n = np.array(users)
    rate = LAW.throughput(np.maximum(n, 1))
    since = np.tile(np.concatenate([np.zeros(ramp), np.arange(seconds)]), len(steps))
    rate = rate * (1 - 0.6 * np.exp(-since / 5))
    return n, rng.poisson(rate).astype(float)


def test_levels_are_found_and_ramps_and_warm_ups_left_out() -> None:
    steps = [1, 4, 16, 32, 64, 128]
    users, completions = staircase(steps, 80, ramp=20)

    found = LoadLevels.of(users, completions, response_s=np.full(users.size, 0.02))

    assert found.users.tolist() == steps
    # a ramp that rounds to the level's users belongs to it
    assert all(abs(level.start_s - (100 * k + 20)) <= 10 for k, level in enumerate(found.levels))
    for level in found.levels:
        assert level.warm_up_s >= 3, level
        # Poisson counts at the lowest level: a standard error of 1.1 %
        assert level.throughput.value == pytest.approx(LAW.throughput(level.users), rel=0.045)
    law = Usl().fit(found.users, found.throughput).law_
    assert law.peak_concurrency == pytest.approx(LAW.peak_concurrency, rel=0.2)


def test_levels_may_come_again_and_gaps_count_as_the_users_before() -> None:
    users = np.repeat([5.0, 10.0, 5.0], 40)
    users[50:53] = np.nan
    found = LoadLevels.of(users, np.full(120, 7.0))

    assert found.users.tolist() == [5, 10, 5]
    assert found.throughput.tolist() == [7, 7, 7]


def test_silence_between_levels_is_no_part_of_them() -> None:
    users = np.repeat([8.0, np.nan, 16.0, np.nan], [40, 5, 40, 5])
    completions = np.repeat([300.0, 0.0, 500.0, 0.0], [40, 5, 40, 5])

    found = LoadLevels.of(users, completions)

    assert found.throughput.tolist() == pytest.approx([300, 500])
    assert [level.end_s - level.start_s for level in found.levels] == [40, 40]
    assert "10.0 s at the ends of levels had no answer, and were left out" in found.notes


def test_few_answers_are_no_silence() -> None:
    found = LoadLevels.of(np.full(60, 4.0), np.tile([1.0, 0.0, 0.0, 0.0, 0.0, 0.0], 10))

    assert found.levels[0].end_s - found.levels[0].start_s == 60
    assert not any("no request" in note for note in found.notes)


def test_a_slow_ramp_is_no_level() -> None:
    users = np.concatenate([np.arange(100, 160, 0.5).round(), np.full(120, 160)])

    assert LoadLevels.of(users, np.full(240, 50.0)).users.tolist() == [160]
    with pytest.raises(DataError, match="users: no number of them was held for 10 s or more"):
        LoadLevels.of(np.arange(1, 200), np.ones(199))


def test_think_times_failures_and_unsettled_levels_are_named() -> None:
    users = np.repeat([50.0, 100.0], 60)
    counts = np.concatenate([np.full(60, 100.0), np.linspace(100, 400, 60)])
    found = LoadLevels.of(users, counts, response_s=np.full(120, 0.05), all_=counts * 1.1)

    assert any("think" in note for note in found.notes)
    assert any("failed" in note for note in found.notes)
    assert any("settled at 100 users" in note for note in found.notes)
    assert found.in_system[0] == pytest.approx(5)


def test_jtl_with_all_threads(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    rows = ["timeStamp,elapsed,label,responseCode,success,allThreads"]
    at = 1_750_000_000_000
    for users in (2, 8, 32):
        for second in range(30):
            count = int(LAW.throughput(users))
            ends = np.sort(rng.integers(0, 1000, count))
            elapsed = round(1000 * float(LAW.response_time(users)))
            rows += [f"{at + second * 1000 + end - elapsed},{elapsed},home,200,true,{users}" for end in ends]
        at += 30_000
    file = tmp_path / "results.jtl"
    file.write_text("\n".join(rows) + "\n", encoding="utf-8")

    found = LoadLevels.of_results(results.read(file))

    assert found.users.tolist() == [2, 8, 32]
    assert found.throughput == pytest.approx(np.floor(LAW.throughput([2, 8, 32])), rel=0.02)
    assert found.in_system == pytest.approx([2, 8, 32], rel=0.05)
    assert not found.notes


def test_run_record(tmp_path: Path) -> None:
    golden = Path(__file__).resolve().parents[3] / "contract/golden/v1/adaptive"
    folder = tmp_path / "run"
    shutil.copytree(golden, folder)
    head, *lines = (golden / "load.csv").read_text(encoding="utf-8").splitlines()
    first = lines[-1].split(",")
    start, longer = int(first[0]), []
    for k in range(60):
        users = 10 if k < 30 else 40
        cells = [start + k * 10**9, start + (k + 1) * 10**9, k // 30, users, 20 * users, 0, *first[6:]]
        longer.append(",".join(map(str, cells)))
    (folder / "load.csv").write_text("\n".join([head, *longer]) + "\n", encoding="utf-8")

    found = LoadLevels.of_run(read_run(folder))

    assert found.users.tolist() == [10, 40]
    assert found.throughput.tolist() == [200, 800]
    assert len(found.table().rows) == len(found.to_dict()["levels"]) == len(found.plot().series[0].x) == 2


def test_the_record_of_a_real_run_gives_the_levels_that_were_asked_for() -> None:
    # The load generator against a server of 16 threads, 12 s a level, on processors that others used too.
    folder = Path(__file__).parent / "data/record"
    found = LoadLevels.of_run(read_run(folder))
    law = Usl().fit(found.users, found.throughput)

    assert found.users.tolist() == [1, 2, 4, 8, 16]
    assert [level.end_s - level.start_s for level in found.levels] == pytest.approx([12] * 5)
    assert found.in_system == pytest.approx(found.users, rel=0.02)  # nobody thinks, so Little's law must give the users
    assert 0.9 < law.law_.throughput(16.0) / found.throughput[-1] < 1.1
    assert any("barely identified" in words for words in law.warnings_)


def test_a_run_record_read_as_results_has_the_same_levels() -> None:
    folder = Path(__file__).parent / "data/record"
    exact, read = LoadLevels.of_run(read_run(folder)), LoadLevels.of_results(results.read(folder))

    assert read.users.tolist() == exact.users.tolist()
    assert read.throughput == pytest.approx(
        exact.throughput, rel=0.15
    )  # whole seconds of the wall clock, not the run's
    assert read.in_system == pytest.approx(read.users, rel=0.15)


def test_a_run_in_virtual_time_gives_the_law_that_it_was_played_with(tmp_path: Path) -> None:
    steps = (1, 2, 4, 8, 16, 32, 64, 128)
    phases = ", ".join(f"{{users: {users}, for: 100s}}" for users in steps)
    rates = ", ".join(f"{n}: {float(LAW.throughput(n)):.6f}/s" for n in steps)
    model = f"""
        question: What does the service scale like?
        clients: {{kind: closed, phases: [{phases}]}}
        tiers: {{server: {{stations: {{law: {{rates: {{{rates}}}}}}}, work: [{{use: law, amount: exponential 1}}]}}}}
        run: {{replications: 1}}
        """
    (tmp_path / "model.yaml").write_text(textwrap.dedent(model), encoding="utf-8")
    simulate("model.yaml", "-o", "record", cwd=tmp_path)
    folder = next(file.parent for file in (tmp_path / "record").rglob("run.json"))

    found = LoadLevels.of_run(read_run(folder))
    fit = Usl().fit(found.users, found.throughput)

    assert found.users.tolist() == list(steps)
    assert found.in_system == pytest.approx(steps, rel=0.05)
    peak = fit.estimates_["peak_concurrency"]
    assert peak.low < LAW.peak_concurrency < peak.high
    assert peak.high / peak.low < 1.5


@pytest.mark.parametrize(
    ("users", "completions", "error", "named"),
    [
        ([math.nan] * 20, [1.0] * 20, DataError, "no interval says"),
        ([1.0] * 20, [1.0] * 19, DataError, "20 and 19 intervals"),
        ([1.0] * 20, [-1.0] * 20, DataError, "-1 is negative"),
        ([1.0] * 5, [1.0] * 5, DataError, "held for 10 s or more"),
        ([0.0] * 20, [1.0] * 20, DataError, "no number of them was held"),
    ],
)
def test_bad_series_are_named(users: list[float], completions: list[float], error: type[DataError], named: str) -> None:
    with pytest.raises(error, match=named):
        LoadLevels.of(users, completions)


def test_an_interval_of_no_length_is_named() -> None:
    with pytest.raises(InputError, match="every_s: 0 is not above 0"):
        LoadLevels.of([1.0] * 20, [1.0] * 20, every_s=0)

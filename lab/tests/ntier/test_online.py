"""Online comparison: its file, its load, runs in rounds that can be resumed, and the figures of each phase."""

from __future__ import annotations

import asyncio
import json
import math
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar

import jsonschema
import pytest
import yaml
from command_line import SCHEMA
from topologies import TEXT

from poolkeeper.commands.online import _answer
from poolkeeper.errors import InputError, RunError
from poolkeeper.ntier.online.comparison import HEADER, arrival, compare, read_run, run_all
from poolkeeper.ntier.online.mix import description, shares
from poolkeeper.ntier.online.run import OnlineRun, _Player
from poolkeeper.ntier.online.schedule import chosen, read_schedule, with_phases_of
from poolkeeper.ntier.online.views import GoodputView, PhasesView, verdict
from poolkeeper.ntier.tiers.load import SUMMARY

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkeeper.ntier.online.schedule import Contestant, Schedule

EXPERIMENTS = Path(__file__).resolve().parents[3] / "experiments" / "ntier"
CHAIN = {
    "first": "home",
    "next": {"home": {"read": 1}, "read": {"read": 0.5, "home": 0.25, "end": 0.25}},
}
LOAD = {"clients": {"kind": "closed", "users": 1, "chain": CHAIN}, "http": {"home": "/", "read": "/read"}, "for": "1s"}
FILE: dict[str, Any] = {
    "question": "Which sizes last?",
    "topology": "tiers.yaml",
    "phases": [
        {"name": "calm", "users": 10, "load": "load.yaml", "length": "40s"},
        {"name": "storm", "users": 99, "load": "load.yaml", "length": "20s", "database": 0.5},
    ],
    "contestants": {
        "small": {"threads": 2, "connections": 1},
        "large": {"threads": 200, "connections": 100},
        "pair": {"tuning": "coordinated", "threads": 200, "connections": 100},
    },
}


def written(folder: Path, document: dict[str, Any] | None = None) -> Path:
    (folder / "tiers.yaml").write_text(TEXT.replace("count: 2, ", ""), encoding="utf-8")
    (folder / "load.yaml").write_text(yaml.safe_dump(LOAD), encoding="utf-8")
    path = folder / "online.yaml"
    path.write_text(yaml.safe_dump(document or FILE, sort_keys=False), encoding="utf-8")
    return path


class Courses:
    """Plays contestants by formulas: each has its goodput, and the pair needs some seconds after a change."""

    LEVELS: ClassVar = {"small": (100.0, 100.0), "large": (90.0, 200.0), "pair": (99.0, 196.0)}
    LATE_S = 6

    def __init__(self, stop_at: int = 1 << 30) -> None:
        self.made: list[tuple[str, int]] = []
        self.stop_at = stop_at

    def __call__(
        self, schedule: Schedule, contestant: Contestant, turn: int, folder: Path, say: Callable[[str], None]
    ) -> OnlineRun:
        del folder, say
        if len(self.made) == self.stop_at:
            raise KeyboardInterrupt
        self.made.append((contestant.name, turn))
        course: list[float] = []
        for level, (begin, end) in zip(self.LEVELS[contestant.name], schedule.spans(), strict=True):
            late = self.LATE_S if contestant.tuning else 0
            course += [0.0] * late + [level + turn] * (end - begin - late)
        goodput = {bound: tuple(course) for bound in schedule.file.topology.bounds_s}
        sizes = (7,) * schedule.seconds
        return OnlineRun(contestant.name, turn, goodput, sizes, sizes, {"database": (0.5, 0.9)}, 0.0)


def test_shares_of_a_chain_are_its_long_run() -> None:
    # home = read / 2 (a quarter leads there, a quarter ends and begins anew), and both sum to 1.
    assert shares(CHAIN) == pytest.approx({"home": 1 / 3, "read": 2 / 3})


def test_shares_of_a_chain_that_goes_back_follow_its_history() -> None:
    # V(c) = c and R(c) = 1/2; V(b) = (b + V(c)) / (1 - R(c)); V(a) = (a + V(b)/2 + V(c)/2) / (1 - R(c)/2).
    rows = {"a": {"b": 0.5, "c": 0.5}, "b": {"c": 1}, "c": {"back": 0.5, "end": 0.5}}
    assert shares({"first": "a", "next": rows}) == pytest.approx({"a": 2 / 7, "b": 2 / 7, "c": 3 / 7})


def test_a_chain_without_an_end_has_no_shares() -> None:
    with pytest.raises(InputError, match="chain of a: never comes to its end"):
        shares({"first": "a", "next": {"a": {"b": 1}, "b": {"a": 1}}})


def test_a_session_cannot_go_back_before_its_beginning() -> None:
    rows = {"a": {"b": 0.1, "back": 0.8, "end": 0.1}, "b": {"end": 1}}
    assert shares({"first": "a", "next": rows}) == pytest.approx({"a": 2 / 3, "b": 1 / 3})


@pytest.mark.parametrize(("load", "most"), [("browse.yaml", 0.28), ("read-write.yaml", 1.0)])
def test_shares_of_the_boards_mixes_sum_to_one(load: str, most: float) -> None:
    found = shares(yaml.safe_load((EXPERIMENTS / "loads" / load).read_text(encoding="utf-8"))["clients"]["chain"])
    assert sum(found.values()) == pytest.approx(1, abs=1e-12)
    assert found["ViewComment"] <= most + 0.005
    if load == "browse.yaml":
        assert found["ViewComment"] == pytest.approx(0.28, abs=0.005)
        assert found["StoriesOfTheDay"] == pytest.approx(0.22, abs=0.005)


def test_the_load_of_the_experiment_has_all_phases_and_a_second_for_the_last_answers() -> None:
    schedule = read_schedule(EXPERIMENTS / "online" / "changes.yaml")
    found = description(schedule)
    phases = found["clients"]["phases"]
    assert [phase["users"] for phase in phases[:-1]] == [phase.users for phase in schedule.phases]
    assert phases[-1]["for"] == "1s"
    writes = next(p for p, s in zip(phases, schedule.phases, strict=False) if s.name == "writes")
    assert "StoreComment" in writes["requests"]
    assert set(writes["requests"]) <= set(found["http"])
    assert min(phase.database for phase in schedule.phases) == 0.5


def test_requests_may_arrive_at_a_rate_and_do_not_think(tmp_path: Path) -> None:
    schedule = read_schedule(EXPERIMENTS / "online" / "overload.yaml")
    clients = description(schedule)["clients"]
    assert (clients["kind"], "think_time" in clients) == ("open", False)
    assert [phase["rate"] for phase in clients["phases"]] == ["150/s", "330/s", "540/s", "150/s", "150/s"]
    thinking = yaml.safe_load((tmp_path / written(tmp_path)).read_text(encoding="utf-8"))
    thinking["phases"] = [{"name": "open", "rate": "30/m", "load": "load.yaml"}]
    found = description(read_schedule(written(tmp_path, thinking)))["clients"]
    assert ("think_time" in found, found["phases"][0]["rate"]) == (False, "0.5/s")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"phases": [{**FILE["phases"][0], "length": "5s"}]}, "length"),
        ({"phases": [{**FILE["phases"][0], "length": "20.5s"}]}, "whole seconds"),
        ({"phases": [FILE["phases"][0], FILE["phases"][0]]}, "two have the name calm"),
        ({"phases": [{**FILE["phases"][0], "database": 1.5}]}, "database"),
        ({"phases": [{**FILE["phases"][0], "rate": "9/s"}]}, "needs either users or a rate"),
        (
            {"phases": [FILE["phases"][0], {"name": "open", "rate": "9/s", "load": "load.yaml"}]},
            "all must have users, or all must have a rate",
        ),
        ({"contestants": {"pair": FILE["contestants"]["pair"]}}, "none has fixed sizes"),
        ({"contestants": {"pair": {**FILE["contestants"]["pair"], "tuning": "coordinate"}}}, "coordinated"),
        ({"contestant": {}}, "contestants"),
        ({"contestants": {"small": {**FILE["contestants"]["small"], "admission": "dagor"}}}, "dagor-style"),
        ({"contestants": {"small": {**FILE["contestants"]["small"], "admission": "dagor-style"}}}, "none has fixed"),
        ({"contestants": {"a/b": FILE["contestants"]["small"]}}, "contestants 'a/b' must be 1 to 40 letters"),
        ({"phases": [{**FILE["phases"][0], "application": 2}]}, r"phases\[1\]\.application must be 1 or less"),
        (
            {"contestants": {**FILE["contestants"], "all": {**FILE["contestants"]["pair"], "tuning": "tiers"}}},
            r"contestants\.all\.tuning: tiers needs .* but web is httpd, which is restarted for it",
        ),
    ],
)
def test_what_is_wrong_in_the_file_is_told(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_schedule(written(tmp_path, {**FILE, **change}))


def test_a_phase_may_leave_out_servers_of_the_application_behind_haproxy(tmp_path: Path) -> None:
    path = written(tmp_path, {**FILE, "phases": [{**FILE["phases"][0], "application": 1}, FILE["phases"][1]]})
    (tmp_path / "tiers.yaml").write_text(TEXT, encoding="utf-8")
    with pytest.raises(InputError, match="httpd cannot leave out a server; haproxy can"):
        read_schedule(path)
    front = TEXT.replace("server: httpd, cores: 1, threads", "server: haproxy, cores: 1, connections")
    (tmp_path / "tiers.yaml").write_text(front, encoding="utf-8")
    assert [phase.application for phase in read_schedule(path).phases] == [1, None]


def test_other_lengths_and_contestants_may_be_chosen(tmp_path: Path) -> None:
    schedule = read_schedule(written(tmp_path))
    assert with_phases_of(schedule, "30s").spans() == [(0, 30), (30, 60)]
    with pytest.raises(InputError, match=r"^--phase must be 20s or more, but is 5s$"):
        with_phases_of(schedule, "5s")
    with pytest.raises(InputError, match=r"^--phase must be a number with its unit, such as .*, but is '30'$"):
        with_phases_of(schedule, "30")
    assert [each.name for each in chosen(schedule, "pair,small")] == ["pair", "small"]
    with pytest.raises(InputError, match="did you mean 'small'"):
        chosen(schedule, "smal")


def test_an_interrupted_comparison_goes_on_and_takes_more_rounds(tmp_path: Path) -> None:
    schedule = read_schedule(written(tmp_path))
    folder = tmp_path / "out"
    first, second, third = Courses(stop_at=2), Courses(), Courses()
    with pytest.raises(KeyboardInterrupt):
        run_all(schedule, schedule.contestants, 1, folder, lambda _: None, first)
    runs = run_all(schedule, schedule.contestants, 1, folder, lambda _: None, second, resume=True)
    assert sorted(name for name, _ in [*first.made, *second.made]) == ["large", "pair", "small"]
    assert len(runs) == 3
    run_all(schedule, schedule.contestants, 2, folder, lambda _: None, third, resume=True)
    assert third.made == [(name, 2) for name, _ in reversed([*first.made, *second.made])]
    assert read_run(folder / "pair-1.json") == next(run for run in runs if run.contestant == "pair")
    with pytest.raises(InputError, match=r"cannot continue: phases\[1\]\.length was "):
        run_all(with_phases_of(schedule, "30s"), schedule.contestants, 1, folder, lambda _: None, third, resume=True)


@pytest.mark.parametrize("changed", ["contestant", "load"])
def test_a_comparison_whose_sizes_or_requests_have_changed_is_not_gone_on_with(tmp_path: Path, changed: str) -> None:
    schedule = read_schedule(written(tmp_path))
    folder = tmp_path / "out"
    run_all(schedule, schedule.contestants, 1, folder, lambda _: None, Courses())
    if changed == "contestant":
        contestants = {**FILE["contestants"], "small": {"threads": 3, "connections": 3}}
        other, message = read_schedule(written(tmp_path, {**FILE, "contestants": contestants})), r"small\.threads was "
    else:
        with schedule.loads[0].open("a", encoding="utf-8") as file:
            file.write("# other requests\n")
        other, message = schedule, r"load digests\[1\] was "
    with pytest.raises(InputError, match=message):
        run_all(other, other.contestants, 1, folder, lambda _: None, Courses(), resume=True)


def test_a_folder_of_other_results_is_not_gone_on_with(tmp_path: Path) -> None:
    schedule = read_schedule(written(tmp_path))
    with pytest.raises(InputError, match="holds no online comparison, so there is nothing to resume"):
        run_all(schedule, schedule.contestants, 1, tmp_path, lambda _: None, Courses(), resume=True)


@pytest.mark.parametrize("text", ["", "[]", '{"phases": '])
def test_a_header_that_cannot_be_read_is_named(tmp_path: Path, text: str) -> None:
    schedule = read_schedule(written(tmp_path))
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / HEADER).write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"online\.json: is not the header of an online comparison"):
        run_all(schedule, schedule.contestants, 1, folder, lambda _: None, Courses(), resume=True)


def test_requests_that_the_death_of_a_server_loses_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Dying:
        async def watch(self) -> None:
            raise RunError("application (board) was killed by SIGKILL")

    class Loaded:
        async def watch(self) -> None:
            pass

        async def warming_up(self) -> None:
            summary = {"requests": 9, "errors": 3, "errors_by_kind": {"status 503": 3}, "warnings": []}
            (tmp_path / SUMMARY).write_text(json.dumps(summary), encoding="utf-8")
            await asyncio.Event().wait()

        async def stop(self) -> None:
            pass

    async def nothing(*_: object) -> None:
        pass

    monkeypatch.setattr("poolkeeper.ntier.online.run.warm_without_quotas", nothing)
    monkeypatch.setattr("poolkeeper.ntier.tiers.trial.Load.start", lambda *_: Loaded())
    schedule = read_schedule(written(tmp_path))
    tiers: Any = SimpleNamespace(boards=[], all=lambda: [Dying()], use=nothing, front=SimpleNamespace(port=1))

    async def play() -> None:
        player = _Player(schedule, schedule.contestants[0], 1, tmp_path, tiers, asyncio.Event(), lambda _: None)
        await player.play()

    with pytest.raises(RunError, match=r"killed by SIGKILL; 3 of 9 requests failed \(status 503: 3\)"):
        asyncio.run(play())


@pytest.mark.parametrize("file", sorted((EXPERIMENTS / "online").glob("*.yaml")), ids=lambda path: path.name)
def test_the_committed_comparisons_can_be_read(file: Path) -> None:
    schedule = read_schedule(file)
    assert description(schedule)["clients"]["phases"]
    assert any(each.static for each in schedule.contestants)


def test_a_contestant_that_limits_requests_is_no_static_one(tmp_path: Path) -> None:
    small = {**FILE["contestants"]["small"], "admission": "breakwater-style"}
    schedule = read_schedule(written(tmp_path, {**FILE, "contestants": {**FILE["contestants"], "limited": small}}))
    assert [each.name for each in schedule.contestants if each.static] == ["small", "large"]
    assert [each.admission for each in schedule.contestants] == [None, None, None, "breakwater-style"]


def test_the_answer_is_what_the_contract_says(tmp_path: Path) -> None:
    schedule = read_schedule(written(tmp_path))
    runs = run_all(schedule, schedule.contestants, 1, tmp_path / "out", lambda _: None, Courses())
    answer = _answer(compare(schedule, schedule.contestants, runs), runs, tmp_path)
    jsonschema.validate(answer.to_dict(), SCHEMA)


def test_contestants_that_the_servers_would_refuse_are_named(tmp_path: Path) -> None:
    contestants = {**FILE["contestants"], "small": {"threads": 2001, "connections": 3}}
    with pytest.raises(InputError, match=r"contestants\.small: application\.threads must be 2000 or less"):
        read_schedule(written(tmp_path, {**FILE, "contestants": contestants}))


def test_a_run_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    file = tmp_path / "pair-1.json"
    file.write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match=r"pair-1\.json: is not a run of an online comparison"):
        read_run(file)


def test_every_phase_has_its_best_static_contestant_and_the_time_to_come_near_it(tmp_path: Path) -> None:
    schedule = read_schedule(written(tmp_path))
    runs = run_all(schedule, schedule.contestants, 2, tmp_path / "out", lambda _: None, Courses())
    found = compare(schedule, schedule.contestants, runs)
    assert found.best == ("small", "large")
    calm, storm = found.results["pair"]
    assert calm.share == pytest.approx(100.5 / 101.5)
    assert storm.share == pytest.approx(197.5 / 201.5)
    # Ten seconds of which one is empty have a tenth less than the level, so all ten must come after the change.
    assert (calm.arrival_s, calm.arrived) == (6.0, 2)
    slow = found.results["small"][1]
    assert (math.isinf(slow.arrival_s), slow.arrived) == (True, 0)
    assert found.results["large"][0].goodput[0.5].value == pytest.approx(91.5)
    assert found.results["large"][0].goodput[0.5].freedom == 1
    assert verdict(found).startswith("large has the highest goodput within 0.5 s")
    table = str(PhasesView(found).table())
    assert "best static: calm: small, storm: large" in table
    assert "never" in table
    assert PhasesView(found).to_dict()["storm"]["contestants"]["small"]["arrival_s"] is None
    view = GoodputView(found, runs)
    assert [row[0] for row in view.table().rows] == ["large", "pair", "small"]
    assert len(view.plot().series) == 3
    assert len(view.more()) == 2


def test_sizes_of_the_other_tiers_are_shown_where_a_contestant_sizes_them(tmp_path: Path) -> None:
    schedule = read_schedule(written(tmp_path))
    runs = run_all(schedule, schedule.contestants, 1, tmp_path / "out", lambda _: None, Courses())
    assert "web.threads" not in PhasesView(compare(schedule, schedule.contestants, runs)).table().columns
    course = (4,) * 40 + (6,) * 20
    followed = [replace(run, others={"web.threads": course}) if run.contestant == "pair" else run for run in runs]
    found = compare(schedule, schedule.contestants, followed)
    assert [each.others for each in found.results["pair"]] == [{"web.threads": 4.0}, {"web.threads": 6.0}]
    assert found.results["small"][1].others == {"web.threads": 400.0}, "that of the topology"
    table = PhasesView(found).table()
    assert table.columns[-1] == "web.threads"
    assert table.rows[-1][-1] == 6.0


def test_one_round_has_no_interval(tmp_path: Path) -> None:
    schedule = read_schedule(written(tmp_path))
    runs = run_all(schedule, schedule.contestants, 1, tmp_path / "out", lambda _: None, Courses())
    found = compare(schedule, schedule.contestants, runs)
    document = GoodputView(found, runs).to_dict()["contestants"]["pair"]["0.5"]
    assert document["half_width"] is None
    assert document["value"] > 0
    assert "one round has no interval" in str(GoodputView(found, runs).table())
    assert verdict(found).endswith("One round cannot distinguish a difference from chance.")


def test_a_comparison_without_fixed_sizes_is_refused(tmp_path: Path) -> None:
    schedule = read_schedule(written(tmp_path))
    pair = [each for each in schedule.contestants if each.tuning]
    runs = run_all(schedule, pair, 1, tmp_path / "out", lambda _: None, Courses())
    with pytest.raises(InputError, match="none has fixed sizes"):
        compare(schedule, pair, runs)


def test_arrival_needs_ten_good_seconds() -> None:
    assert arrival((100.0,) * 20, 100.0) == 0
    assert arrival((0.0,) * 5 + (100.0,) * 15, 100.0) == 5
    assert arrival((100.0,) * 5 + (0.0,) * 10 + (100.0,) * 9, 100.0) == math.inf


def test_replicas_of_a_run_are_equal_after_json(tmp_path: Path) -> None:
    schedule = read_schedule(written(tmp_path))
    run = replace(
        Courses()(schedule, schedule.contestants[0], 1, tmp_path, lambda _: None),
        warnings=("careful",),
        others={"web.connections": (3, 4)},
    )
    assert OnlineRun.from_json(yaml.safe_load(yaml.safe_dump(run.to_json()))) == run

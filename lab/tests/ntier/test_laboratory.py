"""The journal: trials are kept at once, taken again, and those of another plan refused."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from topologies import MeanValueSystem, topology

from poolkeeper.errors import InputError, RunError
from poolkeeper.experiment.definition.values import parse_bounds
from poolkeeper.ntier.allocator.evidence import Rules
from poolkeeper.ntier.allocator.laboratory import JOURNAL, Laboratory, read_journal, trial_from_json, trial_to_json
from poolkeeper.ntier.allocator.plan import allocate
from poolkeeper.ntier.allocator.warming import WarmUp

if TYPE_CHECKING:
    from pathlib import Path

    from poolkeeper.ntier.system import Allocation, Trial

ABOUT = {"topology": {"tiers": 3}, "seconds": 30.0}


class Interrupting(MeanValueSystem):
    """Is interrupted at one of its trials."""

    at = 1 << 30

    def run(self, allocation: Allocation, users: int, seconds: float) -> Trial:
        if len(self.runs) == self.at:
            raise KeyboardInterrupt
        return super().run(allocation, users, seconds)


def opened(system: MeanValueSystem, folder: Path, *, resume: bool = False) -> Laboratory:
    laboratory = Laboratory(system, 30.0, folder / JOURNAL, ABOUT)
    laboratory.open(resume=resume)
    return laboratory


def test_a_trial_comes_back_from_json_as_it_was(tmp_path: Path) -> None:
    system = MeanValueSystem(topology(tmp_path))
    trial = system.run(system.topology.initial, 20, 30.0)
    assert trial_from_json(json.loads(json.dumps(trial_to_json(trial)))) == trial


def test_a_question_is_asked_once(tmp_path: Path) -> None:
    system = MeanValueSystem(topology(tmp_path))
    laboratory = opened(system, tmp_path)
    first = laboratory.run("one", system.topology.initial, 20)
    assert laboratory.run("two", system.topology.initial, 20) is first
    assert (len(system.runs), len(laboratory.trials)) == (1, 1)


@pytest.mark.parametrize("at", [0, 1, 5, 9])
def test_an_interrupted_plan_goes_on_where_it_was(tmp_path: Path, at: int) -> None:
    file = topology(tmp_path)
    whole_system = MeanValueSystem(file)
    whole = allocate(Laboratory(whole_system, 30.0), Rules(), file.trial.users)
    system = Interrupting(file)
    system.at = at
    with pytest.raises(KeyboardInterrupt):
        allocate(opened(system, tmp_path), Rules(), file.trial.users)
    again = MeanValueSystem(file)
    laboratory = opened(again, tmp_path, resume=True)
    assert allocate(laboratory, Rules(), file.trial.users) == whole
    assert len(again.runs) == len(whole_system.runs) - at
    assert (laboratory.kept, len(laboratory.trials)) == (at, whole.runs)


def test_a_line_that_was_cut_off_is_dropped(tmp_path: Path) -> None:
    system = MeanValueSystem(topology(tmp_path))
    laboratory = opened(system, tmp_path)
    laboratory.run("one", system.topology.initial, 20)
    journal = tmp_path / JOURNAL
    whole = journal.read_text(encoding="utf-8")
    journal.write_text(f'{whole}{{"kind": "trial", "st', encoding="utf-8")
    resumed = opened(system, tmp_path, resume=True)
    resumed.run("one", system.topology.initial, 20)
    assert len(system.runs) == 1
    assert journal.read_text(encoding="utf-8") == whole


def test_the_journal_of_another_plan_is_refused_with_the_difference(tmp_path: Path) -> None:
    system = MeanValueSystem(topology(tmp_path))
    opened(system, tmp_path)
    other = Laboratory(system, 60.0, tmp_path / JOURNAL, {**ABOUT, "seconds": 60.0})
    with pytest.raises(InputError, match=r"cannot continue: seconds was 30\.0, is 60\.0; without --resume"):
        other.open(resume=True)


def test_a_folder_of_other_results_is_not_gone_on_with(tmp_path: Path) -> None:
    (tmp_path / "trial-001").mkdir()
    with pytest.raises(InputError, match="holds no journal of a plan, so there is nothing to resume"):
        opened(MeanValueSystem(topology(tmp_path)), tmp_path, resume=True)


def test_of_a_topology_that_has_changed_the_differences_are_told(tmp_path: Path) -> None:
    system = MeanValueSystem(topology(tmp_path))
    Laboratory(system, 30.0, tmp_path / JOURNAL, {"topology": {"web": {"threads": 4, "cores": 1}}}).open(resume=False)
    changed = Laboratory(system, 30.0, tmp_path / JOURNAL, {"topology": {"web": {"threads": 5, "cores": 1}}})
    with pytest.raises(InputError, match=r"cannot continue: topology\.web\.threads was 4, is 5; without"):
        changed.open(resume=True)


@pytest.mark.parametrize("line", ["nonsense", "\u00ff", "[]", "{}", '{"kind": "trial", "asked_s": 3, "trial": {}}'])
def test_what_is_no_journal_is_named_with_its_line(tmp_path: Path, line: str) -> None:
    (tmp_path / JOURNAL).write_text(f"{line}\n", encoding="latin-1")
    with pytest.raises(InputError, match=r"journal\.jsonl:1: is not a journal of a plan"):
        opened(MeanValueSystem(topology(tmp_path)), tmp_path, resume=True)


def test_a_trial_that_the_load_generator_limited_counts_for_nothing(tmp_path: Path) -> None:
    class Limited(MeanValueSystem):
        def run(self, allocation: Allocation, users: int, seconds: float) -> Trial:
            return replace(super().run(allocation, users, seconds), generator_limited=True)

    laboratory = opened(Limited(topology(tmp_path)), tmp_path)
    with pytest.raises(RunError, match="with 7 users the load generator was the bottleneck"):
        laboratory.run("one", laboratory.topology.initial, 7)
    assert laboratory.trials == []


@pytest.mark.parametrize("warm_up", [False, True])
def test_a_trial_without_an_answer_ends_the_plan_with_its_warnings(tmp_path: Path, warm_up: bool) -> None:  # noqa: FBT001
    class Silent(MeanValueSystem):
        def run(self, allocation: Allocation, users: int, seconds: float) -> Trial:
            lost = ("9 of 9 requests failed (content: 9)",)
            return replace(super().run(allocation, users, seconds), throughput=0.0, warnings=lost)

    laboratory = opened(Silent(topology(tmp_path)), tmp_path)
    if warm_up:
        laboratory.warm_up = WarmUp(Rules(), parse_bounds("1..9"), 30.0)
    message = r"tiers: no request was answered with 400-200-200 and \d users; 9 of 9 requests failed \(content: 9\)"
    with pytest.raises(RunError, match=message):
        laboratory.run("one", laboratory.topology.initial, 7)
    assert laboratory.trials == []


def test_the_journal_of_a_plan_that_is_writing_is_read_and_left_alone(tmp_path: Path) -> None:
    laboratory = opened(MeanValueSystem(topology(tmp_path)), tmp_path)
    laboratory.run("one", laboratory.topology.initial, 20)
    journal = tmp_path / JOURNAL
    with journal.open("a", encoding="utf-8") as file:
        file.write('{"kind": "trial", "st')
    before = journal.read_bytes()
    found = read_journal(journal)
    assert len(found.trials) == 1
    assert journal.read_bytes() == before
    assert before[: found.whole].endswith(b"}\n")


def test_failed_requests_are_warned_of(tmp_path: Path) -> None:
    class Failing(MeanValueSystem):
        def run(self, allocation: Allocation, users: int, seconds: float) -> Trial:
            return replace(super().run(allocation, users, seconds), errors=0.02)

    laboratory = opened(Failing(topology(tmp_path)), tmp_path)
    laboratory.run("one", laboratory.topology.initial, 7)
    assert laboratory.warnings() == ["2.0% of the requests failed with 7 users and 400-200-200"]

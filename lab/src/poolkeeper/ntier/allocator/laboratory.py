"""Trials of a system, each run once: those of an earlier start come from the journal."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any

from poolkeeper.errors import InputError, RunError
from poolkeeper.experiment.planning.earlier_runs import differences
from poolkeeper.ntier.allocator import warming
from poolkeeper.ntier.allocator.resources import require_answers
from poolkeeper.ntier.system import Allocation, AlternatingSystem, System, TierFigures, TierSeries, Topology, Trial

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from poolkeeper.ntier.allocator.warming import WarmUp

JOURNAL = "journal.jsonl"
FORMAT = 1
_MOST_DIFFERENCES = 3
SLICE_S = 10.0
"""Counted time of a trial in a round, where the system takes turns under one load."""
AFRESH = -1
"""Turn of a trial that is made again before the rounds of a validation: the system may have changed since the plan."""
_MOST_TURNS = 16
"""Turns under one load: those of a load that is interrupted are lost."""
_MOST_ERRORS = 0.01
"""Part of failed requests from which a trial gets a warning."""

Key = tuple[Allocation, int, float, int]


class GeneratorLimitedError(RunError):
    """A trial counts for nothing, since the load generator was its bottleneck."""


@dataclass(frozen=True, slots=True)
class JournaledTrial:
    """A trial and its purpose; `turn` counts the rounds of a validation from 1 on, and is `AFRESH` or 0 elsewhere."""

    step: str
    trial: Trial
    turn: int = 0


@dataclass
class Laboratory:
    """Runs trials and stores them: the same questions in the same order get the same answers.

    Attributes:
        system: runs what the journal does not hold.
        seconds: counted time of a trial.
        journal: file of the trials, one JSON document a line; None keeps them in memory alone.
        about: what the trials depend on; a journal that depends on something else is refused.
        ended: called after it.
        decided: called with the step and the message of each decision.
        cautions: warnings that belong to no trial.
        warm_up: comes before the first trial that the journal does not hold; None for a system that is always warm.
    """

    system: System
    seconds: float
    journal: Path | None = None
    about: Mapping[str, Any] = field(default_factory=dict)
    ended: Callable[[JournaledTrial], None] = lambda journaled: None  # noqa: ARG005
    decided: Callable[[str, str], None] = lambda step, message: None  # noqa: ARG005
    warm_up: WarmUp | None = None
    trials: list[JournaledTrial] = field(default_factory=list)
    kept: int = 0
    decisions: list[tuple[str, str]] = field(default_factory=list)
    cautions: list[str] = field(default_factory=list)
    _answers: dict[Key, Trial] = field(default_factory=dict)

    @property
    def topology(self) -> Topology:
        """The tiers under study."""
        return self.system.topology

    def open(self, *, resume: bool) -> None:
        """Begin the journal, or read the one that is there.

        Raises InputError if it cannot be resumed: it is of another topology, or other settings.
        """
        if self.journal is None:
            return
        if resume and self.journal.exists():
            self._read(self.journal)
            return
        if resume and any(path.name != ".lock" for path in self.journal.parent.iterdir()):
            raise InputError(f"{self.journal.parent}: holds no journal of a plan, so there is nothing to resume")
        self._write({"kind": "plan", "format": FORMAT, "about": dict(self.about)})

    def run(self, step: str, allocation: Allocation, users: int, turn: int = 0) -> Trial:
        """The trial of an allocation under this many users, from the journal if it is there.

        `turn`: number of the round in which the same trial is made again, from 1 on, or `AFRESH`.

        Raises RunError if the system fails, GeneratorLimitedError if the load generator was the bottleneck.
        """
        key = (allocation, users, self.seconds, turn)
        trial = self._answers.get(key)
        if trial is None:
            self._warm(allocation)
            trial = self.system.run(allocation, users, self.seconds)
            self._keep(step, key, trial)
        else:
            self._use_kept(step, trial, turn)
        return trial

    def run_round(
        self, step: str, allocations: Sequence[Allocation], users: int, turn: int, seconds: float | None = None
    ) -> list[Trial]:
        """The trials of a round, in their order; under one load where the system takes turns.

        `seconds`: counted time of each where it does, that of a trial unless given. Raises as `run` does.
        """
        if not isinstance(self.system, AlternatingSystem):
            return [self.run(step, allocation, users, turn) for allocation in allocations]
        keys = {each: (each, users, self.seconds if seconds is None else seconds, turn) for each in allocations}
        missing = [each for each in allocations if keys[each] not in self._answers]
        for each in allocations:
            if keys[each] in self._answers:
                self._use_kept(step, self._answers[keys[each]], turn)
        for begin in range(0, len(missing), _MOST_TURNS):
            part = missing[begin : begin + _MOST_TURNS]
            self._warm(part[0])
            for each, trial in zip(part, self.system.run_in_turns(part, users, keys[part[0]][2]), strict=True):
                self._keep(step, keys[each], trial)
        return [self._answers[keys[each]] for each in allocations]

    def _keep(self, step: str, key: Key, trial: Trial) -> None:
        _, users, seconds, turn = key
        if trial.generator_limited:
            raise GeneratorLimitedError(
                f"{self.topology.name}: with {users} users the load generator was the bottleneck, so the trial "
                f"counts for nothing; shorten think_time, so that fewer users make the same load"
            )
        require_answers(self.topology.name, trial)
        self._answers[key] = trial
        asked = {"step": step, "asked_s": seconds, "turn": turn}
        self._write({"kind": "trial", **asked, "trial": trial_to_json(trial)})
        self.trials.append(JournaledTrial(step, trial, turn))
        self.ended(self.trials[-1])

    def _use_kept(self, step: str, trial: Trial, turn: int) -> None:
        if all(each.trial is not trial for each in self.trials):
            self.kept += 1
            self.trials.append(JournaledTrial(step, trial, turn))

    def _warm(self, allocation: Allocation) -> None:
        """Warm the system up, once."""
        warm_up, self.warm_up = self.warm_up, None
        if warm_up is None:
            return
        warning = warm_up.run(self.system, allocation, lambda message: self.decide(warming.STEP, message))
        if warning is not None:
            self.cautions.append(warning)

    def caution(self, step: str, message: str) -> None:
        """Note a decision that a reader of the result has to know."""
        self.decide(step, message)
        self.cautions.append(message)

    def decide(self, step: str, message: str) -> None:
        """Note a decision."""
        self.decisions.append((step, message))
        self._write({"kind": "decision", "step": step, "message": message})
        self.decided(step, message)

    def warnings(self) -> list[str]:
        """Warnings about the trials, each once."""
        found: dict[str, None] = dict.fromkeys(self.cautions)
        for each in self.trials:
            trial = each.trial
            if trial.errors > _MOST_ERRORS:
                found[f"{trial.errors:.1%} of the requests failed with {trial.users} users and {trial.allocation}"] = (
                    None
                )
            found |= dict.fromkeys(trial.warnings)
        return list(found)

    def _write(self, document: dict[str, Any]) -> None:
        if self.journal is None:
            return
        try:
            with self.journal.open("a", encoding="utf-8") as file:
                file.write(json.dumps(document) + "\n")
        except OSError as error:
            raise RunError(f"{self.journal}: cannot be written: {error.strerror}") from None

    def _read(self, journal: Path) -> None:
        found = read_journal(journal)
        self._check(journal, found.header)
        try:
            os.truncate(journal, found.whole)
        except OSError as error:
            raise RunError(f"{journal}: cannot be written: {error.strerror}") from None
        self._answers |= {(each.allocation, each.users, asked_s, turn): each for each, asked_s, turn in found.trials}

    def _check(self, journal: Path, header: dict[str, Any]) -> None:
        if header["format"] != FORMAT:
            raise InputError(f"{journal}: has format {header['format']}, but this lab writes {FORMAT}")
        now = json.loads(json.dumps(dict(self.about)))
        if found := differences(header["about"], now):
            more = f"; and {len(found) - _MOST_DIFFERENCES} more" if len(found) > _MOST_DIFFERENCES else ""
            raise InputError(
                f"{journal}: cannot continue: {'; '.join(found[:_MOST_DIFFERENCES])}{more}; "
                "without --resume and with another --output the plan starts anew"
            )


@dataclass(frozen=True, slots=True)
class Journal:
    """Content of a journal.

    Attributes:
        header: format of the journal, and what its trials depend on.
        trials: each with the seconds that were asked for and its round.
        whole: bytes of its whole lines.
    """

    header: dict[str, Any]
    trials: list[tuple[Trial, float, int]]
    whole: int


def read_journal(journal: Path) -> Journal:
    """Read a journal without half a line at its end: a plan is writing it, or was killed while it wrote.

    Raises InputError, naming the line, for what is no journal.
    """
    try:
        lines = journal.read_bytes().split(b"\n")
    except OSError as error:
        raise InputError(f"{journal}: cannot be read: {error.strerror}") from None
    header: dict[str, Any] | None = None
    trials: list[tuple[Trial, float, int]] = []
    for number, line in enumerate(lines[:-1], start=1):
        try:
            document = json.loads(line)
            if document["kind"] == "plan":
                header = {"format": document["format"], "about": dict(document["about"])}
            elif document["kind"] == "trial":
                trials.append((trial_from_json(document["trial"]), document["asked_s"], document.get("turn", 0)))
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"{journal}:{number}: is not a journal of a plan: {error}") from None
    if header is None:
        raise InputError(f"{journal}:1: is not a journal of a plan: it has no header")
    return Journal(header, trials, sum(len(line) + 1 for line in lines[:-1]))


def trial_to_json(trial: Trial) -> dict[str, Any]:
    """The trial as JSON can hold it."""
    document = asdict(trial)
    document["allocation"] = trial.allocation.as_json()
    for name in ("goodput", "goodput_series"):
        document[name] = {str(bound): value for bound, value in document[name].items()}
    return document


def trial_from_json(document: Mapping[str, Any]) -> Trial:
    """The trial that `trial_to_json` wrote. Raises KeyError, TypeError or ValueError for another document."""
    found = {name: document[name] for name in (each.name for each in fields(Trial)) if name in document}
    found["allocation"] = Allocation.from_json(document["allocation"])
    found["tiers"] = tuple(_figures(each) for each in document["tiers"])
    found["goodput"] = {float(bound): value for bound, value in document["goodput"].items()}
    found["goodput_series"] = {float(bound): tuple(value) for bound, value in document["goodput_series"].items()}
    found["throughput_series"] = tuple(document["throughput_series"])
    found["warnings"] = tuple(document["warnings"])
    return Trial(**found)


def _figures(document: Mapping[str, Any]) -> TierFigures:
    series = TierSeries(**{name: tuple(values) for name, values in document["series"].items()})
    return TierFigures(**{**document, "series": series})

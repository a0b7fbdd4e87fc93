"""The load of an experiment in words: who sent what, to what, how often."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from poolkeeper.present.text import listed
from poolkeeper.study.load import load_of, phases_of, requested

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from poolkeeper.record import Run


def load_sentence(runs: Sequence[Run]) -> str:
    """The load as a sentence for a reader who has not seen the project."""
    loads = {json.dumps(phases_of(run.configuration)): phases_of(run.configuration) for run in runs}
    phases = next(iter(loads.values())) if len(loads) == 1 else None
    who = "A simulation" if all(run.simulated for run in runs) else "A load generator"
    sentence = f"{who} played {_players(runs)}, to {_subject(runs)}"
    if not phases:
        return f"{sentence}."
    lengths = [str(phase.get("seconds")).removesuffix(".0") for phase in phases]
    each = f" for {lengths[0]} s{' each' if len(phases) > 1 else ''}" if len(set(lengths)) == 1 else ""
    return f"{sentence}: {_levels(phases)}{each}."


def _players(runs: Sequence[Run]) -> str:
    kinds = {str(load_of(run.configuration).get("users", "closed")) for run in runs}
    thinking = any(load_of(run.configuration).get("think_time_ms") for run in runs)
    if kinds == {"open"}:
        return "requests that arrive whatever becomes of those before them"
    if kinds == {"half-open"}:
        stay = ", think" if thinking else ""
        return f"users who arrive, send a request, wait for the answer, and leave or{stay} and send another"
    if thinking:
        return "users who each send a request, wait for the answer, think, and send the next"
    return "users who each send a request, wait for the answer and at once send the next"


def _levels(phases: Sequence[Mapping[str, Any]]) -> str:
    if all(isinstance(phase.get("rate_per_s"), int | float) for phase in phases):
        return f"{', then '.join(_sent(phase) for phase in phases)} a second"
    if all(phase.get("requests") for phase in phases) and len({str(phase.get("users")) for phase in phases}) == 1:
        sent = ", then ".join(requested(phase) for phase in phases)
        return f"{_level(phases[0], 'users')} users who send {sent}"
    users = [_level(phase, "users") for phase in phases]
    return f"{', then '.join(users)} {'user' if users == ['1'] else 'users'}"


def _sent(phase: Mapping[str, Any]) -> str:
    """The rate of a phase, with its requests where it has its own."""
    return " ".join(filter(None, (_level(phase, "rate_per_s"), requested(phase))))


def _level(phase: Mapping[str, Any], name: str) -> str:
    """The level of a phase, or where it begins and to what it goes."""
    ends = (phase.get(name), phase.get("to"))
    return " to ".join(f"{end:g}" for end in ends if isinstance(end, int | float))


def _subject(runs: Sequence[Run]) -> str:
    applications = {str(run.configuration["application"]): None for run in runs if run.configuration.get("application")}
    if applications:
        several = len(applications) == 1 and ", " in next(iter(applications))
        return f"the application{'s' if several else ''} {listed(list(applications))}"
    return "a modelled system" if all(run.simulated for run in runs) else "the server"

"""Load of a whole schedule: phases with their users and their shares of requests.

A chain of requests cannot change while its sessions last. So each phase sends the requests of its chain with their
shares in the long run, one independent of the other: the work is the same, sessions are not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import yaml

from poolkeeper.errors import InputError
from poolkeeper.experiment.definition.values import format_rate
from poolkeeper.units import format_duration

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from poolkeeper.ntier.online.schedule import Schedule

_BACK = "back"
_MOST_STEPS = 100_000
_EXACT = 1e-15
_SHARED = ("parameters", "http")
_DIGITS = 9


def description(schedule: Schedule) -> dict[str, Any]:
    """Load description of a run. Raises InputError for a load without a chain, or loads that contradict each other."""
    loads = {path: _read(path) for path in schedule.loads}
    phases = [
        {
            **({"users": phase.users} if phase.rate is None else {"rate": format_rate(phase.rate)}),
            "for": format_duration(phase.length),
            "requests": shares(loads[path]["clients"]["chain"]),
        }
        for phase, path in zip(schedule.phases, schedule.loads, strict=True)
    ]
    # The last answers come after the last counted second.
    phases.append({**phases[-1], "for": "1s"})
    clients: dict[str, Any] = {"kind": "open" if schedule.open else "closed", "phases": phases}
    if schedule.think_time_s:
        clients["think_time"] = f"exponential {format_duration(schedule.think_time_s)}"
    merged = {name: _merged(name, loads) for name in _SHARED}
    return {"question": schedule.question, "clients": clients, **{name: each for name, each in merged.items() if each}}


def shares(chain: Mapping[str, Any]) -> dict[str, float]:
    """Shares of the requests of a chain in the long run, where a session that ends is followed by another one.

    An episode of a request is all that follows until its user goes back from it, or the session ends. It ends by going
    back with the probability R_i = back_i / (1 - sum_j P_ij R_j), as the user is at i again after each episode that
    ends so; its visits are V_i = (e_i + sum_j P_ij V_j) / (1 - sum_j P_ij R_j).

    Raises InputError for a chain without an end.
    """
    names = list(chain["next"])
    rows = [chain["next"][name] for name in names]
    moves = np.array([[row.get(following, 0.0) for following in names] for row in rows])
    back = np.array([row.get(_BACK, 0.0) for row in rows])
    returns = np.zeros(len(names))
    for _ in range(_MOST_STEPS):
        before, returns = returns, back / (1 - moves @ returns)
        if np.allclose(before, returns, rtol=0, atol=_EXACT):
            break
    try:
        visits = np.linalg.solve(np.diag(1 - moves @ returns) - moves, np.eye(len(names)))
    except np.linalg.LinAlgError:
        raise InputError(
            f"chain of {chain['first']}: never comes to its end, so it has no shares in the long run"
        ) from None
    # At the first request of a session there is nothing to go back to.
    first = names.index(chain["first"])
    onward = moves[first] / (1 - back[first])
    found = np.eye(len(names))[first] + onward @ visits
    found /= found.sum()
    rounded = {name: round(float(part), _DIGITS) for name, part in zip(names, found, strict=True) if part > 0}
    largest = max(rounded, key=lambda name: rounded[name])
    rounded[largest] = round(rounded[largest] + 1 - sum(rounded.values()), _DIGITS)
    return rounded


def _read(path: Path) -> dict[str, Any]:
    try:
        stated = yaml.safe_load(path.read_text(encoding="utf-8"))
        if {"first", "next"} <= set(stated["clients"]["chain"]):
            return dict(stated)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except (yaml.YAMLError, KeyError, TypeError):
        pass
    raise InputError(f"{path}: is not a load description with a chain of requests")


def _merged(name: str, loads: Mapping[Path, Mapping[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for path, load in loads.items():
        for key, value in load.get(name, {}).items():
            if found.setdefault(key, value) != value:
                raise InputError(f"{path}: {name}.{key} differs from that of another phase's load")
    return found

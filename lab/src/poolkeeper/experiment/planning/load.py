"""The load of a run: as numbers for its record, and as the description that the load generator reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from poolkeeper.experiment.definition.load import END, application_of
from poolkeeper.experiment.definition.values import Level, format_rate, ramp
from poolkeeper.present.text import counted
from poolkeeper.study.load import requested
from poolkeeper.units import format_duration

if TYPE_CHECKING:
    from collections.abc import Mapping

    from poolkeeper.experiment.definition.load import Load

SHORTEST_PHASE_S = 1.0
"""The load is recorded by the second."""
_PASSED_ON = ("arrivals", "stay", "chain")
"""Settings that have the same form in both documents."""


def configuration_of(
    load: Load, application: str, cell: Mapping[str, str | int], *, scale: float, seed: int
) -> dict[str, Any]:
    """The load in a cell as the configuration of its runs has it (contract/load-description.md)."""
    arriving = load.arriving
    mean_ms = round(load.think_time.seconds * 1000, 6)
    thinks: dict[str, Any] = {
        "think_time_ms": {"exponential": mean_ms} if load.think_time.exponential else mean_ms,
    }
    rest = {
        "requests": _requests(load, application),
        "timeout_ms": round(load.timeout * 1000),
        "seed": seed,
        # As it is left out where there is one, runs of before they could be more are still the same.
        **({"threads": load.threads} if load.threads > 1 else {}),
    }
    if arriving is None:
        users = int(cell.get("users", (load.users or (0,))[0]))
        phases = _phases(load, "users", users, scale, cell)
        return {"users": load.kind, **thinks, "connections_per_user": 1, "phases": phases, **rest}
    rate = float(cell.get("rate", (arriving.rate or (0.0,))[0]))
    sessions = load.half_open
    return {
        "users": load.kind,
        **(thinks if sessions else {}),
        "connections": arriving.connections,
        "phases": _phases(load, "rate_per_s", rate, scale, cell),
        "arrivals": arriving.arrivals,
        **({"stay": sessions.stay} if sessions and sessions.stay is not None else {}),
        **({"chain": sessions.chain.model_dump()} if sessions and sessions.chain else {}),
        **rest,
    }


def _phases(load: Load, name: str, always: float, scale: float, cell: Mapping[str, str | int]) -> list[dict[str, Any]]:
    """Each phase with its level under this name, with `to` where that is a ramp's beginning, and with its requests."""
    draw = int(cell["draw"]) if "draw" in cell else None
    found = [(phase.level, phase.duration, phase.requests) for phase in load.phases_of(draw)]
    return [
        {
            name: level.start,
            **({"to": level.end} if level.end != level.start else {}),
            "seconds": _scaled_phase(seconds, scale),
            **({"requests": requests} if requests else {}),
        }
        for level, seconds, requests in found or [(Level(always, always), load.duration or 0.0, None)]
    ]


def _requests(load: Load, application: str) -> list[dict[str, Any]]:
    if load.applications:
        return [{"name": name, "method": "GET", "path": f"/{name}", "weight": 1} for name in load.applications]
    own = {"method": "GET", "path": f"/{application}"}
    if load.half_open is None or load.half_open.chain is None:
        return [{"name": application, **own, "weight": 1}]
    names = sorted({*load.half_open.chain.next} - {END})
    stated = {name: request.model_dump() for name, request in (load.half_open.http or {}).items()}
    return [{"name": name, **stated.get(name, own), "weight": 1} for name in names]


def other_applications(load: Mapping[str, Any], application: str) -> tuple[str, ...]:
    """Other applications that the requests of a load ask for, each once."""
    asked = (application_of(str(request["path"])) for request in load["requests"])
    return tuple(dict.fromkeys(name for name in asked if name != application))


def _scaled_phase(seconds: float, scale: float) -> float:
    """The length of a phase, scaled, but not below the shortest useful one."""
    return max(scaled(seconds, scale), min(seconds, SHORTEST_PHASE_S))


def scaled(seconds: float, scale: float) -> float:
    """A duration, scaled, to the nanosecond."""
    return round(seconds * scale, 9)


def level(phase: Mapping[str, Any]) -> str:
    """The level of a phase in words: "100 users", "10 to 300 users", "500/s", "200 users, call20"."""
    sent = f", {requested(phase)}" if phase.get("requests") else ""
    if "rate_per_s" in phase or "to" in phase:
        return f"{_level_text(phase)}{' users' if 'users' in phase else ''}{sent}"
    return counted(phase["users"], "user") + sent


def _level_text(phase: Mapping[str, Any]) -> int | str:
    """The level of a phase as descriptions have it."""
    if "rate_per_s" in phase:
        return ramp(*(format_rate(phase[name]) for name in ("rate_per_s", "to") if name in phase))
    return ramp(*(phase[name] for name in ("users", "to") if name in phase))


def spoken(axis: str, value: str | int) -> str:
    """The place of a run on an axis in words: "dbwrite", "100 users", "500/s", "heap 100m"."""
    if isinstance(value, int):
        return f"draw {value}" if axis == "draw" else counted(value, "user")
    return {"rate": f"{value}/s", "heap": f"heap {value}"}.get(axis, value)


def description(load: Mapping[str, Any]) -> dict[str, Any]:
    """Description of a load for the load generator (contract/load-description.md), from a run's configuration."""
    closed = load["users"] == "closed"
    clients: dict[str, Any] = {
        "kind": load["users"],
        "phases": [
            {
                "users" if closed else "rate": _level_text(phase),
                "for": format_duration(phase["seconds"]),
                **({"requests": phase["requests"]} if "requests" in phase else {}),
            }
            for phase in load["phases"]
        ],
        **{name: load[name] for name in _PASSED_ON if name in load},
    }
    if load.get("think_time_ms"):
        clients["think_time"] = _think_time(load["think_time_ms"])
    if "chain" not in load and not any("requests" in phase for phase in load["phases"]):
        total = sum(request["weight"] for request in load["requests"])
        clients["requests"] = {request["name"]: request["weight"] / total for request in load["requests"]}
    return {
        "clients": clients,
        "http": {
            request["name"]: {"method": request["method"], "path": request["path"]} for request in load["requests"]
        },
        "timeout": format_duration(load["timeout_ms"] / 1000),
        **({"connections": load["connections"]} if "connections" in load else {}),
        "seed": load["seed"],
    }


def _think_time(stated: Any) -> str:
    if isinstance(stated, dict):
        return f"exponential {format_duration(stated['exponential'] / 1000)}"
    return format_duration(stated / 1000)

"""Phases of a load, as the configuration of a run holds them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def load_of(configuration: Mapping[str, Any]) -> Mapping[str, Any]:
    """The load of a run's configuration; empty if it has none."""
    load = configuration.get("load")
    return load if isinstance(load, dict) else {}


def phases_of(configuration: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The phases of a run's load, in order; empty if its configuration has none."""
    phases = load_of(configuration).get("phases")
    return [phase for phase in phases if isinstance(phase, dict)] if isinstance(phases, list) else []


def requested(phase: Mapping[str, Any]) -> str:
    """The requests of a phase in words: "call20", "report + cpu", "70 % read + 30 % write"; empty without its own."""
    shares: Mapping[str, float] = phase.get("requests") or {}
    alike = len(set(shares.values())) <= 1
    return " + ".join(name if alike else f"{share * 100:.0f} % {name}" for name, share in shares.items())

"""Controllers by name, with their settings: contract/controllers.json, which the library writes of itself."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache

from poolkeeper.experiment.home import home


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting by its name; `standard` is its value as text, or None if it must be given."""

    name: str
    meaning: str
    standard: str | None


@dataclass(frozen=True, slots=True)
class Entry:
    """A controller, or a policy that decides at the events of tasks; `window` in seconds is the recommended one."""

    name: str
    kind: str
    source: str
    window: float
    settings: tuple[Setting, ...]


@cache
def catalogue() -> dict[str, Entry]:
    """All entries by name, in the order of the file."""
    written = json.loads((home() / "contract" / "controllers.json").read_text(encoding="utf-8"))
    entries = (
        Entry(
            entry["name"],
            entry["kind"],
            entry["source"],
            entry["window_s"],
            tuple(Setting(**each) for each in entry["settings"]),
        )
        for entry in written["controllers"]
    )
    return {entry.name: entry for entry in entries}

"""The command line in the test's own process: what it prints, and how it ends."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from poolkeeper.cli import main

SCHEMA = json.loads((Path(__file__).parents[3] / "contract" / "answer.schema.json").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Done:
    """Result of a command."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class CommandLine:
    """Gives commands in a folder; anything but a clean end fails the test."""

    patch: pytest.MonkeyPatch
    capture: pytest.CaptureFixture[str]

    def __call__(self, folder: Path, command: str) -> Done:
        """Give a command whose words are separated by blanks."""
        self.capture.readouterr()
        with self.patch.context() as patched:
            patched.chdir(folder)
            patched.setattr(sys, "argv", ["poolkeeper", *command.split()])
            with pytest.raises(SystemExit) as ended:
                main()
        messages = self.capture.readouterr()
        return Done(int(ended.value.code or 0), messages.out, messages.err)


def same(entry: Any, other: Any) -> bool:
    """Whether two answers differ by nothing but rounding."""
    if isinstance(entry, dict):
        return entry.keys() == other.keys() and all(same(entry[name], other[name]) for name in entry)
    if isinstance(entry, list):
        return len(entry) == len(other) and all(map(same, entry, other))
    return bool(entry == pytest.approx(other, rel=1e-9)) if isinstance(entry, float) else bool(entry == other)


def answer(poolkeeper: CommandLine, folder: Path, command: str) -> dict[str, Any]:
    """The JSON of a command that succeeds, as the contract describes it."""
    done = poolkeeper(folder, f"{command} --json")
    assert (done.code, done.err) == (0, "")
    found: dict[str, Any] = json.loads(done.out)
    jsonschema.validate(found, SCHEMA)
    return found

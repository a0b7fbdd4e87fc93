"""A small experiment as a file: tests replace a line of it, and look at the message about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from poolkeeper.errors import InputError
from poolkeeper.experiment.definition.read import read_experiment

if TYPE_CHECKING:
    from pathlib import Path

    from poolkeeper.experiment.definition.model import Experiment

GOOD = """\
question: Which?
application: [prime1m, dbwrite]
pools:
  fixed: {size: [1, 2]}
  own: {controller: throughput, step: 5}
load:
  users: 3
  for: 5m
versus: fixed-1
"""
PHASES = "  users: 3\n  for: 5m"
USERS = "  users: 3\n"


def read(folder: Path, text: str) -> Experiment:
    """Read an experiment from a file `asked.yaml`."""
    file = folder / "asked.yaml"
    file.write_text(text, encoding="utf-8")
    return read_experiment(file)


def refusal(folder: Path, text: str) -> str:
    """Return the one line in which an experiment is refused, without the path of its file."""
    with pytest.raises(InputError) as error:
        read(folder, text)
    message = str(error.value)
    assert "\n" not in message
    assert error.value.exit_code == 2
    return message.removeprefix(str(folder / "asked.yaml"))

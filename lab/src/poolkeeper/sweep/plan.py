"""Models that a sweep plays: every combination of the values of its settings."""

from __future__ import annotations

import copy
import hashlib
import re
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import yaml

from poolkeeper.errors import InputError
from poolkeeper.study.source import read_tree
from poolkeeper.suggestion import unknown

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

MOST = 100_000
"""Most simulations of one sweep."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A setting of the model, by the names that lead to it, and the values that it takes."""

    path: str
    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class PlannedSimulation:
    """A model to play: its file's name, the values that were set in it, and its text."""

    model: str
    settings: dict[str, Any]
    text: str

    @property
    def key(self) -> str:
        """A name that only the same model has: for the files of its results."""
        digest = hashlib.sha256(self.text.encode()).hexdigest()[:12]
        return f"{re.sub(r'[^A-Za-z0-9_.-]+', '-', self.model)}-{digest}"

    @property
    def title(self) -> str:
        """The model with its settings, for people."""
        return ", ".join([self.model, *(f"{path}={value}" for path, value in self.settings.items())])


def axis(text: str) -> Axis:
    """The axis of a text such as 'tiers.web.workers=4,8,16'; raises InputError for another."""
    path, equals, listed = text.partition("=")
    values = tuple(_value(text, value.strip()) for value in listed.split(","))
    if not (path and equals) or None in values:
        raise InputError(f"--set {text}: must be SETTING=VALUE,VALUE, such as tiers.web.workers=4,8,16")
    for place, value in enumerate(values):
        if value in values[:place]:
            raise InputError(f"--set {text}: holds {value} twice")
    return Axis(path, values)


def _value(option: str, text: str) -> Any:
    """The value of a text, None for an empty one. Raises InputError for what YAML cannot read."""
    try:
        return yaml.safe_load(text) if text else None
    except (yaml.YAMLError, ValueError):
        raise InputError(f"--set {option}: '{text}' is no value") from None


def plan(models: Sequence[Path], axes: Sequence[Axis]) -> list[PlannedSimulation]:
    """Every combination of the axes' values for every model, the last axis changing first.

    Raises InputError for a model that cannot be read, a setting that it does not have, an axis that is given twice.
    """
    paths = [setting.path for setting in axes]
    for path in paths:
        if paths.count(path) > 1:
            raise InputError(f"--set {path}: is given twice; list all values in one, separated by commas")
    planned = []
    for file in models:
        tree = _read(file)
        for values in product(*(setting.values for setting in axes)):
            made = copy.deepcopy(tree)
            for path, value in zip(paths, values, strict=True):
                _set(made, path, value, file)
            text = yaml.safe_dump(made, sort_keys=False, allow_unicode=True)
            planned.append(PlannedSimulation(file.stem, dict(zip(paths, values, strict=True)), text))
    if len(planned) > MOST:
        raise InputError(f"--set: {len(planned):,} combinations are more than {MOST:,}")
    keys = [model.key for model in planned]
    for place, simulation in enumerate(planned):
        if simulation.key in keys[:place]:
            raise InputError(f"{simulation.title}: is the same model as {planned[keys.index(simulation.key)].title}")
    return planned


def _read(file: Path) -> Any:
    tree = read_tree(file)
    if not isinstance(tree, dict):
        raise InputError(f"{file}: is not a model: it has no settings; docs/simulate.md says what may stand in one")
    if isinstance(tree.get("clients"), str):
        # A load description is relative to the model, and models are played from a folder of their own.
        tree["clients"] = str(file.resolve().parent / tree["clients"])
    return tree


def _set(tree: Any, path: str, value: Any, file: Path) -> None:
    """Set the value at a path such as clients.users or tiers.web.workers; list items go by name or index."""
    names = path.split(".")
    node, passed = tree, ""
    for name in names[:-1]:
        node = _below(node, name, f"--set {path}: {file}{passed}")
        passed += f".{name}" if passed else f": {name}"
    last = names[-1]
    if isinstance(node, list):
        node[_place(node, last, f"--set {path}: {file}{passed}")] = value
    elif isinstance(node, dict):
        node[last] = value  # whether a model knows the setting is for the simulator to say
    else:
        raise InputError(f"--set {path}: {file}{passed} is {node!r}, which has no settings")


def _below(node: Any, name: str, where: str) -> Any:
    if isinstance(node, list):
        return node[_place(node, name, where)]
    if not isinstance(node, dict):
        raise InputError(f"{where} is {node!r}, which has no settings")
    if name not in node:
        raise InputError(f"{where}: {unknown('setting', name, [str(entry) for entry in node])}")
    return node[name]


def _place(node: list[Any], name: str, where: str) -> int:
    names = [
        str(entry.get("name", place)) if isinstance(entry, dict) else str(place) for place, entry in enumerate(node)
    ]
    if name in names:
        return names.index(name)
    if name.isdigit() and int(name) < len(node):
        return int(name)
    raise InputError(f"{where}: {unknown('part', name, names)}")

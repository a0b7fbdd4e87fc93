"""YAML with line numbers, for messages about settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import yaml

from poolkeeper.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

MOST_VALUES = 100_000
"""Values of a document, each alias counted with all that it stands for; an alias bomb has billions."""
DEEPEST = 50
"""Levels of nesting; the settings of an experiment need fewer than ten."""

Place = tuple[str | int, ...]
"""Place of a value in a document: keys and indices from its root."""


@dataclass(frozen=True, slots=True)
class Source:
    """A document and the line, from 1, on which each of its values begins."""

    path: Path
    data: dict[str, Any]
    lines: Mapping[Place, int]

    def line(self, place: Place) -> int:
        """The line of a value, or of the innermost value around it that the document holds."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 1)

    def error(self, place: Place, message: str) -> InputError:
        """The message with file and line in front."""
        return InputError(f"{self.path}:{self.line(place)}: {message}")


def read_source(path: Path) -> Source:
    """Reads a YAML file whose root is a mapping.

    Raises InputError, naming file and line, for what is no YAML, for a key that stands twice, and for another root.
    """
    node = compose(path)
    reader = _Reader(path)
    if not isinstance(node, yaml.MappingNode):
        raise InputError(f"{path}:1: is not a mapping of settings, such as 'question: ...'")
    data = reader.value(node, ())
    return Source(path, data, reader.lines)


def read_tree(path: Path) -> Any:
    """Reads a YAML file as plain values, whose keys are what they are in YAML.

    Raises InputError, naming file and line, for invalid YAML and for a key that stands twice.
    """
    node = compose(path)
    if node is None:
        return None
    _Reader(path).value(node, ())  # for its checks; it makes texts of all keys
    try:
        return yaml.SafeLoader("").construct_document(node)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise InputError(f"{path}:{line}: is not YAML: {error.problem}") from None


def compose(path: Path) -> yaml.Node | None:
    """Reads the nodes of a YAML file; None for an empty one.

    Raises InputError, naming file and line, for what cannot be read, is no YAML, or is nested too deeply.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not UTF-8 text") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        _check_depth(path, text)
        return yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise InputError(f"{path}:{line}: is not YAML: {error.problem}") from None
    except yaml.YAMLError as error:
        raise InputError(f"{path}: is not YAML: {' '.join(str(error).split())}") from None


def _check_depth(path: Path, text: str) -> None:
    """Raise InputError for a document that is nested too deeply: the parser recurses, and would end in a traceback."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > DEEPEST:
                line = event.start_mark.line + 1 if event.start_mark else 1
                raise InputError(f"{path}:{line}: is nested more than {DEEPEST} levels deep")
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


class _Reader:
    """Builds plain values from nodes and notes the line of each."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines: dict[Place, int] = {}
        self._scalars = yaml.SafeLoader("")
        self._open: list[yaml.Node] = []
        self._values = 0

    def value(self, node: yaml.Node, place: Place) -> Any:
        self.lines.setdefault(place, node.start_mark.line + 1)
        if any(node is outer for outer in self._open):
            raise self._error(node, "this alias stands for what it is part of")
        self._values += 1
        if self._values > MOST_VALUES:
            raise self._error(node, f"has more than {MOST_VALUES:,} values, counting what its aliases stand for")
        self._open.append(node)
        try:
            if isinstance(node, yaml.MappingNode):
                return self._mapping(node, place)
            if isinstance(node, yaml.SequenceNode):
                return [self.value(item, (*place, index)) for index, item in enumerate(node.value)]
            return self._scalar(node)
        finally:
            self._open.pop()

    def _mapping(self, node: yaml.MappingNode, place: Place) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = str(key_node.value)
            if key in found:
                first = self.lines[*place, key]
                raise self._error(key_node, f"'{key}' stands here for the second time, first on line {first}")
            self.lines[*place, key] = key_node.start_mark.line + 1
            found[key] = self.value(value_node, (*place, key))
        return found

    def _scalar(self, node: yaml.Node) -> Any:
        try:
            return self._scalars.construct_object(node)
        except (yaml.YAMLError, ValueError):
            raise self._error(node, f"'{node.value}' has no value that YAML knows") from None

    def _error(self, node: yaml.Node, message: str) -> InputError:
        return InputError(f"{self.path}:{node.start_mark.line + 1}: {message}")

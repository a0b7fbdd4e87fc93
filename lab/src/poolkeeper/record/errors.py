"""Errors in run records.

InputError
└── RecordError   a file of the record
    └── BadLine   one line of it
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from poolkeeper.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path


class RecordError(InputError):
    """A run record that cannot be read; the message names the file."""

    def __init__(self, file: Path, problem: str) -> None:
        super().__init__(f"{file}: {problem}")
        self.file = file
        self.problem = problem


class BadLine(RecordError):  # noqa: N818 - reads as what it is: the line is bad
    """One line (counted from 1) of a record's file breaks the contract."""

    def __init__(self, file: Path, line: int, problem: str) -> None:
        super().__init__(file, f"line {line}: {problem}")
        self.line = line

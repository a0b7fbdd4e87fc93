"""Errors in result files.

DataError
└── FileError   one file, and where it is known the line
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from poolkeeper.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path


class FileError(DataError):
    """A result file that is not of its claimed format; the message names file, line (from 1) and reason."""

    def __init__(self, path: Path, reason: str, line: int | None = None) -> None:
        super().__init__(f"{path}: {reason}" if line is None else f"{path}: line {line:,}: {reason}")
        self.path = path
        self.line = line
        self.reason = reason

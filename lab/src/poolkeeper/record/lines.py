"""Lines of a file that another process may still be writing, or was stopped at writing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from poolkeeper.record.errors import BadLine, RecordError

if TYPE_CHECKING:
    from pathlib import Path


def whole_lines(file: Path) -> tuple[list[str], bool]:
    """Return all lines that have a line end, without it, and whether a last one without was left out.

    Writers flush whole lines, so a line without an end was cut off: even one that looks complete may lack digits.
    """
    try:
        data = file.read_bytes()
    except OSError as error:
        raise RecordError(file, f"cannot be read: {error.strerror}") from error
    raw = data.split(b"\n")
    rest = raw.pop()
    lines: list[str] = []
    for number, line in enumerate(raw, start=1):
        try:
            lines.append(line.removesuffix(b"\r").decode("utf-8"))
        except UnicodeDecodeError as error:
            raise BadLine(file, number, "is not UTF-8 text") from error
    return lines, bool(rest)

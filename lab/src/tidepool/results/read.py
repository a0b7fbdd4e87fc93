"""Opens result files: finds out by their content what wrote them."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tidepool.errors import InputError
from tidepool.results import columns, jtl
from tidepool.results.errors import FileError
from tidepool.results.results import Results
from tidepool.results.source import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tidepool.results.part import Part

FORMATS: dict[str, Any] = {"jtl": jtl, "columns": columns}
"""Names of formats, in the order in which files are tried."""


def read(
    paths: str | Path | Iterable[str | Path],
    *,
    format: str | None = None,  # noqa: A002 - the word that users look for
    unit: str | None = None,
    column: str | int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Results:
    """Open one result file or several of the same test.

    Args:
        paths: the file or files; gzip and zstd are unpacked on the way.
        format: the name of the format (see `FORMATS`) instead of what the content looks like.
        unit: of plain columns: ns, us, ms, s or min; by default what the column's name ends with, or ms.
        column: of plain columns: name or place (from 0) of the response time.
        progress: called now and then with the number of rows that were read.

    Raises InputError (FileError with line and reason where a file is at fault).
    """
    files = [Path(paths)] if isinstance(paths, str | Path) else [Path(path) for path in paths]
    if not files:
        raise InputError("paths: there is no file to read")
    if format is not None and format not in FORMATS:
        near = get_close_matches(format, FORMATS, 1, 0.3)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise InputError(f"format: {format!r} is none of {', '.join(FORMATS)}{hint}")
    return Results(tuple(_part(Source(file), format, unit, column) for file in files), progress)


def _part(source: Source, wanted: str | None, unit: str | None, column: str | int | None) -> Part:
    if not source.start.strip():
        raise FileError(source.path, "is empty")
    if wanted is None:
        given = unit is not None or column is not None
        wanted = "columns" if given else next((name for name, one in FORMATS.items() if one.recognise(source)), None)
    if wanted is None:
        raise FileError(source.path, f"is in no format that is known ({', '.join(FORMATS)})", 1)
    if wanted == "columns":
        return columns.read(source, unit=unit, column=column)
    if unit is not None or column is not None:
        raise InputError(f"unit, column: belong to plain columns, not to {wanted}")
    part: Part = FORMATS[wanted].read(source)
    return part

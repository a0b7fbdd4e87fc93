"""Request logs of Goose with an object of JSON a line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl

from poolkeeper.results.errors import FileError
from poolkeeper.results.findings import Findings
from poolkeeper.results.formats.held import Held
from poolkeeper.units import NANOSECONDS

if TYPE_CHECKING:
    from poolkeeper.results.source import Source

_MS = NANOSECONDS["ms"]
_MOST_MS = 10**12
"""Milliseconds that no test lasts."""
_NAMES = ("elapsed", "response_time", "success", "update", "final_url")
_KEY = ("user", "elapsed", "response_time", "final_url", "name")
"""Names by which a request is known when it is written again."""
_SHAPE = {
    "start_ns": pl.Int64,
    "response_ns": pl.Int64,
    "ok": pl.Boolean,
    "label": pl.String,
    "code": pl.String,
    "message": pl.String,
    "group": pl.String,
}


class Goose:
    """`goose --request-log`, in JSON."""

    @staticmethod
    def recognise(source: Source) -> bool:
        """Whether the first line is a request of Goose."""
        return bool(source.head) and all(f'"{name}":' in source.head[0] for name in _NAMES)

    @staticmethod
    def read(source: Source) -> Held:
        """Lay the requests out, whose times count in milliseconds from the start of the run to their beginning.

        Goose writes a request again where the test marks it as failed or successful after its answer: the last row
        counts. Rows that Goose made up for requests that a slow answer kept it from sending are no requests.
        """
        findings = Findings()
        rows: list[tuple[Any, ...]] = []
        places: dict[tuple[Any, ...], int] = {}
        *lines, rest = source.text(findings).split("\n")
        if rest and _is_whole(rest):
            lines.append(rest)
        elif rest:
            findings.add("cut off", f"{source.path.name}: the last line is cut off and was left out")
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            request, made_up = _request(source, number, line)
            if made_up:
                words = "rows left out, of requests that Goose could not send in time: {count}"
                findings.add("made up", f"{source.path.name}: {words}")
                continue
            key, is_again, row = request
            if is_again and key in places:
                rows[places[key]] = row
                continue
            places[key] = len(rows)
            rows.append(row)
        if not rows:
            raise FileError(source.path, "holds no requests")
        frame = pl.DataFrame(rows, schema=_SHAPE, orient="row")
        return Held(source, "Goose (JSON)", frame, clock="run", resolution_ns=_MS, noticed=findings.all())


def _is_whole(line: str) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def _request(source: Source, number: int, line: str) -> tuple[tuple[Any, bool, tuple[Any, ...]], bool]:
    """Key of a request, whether it is written again, its row, and whether it was never sent; raises FileError."""
    try:
        found: dict[str, Any] = json.loads(line)
        elapsed, time, status = (int(found[name]) for name in ("elapsed", "response_time", "status_code"))
        success, again = found["success"], found["update"]
        method = str(found["raw"]["method"] if "raw" in found else found["method"])
        row = (
            elapsed * _MS,
            time * _MS,
            bool(success),
            f"{method.upper()} {found['name']}",
            str(status) if status else "",
            str(found.get("error", "")),
            str(found.get("scenario_name", "")),
        )
        made_up = int(found.get("coordinated_omission_elapsed", 0)) > 0
        key = tuple(found.get(name) for name in _KEY)
    except ValueError as error:
        raise FileError(source.path, f"is not JSON: {error}", number) from None
    except (KeyError, TypeError, AttributeError) as error:
        reason = f"it has no {error}" if isinstance(error, KeyError) else str(error)
        raise FileError(source.path, f"is no request of Goose: {reason}", number) from None
    if not 0 <= min(elapsed, time) <= max(elapsed, time) < _MOST_MS:
        words = f"it took {time} ms, and began after {elapsed} ms"
        raise FileError(source.path, f"is no request of Goose: {words}", number)
    return (key, bool(again), row), made_up

"""Gatling's simulation.log in binary, as versions from 3.13 on write it.

Records follow each other without a mark between them: a byte for the kind, then fields of fixed size and texts. All
numbers are big-endian. Times are milliseconds after the start of the run, which the first record has. A text that may
come again has a number: with the text itself the first time, negative and alone from then on.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NoReturn

import polars as pl

from poolkeeper.results.errors import FileError
from poolkeeper.results.findings import Findings
from poolkeeper.results.formats.users import UserCourse
from poolkeeper.results.part import Part
from poolkeeper.units import NANOSECONDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from poolkeeper.results.source import Source

_MS = NANOSECONDS["ms"]
_RUN, _REQUEST, _USER, _GROUP, _ERROR = range(5)
_BYTE, _INT, _LONG = struct.Struct(">B"), struct.Struct(">i"), struct.Struct(">q")
_USER_EVENT = struct.Struct(">iBi")
"""Number of the scenario, whether the user began, and when."""
_OUTCOME = struct.Struct(">iiB")
"""Start, end, and whether it succeeded."""
_VERSION = 30
"""Most characters of a version."""
_LONGEST = 1 << 24
"""Most bytes of a text, and most entries of a list, that are no sign of damage."""
_ENCODINGS = ("latin-1", "utf-16-le")
"""Encodings of a text by the byte behind it, as Java keeps texts in memory."""
NEVER = -(2**63)
"""The end of a message from a server that no request waited for, which has no response time."""
_COLUMNS: dict[str, pl.DataType] = {
    "start_ns": pl.Int64(),
    "response_ns": pl.Int64(),
    "label": pl.String(),
    "ok": pl.Boolean(),
    "message": pl.String(),
    "group": pl.String(),
}


def recognise(source: Source) -> bool:
    """Whether a file begins with the kind of the first record, and the length of a version and the version itself."""
    length = int.from_bytes(source.start[1:5], "big")
    return source.start[:1] == bytes([_RUN]) and 0 < length < _VERSION and source.start[5:6].isdigit()


@dataclass(frozen=True)
class BinaryLog(Part):
    """The requests of a binary log."""

    @property
    def columns(self) -> Mapping[str, pl.DataType]:
        """The columns that it has, and their types."""
        return _COLUMNS if self._users is None else {**_COLUMNS, "users": pl.Int64()}

    @cached_property
    def _users(self) -> UserCourse | None:
        """The users over time; None where their number is a result."""
        records = _Records(self.source)
        try:
            for block in self.source.bytes_blocks(Findings()):
                records.feed(block)
                records.rows.clear()
        except FileError:
            return None  # reading the requests says what is wrong
        return UserCourse.of(records.begun_ms, records.ended_ms)

    def batches(self, columns: Sequence[str], findings: Findings) -> Iterator[pl.DataFrame]:
        """Rows in the order of the file; a last record that was cut off becomes a finding.

        Raises FileError for bytes that are no record.
        """
        records = _Records(self.source)
        for block in self.source.bytes_blocks(findings):
            records.feed(block)
            if records.rows:
                yield self._with_users(records.batch()).select(columns)
        if records.rest:
            name = self.source.path.name
            findings.add("cut off", f"{name}: ends within a record: it was cut off, and is used as far as it goes")
        yield self._with_users(records.batch()).select(columns)

    def _with_users(self, batch: pl.DataFrame) -> pl.DataFrame:
        if self._users is None:
            return batch
        ended = pl.col("start_ns") + pl.col("response_ns").fill_null(0)
        return batch.with_columns(users=self._users.at(ended))


class _CutError(Exception):
    """A record goes on beyond the bytes that were read so far."""


@dataclass
class _Records:
    """Parser of a log that is fed in blocks."""

    source: Source
    rest: bytes = b""
    """The beginning of a record whose end was not read yet."""
    rows: list[tuple[int, int | None, str, bool, str, str]] = field(default_factory=list)
    """Requests since the last batch, with times in milliseconds."""
    begun_ms: list[int] = field(default_factory=list)
    ended_ms: list[int] = field(default_factory=list)
    """Times at which users began and ended."""
    _place: int = 0
    _before: int = 0
    """Bytes of the file before `rest`."""
    _began: int | None = None
    """Start of the run, in milliseconds since the epoch; None before the first record."""
    _never: int = 0
    """`NEVER` as the log has it: its last four bytes after the start of the run."""
    _texts: dict[int, str] = field(default_factory=dict)

    def feed(self, block: bytes) -> None:
        """Parse the records that end within a block."""
        self.rest += block
        self._place = whole = 0
        try:
            while self._place < len(self.rest):
                self._record()
                whole = self._place
        except (_CutError, struct.error):
            pass
        self._before += whole
        self.rest = self.rest[whole:]

    def batch(self) -> pl.DataFrame:
        """The requests since the last batch."""
        frame = pl.DataFrame(self.rows, schema=_COLUMNS, orient="row")
        self.rows = []
        return frame.with_columns(pl.col("start_ns", "response_ns") * _MS)

    def _record(self) -> None:
        (kind,) = self._next(_BYTE)
        if self._began is None:
            self._run()
        elif kind == _REQUEST:
            self._request(self._began)
        elif kind == _USER:
            _, has_begun, time = self._next(_USER_EVENT)
            (self.begun_ms if has_begun else self.ended_ms).append(self._began + time)
        elif kind == _GROUP:
            self._groups()
            self._skip(_INT.size + _OUTCOME.size)
        elif kind == _ERROR:
            self._text()
            self._skip(_INT.size)
        else:
            self._fail(f"{kind} is not the kind of a record")

    def _run(self) -> None:
        for _ in ("version", "simulation"):
            self._string()
        (began,) = self._next(_LONG)
        self._string()
        for _ in range(self._length()):
            self._string()
        for _ in range(self._length()):
            self._skip(self._length())
        self._began = began
        self._never = _INT.unpack(((NEVER - began) % 2**32).to_bytes(_INT.size, "big"))[0]

    def _request(self, began: int) -> None:
        groups = ",".join(self._groups())
        label = self._text()
        start, end, good = self._next(_OUTCOME)
        message = self._text()
        self.rows.append(
            (began + start, None if end == self._never else end - start, label, bool(good), message, groups)
        )

    def _groups(self) -> list[str]:
        return [self._text() for _ in range(self._length())]

    def _text(self) -> str:
        (number,) = self._next(_INT)
        if number < 0:
            if -number not in self._texts:
                self._fail(f"text {-number} is used before it is written")
            return self._texts[-number]
        self._texts[number] = text = self._string()
        return text

    def _string(self) -> str:
        length = self._length()
        if not length:
            return ""
        begin = self._place
        self._skip(length)
        (coder,) = self._next(_BYTE)
        if coder >= len(_ENCODINGS):
            self._fail(f"{coder} is not the encoding of a text")
        return self.rest[begin : begin + length].decode(_ENCODINGS[coder], errors="replace").strip()

    def _length(self) -> int:
        (length,) = self._next(_INT)
        if not 0 <= length < _LONGEST:
            self._fail(f"{length} is not the length of a text or list")
        return int(length)

    def _next(self, fields: struct.Struct) -> tuple[int, ...]:
        found = fields.unpack_from(self.rest, self._place)
        self._place += fields.size
        return found

    def _skip(self, count: int) -> None:
        self._place += count
        if self._place > len(self.rest):
            raise _CutError

    def _fail(self, reason: str) -> NoReturn:
        where = self._before + self._place
        raise FileError(self.source.path, f"is damaged at byte {where:,}, or of another version of Gatling: {reason}")


def read(source: Source) -> BinaryLog:
    """Lay the requests out, as those of the text of earlier versions."""
    return BinaryLog(source, "Gatling simulation.log (binary)", resolution_ns=_MS)

"""JMeter's results: JTL as XML, read by a streaming parser whatever its layout."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NoReturn
from xml.parsers import expat
from xml.sax.saxutils import unescape

import polars as pl

from poolkeeper.present.text import counted, listed
from poolkeeper.results.errors import FileError
from poolkeeper.results.findings import Findings
from poolkeeper.results.formats.jmeter.engines import engine
from poolkeeper.results.formats.jmeter.jtl import ANSWERED_WELL, FAILED_ASSERTION, MOST_MS, TRANSACTION, transactions
from poolkeeper.results.formats.jmeter.sums import fault, has_sums, summed
from poolkeeper.results.part import Part
from poolkeeper.results.source import HAS_HOLE, HOLE
from poolkeeper.units import NANOSECONDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from poolkeeper.results.formats.held import Held
    from poolkeeper.results.source import Source

FORMAT = "JMeter JTL (XML)"
_MS = NANOSECONDS["ms"]
_SAMPLES = frozenset({"httpSample", "sample"})
_ROOT = re.compile(r"<testResults[\s>/]")
_FIRST = 8192
"""Characters within which the root element begins."""
_REFERENCE = re.compile(rb"&#(?:x([0-9a-fA-F]{1,7})|(\d{1,8}));")
_CHARACTERS = (range(9, 11), range(13, 14), range(0x20, 0xD800), range(0xE000, 0xFFFE), range(0x10000, 0x110000))
_CONTROLS = bytes(code if code > ord("\x1f") or code in b"\t\n\r" else ord("?") for code in range(256))
"""Control characters, which JMeter writes as they are though XML has none, become question marks."""
_SEVERAL = re.compile(rb"""sc\s*=\s*["'](?!1["'])|<sampleCount>(?!1<)""")
_SUCCESS = {"true": True, "false": False}
_NUMBERS = {
    "first_byte_ns": ("lt", _MS),
    "idle_ns": ("it", _MS),
    "connect_ns": ("ct", _MS),
    "bytes": ("by", 1),
    "sent_bytes": ("sby", 1),
    "users": ("na", 1),
    "group_users": ("ng", 1),
}
_TEXTS = {"label": "lb", "code": "rc", "message": "rm", "thread": "tn"}
_ROOT_NAME, _PARTS = "testResults", "subResults"
_FIELD = 2
"""Levels of an element of a sample below the root."""
_ASSERTED = 2
"""Levels of the message of an assertion below its sample."""
_LISTED = 3
"""Names of elements that a finding lists."""
_TIMES = frozenset({"ts", "t"})
"""Attributes by which an element of any name is a sample."""
_FIELDS = {
    "startTime": "ts",
    "elapsedTime": "t",
    "success": "s",
    "label": "lb",
    "responseCode": "rc",
    "responseMessage": "rm",
    "threadName": "tn",
    "bytes": "by",
    "sentBytes": "sby",
    "allThreads": "na",
    "groupThreads": "ng",
    "latency": "lt",
    "idleTime": "it",
    "connectTime": "ct",
    "sampleCount": "sc",
    "errorCount": "ec",
}
"""Elements within a sample of a plug-in's class, which has no attributes, and the attributes that they stand for."""
_COLUMNS: dict[str, pl.DataType] = {
    "start_ns": pl.Int64(),
    "response_ns": pl.Int64(),
    "label": pl.String(),
    "ok": pl.Boolean(),
    "code": pl.String(),
    "message": pl.String(),
    "thread": pl.String(),
    "group": pl.String(),
    "bytes": pl.Int64(),
    "sent_bytes": pl.Int64(),
    "users": pl.Int64(),
    "group_users": pl.Int64(),
    "first_byte_ns": pl.Int64(),
    "idle_ns": pl.Int64(),
    "connect_ns": pl.Int64(),
}
_COUNTS = {"samples": pl.Int64(), "failures": pl.Int64()}
_FIRST_COLUMNS = ("start_ns", "response_ns", "ok", *_COUNTS)
"""Columns that are made of what each sample is checked by."""


_THREAD = re.compile(r"\btn=\"([^\"]*)\"")


def recognise(source: Source) -> bool:
    """Whether a file begins as XML whose root holds test results."""
    return _ROOT.search(source.start[: 4 * _FIRST].decode(source.encoding, errors="replace")[:_FIRST]) is not None


def read(source: Source) -> XmlSamples | Held:
    """Samples of the file; those that stand for several are summed up.

    Samples within samples (the requests of a transaction, embedded resources) are part of the one around them. The
    times are those of the CSV: `ts`, `t` for `elapsed`, `lt` for `Latency`. Samples of plug-ins have the names of their
    classes, and the same attributes, or elements in place of them.
    """
    threads = _THREAD.findall(source.start.decode(source.encoding, errors="replace"))
    name = engine(map(unescape, threads), pl.col("thread"), None)
    samples = XmlSamples(source, FORMAT, resolution_ns=_MS, engine=name, counts=True)
    return summed(samples) if _may_have_sums(source) and has_sums(samples) else replace(samples, counts=False)


def _may_have_sums(source: Source) -> bool:
    """Whether something looks like a number of samples other than 1, found faster than by parsing."""
    end = b""
    for block in source.bytes_blocks(Findings()):
        if _SEVERAL.search(end + block[:_FIRST]) or _SEVERAL.search(block):
            return True
        end = block[-_FIRST:]
    return False


@dataclass(frozen=True)
class XmlSamples(Part):
    """The outermost samples of a file."""

    engine: pl.Expr | None = None
    """The engine of a sample by its thread, where several wrote the file."""
    counts: bool = False
    """Whether the columns `samples` and `failures` say for how many samples each one stands."""

    @property
    def columns(self) -> Mapping[str, pl.DataType]:
        """The columns that it has, and their types."""
        counts = _COUNTS if self.counts else {}
        return _COLUMNS | counts | ({} if self.engine is None else {"engine": pl.String()})

    def batches(self, columns: Sequence[str], findings: Findings) -> Iterator[pl.DataFrame]:
        """Rows in the order of the file. Raises FileError for broken XML and for samples without times."""
        if self.engine is not None and "engine" in columns:
            wanted = [name for name in dict.fromkeys([*columns, "thread"]) if name != "engine"]
            for batch in self.batches(wanted, findings):
                yield batch.with_columns(engine=self.engine).select(columns)
            return
        parser = _Parser(self.source, columns)
        for block in self.source.bytes_blocks(findings):
            if HOLE in block:
                raise FileError(self.source.path, HAS_HOLE)
            parser.feed(block)
            if parser.count:
                yield parser.batch()
        parser.close(findings)
        yield parser.batch()


class _Parser:
    """Feeds expat, and gathers the attributes of the outermost samples."""

    def __init__(self, source: Source, columns: Sequence[str]) -> None:
        self._source = source
        self._columns = columns
        # Text in UTF-16 was decoded on the way; any other encoding is for the XML declaration to say.
        self._expat = expat.ParserCreate(None if source.encoding == "utf-8" else "UTF-8")
        self._expat.StartElementHandler = self._start
        self._expat.EndElementHandler = self._end
        self._expat.EntityDeclHandler = self._refuse
        self._expat.buffer_text = True
        self._rows: list[dict[str, str]] = []
        self._times: list[tuple[int, int, bool | None, int, int]] = []
        self._level = 0
        self._root = 0
        self._sample = 0
        self._fields: dict[str, str] | None = None
        self._text: list[str] = []
        self._read_before = 0
        self._unread: Counter[str] = Counter()
        self._transactions = 0
        self._alone = False
        self._whole = 0
        self._rest = b""
        self._broken = False

    @property
    def count(self) -> int:
        """Rows that were gathered since the last batch."""
        return len(self._rows)

    def feed(self, block: bytes) -> None:
        """Parse some more of the file."""
        text = self._rest + block
        # A reference may be cut in two by the end of the block.
        cut = text.rfind(b"&", max(0, len(text) - 12))
        whole, self._rest = (text, b"") if cut < 0 or b";" in text[cut:] else (text[:cut], text[cut:])
        self._parse(_REFERENCE.sub(_valid, whole).translate(_CONTROLS), last=False)

    def close(self, findings: Findings) -> None:
        """Parse the end; a file that was cut off becomes a finding."""
        self._parse(self._rest, last=True)
        self._sample = 0
        name = self._source.path.name
        if self._broken:
            findings.add(
                "cut off", f"{name}: ends before </testResults>: it was cut off, and is used as far as it goes"
            )
        if 0 < self._transactions < self._whole:
            finding = transactions(self._source)
            findings.add(finding.kind, finding.words)
        if self._unread:
            shown = listed([f"<{tag}> {number:,}" for tag, number in self._unread.most_common(_LISTED)])
            more = f", and {counted(len(self._unread) - _LISTED, 'more name')}" if len(self._unread) > _LISTED else ""
            words = f"elements below testResults that are no samples, without their time and start: {shown}{more}"
            if not self._whole:
                raise FileError(self._source.path, f"has no samples, only {words}")
            findings.add("not read", f"{name}: {words} were not read")

    def batch(self) -> pl.DataFrame:
        """The rows since the last batch, in the columns that are wanted."""
        # The assertions of a sample come within it: it waits for its end.
        whole = len(self._rows) - (1 if self._sample and self._rows else 0)
        rows, times = self._rows[:whole], self._times[:whole]
        self._rows, self._times = self._rows[whole:], self._times[whole:]
        made = {
            name: pl.Series(name, [time[_FIRST_COLUMNS.index(name)] for time in times])
            if name in _FIRST_COLUMNS
            else _column(name, rows)
            for name in self._columns
        }
        made |= {name: made[name].cast(pl.Int64) * _MS for name in ("start_ns", "response_ns") if name in made}
        return pl.DataFrame(made, schema={name: (_COLUMNS | _COUNTS)[name] for name in self._columns})

    def _parse(self, text: bytes, *, last: bool) -> None:
        if self._broken:
            return
        try:
            self._expat.Parse(text, last)
        except LookupError as error:
            raise FileError(self._source.path, f"is not XML: {error}", 1) from None
        except expat.ExpatError as error:
            if not last:
                raise FileError(self._source.path, f"is not XML: {_reason(error)}", error.lineno) from None
            self._broken = True

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._level += 1
        sample = name in _SAMPLES or attributes.keys() >= _TIMES
        if self._sample:
            self._alone = self._alone and not sample
            if self._is_assertion(name, self._level):
                self._expat.CharacterDataHandler = self._text.append
        elif sample:
            self._take(attributes)
            self._sample = self._level
        elif name == _ROOT_NAME:
            self._root = self._level
        elif self._fields is None:
            if self._level == self._root + 1 > 1:
                self._fields, self._read_before = {}, self._whole
        elif name == _PARTS:
            self._sample, self._alone = self._level, False
        elif self._level == self._root + _FIELD and name in _FIELDS:
            self._expat.CharacterDataHandler = self._text.append

    def _take(self, attributes: dict[str, str]) -> None:
        """Keep a sample."""
        try:
            start, elapsed = int(attributes["ts"]), int(attributes["t"])
            good = _SUCCESS[attributes["s"]] if "s" in attributes else None
        except (KeyError, ValueError):
            self._fail("a sample without its time (t) or start (ts), or whose success (s) is not true or false")
        samples, failures = self._counted(attributes) if "ec" in attributes or "sc" in attributes else (1, 0)
        if failures or (good is False and "ec" not in attributes):
            good, failures = False, failures or 1  # without a number of errors, a sample that failed has one at least
        if abs(start) > MOST_MS["timeStamp"] or abs(elapsed) > MOST_MS["elapsed"]:
            self._fail(f"a time beyond what milliseconds can be: ts={start}, t={elapsed}")
        self._rows.append(attributes)
        self._times.append((start, elapsed, good, samples, failures))
        self._whole += 1
        self._alone = attributes.get("rm", "").startswith(TRANSACTION)

    def _counted(self, attributes: dict[str, str]) -> tuple[int, int]:
        """The number of samples that a sample stands for, and of failures among them."""
        try:
            counts = int(attributes.get("sc", "1")), int(attributes.get("ec", "0"))
        except ValueError:
            self._fail(f"sc or ec is not a number: {attributes}")
        if (reason := fault(*map(str, counts))) is not None:
            self._fail(reason)
        return counts

    def _end(self, name: str) -> None:
        level = self._level
        self._level -= 1
        if self._sample:
            if self._is_assertion(name, level):
                self._expat.CharacterDataHandler = None
                self._explain("".join(self._text).strip())
                self._text.clear()
            if level == self._sample:
                # A transaction that has its requests within itself does not stand beside them.
                self._transactions += self._alone
                self._sample = 0
        elif self._fields is not None and level == self._root + _FIELD and name in _FIELDS:
            self._expat.CharacterDataHandler = None
            self._fields[_FIELDS[name]] = "".join(self._text)
            self._text.clear()
        elif self._fields is not None and level == self._root + 1:
            fields, self._fields = self._fields, None
            if fields.keys() >= _TIMES:
                self._take(fields)
            elif self._whole == self._read_before:
                self._unread[name] += 1

    def _is_assertion(self, name: str, level: int) -> bool:
        """Whether an element is the message of an assertion that the sample around it failed."""
        return name == FAILED_ASSERTION and level == self._sample + _ASSERTED and self._fields is None

    def _explain(self, message: str) -> None:
        """Take the message of an assertion for that of the sample, where its code is none of a failure."""
        if self._rows and self._times[-1][_FIRST_COLUMNS.index("ok")] is False:
            row = self._rows[-1]
            if message and "explained" not in row and re.match(ANSWERED_WELL, row.get("rc", "")):
                row["rm"], row["explained"] = message, ""

    def _fail(self, reason: str) -> NoReturn:
        raise FileError(self._source.path, reason, self._expat.CurrentLineNumber)

    def _refuse(self, name: str, *_: object) -> None:
        self._fail(f"declares an entity ({name}), which results never do; such a file is not read")


def _column(name: str, rows: list[dict[str, str]]) -> pl.Series:
    if name in _NUMBERS:
        key, factor = _NUMBERS[name]
        text = pl.Series(name, [row.get(key) for row in rows], dtype=pl.String)
        return text.cast(pl.Int64, strict=False) * factor
    if name == "group":
        return _column("thread", rows).str.replace(r" \d+-\d+$", "").alias(name)
    return pl.Series(name, [row.get(_TEXTS[name], "") for row in rows], dtype=pl.String)


def _valid(match: re.Match[bytes]) -> bytes:
    """The reference to a character, or a question mark for one that XML does not have."""
    code = int(match[1], 16) if match[1] else int(match[2])
    return match[0] if any(code in characters for characters in _CHARACTERS) else b"?"


def _reason(error: expat.ExpatError) -> str:
    return expat.ErrorString(error.code) if error.code else str(error)

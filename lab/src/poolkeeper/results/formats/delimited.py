"""Files of delimited columns, scanned by polars: the base of all CSV formats."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

import polars as pl

from poolkeeper.results.errors import FileError
from poolkeeper.results.findings import Findings
from poolkeeper.results.formats.marks import comma_advice, thousands_advice
from poolkeeper.results.part import BEYOND, Part
from poolkeeper.results.source import HAS_HOLE, HOLE, NOT_UTF_8, Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

BATCH = 500_000
"""Rows that are looked at together."""

_BLANKS = r"[^\S\x1c-\x1f]*"
"""Blanks that Python passes over around a number."""
_CELLS: dict[Any, tuple[str, str]] = {
    pl.Int64: (rf"{_BLANKS}[+-]?\d+{_BLANKS}", "a whole number"),
    pl.Float64: (rf"{_BLANKS}[+-]?(\d+\.?\d*([eE][+-]?\d+)?|\.\d+|nan|NaN|inf){_BLANKS}", "a number"),
    pl.Boolean: (r"true|false", "true or false"),
}
_LEAST = -(2**63)
"""Least whole number of a cell."""
_MOST_DIGITS = 19
"""Digits of the largest one."""
WHOLE_LINE = "\x01"
"""Separator of a file whose lines are one cell each."""
_FIGURES = ("start_ns", "response_ns", "ok", "label", "group")
"""Columns of which a part of a cell makes a wrong figure."""
OPEN_END = "its last line lacks a line end: if the file was cut off there, {0!r} is a part of what it ended with"
_SHORT, _UNEVEN, _KEEP, _MORE = "\0short", "\0uneven", "\0keep", "\0more"


@dataclass(frozen=True)
class Delimited(Part):
    """A file whose lines are cells between separators.

    `cells` names its columns in order with their types (String, Int64, Float64, Boolean), `expressions` says what the
    columns of the results are made of, and every row must have all `needed` cells. Rows for which `keep` is false are
    no requests.
    """

    cells: Mapping[str, Any]
    expressions: Mapping[str, pl.Expr]
    needed: tuple[str, ...]
    header: str | None = None
    """The first line, if it names the columns. Where it comes again, another file has been appended."""
    separator: str = ","
    quote: str | None = '"'
    keep: pl.Expr | None = None
    others: str = ""
    """Message about the rows for which `keep` is false, with `{count}`; none where they need no words."""
    check: Callable[[list[str]], str | None] | None = None
    """Checks the cells of a line, for lines that are not all alike; returns the fault."""
    broken: pl.Expr | None = None
    """Whether a row cannot be read."""
    fractions: str = ""
    """Message about a fraction where a whole number belongs."""
    even: bool = False
    """Whether its writer gives every row all cells, so that one with fewer was cut."""
    ends: bool = False
    """Whether its writer ends each line, so that a last one without an end was cut, perhaps within a number."""
    begins: bytes | None = None
    """Expression for the beginning of a line that holds a record, for a second count of them."""

    @cached_property
    def columns(self) -> Mapping[str, pl.DataType]:
        """The columns that it has, and their types."""
        none = pl.LazyFrame(schema=dict(self.cells))
        return dict(none.select(**self.expressions).collect_schema())

    def batches(self, columns: Sequence[str], findings: Findings) -> Iterator[pl.DataFrame]:
        """The rows in the order of the file; skipped rows become a finding.

        Raises FileError with line and reason for a row that lacks a cell, has one too many, or one of another type.
        """
        rows = 0
        passed = _Lines()
        for finding in self.noticed:
            findings.add(finding.kind, finding.words)
        for blanks in (False, True):
            try:
                for batch in self._frames(columns, findings, passed, strict=True, blanks=blanks, after=rows):
                    rows += batch.height
                    yield self._kept(batch, columns, findings)
            except (pl.exceptions.PolarsError, _ShortRowError, _UnevenRowError) as error:
                failed = error
            else:
                self._count_again(rows, passed, findings)
                return
        appended = self._find_bad(failed)
        for line in appended:
            words = (
                f"{self.source.path.name}: the header comes again in line {line:,}: results of several runs in one file"
            )
            findings.add("appended", words)
        if appended and self.clock == "run":
            words = "its times begin anew there, so that they lie one over the other: rates are not given"
            findings.add("clock", f"{self.source.path.name}: {words}")
        try:
            for batch in self._frames(columns, findings, passed, strict=False, blanks=True, after=rows):
                rows += batch.height
                yield self._kept(batch, columns, findings)
        except (pl.exceptions.PolarsError, _ShortRowError, _UnevenRowError):
            # The checks of a format do not find all that its expressions cannot read.
            words = f"cannot be read as {self.format}: a row after the first {rows:,} lacks a cell, or has a value of"
            raise FileError(self.source.path, f"{words} another kind or size") from None
        self._count_again(rows, passed, findings, headers=len(appended))

    def _count_again(self, rows: int, passed: _Lines, findings: Findings, *, headers: int = 0) -> None:
        """Compare the rows with a simple count of lines; a quotation mark that is not closed joins many of them.

        `headers` is how often the header comes again.
        """
        if self._is_scanned and self.source.has_hole:
            raise FileError(self.source.path, HAS_HOLE)
        headers += int(self.header is not None)
        self._count_cells(rows + headers, passed)
        lines = (self.source.lines if self._is_scanned else passed.count) - self.source.lead - headers
        if lines == rows or self.begins is None:
            return
        counted = self.source.matches(self.begins) if self._is_scanned else self._records_of_blocks(self.begins)
        counted -= headers * int(self.header is not None and self._is_record(self.header))
        if counted != rows:
            findings.add(
                "count",
                f"{self.source.path.name}: {counted:,} lines begin as records do, but {rows:,} records were read: "
                "a quotation mark may not be closed",
            )

    def _count_cells(self, lines: int, passed: _Lines) -> None:
        """Raise FileError for a row with too few or too many cells, where empty last cells hide it."""
        if not self._is_counted:
            return
        # Where the last cell is never empty, rows that lack cells are told already; most have none too many either.
        ends = {self.separator, self.quote or self.separator}
        if self._ends_full and self._is_scanned and not any(map(self.source.has_line_that_ends_with, ends)):
            return
        found = passed.separators
        if self._is_scanned:
            found = sum(map(self._separators, self.source.blocks(Findings(), quotes=self.quote is not None)))
        lead = Source(self.source.path).head[: self.source.lead]
        found -= sum(self._separators(line.encode()) for line in lead)
        wanted = lines * (len(self.cells) - 1)
        if found > wanted:
            self._find_long()
        elif found < wanted and not self._ends_full:
            self._find_bad(_UnevenRowError())

    def _find_long(self) -> None:
        """Raise FileError for the first row with cells beyond the last column, which polars passes over if empty."""
        reader = csv.reader(islice(self._lines(), self.source.lead, None), **self._dialect())
        before = self.source.lead
        for row in reader:
            line, before = before + 1, self.source.lead + reader.line_num
            beyond = row[len(self.cells) :]
            if beyond and any(row) and not any(beyond) and (reason := self._reason(row)) is not None:
                raise FileError(self.source.path, reason, line)

    @cached_property
    def _is_counted(self) -> bool:
        """Whether the separators tell rows that lack cells or have some beyond the last column: every row has all."""
        return self.even and self._is_full

    def _separators(self, block: bytes) -> int:
        """Separators outside of quotations."""
        # A mark that is doubled within a quotation ends it and begins another one.
        plain = block if self.quote is None else b"".join(block.split(self.quote.encode())[::2])
        return plain.count(self.separator.encode())

    def _records_of_blocks(self, begins: bytes) -> int:
        """Lines of the blocks that begin as a record, without a last one that was cut off."""
        pattern = re.compile(rb"^(?:" + begins + rb")", re.MULTILINE)
        return sum(len(pattern.findall(block)) for block in self._whole_blocks(Findings()))

    @property
    def _is_scanned(self) -> bool:
        """Whether polars scans the file itself, and not blocks of it."""
        return self.source.plain and self.source.ends_whole

    def _is_record(self, line: str) -> bool:
        return self.begins is not None and re.match(self.begins, line.encode()) is not None

    def _kept(self, batch: pl.DataFrame, columns: Sequence[str], findings: Findings) -> pl.DataFrame:
        if self.others:
            findings.add("left out", self.others, batch.height - int(batch[_KEEP].sum()) - batch[_KEEP].null_count())
        return (batch if self.keep is None else batch.filter(pl.col(_KEEP))).select(columns)

    def _frames(  # noqa: PLR0913 - settings by name
        self, columns: Sequence[str], findings: Findings, passed: _Lines, *, strict: bool, blanks: bool, after: int
    ) -> Iterator[pl.DataFrame]:
        """All rows but the first `after`, those to be kept marked; counts the lines of blocks in `passed`.

        With `blanks`, lines without a cell that says something are left out, which needs all columns: only for files
        that have one. Not `strict`, lines like the header are left out.
        """
        wanted = {name: self.expressions[name] for name in columns}
        keep = pl.lit(value=True) if self.keep is None else self.keep
        # Polars passes over cells beyond the last column unless all columns are wanted.
        short = pl.any_horizontal([pl.col(_MORE).is_not_null(), *(pl.col(name).is_null() for name in self.needed)])
        if self.broken is not None:
            short |= self.broken
        used = {name for expression in (*wanted.values(), keep, short) for name in expression.meta.root_names()}
        cells = {**self.cells, _MORE: pl.String}
        schema = {name: type_ if strict and name in used else pl.String for name, type_ in cells.items()}
        uneven = pl.col(list(self.cells)[-1]).is_null() if strict and self._ends_full else pl.lit(value=False)
        skip = self.source.lead + int(self.header is not None)

        def rows(raw: pl.LazyFrame, after: int) -> pl.LazyFrame:
            if blanks:
                raw = raw.filter(~pl.all_horizontal(pl.all().is_null()))
            raw = raw.slice(after)
            if not strict:
                first = next(iter(self.cells))
                casts = [_cast(name, cells[name]) for name in used]
                raw = raw.filter(pl.col(first).ne_missing(self._first_name)).with_columns(casts)
            return raw.select(short.alias(_SHORT), uneven.alias(_UNEVEN), keep.alias(_KEEP), **wanted)

        if self._is_scanned:
            scan = self._scan(self.source.path, schema, skip)
            lines = after
            for batch in rows(scan, after).collect_batches(chunk_size=BATCH, maintain_order=True):
                lines += batch.height
                self.source.position.to(lines * self.source.line_bytes)
                yield _checked(batch)
            return
        passed.count = passed.separators = 0
        for block in self._whole_blocks(findings):
            passed.count += block.count(b"\n") + int(not block.endswith(b"\n"))
            passed.separators += self._separators(block) if self._is_counted else 0
            found = rows(self._scan(block, schema, skip), 0).collect()
            skip = 0
            seen = min(after, found.height)
            after -= seen
            yield _checked(found.slice(seen))

    def _scan(self, source: Any, schema: dict[str, Any], skip: int) -> pl.LazyFrame:
        return pl.scan_csv(
            source,
            has_header=False,
            skip_lines=skip,
            schema=schema,
            separator=self.separator,
            quote_char=self.quote,
            glob=False,
            raise_if_empty=False,
            missing_columns="insert",
        )

    def _whole_blocks(self, findings: Findings) -> Iterator[bytes]:
        """Blocks of whole lines; a last line that was cut off is left out, which becomes a finding."""
        for block in self.source.blocks(findings, quotes=self.quote is not None):
            if HOLE in block[: block.rfind(b"\n") + 1]:
                raise FileError(self.source.path, HAS_HOLE)
            if block.endswith(b"\n"):
                yield block
                continue
            end = 0 if self._is_one_row(block) else block.rfind(b"\n") + 1
            last = block[end:].decode(errors="replace")
            try:
                row = next(csv.reader([last], strict=True, **self._dialect()))
                # What is left of a cell may be a number as well: a row that lacks others ends in the midst of one.
                is_short = len(row) < len(self.cells) and self._is_full
                whole = self._reason(row) is None and not (is_short or self.ends)
            except (csv.Error, StopIteration):
                whole = False
            if whole:
                if self._ends_in_figure and not last.endswith(self.quote or "\n"):
                    findings.add("open end", f"{self.source.path.name}: {OPEN_END.format(row[-1][:40])}")
                yield block
                continue
            findings.add("cut off", f"{self.source.path.name}: the last line is cut off and was left out")
            if end:
                yield block[:end]

    def _is_one_row(self, block: bytes) -> bool:
        """Whether what follows the last line end outside of quotations is one row, whose cells may have several lines.

        Otherwise a quotation mark further up was not closed.
        """
        begins = re.compile(rb"^(?:" + (self.begins or b"") + rb")", re.MULTILINE)
        return len(begins.findall(block)) <= 1

    @cached_property
    def _ends_in_figure(self) -> bool:
        """Whether the last cell says what counts, so that a part of its text would say something else."""
        last = list(self.cells)[-1]
        made = [self.expressions[name] for name in _FIGURES if name in self.expressions]
        return self.separator != WHOLE_LINE and any(last in expression.meta.root_names() for expression in made)

    def _dialect(self) -> dict[str, Any]:
        quoting = csv.QUOTE_NONE if self.quote is None else csv.QUOTE_MINIMAL
        return {"delimiter": self.separator, "quoting": quoting}

    @cached_property
    def _is_full(self) -> bool:
        """Whether one of the first rows has all cells, so that the others may be expected to have them too."""
        return any(len(row) == len(self.cells) for row in self._first_rows)

    @cached_property
    def _ends_full(self) -> bool:
        """Whether an empty last cell is a sign of a row that was cut: every row has all, and none of the first ends so.

        A row of the middle that lacks its end may end in the midst of a number.
        """
        return self.even and self._is_full and all(row[-1] for row in self._first_rows if any(row))

    @property
    def _first_rows(self) -> Iterator[list[str]]:
        """Cells of the first lines below the header that are not empty."""
        return filter(None, csv.reader(self.source.head[int(self.header is not None) :], **self._dialect()))

    @property
    def _first_name(self) -> str:
        """The first cell of the header, by which a line like it is known."""
        names = next(csv.reader([self.header or ""], **self._dialect()), [])
        return names[0] if names else next(iter(self.cells))

    def _reason(self, row: list[str]) -> str | None:
        """Fault of a row."""
        if len(row) > len(self.cells):
            return f"has {len(row)} cells, but there are {len(self.cells)} columns"
        for place, (name, type_) in enumerate(self.cells.items()):
            text = row[place] if place < len(row) else ""
            if name in self.needed and text == "":
                return f"{name} is missing" if place < len(row) else f"ends before {name}"
            pattern, noun = _CELLS.get(type_, ("", ""))
            if text and pattern and not re.fullmatch(pattern, text):
                fraction, whole = re.fullmatch(r"\d*(?:[.,]\d+)+", text), type_ == pl.Int64
                hint = f"{self.fractions}{self._thousands(text)}" if whole else self._advice(place, text)
                return f"{name} is not {noun}: {text!r}{hint if fraction else ''}"
            if text and type_ == pl.Int64 and not _is_whole(text):
                return f"{name} has too many digits: {text!r}"
        if len(row) < len(self.cells) and self.even and self._is_full:
            return f"has {len(row)} cells, but there are {len(self.cells)} columns: it was cut"
        return None if self.check is None else self.check(row)

    def _advice(self, place: int, text: str) -> str:
        """Advice on a comma within a number of a column, with a command where commas are no separators."""
        if self.separator == ",":
            return "; write a decimal point, and none between thousands"
        column = (row[place] for row in self._first_rows if place < len(row))
        return f"; {comma_advice([text, *column])}"

    def _thousands(self, text: str) -> str:
        """Advice on commas within a whole number, where commas are no separators."""
        advice = "" if self.separator == "," else thousands_advice(text)
        return f"; {advice}" if advice else ""

    def _find_bad(self, error: Exception) -> list[int]:
        """The lines in which the header comes again; raises FileError for the first bad line before or after them."""
        appended: list[int] = []
        padded = False
        lines = islice(self._lines(), self.source.lead, None)
        reader = csv.reader(lines, strict=True, **self._dialect())
        names: list[str] | None = None
        before = self.source.lead
        try:
            for row in reader:
                line, before = before + 1, self.source.lead + reader.line_num
                if self.header is not None and names is None:
                    names = row
                elif row and row == names:
                    appended.append(line)
                elif any(row) and (reason := self._reason(row)) is not None:
                    raise FileError(self.source.path, reason, line)
                else:
                    padded = padded or any(cell != cell.strip() for cell in row)
        except csv.Error as wrong:
            raise FileError(self.source.path, f"is not CSV: {wrong}", before + 1) from None
        except UnicodeDecodeError:
            raise FileError(self.source.path, NOT_UTF_8, before + 1) from None
        # Blanks around a number are no fault, but only the second reading passes over all of them.
        if not appended and not padded and not isinstance(error, _UnevenRowError):
            reason = str(error).partition("\n")[0] or "a row lacks a cell"
            raise FileError(self.source.path, f"cannot be read as {self.format}: {reason}")
        return appended

    def _lines(self) -> Iterator[str]:
        for block in self._whole_blocks(Findings()):
            for line in block.split(b"\n")[: -1 if block.endswith(b"\n") else None]:
                yield line.decode() + "\n"


def scaled(values: pl.Expr, scale_ns: int) -> pl.Expr:
    """Whole numbers of a unit in nanoseconds; `BEYOND`, with its sign, for more than these count."""
    most = BEYOND // scale_ns
    return pl.when(values > most).then(BEYOND).when(values < -most).then(-BEYOND).otherwise(values * scale_ns)


def _is_whole(text: str) -> bool:
    """Whether digits are a number that 64 bits hold."""
    return len(text.strip().lstrip("+-0")) <= _MOST_DIGITS and _LEAST <= int(text.strip()) <= -_LEAST - 1


def _checked(batch: pl.DataFrame) -> pl.DataFrame:
    """The batch itself, where no row lacks a cell."""
    if batch[_SHORT].any():
        raise _ShortRowError
    if batch[_UNEVEN].any():
        raise _UnevenRowError
    return batch


def _cast(name: str, type_: Any) -> pl.Expr:
    """A cell's text as its type; null if it is none."""
    if type_ == pl.String:
        return pl.col(name)
    if type_ != pl.Boolean:
        # Where the type is known from the start, blanks around a number are passed over as well.
        return pl.col(name).str.strip_chars().cast(type_, strict=False)
    success = pl.when(pl.col(name) == "true").then(statement=True).when(pl.col(name) == "false").then(statement=False)
    return success.otherwise(None).alias(name)


@dataclass
class _Lines:
    """Number of lines that were passed, and of the separators in them where these are counted."""

    count: int = 0
    separators: int = 0


class _ShortRowError(Exception):
    """A row lacks a cell that it needs, or has one too many."""


class _UnevenRowError(Exception):
    """The last cell of a row is empty, as that of no row before."""

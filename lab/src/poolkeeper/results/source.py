"""The bytes of a result file: unpacked, as UTF-8, in blocks of whole lines."""

from __future__ import annotations

import bz2
import codecs
import io
import lzma
import re
import stat
import zipfile
import zlib
from dataclasses import dataclass
from functools import cached_property
from typing import IO, TYPE_CHECKING, Any, cast

import numpy as np

from poolkeeper.results.errors import FileError
from poolkeeper.results.findings import Findings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray


_HEAD = 1 << 16
_BLOCK = 1 << 23
_LONGEST = 1 << 26
"""Bytes of a line of which no more are looked at."""
_PACKED = 1 << 16
_SCANNED = 1 << 18
"""Bytes that are looked at together: few enough to stay near the processor."""
_HOLES = 256
"""Place of the number of holes beside those of the lines by their last byte."""
_GZIP, _ZSTD, _BZIP2, _XZ, _ZIP = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"BZh", b"\xfd7zX", b"PK\x03\x04"
_LED = ("#", "sep=")
"""Beginnings of lines before a table that say nothing of it."""
_MARKS = (_GZIP, _ZSTD, _BZIP2, _XZ, _ZIP)
_BROKEN = (EOFError, OSError, zlib.error, lzma.LZMAError, zipfile.BadZipFile)
"""Errors of a packed file that is damaged."""
HOLE = b"\0\0\0\0"
"""Zeros in text, which a crash leaves in place of what was written."""
HAS_HOLE = "has zeros in place of text, as a crash or a full disk leaves them: what was written there is lost"
NOT_UTF_8 = "is not text in UTF-8; if it is in another encoding, convert it: iconv -f latin1 -t utf-8"
_ENCODINGS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(slots=True)
class Position:
    """Position in the reading of a file, in bytes as they lie on the disk."""

    size: int
    reached: float = 0.0

    def to(self, place: float) -> None:
        """Note the place that was reached; one beyond the end was a wrong estimate."""
        self.reached = min(place, self.size)


@dataclass(frozen=True)
class Source:
    """One result file: text in UTF-8 or, with its mark, in UTF-16, packed or not.

    Unpacked are gzip, zstd, bzip2, xz, and a zip that holds one file.
    """

    path: Path
    lead: int = 0
    """Number of lines at its beginning that say nothing."""

    @cached_property
    def start(self) -> bytes:
        """The first bytes, unpacked but as they are encoded; all of them if the file is small."""
        with self._open() as packed, self._unpacked(packed) as file:
            return _read(file, _HEAD)

    @cached_property
    def compressed(self) -> bool:
        """Whether the file is packed."""
        with self._open() as file:
            return file.read(4).startswith(_MARKS)

    @cached_property
    def encoding(self) -> str:
        """Encoding of its text: by the mark at its beginning, otherwise UTF-8."""
        return next((name for mark, name in _ENCODINGS if self.start.startswith(mark)), "utf-8")

    @cached_property
    def position(self) -> Position:
        """Position in the file of the pass that is under way."""
        return Position(self.path.stat().st_size if self.path.is_file() else 0)

    @cached_property
    def line_bytes(self) -> float:
        """The mean length of the first lines, unpacked: how far a number of lines reaches in a plain file."""
        return len(self.start) / max(1, self.start.count(b"\n"))

    @property
    def lines(self) -> int:
        """The lines of an unpacked file."""
        return int(self._endings[:_HOLES].sum())

    def has_line_that_ends_with(self, character: str) -> bool:
        """Whether a line of an unpacked file ends with an ASCII character."""
        return bool(self._endings[ord(character)])

    @property
    def has_hole(self) -> bool:
        """Whether zeros stand in place of text in an unpacked file."""
        return bool(self._endings[_HOLES])

    @cached_property
    def _endings(self) -> NDArray[np.int64]:
        """The lines of an unpacked file by their last byte, a carriage return left out, and holes; shape (257,)."""
        found, carried = np.zeros(_HOLES + 1, np.int64), 2
        block = np.empty(carried + _SCANNED, np.uint8)
        block[:carried] = ord("\n")
        with self._open() as file:
            while size := file.readinto(block[carried:]):  # type: ignore[attr-defined]
                ends = carried + np.flatnonzero(block[carried : carried + size] == ord("\n"))
                last = block[ends - 1]
                last = np.where(last == ord("\r"), block[ends - 2], last)
                found += np.bincount(last, minlength=found.size)
                found[_HOLES] += HOLE in block[: carried + size].tobytes()
                block[:carried] = block[size : size + carried].copy()
        return found

    def matches(self, begins: bytes) -> int:
        """Lines whose beginning matches the expression."""
        pattern = re.compile(rb"^(?:" + begins + rb")", re.MULTILINE)
        return sum(len(pattern.findall(block)) for block in self.blocks(Findings(), quotes=False))

    @property
    def plain(self) -> bool:
        """Whether the file can be scanned as it lies on the disk: unpacked UTF-8 without a mark."""
        return not self.compressed and self.encoding == "utf-8"

    @cached_property
    def head(self) -> tuple[str, ...]:
        """The first whole lines of its text, without their ends; undecodable bytes are replaced.

        A line ends as those of the whole file do: marks of pages and paragraphs are within lines, and carriage returns
        that are become blanks, which readers of CSV take.
        """
        text = self.start.decode(self.encoding, errors="replace")
        lines = [line.removesuffix("\r").replace("\r", " ") for line in text.split("\n")]
        if not lines[-1] or (len(self.start) >= _HEAD and len(lines) > 1):
            del lines[-1]
        return tuple(lines[self.lead :])

    @property
    def whole(self) -> bool:
        """Whether `start` is all there is."""
        return len(self.start) < _HEAD

    @cached_property
    def first_line(self) -> str:
        """The first line, also where it is longer than the beginning that `head` is taken from."""
        if len(self.head) != 1 or len(self.start) < _HEAD or self.lead:
            return self.head[0] if self.head else ""
        line = b""
        for block in self.bytes_blocks(Findings()):
            begun, end, _ = block.partition(b"\n")
            line += begun
            if end or len(line) > _LONGEST:
                break
        return line.decode(errors="replace").rstrip("\r")

    @property
    def led(self) -> Source:
        """The same without the empty lines and comments (#) that it begins with, and without Excel's sep=."""
        first_lines = (
            place for place, line in enumerate(self.head) if line.strip() and not line.lstrip().startswith(_LED)
        )
        return Source(self.path, self.lead + next(first_lines, 0))

    @cached_property
    def ends_whole(self) -> bool:
        """Whether an unpacked file's last byte ends a line."""
        with self._open() as file:
            if file.seek(0, io.SEEK_END) == 0:
                return True
            file.seek(-1, io.SEEK_END)
            return file.read(1) == b"\n"

    def text(self, findings: Findings) -> str:
        """All of a small file's text; raises FileError if it is none."""
        try:
            return b"".join(self.bytes_blocks(findings)).decode()
        except UnicodeDecodeError as error:
            raise FileError(self.path, f"{NOT_UTF_8} ({error})") from None

    def bytes_blocks(self, findings: Findings) -> Iterator[bytes]:
        """The file's text as UTF-8, some megabytes at a time.

        A packed file that ends too early is used as far as it goes, which becomes a finding; one that is damaged before
        anything could be read raises FileError, as does text that is not what its encoding says.
        """
        decoder = None if self.encoding == "utf-8" else codecs.getincrementaldecoder(self.encoding)()
        read = 0
        with self._open() as packed, self._unpacked(packed) as file:
            while True:
                self.position.to(packed.tell())
                try:
                    block = file.read(_BLOCK)
                except _BROKEN as error:
                    if not self.compressed or not read:
                        raise FileError(self.path, f"cannot be read: {error}") from error
                    words = f"{self.path.name}: the packed file is cut off or damaged; what could be unpacked is used"
                    findings.add("truncated", words)
                    return
                if not block:
                    return
                read += len(block)
                yield block if decoder is None else self._recoded(block, decoder)

    def blocks(self, findings: Findings, *, quotes: bool = True) -> Iterator[bytes]:
        """The same in blocks that end with a line; the last one may lack its line end.

        With `quotes`, a line end between quotes does not end a line.
        """
        rest = b""
        for block in self.bytes_blocks(findings):
            whole = rest + block
            # A quotation of many megabytes is none: a mark is not closed, and the rest of the file would be one line.
            end = _last_line_end(whole, quotes=quotes and len(whole) < _LONGEST)
            if end:
                yield whole[:end]
            rest = whole[end:]
        if rest:
            yield rest

    def _recoded(self, block: bytes, decoder: codecs.IncrementalDecoder) -> bytes:
        """A block as UTF-8."""
        try:
            return decoder.decode(block).encode()
        except UnicodeDecodeError as error:
            words = NOT_UTF_8 if self.encoding == "utf-8-sig" else "is not text in UTF-16, as its mark says"
            raise FileError(self.path, f"{words} ({error.reason})") from None

    def _open(self) -> IO[bytes]:
        try:
            # To open a pipe waits for its writer.
            if not stat.S_ISFIFO(self.path.stat().st_mode):
                file = self.path.open("rb", buffering=0)
                if file.seekable():
                    return io.BufferedReader(file)
                file.close()
        except OSError as error:
            if self.path.name != "-":
                raise FileError(self.path, f"cannot be read: {error.strerror}") from error
        raise FileError(self.path, "is a pipe or a terminal, and results are read more than once: write them to a file")

    def _member(self, file: IO[bytes]) -> IO[bytes]:
        """The only file of an archive."""
        try:
            archive = zipfile.ZipFile(file)
            # macOS puts a file of attributes beside each file into an archive.
            whole = [member for member in archive.infolist() if not member.is_dir()]
            names = [member for member in whole if not member.filename.startswith("__MACOSX/")]
            if len(names) == 1:
                return archive.open(names[0])
        except (*_BROKEN, ValueError, RuntimeError, NotImplementedError) as error:
            raise FileError(self.path, f"cannot be unpacked: {error}") from None
        if any(member.filename == "[Content_Types].xml" for member in names):
            raise FileError(self.path, "is a spreadsheet or another document; save its table as CSV")
        raise FileError(self.path, f"holds {len(names)} files; unpack it, and give those of one test")

    def _unpacked(self, file: IO[bytes]) -> IO[bytes]:
        mark = file.read(4)
        file.seek(0)
        if mark.startswith(_GZIP):
            return cast("IO[bytes]", _Unpacked(file, lambda: zlib.decompressobj(wbits=31), zlib.error))
        if mark.startswith(_ZSTD):
            import zstandard

            make = zstandard.ZstdDecompressor().decompressobj
            return cast("IO[bytes]", _Unpacked(file, make, zstandard.ZstdError))
        if mark.startswith(_BZIP2):
            return cast("IO[bytes]", _Unpacked(file, bz2.BZ2Decompressor, OSError))
        if mark.startswith(_XZ):
            return cast("IO[bytes]", _Unpacked(file, lzma.LZMADecompressor, lzma.LZMAError))
        if mark.startswith(_ZIP):
            return self._member(file)
        return file


class _Unpacked(io.RawIOBase):
    """Unpacks as much of a packed file as possible, and raises EOFError only after that if it is cut off."""

    def __init__(self, file: IO[bytes], make: Callable[[], Any], broken: type[Exception]) -> None:
        super().__init__()
        self._file = file
        self._make = make
        self._broken = broken
        self._unpacker = make()
        self._ready = bytearray()
        self._failed: Exception | None = None
        self._ended = False

    def read(self, size: int = -1) -> bytes:
        wanted = _BLOCK if size < 0 else size
        while len(self._ready) < wanted and not self._ended and self._failed is None:
            self._unpack()
        if not self._ready and self._failed is not None:
            raise EOFError(str(self._failed)) from self._failed
        given = bytes(self._ready[:wanted])
        del self._ready[:wanted]
        return given

    def close(self) -> None:
        super().close()
        self._file.close()

    def _unpack(self) -> None:
        packed = self._file.read(_PACKED)
        if not packed:
            self._ended = True
            if not self._unpacker.eof:
                self._failed = EOFError("it ends too early")
        try:
            while packed:
                if self._unpacker.eof:  # packed files may be put one after the other
                    self._unpacker = self._make()
                self._ready += self._unpacker.decompress(packed)
                packed = self._unpacker.unused_data.lstrip(b"\0")
        except self._broken as error:
            self._failed = error


def _read(file: IO[bytes], size: int) -> bytes:
    """Up to so many bytes; fewer where the file ends or breaks."""
    try:
        return file.read(size)
    except _BROKEN:
        return b""


def _last_line_end(block: bytes, *, quotes: bool) -> int:
    """The length up to the last line end outside of quotes; 0 without one."""
    end = block.rfind(b"\n") + 1
    if not quotes:
        return end
    odd = block.count(b'"', 0, end) % 2
    while end and odd:
        before = block.rfind(b"\n", 0, block.rfind(b'"', 0, end)) + 1
        odd ^= block.count(b'"', before, end) % 2
        end = before
    return end

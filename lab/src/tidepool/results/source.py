"""The bytes of a result file: unpacked, as UTF-8, in blocks of whole lines."""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
from dataclasses import dataclass
from functools import cached_property
from typing import IO, TYPE_CHECKING, cast

from tidepool.results.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tidepool.results.findings import Findings

_HEAD = 1 << 16
_BLOCK = 1 << 23
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_ENCODINGS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True)
class Source:
    """One result file, compressed (gzip, zstd) or not, in UTF-8 or, with its mark, in UTF-16."""

    path: Path

    @cached_property
    def start(self) -> bytes:
        """The first bytes, unpacked but as they are encoded; all of them if the file is small."""
        with self._unpacked() as file:
            return _read(file, _HEAD)

    @cached_property
    def compressed(self) -> bool:
        """Whether the file is packed by gzip or zstd."""
        with self._open() as file:
            return file.read(4).startswith((_GZIP, _ZSTD))

    @cached_property
    def encoding(self) -> str:
        """How its text is written: by the mark at its beginning, otherwise UTF-8."""
        return next((name for mark, name in _ENCODINGS if self.start.startswith(mark)), "utf-8")

    @property
    def plain(self) -> bool:
        """Whether the file can be scanned as it lies on the disk: unpacked UTF-8 without a mark."""
        return not self.compressed and self.encoding == "utf-8"

    @cached_property
    def head(self) -> tuple[str, ...]:
        """The first whole lines of its text, without their ends; what cannot be decoded is replaced."""
        text = self.start.decode(self.encoding, errors="replace")
        lines = text.splitlines()
        return tuple(lines[:-1] if len(self.start) >= _HEAD and len(lines) > 1 else lines)

    @cached_property
    def ends_whole(self) -> bool:
        """Whether an unpacked file's last byte ends a line."""
        with self._open() as file:
            if file.seek(0, io.SEEK_END) == 0:
                return True
            file.seek(-1, io.SEEK_END)
            return file.read(1) == b"\n"

    def bytes_blocks(self, findings: Findings) -> Iterator[bytes]:
        """The file's text as UTF-8, some megabytes at a time.

        A packed file that ends too early is used as far as it goes, which becomes a finding; one that is damaged before
        anything could be read raises FileError, as does text that is not what its encoding says.
        """
        decoder = None if self.encoding == "utf-8" else codecs.getincrementaldecoder(self.encoding)()
        read = 0
        with self._unpacked() as file:
            while True:
                try:
                    block = file.read(_BLOCK)
                except (EOFError, zlib.error, OSError) as error:
                    if not self.compressed or not read:
                        raise FileError(self.path, f"cannot be read: {error}") from error
                    words = f"{self.path.name}: the packed file is cut off or damaged; what could be unpacked is used"
                    findings.add("truncated", words)
                    return
                if not block:
                    return
                read += len(block)
                yield block if decoder is None else decoder.decode(block).encode()

    def blocks(self, findings: Findings, *, quotes: bool = True) -> Iterator[bytes]:
        """The same in blocks that end with a line; the last one may lack its line end.

        With `quotes`, a line end between quotes does not end a line.
        """
        rest = b""
        for block in self.bytes_blocks(findings):
            whole = rest + block
            end = _last_line_end(whole, quotes=quotes)
            if end:
                yield whole[:end]
            rest = whole[end:]
        if rest:
            yield rest

    def _open(self) -> IO[bytes]:
        try:
            return self.path.open("rb")
        except OSError as error:
            raise FileError(self.path, f"cannot be read: {error.strerror}") from error

    def _unpacked(self) -> IO[bytes]:
        file = self._open()
        mark = file.read(4)
        file.seek(0)
        if mark.startswith(_GZIP):
            return cast("IO[bytes]", _Gzip(file))
        if mark.startswith(_ZSTD):
            import zstandard

            return zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True, closefd=True)
        return file


class _Gzip(gzip.GzipFile):
    """Gives what could be unpacked of a file that is cut off, and fails only at the next read."""

    def __init__(self, file: IO[bytes]) -> None:
        super().__init__(fileobj=file)
        self.raw = file

    def read(self, size: int | None = -1) -> bytes:
        parts: list[bytes] = []
        wanted = _BLOCK if size is None or size < 0 else size
        while wanted > 0:
            try:
                part = super().read1(min(wanted, 1 << 16))
            except (EOFError, zlib.error, OSError):
                if parts:
                    break
                raise
            if not part:
                break
            parts.append(part)
            wanted -= len(part)
        return b"".join(parts)

    def close(self) -> None:
        super().close()
        self.raw.close()


def _read(file: IO[bytes], size: int) -> bytes:
    """Up to so many bytes; fewer where the file ends or breaks."""
    try:
        return file.read(size)
    except (EOFError, zlib.error, OSError):
        return b""


def _last_line_end(block: bytes, *, quotes: bool) -> int:
    """The length of what ends with the last line end outside of quotes; 0 if there is none."""
    end = block.rfind(b"\n") + 1
    if not quotes:
        return end
    odd = block.count(b'"', 0, end) % 2
    while end and odd:
        before = block.rfind(b"\n", 0, end - 1) + 1
        odd ^= block.count(b'"', before, end) % 2
        end = before
    return end

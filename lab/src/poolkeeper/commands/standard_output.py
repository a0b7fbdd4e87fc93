"""Writing to standard output, whose reader may leave and whose disk may be full."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from poolkeeper.errors import RunError

if TYPE_CHECKING:
    from collections.abc import Iterator


class ReaderGoneError(RunError):
    """The reader of the output has closed it, as `head` does."""


@contextmanager
def written() -> Iterator[None]:
    """Makes sure that the output of the block arrives. Raises ReaderGoneError or RunError otherwise."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError as error:
        _to_nowhere()
        raise ReaderGoneError("standard output was closed by its reader") from error
    except OSError as error:
        if error.filename is not None:  # another file's
            raise
        _to_nowhere()
        raise RunError(f"standard output cannot be written: {error.strerror}") from error


def _to_nowhere() -> None:
    """Else the interpreter would try to write what is still buffered once more as it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

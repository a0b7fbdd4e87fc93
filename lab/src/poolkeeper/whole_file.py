"""Text files that are there as a whole, or as they were before."""

from __future__ import annotations

import errno
import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_NO_FILE_BESIDE = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENAMETOOLONG)


def write_whole(path: Path, text: str) -> None:
    """Write a text to a temporary file, then rename it: a full disk leaves neither half a file nor a lost one.

    What is no regular file, such as a pipe, and a file in a folder that takes no other get the text directly. Raises
    OSError.
    """
    if (path.exists() and not path.is_file()) or path.absolute().parts[1:2] in (("dev",), ("proc",)):
        path.write_text(text, encoding="utf-8")
        return
    target = path.resolve()  # a link stays a link
    part = target.with_name(f".{target.name}.part")
    try:
        part.write_text(text, encoding="utf-8")
        if target.exists():
            shutil.copymode(target, part)  # whoever may not read the page of before may not read this one
        part.replace(target)
    except OSError as error:
        if error.errno in _NO_FILE_BESIDE:
            target.write_text(text, encoding="utf-8")
            return
        part.unlink(missing_ok=True)
        raise

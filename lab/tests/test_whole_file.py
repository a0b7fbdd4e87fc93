"""Files stay as they were where the text does not fit."""

from __future__ import annotations

import errno
import os
import resource
import signal
import stat
import threading
from typing import TYPE_CHECKING

import pytest

from poolkeeper.whole_file import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def small_files() -> Iterator[int]:
    """A limit on the size of files, as a full disk sets one; yields bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    yield 4096
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    signal.signal(signal.SIGXFSZ, handler)


def test_a_full_disk_leaves_the_file_of_before(tmp_path: Path, small_files: int) -> None:
    page = tmp_path / "page.html"
    write_whole(page, "before")
    with pytest.raises(OSError, match="too large"):
        write_whole(page, "x" * (small_files + 1))
    assert page.read_text() == "before"
    assert list(tmp_path.iterdir()) == [page]


def test_a_full_disk_leaves_no_empty_file(tmp_path: Path, small_files: int) -> None:
    with pytest.raises(OSError, match="too large") as full:
        write_whole(tmp_path / "page.html", "x" * (small_files + 1))
    assert full.value.errno == errno.EFBIG
    assert list(tmp_path.iterdir()) == []


def test_who_may_read_a_file_stays_the_same(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.touch(mode=0o600)
    write_whole(page, "text")
    assert stat.S_IMODE(page.stat().st_mode) == 0o600


def test_a_file_beside_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "page.html.part").write_text("another's")
    write_whole(tmp_path / "page.html", "text")
    assert (tmp_path / "page.html.part").read_text() == "another's"


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "linked").symlink_to(tmp_path / "page.html")
    write_whole(tmp_path / "linked", "text")
    assert (tmp_path / "linked").is_symlink()
    assert (tmp_path / "page.html").read_text() == "text"


def test_a_pipe_gets_the_text_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write_whole(pipe, "text")
    reader.join()
    assert read == ["text"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_file_whose_name_leaves_no_room_for_another(tmp_path: Path) -> None:
    page = tmp_path / ("p" * 255)
    write_whole(page, "text")
    assert page.read_text() == "text"

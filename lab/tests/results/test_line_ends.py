"""Lines of a file and the characters that they end with."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest

from poolkeeper.results import source
from poolkeeper.results.source import Source

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("scanned", [1, 2, 7, 1 << 18])
def test_lines_and_their_ends_do_not_depend_on_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scanned: int
) -> None:
    monkeypatch.setattr(source, "_SCANNED", scanned)
    rng = np.random.default_rng(5)
    for _ in range(30):
        text = "".join(rng.choice(list('1,;"\r\n'), size=rng.integers(0, 60)))
        path = tmp_path / "file.csv"
        path.write_text(text, newline="")
        found = Source(path)
        lines = text.split("\n")[:-1]
        assert found.lines == len(lines)
        ends = Counter(line.removesuffix("\r")[-1:] for line in lines)
        for character in ',;1"':
            assert found.has_line_that_ends_with(character) == (ends[character] > 0), repr(text)

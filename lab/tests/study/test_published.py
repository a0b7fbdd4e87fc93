"""The file of published figures: what is read, and what is refused with its line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from poolkeeper.errors import InputError
from poolkeeper.study.published import read_published

if TYPE_CHECKING:
    from pathlib import Path


def test_axes_variants_and_figures_are_told_apart(tmp_path: Path) -> None:
    file = tmp_path / "published.csv"
    file.write_text("# a note\nn,variant,mean_ms,p99_ms\n11,one,2.5,\n\n541,two,3,9\n", encoding="utf-8")
    first, second = read_published(file)
    assert (first.place, first.variant, first.figures) == ({"n": "11"}, "one", {"mean": 2.5})
    assert second.figures == {"mean": 3.0, "p99": 9.0}


@pytest.mark.parametrize(
    ("text", "output"),
    [
        ("", "needs a column variant and one of throughput_per_s, mean_ms, p99_ms, but has []"),
        ("variant,n\nx,1\n", "needs a column variant and one of"),
        ("variant,mean_ms\nx,1\ny,1,2\n", ":3: has 3 values for 2 columns"),
        ("# one\nvariant,mean_ms\nx,fast\n", ":3: mean_ms must be a number above 0, but is 'fast'"),
        ("variant,mean_ms\nx,-1\n", ":2: mean_ms must be a number above 0, but is '-1'"),
        ("n,variant,mean_ms\n1,x,1\n2,x,1\n# a note\n1,x,2\n", ":5: has x n 1 again, first on line 2"),
        ("variant,n,n,mean_ms\nx,1,2,3\n", ":1: names the column n twice"),
        ('variant,mean_ms\n"x\ny",1\n', ":2: is not CSV: unexpected end of data"),
        ("variant,mean_ms\nx,inf\n", ":2: mean_ms must be a number above 0, but is 'inf'"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, text: str, output: str) -> None:
    file = tmp_path / "published.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as refused:
        read_published(file)
    assert output in str(refused.value)


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    file = tmp_path / "published.csv"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="is not UTF-8 text"):
        read_published(file)

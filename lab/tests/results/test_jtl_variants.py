"""Tables of JMeter that other tools wrote anew, or that were cut in the middle."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import pytest
from result_files import HEADER, START_MS, jtl, row, steady

from poolkeeper.results import read
from poolkeeper.results.errors import FileError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("spelled", [str.lower, str.upper])
def test_names_of_columns_may_be_spelled_in_small_letters_or_capitals(tmp_path: Path, spelled: type[str]) -> None:
    plain = steady(tmp_path / "plain.jtl")
    other = tmp_path / "other.jtl"
    other.write_text(plain.read_text(encoding="utf-8").replace(HEADER, spelled(HEADER), 1), encoding="utf-8")

    found, expected = read(other).survey(), read(plain).survey()

    assert found.digest.to_dict() == expected.digest.to_dict()
    assert found.errors == expected.errors
    assert found.first_start_ns == expected.first_start_ns


@pytest.mark.parametrize("separator", ["^", ":", "~", " ", ";", "\t"])
@pytest.mark.parametrize("lead", ["", "sep={}\n"])
def test_any_character_may_part_the_columns(tmp_path: Path, separator: str, lead: str) -> None:
    plain, other = steady(tmp_path / "plain.jtl"), tmp_path / "other.jtl"
    with plain.open(encoding="utf-8") as read_from, other.open("w", encoding="utf-8") as write_to:
        write_to.write(lead.format(separator))
        csv.writer(write_to, delimiter=separator, lineterminator="\n").writerows(csv.reader(read_from))

    found, expected = read(other).survey(), read(plain).survey()

    assert found.digest.to_dict() == expected.digest.to_dict()
    assert found.errors == expected.errors


def test_success_may_be_one_or_zero(tmp_path: Path) -> None:
    plain = steady(tmp_path / "plain.jtl")
    text = plain.read_text(encoding="utf-8").replace(",text,true,", ",text,1,").replace(",text,false,", ",text,0,")
    (tmp_path / "other.jtl").write_text(text, encoding="utf-8")

    errors = read(tmp_path / "other.jtl").survey().errors

    assert errors == read(plain).survey().errors
    assert sum(errors.values()) > 0


def test_success_of_two_is_refused(tmp_path: Path) -> None:
    rows = [row(START_MS + k, 10).replace(",true,", ",2," if k == 5 else ",1,") for k in range(20)]
    jtl(tmp_path / "a.jtl", rows)

    with pytest.raises(FileError, match=r"line 7: success is not 1 or 0: '2'"):
        read(tmp_path / "a.jtl").survey()


def test_a_row_of_the_middle_that_lacks_optional_cells_is_refused(tmp_path: Path) -> None:
    rows = [row(START_MS + k, 10) for k in range(50)]
    rows[20] = rows[20].rsplit(",", 4)[0]
    jtl(tmp_path / "a.jtl", rows)

    with pytest.raises(FileError, match=r"line 22: has 13 cells, but there are 17 columns: it was cut"):
        read(tmp_path / "a.jtl").survey()


def test_a_number_that_was_cut_in_the_middle_is_not_taken(tmp_path: Path) -> None:
    rows = [f"{START_MS + k},{100 + k},true,5" for k in range(50)]
    rows[20] = f"{START_MS + 20},1,true"
    (tmp_path / "a.jtl").write_text("\n".join(["timeStamp,elapsed,success,allThreads", *rows, ""]), encoding="utf-8")

    with pytest.raises(FileError, match="line 22: has 3 cells"):
        read(tmp_path / "a.jtl").survey()


def test_an_empty_last_cell_is_no_cut_row(tmp_path: Path) -> None:
    rows = [row(START_MS + k, 10) for k in range(50)]
    rows[20] = rows[20].rsplit(",", 1)[0] + ","
    jtl(tmp_path / "a.jtl", rows)

    assert read(tmp_path / "a.jtl").survey().digest.count == 50


def test_line_ends_of_old_macs_are_named(tmp_path: Path) -> None:
    text = steady(tmp_path / "a.jtl").read_text(encoding="utf-8")
    (tmp_path / "a.jtl").write_bytes(text.replace("\n", "\r").encode())

    with pytest.raises(FileError, match=r"line ends of old Macs.* tr '\\r' '\\n'"):
        read(tmp_path / "a.jtl")

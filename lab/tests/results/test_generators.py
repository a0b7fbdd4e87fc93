"""Files of several load generators that ran at the same time, and of several that ran one after another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from command_line import answer
from result_files import START_MS, jtl, row

from poolkeeper import results
from poolkeeper.results import Survey

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import CommandLine

pytestmark = pytest.mark.usefixtures("without_fits")


def closed(file: Path, users: int, *, start_s: int = 0, seconds: int = 60, every_s: float = 1.0) -> Path:
    """Users who ask again at once, and wait so long for each answer; one in ten fails."""
    took = round(1000 * every_s)
    starts = [
        (start_s * 1000 + k * took + 7 * user, user) for user in range(users) for k in range(seconds * 1000 // took)
    ]
    rows = [row(START_MS + at, took, users=users, ok=user % 10 != 3) for at, user in sorted(starts)]
    return jtl(file, rows)


@pytest.mark.parametrize("every_s", [0.2, 1.5])
def test_users_of_generators_at_the_same_time_add_up(tmp_path: Path, every_s: float) -> None:
    files = [closed(tmp_path / "a.jtl", 10, every_s=every_s), closed(tmp_path / "b.jtl", 25, every_s=every_s)]
    found = results.read(files)
    users = found.series().users
    assert np.nanmedian(users) == pytest.approx(35)
    assert np.nanmax(users) <= 35
    (warning,) = map(str, found.warnings)
    assert warning.startswith("a.jtl and b.jtl were measured at the same time, with 10.0 and 25.0 users on average")
    merged = Survey.merged([results.read(file).survey() for file in files])
    assert merged.series is not None
    assert merged.series.users == pytest.approx(users, nan_ok=True)


def test_files_of_one_test_after_another_share_its_users(tmp_path: Path) -> None:
    files = [closed(tmp_path / f"{k}.jtl", 10, start_s=20 * k, seconds=20, every_s=4.0) for k in range(4)]
    found = results.read(files)
    users = found.series().users
    assert np.nanmax(users) == np.nanmin(users) == 10
    assert not found.warnings


def test_users_of_tests_one_after_another_do_not_add_up(tmp_path: Path) -> None:
    files = [closed(tmp_path / "a.jtl", 10), closed(tmp_path / "b.jtl", 25, start_s=62)]
    found = results.read(files)
    users = found.series().users
    assert (users[30], users[90]) == (10, 25)
    assert [warning.kind for warning in found.warnings] == ["silence"]


def test_users_that_add_up_do_not_break_littles_law(tmp_path: Path, poolkeeper: CommandLine) -> None:
    closed(tmp_path / "a.jtl", 10)
    closed(tmp_path / "b.jtl", 25)
    found = answer(poolkeeper, tmp_path, "analyze a.jtl b.jtl")
    assert any("add up" in warning for warning in found["warnings"])
    assert not any("may be in another unit" in warning for warning in found["warnings"])

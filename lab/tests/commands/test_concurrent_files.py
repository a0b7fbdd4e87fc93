"""Load generators that run at the same time: their files are one test, whose users and throughputs add up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from command_line import answer
from result_files import START_MS, jtl, later, row

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import CommandLine

LEVELS, HELD_S = (2, 4, 8), 15


def generator(file: Path, seed: int, *, tells_users: bool = True) -> Path:
    """Levels of users, each of whom sends a request every half a second or so."""
    random, rows = np.random.default_rng(seed), []
    for place, users in enumerate(LEVELS):
        for user in range(users):
            starts = np.cumsum(random.uniform(300, 700, 2 * HELD_S)) + 1000 * HELD_S * place
            rows += [
                (start, row(START_MS + start, 40 + k % 5, users=users).replace("Users 1-1", f"Users 1-{user + 1}"))
                for k, start in enumerate(starts[starts < 1000 * HELD_S * (place + 1)])
            ]
    jtl(file, [text for _, text in sorted(rows)])
    if not tells_users:
        lines = (line.split(",") for line in file.read_text(encoding="utf-8").splitlines())
        kept = (",".join([*cells[:5], *cells[6:11], *cells[13:]]) for cells in lines)
        file.write_text("\n".join([*kept, ""]), encoding="utf-8")
    return file


def test_two_generators_of_a_test_are_no_two_tests(poolkeeper: CommandLine, tmp_path: Path) -> None:
    """A half of their users was "held 2 times", each time with a half of the throughput."""
    files = generator(tmp_path / "a.jtl", 1), generator(tmp_path / "b.jtl", 2)
    names = " ".join(file.name for file in files)
    for command in (f"capacity {names} --p90 1s", f"usl {names}"):
        found = answer(poolkeeper, tmp_path, command)
        levels = found["results"]["levels"]["levels"]
        assert [level["users"] for level in levels] == [2 * users for users in LEVELS]
        rates = [level["throughput"]["value"] for level in levels]
        assert rates == pytest.approx([4 * users for users in LEVELS], rel=0.1)
        assert any("two load generators, and add up" in warning for warning in found["warnings"])
    later(files[1], 3600)
    found = answer(poolkeeper, tmp_path, f"capacity {names} --p90 1s")["results"]["capacity"]
    assert [level["load"] for level in found["levels"]] == list(LEVELS)
    assert sum("held 2 times" in note for note in found["notes"]) == len(LEVELS)


@pytest.mark.parametrize("options", ["--users 8,8", "--by rate"])
def test_files_that_tell_no_users_add_up_too(poolkeeper: CommandLine, tmp_path: Path, options: str) -> None:
    files = [generator(tmp_path / f"{name}.jtl", seed, tells_users=False).name for seed, name in enumerate("ab")]
    window = f"--from {2 * HELD_S}s --to {3 * HELD_S}s"
    found = answer(poolkeeper, tmp_path, f"capacity {' '.join(files)} {options} {window} --p90 1s")
    (level,) = found["results"]["capacity"]["levels"]
    if "users" in options:
        assert (level["load"], level["throughput"]) == (16, pytest.approx(32, rel=0.1))
    else:
        assert level["load"] == pytest.approx(32, rel=0.1)
    assert any(warning.startswith("a.jtl and b.jtl were measured at the same time") for warning in found["warnings"])

"""Users who come and go: ramps, pauses, spikes and waves of them are told as they were, and a last request is no load."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from closed_tests import Closed
from command_line import answer

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import CommandLine

pytestmark = pytest.mark.usefixtures("without_fits")


@pytest.mark.parametrize("falls_s", [0, 8, 20])
def test_a_ramp_has_its_own_ends_and_not_those_of_users_who_leave(
    poolkeeper: CommandLine, tmp_path: Path, falls_s: int
) -> None:
    """Users come one by one; in the end they leave at once, or one after the other."""
    Closed([(4 * k, 80 + falls_s * (20 - k) / 20) for k in range(20)]).write(tmp_path / "a.jtl")
    found = answer(poolkeeper, tmp_path, "analyze a.jtl")
    first, *others = found["results"]["levels"]["levels"]
    assert first["ramp"] == [1, pytest.approx(20, abs=1)]
    assert first["end_s"] == pytest.approx(80, abs=2)
    assert [level["ramp"] for level in others] == [[pytest.approx(20, abs=1), pytest.approx(1, abs=2)]] * (falls_s > 10)
    refused = poolkeeper(tmp_path, "usl a.jtl")
    assert "a ramp, from 1 to 20 users" in refused.err

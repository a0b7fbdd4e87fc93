"""The message about a database that dies: whether its child or the daemons of that died first."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Any, cast

import psutil
import pytest

from poolkeeper.errors import RunError
from poolkeeper.experiment.processes.database import Database

if TYPE_CHECKING:
    import re


class Ending:
    """A child that is seen to end when it is waited for, with this exit code, or for None not at all."""

    def __init__(self, code: int | None) -> None:
        self.exit_code: int | None = None
        self._code = code

    async def ended(self) -> int:
        if self._code is None:
            await asyncio.Event().wait()
        assert self._code is not None
        self.exit_code = self._code
        return self._code

    def ending(self) -> str:
        return f"ended with {self.exit_code}"

    def last_output(self, only: re.Pattern[str]) -> str:
        return only.pattern and "[ERROR] out of memory"


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (-9, "database ended with -9"),
        (1, f"database: its process {os.getpid()} has died; last output: [ERROR] out of memory"),
        (None, f"database: its process {os.getpid()} has died; last output: [ERROR] out of memory"),
    ],
    ids=["killed", "ends because of it", "lives"],
)
def test_a_daemon_that_is_gone_before_its_child_has_died_of_it_only_if_that_was_killed(
    monkeypatch: pytest.MonkeyPatch, code: int | None, message: str
) -> None:
    monkeypatch.setattr("poolkeeper.experiment.processes.database._runs", lambda _: False)
    monkeypatch.setattr("poolkeeper.experiment.processes.database._MOMENT_S", 0.01 if code is None else 300.0)
    database = Database(cast("Any", Ending(code)), "jdbc:fake", None, (psutil.Process(),))
    with pytest.raises(RunError) as raised:
        asyncio.run(database.watch())
    assert str(raised.value) == message

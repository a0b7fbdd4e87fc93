"""The pools of several servers in one record."""

from __future__ import annotations

import csv
import json
import shutil
from typing import TYPE_CHECKING

from poolkeeper.record.lines import whole_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

WINDOWS, DECISIONS = "windows.csv", "decisions.jsonl"


def merge_pools(record: Path, servers: Sequence[str], named: Callable[[str, str], str]) -> None:
    """Make windows.csv and decisions.jsonl of a record from those in its servers' folders, and remove the folders.

    What else is in them gets the server's name before its own.

    Each row keeps what its server wrote, but for the name of the pool: `named(server, pool)`. A line that a server
    which was killed did not finish is left out. Raises OSError where the disk does not take it.
    """
    folders = {server: record / server for server in servers if (record / server).is_dir()}
    windows = {server: folder / WINDOWS for server, folder in folders.items() if (folder / WINDOWS).exists()}
    if windows:
        with (record / WINDOWS).open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            for number, (server, part) in enumerate(windows.items()):
                rows = list(csv.reader(whole_lines(part)[0]))
                place = rows[0].index("pool") if rows else 0
                for row in rows[1:]:
                    row[place] = named(server, row[place])
                writer.writerows(rows[1 if number else 0 :])
    decisions = {server: folder / DECISIONS for server, folder in folders.items() if (folder / DECISIONS).exists()}
    if decisions:
        with (record / DECISIONS).open("w", encoding="utf-8") as file:
            for server, part in decisions.items():
                for line in whole_lines(part)[0]:
                    decision = json.loads(line)
                    file.write(json.dumps({**decision, "pool": named(server, decision["pool"])}) + "\n")
    for server, folder in folders.items():
        for other in folder.iterdir():
            if other.name not in (WINDOWS, DECISIONS):
                other.rename(record / f"{server}-{other.name}")
        shutil.rmtree(folder)

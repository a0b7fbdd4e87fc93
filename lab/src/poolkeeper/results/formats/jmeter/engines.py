"""Engines of JMeter's remote mode, whose samples the controller writes to one file."""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable

    from poolkeeper.results.source import Source

_THREAD = re.compile(r"(.*) (\d+)-\d+")
_ADDRESS = r"^((?:\d{1,3}\.){3}\d{1,3}(?::\d+)?|\[[0-9a-fA-F:]+\](?::\d+)?|[\w.]+(?:-[\w.]+)*:\d+)-"
"""Address of an engine before the name of a thread group, with a port unless it has four numbers."""


def engine(threads: Iterable[str], thread: pl.Expr, host: pl.Expr | None) -> pl.Expr | None:
    """The engine of each sample, by names of threads from the beginning of a file; None if they show one engine only.

    JMeter puts the address of an engine before the names of its thread groups. Without a port it may be any word, and
    counts where groups of the same number differ in it alone: a plan has one group of a number.
    """
    found = _by_name(set(threads), thread)
    if host is None:
        return found
    host = host.fill_null("")
    return host if found is None else pl.concat_str([host, found], separator=" ")


def threads_of(source: Source, place: int, separator: str, *, skip: int) -> set[str]:
    """Names of threads at the beginning of a CSV."""
    try:
        return {row[place] for row in csv.reader(source.head[skip:], delimiter=separator) if len(row) > place}
    except csv.Error:
        return set()


def _by_name(threads: set[str], thread: pl.Expr) -> pl.Expr | None:
    if any(re.match(_ADDRESS, name) for name in threads):
        return thread.str.extract(_ADDRESS, 1).fill_null("")
    groups: dict[str, set[str]] = defaultdict(set)
    for name in threads:
        if found := _THREAD.fullmatch(name):
            groups[found[2]].add(found[1])
    # Of two groups with one number, what follows the same hyphen-separated prefix is the name in the plan.
    plain: set[str] = set()
    for names in groups.values():
        ends = [name[place + 1 :] for name in names for place, sign in enumerate(name) if sign == "-" and place]
        plain |= {end for end in ends if all(name.endswith(f"-{end}") for name in names)} if len(names) > 1 else set()
    if not plain:
        return None
    longest = sorted(plain, key=len, reverse=True)
    return thread.str.extract(rf"^(.+?)-(?:{'|'.join(map(re.escape, longest))}) \d+-\d+$", 1).fill_null("")

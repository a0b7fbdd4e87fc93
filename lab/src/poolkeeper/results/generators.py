"""Load generators behind a test: several may write to one file, and one may write to several."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

    from poolkeeper.arrays import Floats, Integers

SEPARATOR = "\0"
"""Stands between a file and the load generator in it."""
_KEPT = 20_000
"""Requests of a file whose threads are kept."""
_SHARED = 10
"""Intervals that files share at least which were measured at the same time."""
_TOLERANCE_NS = 2_000_000
"""Time by which a thread's requests may overlap, because it was rounded."""
_EXPECTED = 10.0
"""Overlaps that are expected of two generators, from which their absence tells something."""
_FEW = 0.1
"""Share of the expected overlaps that a clock which was set may cause."""


class ThreadTimes:
    """Keeps the first actions of the threads of a file."""

    def __init__(self) -> None:
        self._rows: list[Integers] = []
        self._room = _KEPT

    def add(self, batch: pl.DataFrame) -> None:
        """Take in rows with start_ns, response_ns and thread, as long as there is room."""
        if self._room <= 0:
            return
        rows = batch.head(self._room)
        self._room -= rows.height
        starts, times = rows["start_ns"].to_numpy(), rows["response_ns"].to_numpy()
        threads = rows["thread"].hash(seed=0).to_numpy().view(np.int64)
        self._rows.append(np.column_stack([threads, starts, starts + times]))

    def rows(self) -> Integers:
        """Thread, start and end of each request, shape (n, 3)."""
        return np.concatenate(self._rows) if self._rows else np.empty((0, 3), np.int64)


def added_users(loads: Mapping[str, Floats], threads: Mapping[str, Integers], first: int, n: int) -> Floats:
    """Users of all files in each of n intervals: those of generators at the same time add up.

    Within a file they stay as they were where none of its requests ended.
    """
    generators: list[list[str]] = []
    for name in sorted((name for name in loads if loads[name].size), key=lambda name: float(loads[name][0, 0])):
        free = (names for names in generators if not any(are_two(name, other, loads, threads) for other in names))
        if (names := next(free, None)) is None:
            generators.append([name])
        else:
            names.append(name)
    total = np.zeros(n)
    for names in generators:
        rows = by_interval(np.concatenate([loads[name] for name in names]))
        held = rows[:, 0].astype(np.int64) - first
        within = np.zeros(n, np.bool_)
        for name in names:
            within[int(loads[name][0, 0]) - first : int(loads[name][-1, 0]) - first + 1] = True
        inner = np.flatnonzero(within)
        total[inner] += (rows[:, 2] / rows[:, 1])[np.searchsorted(held, inner, side="right") - 1]
    return total


def are_two(name: str, other: str, loads: Mapping[str, Floats], threads: Mapping[str, Integers]) -> bool:
    """Whether these users are those of two load generators that ran at the same time."""
    file, _, engine = name.partition(SEPARATOR)
    other_file, _, other_engine = other.partition(SEPARATOR)
    if file == other_file:
        return engine != other_engine
    if engine and engine == other_engine:
        return False
    if not together(loads[name], loads[other]):
        return False
    if engine or other_engine or file not in threads or other_file not in threads:
        return True
    most = [float((rows[:, 2] / rows[:, 1]).max()) for rows in (loads[name], loads[other])]
    return not of_one(threads[file], threads[other_file], most)


def together(rows: Floats, others: Floats) -> bool:
    """Whether the users of two files were there at the same time, and not one after another but for a few requests."""
    ends = [(float(side[0, 0]), float(side[-1, 0]) + 1) for side in (rows, others)]
    shared = min(end for _, end in ends) - max(begin for begin, _ in ends)
    return shared >= _SHARED and 2 * shared > min(end - begin for begin, end in ends)


def at_once(courses: Sequence[Floats | None]) -> list[list[int]]:
    """Places of the files that were measured at the same time, those of one test together, in their order.

    Of each file the rows, one for each interval that holds something, with its number first; None where it has no
    times, or times that count from its own start: nothing tells when that was.
    """
    found: list[list[int]] = []
    for place, rows in enumerate(courses):
        joined = [
            places
            for places in found
            if any(rows is not None and (other := courses[k]) is not None and together(rows, other) for k in places)
        ]
        found = [places for places in found if places not in joined]
        found.append([*(k for places in joined for k in places), place])
    return sorted(map(sorted, found))


def of_one(rows: Integers, others: Integers, most_users: Sequence[float]) -> bool:
    """Whether names and times suggest that the threads of two files belong to one load generator.

    A thread does one thing at a time. Threads of the same name in two generators overlap as often as chance has it:
    the mean number of requests of one that are under way when the other starts one. A request within another may be
    one of its transaction. Where no name is shared, one generator has more users than each file has threads.
    """
    if not rows.size or not others.size:
        return False
    names, others_names = np.unique(rows[:, 0]), np.unique(others[:, 0])
    shared = np.intersect1d(names, others_names)
    if not shared.size:
        return bool(names.size < most_users[0] and others_names.size < most_users[1])
    # Only the time is compared of which both files have something.
    begin = max(int(side[:, 1].min()) for side in (rows, others))
    end = min(int(side[:, 1].max()) for side in (rows, others))
    sides = [side[np.isin(side[:, 0], shared) & (side[:, 1] >= begin) & (side[:, 1] <= end)] for side in (rows, others)]
    if not all(side.size for side in sides) or end <= begin:
        return False
    busy = [float((side[:, 2] - side[:, 1]).sum()) / (end - begin) / shared.size for side in sides]
    expected = sum(len(side) * min(1.0, share) for side, share in zip(sides, busy[::-1], strict=True))
    file = np.repeat([0, 1], [len(side) for side in sides])
    both = np.concatenate(sides)
    order = np.lexsort((both[:, 1], both[:, 0]))
    both, file = both[order], file[order]
    crossing = (
        (both[1:, 0] == both[:-1, 0])
        & (file[1:] != file[:-1])
        & (both[1:, 1] < both[:-1, 2] - _TOLERANCE_NS)
        & (both[1:, 2] > both[:-1, 2] + _TOLERANCE_NS)
    )
    return expected >= _EXPECTED and int(np.count_nonzero(crossing)) <= _FEW * expected


def by_interval(rows: Floats) -> Floats:
    """Rows of users, one for each interval."""
    names, place = np.unique(rows[:, 0], return_inverse=True)
    return np.column_stack([names, *(np.bincount(place, rows[:, column], names.size) for column in (1, 2))])

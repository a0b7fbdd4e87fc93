"""Networks of several classes against all their states, against one class, and their refusals."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from poolkeeper.errors import InputError
from poolkeeper.queueing import (
    Centre,
    ClosedClass,
    MultiClassCentre,
    OpenClass,
    mva,
    mva_classes,
    open_classes,
    open_network,
)


def weight(centre: MultiClassCentre, there: tuple[int, ...], names: list[str]) -> float:
    """The product-form weight of so many requests of each class at a centre [Bolch 2006, 7.3.2]."""
    whole = sum(there)
    orders = math.factorial(whole) / math.prod(math.factorial(n) for n in there)
    speeds = math.prod(min(j, centre.servers) for j in range(1, whole + 1))
    return orders / speeds * math.prod(centre.demand(name) ** n for name, n in zip(names, there, strict=True))


def all_states(centres: list[MultiClassCentre], classes: list[ClosedClass]) -> dict[tuple[str, str], float]:
    """Mean numbers of requests by class and centre, summed over every state of the network."""
    names = [entry.name for entry in classes]
    think = MultiClassCentre("think", {entry.name: entry.think_time for entry in classes}, math.inf)
    everywhere = [*centres, think]
    splits = [
        [split for split in product(range(entry.users + 1), repeat=len(everywhere)) if sum(split) == entry.users]
        for entry in classes
    ]
    total, found = 0.0, dict.fromkeys(product(names, [centre.name for centre in everywhere]), 0.0)
    for state in product(*splits):
        mass = math.prod(
            weight(centre, tuple(split[k] for split in state), names) for k, centre in enumerate(everywhere)
        )
        total += mass
        for name, split in zip(names, state, strict=True):
            for centre, there in zip(everywhere, split, strict=True):
                found[name, centre.name] += mass * there
    return {key: value / total for key, value in found.items()}


def test_queues_are_those_of_all_states() -> None:
    centres = [
        MultiClassCentre("web", {"a": 0.3, "b": 0.1}),
        MultiClassCentre("db", {"a": 0.2, "b": 0.9}, 2),
        MultiClassCentre("net", {"a": 0.4}, math.inf),
        MultiClassCentre("app", {"b": 0.7}, 3),
    ]
    classes = [ClosedClass("a", 4, 0.5), ClosedClass("b", 3)]
    expected = all_states(centres, classes)
    found = mva_classes(centres, classes)

    for figures in found.classes:
        for centre in centres:
            there = expected[figures.load.name, centre.name]
            assert figures.queue[centre.name] == pytest.approx(there, rel=1e-10, abs=1e-12)
        held = sum(figures.queue.values()) + figures.throughput * (0.5 if figures.load.name == "a" else 0)
        assert held == pytest.approx({"a": 4, "b": 3}[figures.load.name])


@pytest.mark.parametrize("users", [(7, 5), (60, 90)])
def test_classes_that_are_alike_are_one_class(users: tuple[int, int]) -> None:
    rows = [("web", 0.004, 2), ("app", 0.04, 3), ("cache", 0.002, 1), ("net", 0.1, math.inf)]
    single = mva([Centre(*row) for row in rows], sum(users), 1)
    classes = [ClosedClass(name, count, 1) for name, count in zip("ab", users, strict=True)]
    both = mva_classes([MultiClassCentre(name, {"a": d, "b": d}, c) for name, d, c in rows], classes)

    assert both.throughput == pytest.approx(single.throughput, rel=1e-9)
    assert both.response_time == pytest.approx(single.response_time, rel=1e-9)
    assert both.utilisation["app"] == pytest.approx(single.utilisation["app"], rel=1e-9)
    assert both.classes[0].residence["app"] == pytest.approx(single.residence["app"], rel=1e-9)


def test_open_classes_that_are_alike_are_one_class() -> None:
    rows = [("web", 0.01, 2), ("db", 0.004, 1), ("net", 0.1, math.inf)]
    single = open_network([Centre(*row) for row in rows], 150)
    classes = [OpenClass("a", 100), OpenClass("b", 50)]
    both = open_classes([MultiClassCentre(name, {"a": d, "b": d}, c) for name, d, c in rows], classes)

    assert both.classes[1].residence == pytest.approx(single.residence)
    assert {name: sum(f.queue[name] for f in both.classes) for name, _, _ in rows} == pytest.approx(single.queue)


def test_many_users_neither_overflow_nor_cancel() -> None:
    classes = [ClosedClass("a", 400, 2), ClosedClass("b", 300, 5)]
    found = mva_classes([MultiClassCentre("db", {"a": 0.02, "b": 0.05}, 4)], classes)

    assert found.utilisation["db"] == pytest.approx(1, abs=1e-6)
    assert found.utilisation["db"] <= 1 + 1e-12
    for figures in found.classes:
        load = figures.load
        assert isinstance(load, ClosedClass)
        cycle = figures.response_time + load.think_time
        assert figures.throughput * cycle == pytest.approx(load.users, rel=1e-8)


def test_charts_and_tables_hold_finite_numbers() -> None:
    centres = [MultiClassCentre("db", {"a": 0.02, "b": 0.05})]
    for found in (
        mva_classes(centres, [ClosedClass("a", 10, 1), ClosedClass("b", 3)]),
        open_classes(centres, [OpenClass("a", 10), OpenClass("b", 5)]),
    ):
        first = found.plot().series[0]
        assert np.nanmax(first.y) > 0
        assert found.to_dict()["bottleneck"] == "db"
        assert len(found.table().rows) == 4


@pytest.mark.parametrize(
    ("users", "demands", "message"),
    [
        ((2000, 2000), {"a": 0.1, "b": 0.1}, "4,004,001 combinations of the classes' users are above 1,000,000"),
        ((2, 2), {"a": 0.1, "c": 0.1}, "db: unknown class 'c'"),
        ((2, 2), {"a": 0.1}, "class b: all its demands are 0"),
        ((2, 0), {"a": 0.1, "b": 0.1}, "users of b: 0 is not a whole number of 1 or above"),
    ],
)
def test_what_cannot_be_solved_is_named(users: tuple[int, int], demands: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        mva_classes([MultiClassCentre("db", demands)], [ClosedClass("a", users[0]), ClosedClass("b", users[1])])


def test_a_centre_that_all_classes_together_overload_is_named() -> None:
    centre = MultiClassCentre("db", {"a": 0.1, "b": 0.2}, 2)
    with pytest.raises(
        InputError, match=r"keep 2\.100 servers of db busy, which has 2, so the queue grows without end"
    ):
        open_classes([centre], [OpenClass("a", 9), OpenClass("b", 6)])

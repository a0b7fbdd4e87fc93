"""Networks that others published, with the values they print: textbooks, papers, and examples of JMT and LINE.

[L] Lazowska, Zahorjan, Graham, Sevcik: Quantitative System Performance, 1984. [B] Bolch, Greiner, de Meer, Trivedi:
Queueing Networks and Markov Chains, 2nd ed., 2006. [J] Jain: The Art of Computer Systems Performance Analysis, 1991.
[Z] Zahorjan, Sevcik, Eager, Galler: Balanced job bound analysis of queueing networks, CACM 25(2), 1982, as the queueing
package for Octave (Marzolla) checks it. [S] Schwetman: Implementing the mean value algorithm, 1980, likewise. [JMVA]
values that the same package took from the solver of JMT. [LINE] examples of LINE (QORE Lab, Imperial College London)
with the tables that it prints.
"""

from __future__ import annotations

import math

import pytest

from poolkeeper.queueing import (
    Centre,
    ClosedClass,
    MultiClassCentre,
    OpenClass,
    erlang_b,
    loss_system,
    mmck,
    mva,
    mva_classes,
    open_classes,
    open_network,
    servers_for_loss,
    visits,
)


def single(names: str, service: list[float], visited: list[float], servers: list[float] | None = None) -> list[Centre]:
    demands = [time * count for time, count in zip(service, visited, strict=True)]
    return [Centre(*entry) for entry in zip(names, demands, servers or [1] * len(demands), strict=True)]


def several(rows: dict[str, tuple[float, float]], servers: dict[str, float] | None = None) -> list[MultiClassCentre]:
    """Centres by name with the demands of classes 1 and 2."""
    return [
        MultiClassCentre(name, {"1": first, "2": second}, (servers or {}).get(name, 1))
        for name, (first, second) in rows.items()
    ]


def test_open_network_of_lazowska() -> None:  # [L, p. 113]
    found = open_network(single("cde", [0.005, 0.03, 0.027], [121, 70, 50]), 0.3)

    assert found.utilisation["c"] == pytest.approx(0.182, abs=1e-3)
    assert found.queue["c"] == pytest.approx(0.222, abs=1e-3)


def test_open_network_of_bolch() -> None:  # [B, example 7.4]
    routing = [[0.0, 0.5, 0.5, 0], [1.0, 0, 0, 0], [0.6, 0, 0, 0], [1.0, 0, 0, 0]]
    service = [0.04, 0.03, 0.06, 0.05]
    visited = visits([0, 0, 0, 4], routing)
    found = open_network(single("1234", service, visited.tolist()), 4)

    assert (4 * visited).tolist() == pytest.approx([20, 10, 10, 4])
    assert list(found.queue.values()) == pytest.approx([4, 0.429, 1.5, 0.25], abs=1e-3)


def test_closed_network_of_bolch() -> None:  # [B, example 8.3]
    visited = [1, 0.4, 0.2, 0.1]
    found = mva(single("1234", [0.02, 0.2, 0.4, 0.6], visited), 6)

    assert found.throughput == pytest.approx(9.920, abs=1e-3)
    assert list(found.queue.values()) == pytest.approx([0.244, 2.261, 2.261, 1.234], abs=1e-3)


def test_closed_network_of_bolch_with_two_servers_and_a_delay() -> None:  # [B, example 8.4]
    found = mva(single("1234", [0.5, 0.6, 0.8, 1], [1, 0.5, 0.5, 1], [2, 1, 1, math.inf]), 3)

    assert found.throughput == pytest.approx(1.218, abs=1e-3)
    assert list(found.queue.values()) == pytest.approx([0.624, 0.473, 0.686, 1.217], abs=1e-3)


def test_closed_network_of_jain() -> None:  # [J, example 34.2]
    found = mva(single("cab", [0.125, 0.3, 0.2], [16, 10, 5]), 20, 4)

    assert list(found.queue.values()) == pytest.approx([1.991, 16.177, 0.500], abs=1e-3)


def test_two_classes_of_zahorjan() -> None:  # [Z]
    centres = several({"cpu": (1, 2), "disk": (3, 4)})
    closed = mva_classes(centres, [ClosedClass("1", 1), ClosedClass("2", 1)])
    opened = open_classes(centres, [OpenClass("1", 3 / 19), OpenClass("2", 2 / 19)])

    assert [figures.throughput for figures in closed.classes] == pytest.approx([3 / 19, 2 / 19])
    assert list(closed.classes[0].residence.values()) == pytest.approx([4 / 3, 5])
    assert list(closed.classes[1].residence.values()) == pytest.approx([5 / 2, 7])
    assert opened.classes[0].residence["cpu"] == pytest.approx(19 / 12)
    assert opened.classes[0].residence["disk"] == pytest.approx(57 / 2)
    assert opened.classes[0].queue["cpu"] == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("users", "throughput", "queue"),
    [((2, 1), (1.949, 0.064), (0.052, 0.033)), ((15, 5), (14.323, 0.314), (0.677, 0.293))],
)
def test_two_classes_of_schwetman(
    users: tuple[int, int], throughput: tuple[float, float], queue: tuple[float, float]
) -> None:  # [S]
    classes = [ClosedClass("1", users[0], 1), ClosedClass("2", users[1], 15)]
    found = mva_classes(several({"cpu": (0.025, 0.5)}), classes)

    assert [figures.throughput for figures in found.classes] == pytest.approx(throughput, abs=1e-3)
    assert [figures.queue["cpu"] for figures in found.classes] == pytest.approx(queue, abs=1e-3)


def test_two_classes_of_bolch_with_two_servers_and_a_delay() -> None:  # [B, example 8.5]
    centres = several({"a": (0.2, 0.2), "b": (0.24, 0.18), "c": (0.4, 1.4)}, {"a": 2, "c": math.inf})
    found = mva_classes(centres, [ClosedClass("1", 2), ClosedClass("2", 1)])

    assert [figures.throughput for figures in found.classes] == pytest.approx([2.113, 0.524], abs=1e-3)
    assert list(found.classes[0].queue.values()) == pytest.approx([0.428, 0.726, 0.845], abs=1e-3)
    assert list(found.classes[1].queue.values()) == pytest.approx([0.108, 0.158, 0.734], abs=1e-3)


def test_two_open_classes_of_bolch() -> None:  # [B, example 7.7]
    # K22 is printed as 0.5 in the book; its own formulas give 0.451
    visited = [[3.333, 2.292, 1.917], [10, 8.049, 8.415]]
    service = [[1 / 8, 1 / 12, 1 / 16], [1 / 24, 1 / 32, 1 / 36]]
    rows = {
        str(k): (visited[0][k] * service[0][k], visited[1][k] * service[1][k]) for k in range(3)
    }  # a visit count of the book is a rate at arrivals of 1 a second
    found = open_classes(several(rows), [OpenClass("1", 1), OpenClass("2", 1)])

    assert list(found.utilisation.values()) == pytest.approx([0.833, 0.442, 0.354], abs=1e-3)
    assert list(found.classes[0].queue.values()) == pytest.approx([2.5, 0.342, 0.186], abs=2e-3)
    assert list(found.classes[1].queue.values()) == pytest.approx([2.5, 0.451, 0.362], abs=2e-3)


def test_interactive_and_batch_class_as_jmva_solves_them() -> None:  # [JMVA]
    terminals, cpu, disks = (5.0, 10.0), (0.010 / 0.9, 0.100 / 0.05), (0.035 / 0.9 / 4, 0.035 / 0.05 / 4)
    centres = several({"cpu": cpu} | {f"disk {k}": disks for k in range(4)})
    classes = [ClosedClass("1", 40, terminals[0]), ClosedClass("2", 4, terminals[1])]
    found = mva_classes(centres, classes)

    first, second = found.classes
    assert [first.throughput, second.throughput] == pytest.approx([7.891588, 0.277270], abs=1e-6)
    assert [first.residence["cpu"], second.residence["cpu"]] == pytest.approx([0.024363, 3.636155], abs=1e-6)
    assert [first.queue["cpu"], second.queue["cpu"]] == pytest.approx([0.192262, 1.008198], abs=1e-6)
    assert [first.residence["disk 2"], second.residence["disk 2"]] == pytest.approx([0.011081, 0.197549], abs=1e-6)
    assert [first.utilisation["cpu"], second.utilisation["cpu"]] == pytest.approx([0.087684, 0.554541], abs=1e-6)


def test_cyclic_network_of_line() -> None:  # [LINE, cqn_oneline]
    rows = {"delay 1": (91.0, 92.0), "delay 2": (93.0, 94.0), "queue 1": (10.0, 5.0), "queue 2": (5.0, 9.0)}
    centres = several(rows, {"delay 1": math.inf, "delay 2": math.inf})
    found = mva_classes(centres, [ClosedClass("1", 1), ClosedClass("2", 2)])

    first, second = found.classes
    assert [round(first.residence[name], 4) for name in ("queue 1", "queue 2")] == [10.5111, 5.4690]
    assert [round(second.residence[name], 4) for name in ("queue 1", "queue 2")] == [5.3879, 9.6499]
    assert [round(value, 4) for value in first.queue.values()] == [0.4550, 0.4650, 0.0526, 0.0273]
    assert [round(value, 4) for value in second.queue.values()] == [0.9153, 0.9351, 0.0536, 0.0960]


def test_the_insensitive_network_of_line() -> None:  # [LINE, cqn_bcmp_theorem]
    centres = several({"delay": (2 / 3, 1 / 3), "queue": (1, 1)}, {"delay": math.inf})
    found = mva_classes(centres, [ClosedClass("1", 2), ClosedClass("2", 2)])

    assert [round(figures.throughput, 4) for figures in found.classes] == [0.4721, 0.5266]
    assert [round(figures.residence["queue"], 4) for figures in found.classes] == [3.5697, 3.4643]


@pytest.mark.parametrize(
    ("rate", "mu", "servers", "places", "loss"), [(50, 10, 4, 6, 0.293543), (3, 2, 2, 5, 0.085113)]
)
def test_bounded_queues(rate: float, mu: float, servers: int, places: int, loss: float) -> None:
    """Worked examples that the queueing package for Octave checks."""
    assert mmck(rate, 1 / mu, servers, places).loss == pytest.approx(loss, abs=1e-6)


@pytest.mark.parametrize(
    ("load", "loss", "servers"),
    [(6.22, 0.05, 10), (4.46, 0.01, 10), (12.03, 0.01, 20), (84.06, 0.01, 100), (0.869, 0.01, 4)],
)
def test_erlang_b_tables(load: float, loss: float, servers: int) -> None:
    """The usual table of traffic engineering: the load that so many lines carry at so much loss, rounded."""
    assert erlang_b(servers, load) == pytest.approx(loss, rel=5e-3)
    assert servers_for_loss(0.999 * load, loss) == servers
    assert loss_system(load, servers).carried == pytest.approx(load * (1 - loss), rel=1e-3)

from __future__ import annotations

import math

import pytest

from poolkeeper.errors import InputError
from poolkeeper.queueing import Centre, mgc, mmc, mmck, mva, open_network, repairman
from poolkeeper.scalability import Law, Usl
from poolkeeper.whatif import AddServers, Load, ServiceTime, what_if

CENTRES = [Centre("web", 0.004, 2), Centre("app", 0.04, 2), Centre("db", 0.012)]


def test_a_server_at_the_bottleneck() -> None:
    found = what_if(mva(CENTRES, 200, 1), AddServers())

    more = mva([CENTRES[0], Centre("app", 0.04, 3), CENTRES[2]], 200, 1)
    assert found.before["throughput"] == pytest.approx(mva(CENTRES, 200, 1).throughput)
    assert found.after["throughput"] == pytest.approx(more.throughput)
    assert found.after["response time"] == pytest.approx(more.response_time)
    assert "Adding a server at app" in found.verdict
    assert "assumes" in found.verdict
    assert found.curve.before[-1] == pytest.approx(found.before["throughput"])
    assert found.curve.after[-1] == pytest.approx(found.after["throughput"])


def test_the_bottleneck_moves() -> None:
    found = what_if(mva(CENTRES, 200, 1), ServiceTime(0.25, "app"))

    assert found.after["limit"] == pytest.approx(1 / 0.012)
    assert "from app to db" in found.notes[0]


def test_twice_the_users_of_a_saturated_service_wait_twice_as_long() -> None:
    found = what_if(repairman(1000, 0.025, 4), Load(2))

    assert found.after["throughput"] == pytest.approx(found.before["throughput"])
    assert found.after["response time"] == pytest.approx(2 * found.before["response time"])
    assert "stays 160" in found.verdict


def test_open_queues() -> None:
    faster = what_if(mmc(128, 0.025, 4), ServiceTime(0.5))
    wider = what_if(mmc(128, 0.025, 4), AddServers(4))
    general = what_if(mgc(128, 0.025, 4, 3.0), AddServers(1))
    bounded = what_if(mmck(200, 0.025, 4, 16), Load(2))

    assert faster.after["response time"] == pytest.approx(mmc(128, 0.0125, 4).response_time)
    assert wider.after["p99 response time"] == pytest.approx(mmc(128, 0.025, 8).response_percentile(99))
    assert general.after["response time"] == pytest.approx(mgc(128, 0.025, 5, 3.0).response_time)
    assert bounded.after["loss"] == pytest.approx(mmck(400, 0.025, 4, 16).loss)


def test_a_load_that_cannot_be_served_is_an_answer() -> None:
    queue = what_if(mmc(128, 0.025, 4), Load(2))
    network = what_if(open_network(CENTRES, 40), Load(2))

    for found in (queue, network):
        assert math.isinf(found.after["response time"])
        assert "grows without end" in found.verdict
        assert "not below" in found.notes[0]
        assert found.to_dict()["after"]["response time"] is None
        assert math.isnan(found.curve.after[-1])
    assert queue.after["throughput"] == 160
    assert queue.table().rows[1][-1] == "∞"


def test_a_fitted_law() -> None:
    levels = [1, 2, 4, 8, 16, 32, 64]
    fit = Usl().fit(levels, Law(100, 0.05, 0.001).throughput(levels) * [1.01, 0.99, 1.01, 0.99, 1, 1.01, 0.99])

    faster = what_if(fit, ServiceTime(0.5))
    more = what_if(fit, Load(2))
    elsewhere = what_if(fit, Load(2), at=16)

    assert faster.after["throughput"] == pytest.approx(2 * faster.before["throughput"])
    assert "alpha rises" in faster.assumption
    assert more.before["concurrency"] == 64
    assert more.after["throughput"] == pytest.approx(float(fit.law_.throughput(128)))
    assert any("extrapolated" in note for note in more.notes)
    assert not any("extrapolated" in note for note in elsewhere.notes)
    with pytest.raises(InputError, match="knows nothing of cores"):
        what_if(fit, AddServers())


def test_results_can_be_shown() -> None:
    found = what_if(open_network(CENTRES, 40), ServiceTime(0.5))

    assert len(found.table().rows) == len(found.before)
    assert [line.name for line in found.plot().series] == ["before", "after"]
    assert found.to_dict()["assumption"] == found.assumption


def test_bad_changes_are_named() -> None:
    with pytest.raises(InputError, match="there is no cache; there are web, app, db"):
        what_if(mva(CENTRES, 10, 1), AddServers(1, "cache"))
    with pytest.raises(InputError, match="factor: 0 is not above 0"):
        what_if(mva(CENTRES, 10, 1), Load(0))
    with pytest.raises(InputError, match="servers: 0 more"):
        what_if(mva(CENTRES, 10, 1), AddServers(0))
    with pytest.raises(InputError, match="a delay has no servers"):
        what_if(mva([*CENTRES, Centre.delay("net", 0.1)], 10, 1), AddServers(1, "net"))
    with pytest.raises(InputError, match="at: 0 is not"):
        what_if(Usl().fit([1, 2, 4, 8], [10, 19, 35, 60]), Load(2), at=0)

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolkeeper.errors import InputError
from poolkeeper.scalability import Law

laws = st.builds(
    Law,
    st.floats(0.01, 1e6),
    st.one_of(st.just(0.0), st.floats(1e-6, 0.9)),
    st.one_of(st.just(0.0), st.floats(1e-9, 0.1)),
)
concurrencies = st.floats(1, 1e5)


@given(laws, concurrencies)
def test_response_time_leads_back_to_concurrency_and_throughput(law: Law, n: float) -> None:
    r, x = float(law.response_time(n)), float(law.throughput(n))

    assert r * x == pytest.approx(n)
    if law.alpha or law.beta:
        # a law that is nearly straight tells concurrencies apart by the last digits of the response time
        steepness = (law.alpha + law.beta * n) * n / (1 + law.alpha * n + law.beta * n * n)
        assert law.concurrency_at_response_time(r) == pytest.approx(n, rel=1e-9 + 1e-13 / max(steepness, 1e-12))
        assert law.throughput_at_response_time(r) == pytest.approx(x, rel=1e-9 + 1e-13 / max(steepness, 1e-12))


@given(laws, concurrencies)
def test_throughput_leads_back_to_the_concurrency_on_its_branch(law: Law, n: float) -> None:
    if law.alpha and not law.beta and float(law.throughput(n)) > 0.999 * law.limit:
        return  # hardly any throughput is left between here and infinity
    x = float(law.throughput(n))
    before, beyond = law.concurrencies_at_throughput(x)

    for found in (before, beyond):
        if math.isfinite(found) and found >= 1:
            assert float(law.throughput(found)) == pytest.approx(x, rel=1e-6)
    branch = before if n <= law.peak_concurrency else beyond
    if abs(n - law.peak_concurrency) > 0.05 * n and law.peak_concurrency > 1:
        assert branch == pytest.approx(n, rel=1e-5)
        times = law.response_times_at_throughput(x)
        assert times[0 if branch == before else 1] == pytest.approx(float(law.response_time(n)), rel=1e-5)


def test_faults_of_other_tools_are_not_ours() -> None:
    """Throughput at a latency is not off by 2.7 times, and concurrency at a throughput does not ignore beta."""
    law = Law(89.9952, 0.0277285, 1.04365e-4)
    r = float(law.response_time(50))
    x = float(law.throughput(50))

    assert law.throughput_at_response_time(r) == pytest.approx(x)
    assert law.lambda_ * r == pytest.approx(1 + law.alpha * 49 + law.beta * 50 * 49)
    before, beyond = law.concurrencies_at_throughput(x)
    without_beta = (1 - law.alpha) * x / (law.lambda_ - law.alpha * x)
    assert before == pytest.approx(50)
    assert beyond == pytest.approx((1 - law.alpha) / law.beta / 50)
    assert abs(without_beta - 50) > 5


def test_peak_knee_and_limit() -> None:
    law = Law(100, 0.1, 0.001)

    assert law.peak_concurrency == pytest.approx(30)
    assert float(law.throughput(29)) < law.peak_throughput > float(law.throughput(31))
    assert law.knee == pytest.approx(10)
    assert law.limit == pytest.approx(1000)
    assert Law(100).peak_concurrency == math.inf == Law(100).peak_throughput == Law(100).knee
    assert Law(100, 0.1).peak_throughput == pytest.approx(1000)
    assert Law(100, 0.5, 5).peak_concurrency == 1
    assert Law(100, 1).peak_concurrency == 1


def test_what_is_not_reached_is_named() -> None:
    law = Law(100, 0.1, 0.001)
    with pytest.raises(InputError, match=r"response time: 0\.005 is not reached; the shortest.*0\.01000"):
        law.concurrency_at_response_time(0.005)
    with pytest.raises(InputError, match=r"throughput: 700 is not reached; the highest is 628\.9"):
        law.concurrencies_at_throughput(700)
    with pytest.raises(InputError, match="concurrency: -1 is negative"):
        law.throughput([-1, 2])
    with pytest.raises(InputError, match=r"alpha: 1\.5 is not from 0 to 1"):
        Law(1, 1.5)
    with pytest.raises(InputError, match="beta: -1 is not 0 or above"):
        Law(1, 0, -1)
    with pytest.raises(InputError, match="lambda: nan is not a positive"):
        Law(math.nan)

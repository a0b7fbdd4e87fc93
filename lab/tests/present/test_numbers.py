from __future__ import annotations

import math

import pytest

from poolkeeper.present import Table
from poolkeeper.present.numbers import change, count, number, percent, response, responses, time


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (1234.5, "1,234"),
        (40.0, "40.0"),
        (9.999, "10.0"),
        (0.000181, "0.000181"),
        (2.43e-11, "2.43e-11"),
        (-6.31e-17, "-6.31e-17"),
        (999_999_999_999.0, "1.00e12"),
        (94_607_970.0, "94,607,970"),
        (1e300, "1.00e300"),
        (5e-324, "4.94e-324"),
        (0.0, "0"),
        (-0.0, "0"),
        (math.nan, "–"),
        (-math.inf, "−∞"),
    ],
)
def test_a_number_is_written_so_that_it_can_be_read(value: float, written: str) -> None:
    assert number(value) == written


def test_a_count_keeps_all_its_digits_while_they_can_be_read() -> None:
    assert count(94_607_970) == "94,607,970"
    assert count(10**16) == "1.00e16"


def test_a_time_has_the_unit_that_suits_it() -> None:
    written = [time(seconds) for seconds in (2.43e-14, 5e-7, 0.00005, 0.04, 1.5, 7000, 8000, 94_607_970, 0.0)]

    assert written == [
        "2.43e-5 ns",
        "0.500 µs",
        "50.0 µs",
        "40.0 ms",
        "1.50 s",
        "7,000 s",
        "2.22 h",
        "1,095 days",
        "0 ms",
    ]


def test_response_times_stay_milliseconds_while_these_can_be_read() -> None:
    assert [response(ms) for ms in (0.0, 0.02, 125.0, 20_000.0, 0.000003, 3e6)] == [
        "0 ms",
        "0.0200 ms",
        "125 ms",
        "20,000 ms",
        "3.00 ns",
        "3,000 s",
    ]
    assert responses(114.0, 132.0) == "114 to 132 ms"
    assert responses(0.0095, 0.012) == "9.50 µs to 0.0120 ms"


def test_figures_that_their_author_wrote_are_set_as_numbers_and_names_are_not() -> None:
    rows = (("p50", "+20 %", "< 0.0001", "1,999", "yes"), ("p99", "×89.2", "0.37", "–", "no"))

    table = Table("", ("name", "change", "p", "limit", "seen"), rows)

    assert [table.numeric(column) for column in range(5)] == [False, True, True, True, False]


@pytest.mark.parametrize(
    ("ratio", "written"),
    [(0.12, "+12 %"), (-0.034, "−3.4 %"), (4.2, "×5.20"), (-0.99, "−99 %"), (-0.996, "−99.6 %"), (-1.0, "−100 %")],
)
def test_what_hardly_anything_is_left_of_is_not_all_gone(ratio: float, written: str) -> None:
    assert change(ratio) == written


@pytest.mark.parametrize(("share", "written"), [(0.005, "0.50"), (0.6, "60"), (2999 / 3000, "99.97"), (1, "100")])
def test_failures_that_are_not_all_are_never_100_percent(share: float, written: str) -> None:
    assert percent(share, 2) == written

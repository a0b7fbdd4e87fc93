from __future__ import annotations

from poolkeeper.present import Axis, Chart, Series, Table
from poolkeeper.present.page import _rows

CHART = Chart("c", Axis("x"), Axis("y"), (Series("s", (0.0, 1.0), (0.0, 1.0)),))
NARROW = Table("n", ("figure", "value"), (("mean", 1.0),))
WIDE = Table("w", tuple("abcdefghijk"), (tuple(float(k) * 1000 for k in range(11)),))


def test_a_wide_table_and_whatever_is_alone_have_the_page_to_themselves() -> None:
    rows = list(_rows((WIDE, CHART, WIDE, NARROW, CHART)))

    assert rows == [[WIDE], [CHART], [WIDE], [NARROW, CHART]]


def test_of_an_odd_number_a_chart_fills_a_row() -> None:
    assert list(_rows((NARROW, CHART, CHART))) == [[NARROW, CHART], [CHART]]
    assert list(_rows((CHART, NARROW, NARROW))) == [[CHART], [NARROW, NARROW]]

from __future__ import annotations

import json

import pytest

from poolkeeper.present import Axis, Chart, Kind, Mark, Series, Table
from poolkeeper.present.text import counted, listed


def test_a_table_sets_numbers_flush_right_and_its_notes_below() -> None:
    table = Table("", ("figure", "ms"), (("mean", 1234.5), ("p99", None), ("count", 1_000_000)), ("few samples",))

    assert str(table).splitlines() == [
        "figure         ms",
        "mean        1,234",
        "p99             –",
        "count   1,000,000",
        "note: few samples",
    ]


def test_a_notebook_shows_text_and_no_markup_of_the_data() -> None:
    shown = Table("a < b", ("label",), (("<script>",),))._repr_html_()

    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown


def test_rows_have_as_many_cells_as_columns() -> None:
    with pytest.raises(ValueError, match="2 cells under 1 headings"):
        Table("t", ("a",), ((1, 2),))


def test_a_chart_is_valid_json_whatever_its_numbers() -> None:
    chart = Chart(
        "CDF",
        Axis("response time", "ms", log=True),
        Axis("share"),
        (Series("all", (1.0, 2.0), (0.5, float("nan")), Kind.STEP),),
        (Mark(1.5, "p50"),),
    )

    drawn = json.loads(json.dumps(chart.to_dict(), allow_nan=False))

    assert drawn["series"] == [{"name": "all", "kind": "step", "x": [1.0, 2.0], "y": [0.5, None]}]
    assert drawn["x"] == {"label": "response time", "unit": "ms", "log": True}
    assert drawn["marks"] == [{"x": 1.5, "label": "p50"}]


def test_a_band_has_both_sides() -> None:
    with pytest.raises(ValueError, match="series all: x, y, low and high have 1, 1, 1, 0 values"):
        Series("all", (1.0,), (1.0,), low=(0.5,))


def test_a_label_that_breaks_the_line_stays_in_its_row() -> None:
    shown = str(Table("", ("label", "count"), (("home\r\nsweet \x1b[2Jhome", 1),)))

    assert shown.splitlines()[1] == "home sweet  [2Jhome      1"


def test_one_of_a_thing_is_singular() -> None:
    assert [counted(count, "value") for count in (0, 1, 2000)] == ["0 values", "1 value", "2,000 values"]
    assert [listed(words) for words in (["a"], ["a", "b"], ["a", "b", "c"])] == ["a", "a and b", "a, b and c"]

"""Parts of pages: templates, assets, and data that cannot end the element it stands in."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from poolkeeper.present.table import DIRECTIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jinja2 import Environment

_SHARED = "poolkeeper.present"
_CHART = "chart.js"


def template(package: str, name: str) -> Any:
    """A template of a package's assets, which may extend or import those that all pages share."""
    return _environment(package).get_template(name)


@cache
def _environment(package: str) -> Environment:
    """Loads the templates of a package, and keeps what it has compiled."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=ChoiceLoader([PackageLoader(text, "assets") for text in dict.fromkeys((package, _SHARED))]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def asset(package: str, name: str) -> str:
    """The text of a package's file."""
    return files(package).joinpath(name).read_text(encoding="utf-8")


def frame(package: str, *, style: Sequence[str] = (), script: Sequence[str] = ()) -> dict[str, str]:
    """Common parts of every page: style and script, the package's own after the common ones, and uPlot.

    `chart.js` among the scripts is the one that draws a `Chart`, of this package.
    """
    return {
        "style": asset(_SHARED, "vendor/uplot/uPlot.min.css")
        + asset(_SHARED, "assets/page.css")
        + "".join(asset(package, f"assets/{name}") for name in style),
        "plot": asset(_SHARED, "vendor/uplot/uPlot.iife.min.js"),
        "plot_licence": asset(_SHARED, "vendor/uplot/LICENSE"),
        "script": "\n".join(
            [
                asset(_SHARED, "assets/basics.js"),
                *(asset(_SHARED if name == _CHART else package, f"assets/{name}") for name in script),
            ]
        ),
    }


def embedded(data: Any) -> str:
    """Data as JSON for a script element."""
    text = DIRECTIONS.sub("", json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")

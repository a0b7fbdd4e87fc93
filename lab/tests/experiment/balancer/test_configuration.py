"""Configuration of nginx."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from poolkeeper.experiment.balancer.configuration import Balancing, configuration

if TYPE_CHECKING:
    from poolkeeper.experiment.balancer.configuration import Method

EXPECTED = Path(__file__).parent / "expected"


@pytest.mark.parametrize(("method", "servers"), [("round-robin", [9001, 9002, 9003]), ("least-connections", [9001])])
def test_the_configuration_is_as_it_was_looked_through(method: Method, servers: list[int]) -> None:
    balancing = Balancing(method, port=8080, servers=servers, users=500, workers=1, timeout_s=30.0)
    text = configuration(balancing, Path("/record/nginx-error.log"), Path("/own folder"))
    assert text == (EXPECTED / f"{method}.conf").read_text(encoding="utf-8")

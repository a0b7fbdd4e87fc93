"""Servers without a queue: who finds all busy is refused, by Erlang's first formula.

The loss depends on the mean service time alone, whatever its distribution [Bolch 2006, 6.6]: for pools that reject, for
lines, for connections that nobody waits for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from poolkeeper.errors import InputError
from poolkeeper.present import Axis, Chart, Series, Table
from poolkeeper.queueing._check import MOST_SERVERS, positive, serving
from poolkeeper.queueing.single import erlang_b

_SHOWN = 60


@dataclass(frozen=True, slots=True)
class LossSystem:
    """Servers with an offered load in Erlang, the arrival rate times the mean service time."""

    load: float
    servers: int
    loss: float
    """Probability that an arriving request is refused."""

    @property
    def carried(self) -> float:
        """Mean number of busy servers."""
        return self.load * (1 - self.loss)

    @property
    def utilisation(self) -> float:
        """Busy servers over servers."""
        return self.carried / self.servers

    @property
    def verdict(self) -> str:
        """Loss and busy servers, in a sentence."""
        return f"{100 * self.loss:.3g} % are refused; {self.carried:.4g} of {self.servers:,} servers are busy."

    def table(self) -> Table:
        """Loss, load and utilisation."""
        rows = (
            ("offered load [Erlang]", self.load),
            ("probability of loss", self.loss),
            ("busy servers", self.carried),
            ("utilisation", self.utilisation),
        )
        return Table(f"{self.load:g} Erlang at {self.servers:,} servers", ("figure", "value"), rows, (self.verdict,))

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        names = ("load", "servers", "loss", "carried", "utilisation", "verdict")
        return {name: getattr(self, name) for name in names}

    def plot(self) -> Chart:
        """The loss over the number of servers, up to twice as many."""
        step = max(1, 2 * self.servers // _SHOWN)
        servers = range(step, 2 * self.servers + 1, step)
        losses = tuple(erlang_b(number, self.load) for number in servers)
        line = Series("loss", tuple(map(float, servers)), losses)
        return Chart("Loss over servers", Axis("servers"), Axis("probability of loss"), (line,))


def loss_system(load: float, servers: int) -> LossSystem:
    """M/G/c/c: `load` in Erlang, above 0. Raises InputError for values that are none."""
    return LossSystem(positive(load, "load"), serving(servers), erlang_b(servers, load))


def servers_for_loss(load: float, loss: float) -> int:
    """The fewest servers that refuse no larger a share than `loss`, above 0 and below 1; InputError for another."""
    positive(load, "load")
    if not 0 < loss < 1:
        raise InputError(f"loss: {loss:g} is not a share between 0 and 1")
    low, high = 0, 1
    while erlang_b(high, load) > loss:
        low, high = high, 2 * high
        if high > MOST_SERVERS:
            raise InputError(f"load: {load:g} Erlang need more than the {MOST_SERVERS:,} servers that can be computed")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if erlang_b(middle, load) <= loss else (middle, high)
    return high

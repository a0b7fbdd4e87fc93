"""An experiment as its file states it, checked: `read` makes it of YAML, `plan` makes runs of it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationInfo, field_validator, model_validator

from tidepool.experiment.values import (
    Bounds,
    BoundsText,
    ConnectionsText,
    Count,
    CountOrZero,
    Duration,
    Fraction,
    OneOrMany,
    PositiveDuration,
    PositiveNumber,
    ThinkTime,
    ThinkTimeText,
)
from tidepool.experiment.words import APPLICATIONS, FIXED, PLAIN, STEPPING, unknown


class Settings(BaseModel):
    """Settings of which none may be misspelt."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


class PlainPool(Settings):
    """No pool at all: the server's event loops do the work."""

    controller: Literal["plain"]

    def settings(self) -> dict[str, int | float]:
        """There are none."""
        return {}


class Pool(Settings):
    """One variant. Window and bounds that are not given are those of the experiment."""

    window: PositiveDuration | None = None
    bounds: BoundsText | None = None

    def settings(self) -> dict[str, int | float]:
        """The controller's own settings, only those that were given."""
        own = set(type(self).model_fields) - {"controller", "initial", *Pool.model_fields}
        return self.model_dump(include=own, exclude_none=True)


class FixedPool(Pool):
    """As many workers all the time."""

    controller: Literal["fixed"]
    size: Count


class SteppingPool(Pool):
    """One of the window controllers; a setting that is not given has its published value."""

    controller: Literal["throughput", "mean-latency", "p99-latency"]
    initial: Count | None = None
    """Size to begin with; that of the experiment if it is not given."""
    step: Count | None = None
    """Workers."""
    threshold: Fraction | None = None
    """Gain that a step must bring."""
    lock: CountOrZero | None = None
    """Windows."""


AnyPool = FixedPool | SteppingPool | PlainPool
POOLS: dict[str, type[AnyPool]] = {FIXED: FixedPool, **dict.fromkeys(STEPPING, SteppingPool), PLAIN: PlainPool}
"""Which settings each controller takes."""


class Phase(Settings):
    """A number of users for a time."""

    users: CountOrZero
    duration: PositiveDuration = Field(alias="for")


class Load(Settings):
    """Closed users: a constant number (or several, which are an axis) for a duration, or phases."""

    users: OneOrMany[Count] | None = None
    duration: PositiveDuration | None = Field(default=None, alias="for")
    phases: tuple[Phase, ...] | None = None
    think_time: ThinkTimeText = ThinkTime(0.0)
    timeout: PositiveDuration = 30.0

    @model_validator(mode="after")
    def _constant_or_phases(self) -> Load:
        constant = self.users is not None and self.duration is not None and self.phases is None
        varying = bool(self.phases) and self.users is None and self.duration is None
        if not constant and not varying:
            raise ValueError("needs either users and for, or phases")
        if self.phases and not any(phase.users for phase in self.phases):
            raise ValueError("has no phase with a user")
        return self


def _known(what: str, words: tuple[str, ...]) -> AfterValidator:
    def check(word: str) -> str:
        if word not in words:
            raise ValueError(unknown(what, word, words))
        return word

    return AfterValidator(check)


class Experiment(Settings):
    """Everything that an experiment states; where application, connections, controller or users are lists: its axes."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
    question: Annotated[str, Field(min_length=1)]
    application: OneOrMany[Annotated[str, _known("application", APPLICATIONS)]]
    n: Annotated[int, Field(ge=2, strict=True)] | None = None
    """The number that the application `prime` tests."""
    connections: OneOrMany[ConnectionsText] = ("per-request",)
    database: Literal["per-experiment", "per-run"] = "per-experiment"
    """How long one database serves."""
    controller: OneOrMany[Annotated[str, _known("controller", STEPPING)]] | None = None
    """Of those pools that do not name theirs."""
    pools: Annotated[dict[str, dict[str, Any]], Field(min_length=1)]
    """Variants as written; `variants` makes them concrete."""
    window: PositiveDuration = 1.0
    bounds: BoundsText = Bounds(1, 256)
    initial: Count = 1
    load: Load
    warm_up: Duration = 0.0
    """Load of the first phase before the measured one, with the controller at rest."""
    scale: PositiveNumber = 1.0
    """Multiplies phases, windows and warm-up; think time and timeout belong to the users and stay."""
    repetitions: Count = 1
    order: Literal["interleaved", "grouped"] = "interleaved"
    """interleaved: all variants before any is repeated, every second time in reverse, so that a machine that is slower
    for a while is slower for all alike. grouped: all repetitions of a variant together."""
    versus: str | None = None
    seed: CountOrZero = 1

    @field_validator("n")
    @classmethod
    def _n_belongs_to_prime(cls, n: int | None, info: ValidationInfo) -> int | None:
        if n is not None and "prime" not in info.data.get("application", ("prime",)):
            raise ValueError("belongs to the application prime, which is not among the applications")
        return n

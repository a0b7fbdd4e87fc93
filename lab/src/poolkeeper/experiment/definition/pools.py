"""The pools of an experiment: the settings of each kind of variant."""

from __future__ import annotations

import re
from functools import cache
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, Field, create_model, model_validator

from poolkeeper.experiment.balancer.configuration import Method
from poolkeeper.experiment.definition.catalogue import Entry, Setting, catalogue
from poolkeeper.experiment.definition.choices import ADAPTIVE, ADMISSIONS, FIXED, NETFLIX, OPEN_LIBERTY, PLAIN, STEPPING
from poolkeeper.experiment.definition.settings import Settings
from poolkeeper.experiment.definition.values import BoundsText, Count, CountOrZero, Fraction, PositiveDuration
from poolkeeper.suggestion import unknown
from poolkeeper.units import parse_duration

MOST_BACK_ENDS = 64


class Placement(Settings):
    """Servers of a pool: one that users reach themselves, or several of the same kind behind a balancer."""

    balancer: Method | None = None
    """Method by which nginx chooses among the servers; None for no balancer."""
    back_ends: Annotated[Count, Field(le=MOST_BACK_ENDS)] | None = None
    """Servers behind the balancer, each with a pool of its own."""
    kill_after: PositiveDuration | None = None
    """From the beginning of the load (without a warm-up from its first second) until the last of them is killed."""

    @model_validator(mode="after")
    def _balanced_or_alone(self) -> Placement:
        if self.balancer is not None and self.back_ends is None:
            raise ValueError(f"has the balancer {self.balancer}, which needs a number of back_ends")
        for setting in ("back_ends", "kill_after"):
            if self.balancer is None and getattr(self, setting) is not None:
                raise ValueError(f"has a setting {setting}, which needs a balancer: {' or '.join(get_args(Method))}")
        return self


class PlainPool(Placement):
    """No pool at all: the server's event loops do the work."""

    controller: Literal["plain"]
    architecture: Literal["virtual", "netty", "nio", "nio2", "plain-netty"] | None = None
    """Of the server; None for that which a server without a pool has."""

    def settings(self) -> dict[str, int | float | str]:
        """There are none."""
        return {}


class Pool(Placement):
    """One variant. Window and bounds that are not given are those of the experiment."""

    window: PositiveDuration | None = None
    bounds: BoundsText | None = None

    def settings(self) -> dict[str, int | float | str]:
        """The controller's own settings, only those that were given."""
        own = set(type(self).model_fields) - {"controller", "initial", *Pool.model_fields}
        return self.model_dump(include=own, exclude_none=True, by_alias=True)


class FixedPool(Pool):
    """As many workers all the time."""

    controller: Literal["fixed"]
    size: Count
    queue_capacity: Count | None = None
    """Requests that may wait; more are answered with 503. No bound if it is not given."""


class TunedPool(Pool):
    """Sized by a controller or a policy; a setting that is not given has its standard value."""

    controller: str
    initial: Count | None = None
    """Size to begin with; that of the experiment if it is not given."""


class SteppingPool(TunedPool):
    """One of the step controllers."""

    step: Count | None = None
    """Workers."""
    threshold: Fraction | None = None
    """Gain that a step must bring."""
    lock: CountOrZero | None = None
    """Windows."""


class OwnPool(Pool):
    """The executor of Open Liberty, which chooses its first size and all later ones itself."""

    controller: Literal["open-liberty"]


def _admission(name: str) -> str:
    if re.fullmatch(r"fixed:[1-9][0-9]{0,5}", name) or (name in ADMISSIONS and name != "fixed:N"):
        return name
    raise ValueError(unknown("admission", name, ADMISSIONS))


def _objective(name: str) -> str:
    if re.fullmatch(r"throughput|(?:mean|p[0-9.]+)-(?:latency|response-time)", name):
        return name
    kind, _, bound = name.partition(":")
    if kind != "goodput":
        raise ValueError(
            f"must be throughput, mean-response-time, a percentile such as p99-response-time, or goodput:DURATION, "
            f"but is {name!r}"
        )
    parse_duration(bound)
    return name


class AdmissionPool(Pool):
    """A limit in front of the server in place of a pool: requests beyond it are answered with 503."""

    admission: Annotated[str, AfterValidator(_admission)]
    objective: Annotated[str, AfterValidator(_objective)] | None = None
    """Objective of the adaptive limit; for the others, the bound of goodput in their windows."""
    patience: PositiveDuration | None = None
    """Longest wait for a permit of the adaptive limit; none if it is not given."""

    @property
    def controller(self) -> str:
        """Controller of the limit: `fixed` where nothing changes it."""
        return FIXED if self.admission == "none" or self.admission.startswith("fixed:") else self.admission

    @property
    def adaptive(self) -> bool:
        """Whether it is the library's own."""
        return self.admission == ADAPTIVE

    @model_validator(mode="after")
    def _settings_of_the_adaptive(self) -> AdmissionPool:
        for setting in ("patience", "bounds"):
            if getattr(self, setting) is not None and not self.adaptive:
                raise ValueError(f"has a setting {setting}, which belongs to admission: {ADAPTIVE}")
        return self


SizedPool = FixedPool | TunedPool | OwnPool | AdmissionPool
AnyPool = SizedPool | PlainPool


@cache
def pools() -> dict[str, type[AnyPool]]:
    """Settings that each controller takes."""
    tuned = {name: _tuned(entry) for name, entry in catalogue().items() if name != FIXED}
    special: dict[str, type[AnyPool]] = {OPEN_LIBERTY: OwnPool, PLAIN: PlainPool}
    netflix = dict.fromkeys(NETFLIX, TunedPool)
    return {FIXED: FixedPool, **tuned, **netflix, **dict.fromkeys(STEPPING, SteppingPool), **special}


def _tuned(entry: Entry) -> type[TunedPool]:
    fields: dict[str, Any] = {
        setting.name.replace("-", "_"): (_value(setting) | None, Field(default=None, alias=setting.name))
        for setting in entry.settings
    }
    return create_model(entry.name, __base__=TunedPool, **fields)


def _value(setting: Setting) -> Any:
    """The type of a setting that is written as its standard value is. Whether it is in its range the server says."""
    for kind in (int, float):
        try:
            kind(setting.standard or "")
        except ValueError:
            continue
        return Annotated[kind, Field(strict=True)]
    return str

"""JSON parts of a run record as pydantic models, as strict as contract/*.schema.json."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Count = Annotated[int, Field(ge=0)]


class _Document(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", strict=False)


class Machine(_Document):
    """Machine of a run."""

    os: str
    cpus: int
    cpu_model: str = ""
    memory_bytes: int | None = None


class WarmUp(_Document):
    """The load before the measured one; `steady` is None if the throughput was not checked."""

    seconds: float
    steady: bool | None
    throughput: tuple[float, ...]


class Drift(_Document):
    """Change of throughput from the warm-up's second half to the end of the load, as a fraction of the former.

    With its 90 % interval; None where there is too little to tell.
    """

    change: float | None
    low: float | None
    high: float | None
    seconds: Count
    steady: bool
    left_out_s: int = Field(default=1, ge=0, le=1)
    """Seconds at the beginning of the load that are no part of it, nor of anything that is measured."""


class QuotaUse(_Document):
    """The CPU quota of a process, and how often it was used up while the load ran."""

    cpus: float
    period_s: float
    periods: int
    throttled: int
    throttled_s: float


class RunDocument(_Document):
    """run.json."""

    version: int
    id: str
    experiment: str = ""
    variant: str = ""
    repetition: Count = 0
    kind: Literal["measurement", "simulation", "export"] = "measurement"
    status: Literal["running", "complete", "interrupted", "failed"]
    error: str | None = None
    start: datetime
    start_monotonic_ns: int
    end_monotonic_ns: int | None = None
    command: tuple[str, ...]
    configuration: dict[str, Any]
    versions: dict[str, str]
    machine: Machine
    warm_up: WarmUp | None = None
    ready_s: float | None = None
    drift: Drift | None = None
    counters: dict[str, Count] | None = None
    warnings: tuple[str, ...] = ()
    quotas: dict[str, QuotaUse] = {}


class DecisionDocument(_Document):
    """One line of decisions.jsonl."""

    pool: str
    controller: str = ""
    at_ns: int
    mode: Literal["active", "dry-run", "frozen"]
    action: Literal["resized", "kept", "recorded", "refused", "failed"]
    size_before: Count
    size_after: Count
    size_asked: int | None
    reason: str
    numbers: dict[str, float | None]


class Schedule(_Document):
    """Punctuality of a load of arriving clients: requests, their rate, and lags in nanoseconds."""

    offered: Count
    offered_per_s: float
    sent: Count
    unsent: Count
    waited_for_connection: Count
    lag_p50_ns: Count
    lag_p99_ns: Count
    lag_max_ns: Count


class LoadDocument(_Document):
    """load.json."""

    start_ns: int
    end_ns: int
    requests: Count
    errors: Count
    errors_by_kind: dict[str, int]
    throughput: float
    response: dict[str, float]
    cpu_ns: Count
    schedule: Schedule | None = None
    cpu_share: float | None = None
    bottleneck: bool
    warnings: tuple[str, ...]

"""An experiment as its file describes it, checked before anything starts.

Every duration is the one of the full-size experiment; `scale` multiplies all of them alike.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast, get_args

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from tidepool.errors import InputError
from tidepool.experiment.durations import seconds

if TYPE_CHECKING:
    from pathlib import Path

Seconds = Annotated[float, BeforeValidator(seconds)]
Application = Literal["prime1m", "prime10m", "prime", "dbwrite", "dbread"]
ControllerName = Literal["throughput", "mean-latency", "p99-latency"]
SettingName = Literal["step", "threshold", "lock"]


def _listed(value: object) -> object:
    return value if isinstance(value, list) else [value]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Phase(_Strict):
    """A stretch of time with a number of users."""

    users: int = Field(ge=0)
    duration: Annotated[Seconds, Field(gt=0)] = Field(alias="for")


class Load(_Strict):
    """Closed users: either phases, or one or several numbers of users (an axis) for a duration."""

    think_time: Seconds = 0.0
    phases: tuple[Phase, ...] = ()
    users: Annotated[tuple[Annotated[int, Field(ge=1)], ...], BeforeValidator(_listed)] = ()
    duration: Annotated[Seconds, Field(gt=0)] | None = Field(default=None, alias="for")

    @model_validator(mode="after")
    def _one_form(self) -> Load:
        if bool(self.phases) == bool(self.users):
            raise ValueError("a load has either phases, or users and for")
        if self.users and self.duration is None:
            raise ValueError("a load with users needs for, such as for: 5m")
        if self.phases and not any(phase.users for phase in self.phases):
            raise ValueError("no phase of the load has a user")
        return self


class Pool(_Strict):
    """One variant: a fixed size, plain (no pool), or a controller. A list of values makes a variant of each."""

    size: Annotated[tuple[Annotated[int, Field(ge=1)], ...], BeforeValidator(_listed)] = ()
    plain: bool = False
    controller: ControllerName | None = None
    settings: dict[SettingName, Annotated[tuple[float, ...], BeforeValidator(_listed)]] = {}
    window: Annotated[tuple[Annotated[Seconds, Field(gt=0)], ...], BeforeValidator(_listed)] = (10.0,)
    initial: int = Field(default=1, ge=1)
    minimum: int = Field(default=1, ge=1)
    maximum: int = Field(default=256, ge=1)

    @model_validator(mode="after")
    def _one_kind(self) -> Pool:
        if (bool(self.size) + self.plain + (self.controller is not None)) != 1:
            raise ValueError("a pool has exactly one of size, controller and plain")
        if self.maximum < self.minimum:
            raise ValueError(f"maximum must be >= minimum, but {self.maximum} < {self.minimum}")
        if self.controller and not self.minimum <= self.initial <= self.maximum:
            raise ValueError(f"initial must be within {self.minimum}..{self.maximum}, but is {self.initial}")
        if self.settings and not self.controller:
            raise ValueError("settings belong to a controller")
        return self


class Experiment(_Strict):
    """A question, and what is run to answer it."""

    question: str
    application: Annotated[tuple[Application, ...], BeforeValidator(_listed), Field(min_length=1)]
    n: int = Field(default=11, ge=2)
    connections: str = Field(default="per-request", pattern=r"^(per-request|pool:[1-9]\d*)$")
    load: Load
    pools: dict[str, Pool] = Field(min_length=1)
    versus: str
    scale: float = Field(default=1.0, gt=0)
    warm_up: Seconds = 3.0
    repetitions: int = Field(default=1, ge=1)


def read(path: Path) -> Experiment:
    """Read and check an experiment's file.

    Raises:
        InputError: naming file, line and what is wrong, with the nearest valid word for a wrong one.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    try:
        root = yaml.compose(text)
        content = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{path}:{mark.line + 1}" if mark else str(path)
        raise InputError(f"{place}: no YAML: {getattr(error, 'problem', error)}") from error
    if root is None or not isinstance(content, dict):
        raise InputError(f"{path}: an experiment is a list of settings, and this file holds none")
    try:
        return Experiment.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        raise InputError(f"{path}:{_line(root, first['loc'])}: {_explain(dict(first))}") from None


def _line(node: yaml.Node, location: tuple[int | str, ...]) -> int:
    """Line of the innermost part of `location` that the file has."""
    line = node.start_mark.line + 1
    for part in location:
        if isinstance(node, yaml.MappingNode):
            found = next(((key, value) for key, value in node.value if key.value == str(part)), None)
            if found is None:
                continue
            line = found[0].start_mark.line + 1
            node = found[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            line = node.start_mark.line + 1
    return line


def _explain(error: dict[str, Any]) -> str:
    location = [part for part in error["loc"] if part != "[key]"]
    name = ".".join(str(part) for part in location)
    if error["type"] == "extra_forbidden":
        return f"unknown setting {name!r}; {_nearest(str(location[-1]), _settings_at(location[:-1]))}"
    if error["type"] == "literal_error":
        valid = [word.strip(" '") for word in error["ctx"]["expected"].replace(" or ", ",").split(",")]
        return f"{name} is {error['input']!r}; {_nearest(str(error['input']), valid)}"
    if error["type"] == "missing":
        return f"{name} is missing"
    if error["type"] == "value_error":
        return f"{name}: {error['ctx']['error']}" if name else str(error["ctx"]["error"])
    return f"{name} is {error['input']!r}: {error['msg'][0].lower()}{error['msg'][1:]}"


def _settings_at(location: list[int | str]) -> list[str]:
    model: type[BaseModel] = Experiment
    if location[:1] == ["load"]:
        model = Phase if "phases" in location else Load
    elif location[:1] == ["pools"]:
        model = Pool
    return [field.alias or name for name, field in model.model_fields.items()]


def _nearest(word: str, valid: list[str]) -> str:
    close = difflib.get_close_matches(word, valid, n=1, cutoff=0.5)
    hint = f"did you mean {close[0]!r}? " if close else ""
    return f"{hint}valid: {', '.join(valid)}"


def application(name: str) -> tuple[Application, ...]:
    """The application of that name, as an experiment holds it.

    Raises:
        InputError: if there is none, with the nearest valid word.
    """
    valid = get_args(Application)
    if name not in valid:
        raise InputError(f"unknown application {name!r}; {_nearest(name, list(valid))}")
    return (cast("Application", name),)

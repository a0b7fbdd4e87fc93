"""An experiment written back as YAML with every default in its place, so that its results can be made again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import yaml

from poolkeeper.experiment.definition.choices import NO_HANDLERS, WITHOUT_HANDLERS
from poolkeeper.study import PUBLISHED

if TYPE_CHECKING:
    from poolkeeper.experiment.definition.model import Experiment


def resolved(experiment: Experiment) -> str:
    """The experiment as a file that `read_experiment` reads into the same experiment."""
    left_out = {name for name in ("downstream", "java", "claims") if not getattr(experiment, name)}
    # Numbers of handlers that are for none of the architectures may not be stated.
    if WITHOUT_HANDLERS.issuperset(experiment.architecture or ()) and experiment.handlers != (NO_HANDLERS,):
        left_out.add("handlers")
    stated = experiment.model_copy(update={"published": PUBLISHED if experiment.published else None})
    document = stated.model_dump(mode="json", by_alias=True, exclude_none=True, exclude=left_out)
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=120)

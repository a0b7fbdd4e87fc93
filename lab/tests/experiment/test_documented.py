"""The reference of an experiment's file in lab/README.md is complete, and its example is right."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from poolkeeper.experiment.definition.choices import ADMISSIONS, APPLICATIONS, OPEN_LIBERTY, PLAIN, STEPPING
from poolkeeper.experiment.definition.load import HalfOpen, Load, Open
from poolkeeper.experiment.definition.model import Experiment, Quotas
from poolkeeper.experiment.definition.pools import AdmissionPool, FixedPool, SteppingPool
from poolkeeper.experiment.definition.read import read_experiment
from poolkeeper.experiment.planning.plan import plan

if TYPE_CHECKING:
    from pydantic import BaseModel

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("model", [Experiment, FixedPool, SteppingPool, AdmissionPool, Load, Open, HalfOpen, Quotas])
def test_every_setting_is_explained(model: type[BaseModel]) -> None:
    names = [field.alias or name for name, field in model.model_fields.items()]
    assert [name for name in names if f"`{name}`" not in README] == []


def test_no_setting_is_explained_that_does_not_exist() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", README, re.MULTILINE)
    assert set(rows) == set(Experiment.model_fields)


@pytest.mark.parametrize("word", [*APPLICATIONS, *STEPPING, *ADMISSIONS, PLAIN, OPEN_LIBERTY])
def test_every_word_is_explained(word: str) -> None:
    assert re.search(rf"`((controller|admission): )?{word}`", README)


def test_the_example_is_an_experiment(tmp_path: Path) -> None:
    example = README.split("## The file of an experiment\n")[1].split("\n\n")[0]
    file = tmp_path / "example.yaml"
    file.write_text(dedent(example), encoding="utf-8")
    assert len(plan(read_experiment(file), tmp_path)) == 2 * 3 * 4

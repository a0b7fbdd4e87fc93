"""The schema of model files says yes to the examples, and no to what is misspelt."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

PROJECT = Path(__file__).resolve().parents[3]
EXAMPLES = sorted((PROJECT / "experiments/simulate").glob("*.yaml"))
SCHEMA = json.loads((PROJECT / "contract/model.schema.json").read_text(encoding="utf-8"))


def complaints(document: Any) -> list[str]:
    # JSON has only texts as keys.
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    return [
        error.message for error in jsonschema.Draft202012Validator(SCHEMA).iter_errors(json.loads(json.dumps(document)))
    ]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_it_knows_the_examples(example: Path) -> None:
    assert complaints(yaml.safe_load(example.read_text(encoding="utf-8"))) == []


def test_it_knows_the_worked_example_of_the_documentation() -> None:
    page = (PROJECT / "docs/simulate.md").read_text(encoding="utf-8")
    found = re.search(r"```yaml\n(.*?)```", page, re.DOTALL)
    assert found
    assert complaints(yaml.safe_load(found[1])) == []


@pytest.mark.parametrize(
    ("setting", "wrong"),
    [
        ("workers: 8", "wokers: 8"),
        ("120/s", "120"),
        ("exponential 10ms", "exponental 10ms"),
        ("kind: open", "kind: opn"),
    ],
)
def test_it_refuses_what_is_misspelt(setting: str, wrong: str) -> None:
    text = (PROJECT / "experiments/simulate/held-pool.yaml").read_text(encoding="utf-8")
    assert setting in text
    assert complaints(yaml.safe_load(text.replace(setting, wrong)))


@pytest.mark.parametrize("level", ["users: 0 to 300", "rate: 10/s to 0.5/m"])
def test_it_knows_ramps(level: str) -> None:
    text = (PROJECT / "experiments/simulate/varying-load.yaml").read_text(encoding="utf-8")
    assert "users: 100" in text
    assert complaints(yaml.safe_load(text.replace("users: 100", level, 1))) == []
    assert complaints(yaml.safe_load(text.replace("users: 100", level.replace(" to ", "to "), 1)))

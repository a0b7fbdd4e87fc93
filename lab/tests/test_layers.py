"""Imports between the packages of the lab, which must not run in circles."""

from __future__ import annotations

import ast
from collections import defaultdict
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import poolkeeper

ROOT = Path(poolkeeper.__file__).parent


@cache
def imports(text: str) -> frozenset[str]:
    """The packages and modules right below poolkeeper that a module imports, at whatever place."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            continue
        parts = [name.split(".") for name in names]
        found |= {part[1] for part in parts if part[0] == "poolkeeper" and len(part) > 1}
    return frozenset(found)


def dependencies() -> dict[str, set[str]]:
    packages = {path.stem for path in ROOT.iterdir() if path.is_dir() or path.suffix == ".py"} - {"__init__"}
    found: dict[str, set[str]] = defaultdict(set)
    for file in ROOT.rglob("*.py"):
        package = file.relative_to(ROOT).parts[0].removesuffix(".py")
        found[package] |= imports(file.read_text(encoding="utf-8")) & packages - {package}
    return found


def circle(graph: dict[str, set[str]]) -> list[str]:
    """The packages of a circle, in order; empty if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        names: list[str] = error.args[1]
        return names
    return []


def test_packages_do_not_import_each_other_in_circles() -> None:
    assert circle(dependencies()) == []


def test_a_circle_would_be_found() -> None:
    graph = dependencies()
    assert "study" in graph["report"] & graph["experiment"]
    graph["study"].add("report")
    assert set(circle(graph)) == {"report", "study"}


def test_the_report_and_the_experiment_do_not_know_each_other() -> None:
    graph = dependencies()
    assert "report" not in graph["experiment"]
    assert "experiment" not in graph["report"]

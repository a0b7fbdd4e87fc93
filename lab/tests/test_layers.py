"""Imports between the packages and the modules of the lab, which must not run in circles."""

from __future__ import annotations

import ast
from collections import defaultdict
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import poolkeeper

ROOT = Path(poolkeeper.__file__).parent


@cache
def tree_of(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


@cache
def imports(file: Path) -> frozenset[str]:
    """The packages and modules right below poolkeeper that a module imports, at whatever place."""
    found: set[str] = set()
    for node in ast.walk(tree_of(file)):
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
        found[package] |= imports(file) & packages - {package}
    return found


def circle(graph: dict[str, set[str]]) -> list[str]:
    """The packages of a circle, in order; empty if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        names: list[str] = error.args[1]
        return names
    return []


def module_imports() -> dict[str, set[str]]:
    """The modules that each module imports when it runs, inside functions too; not those of its annotations alone."""
    files = {
        ".".join(("poolkeeper", *file.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__"): file
        for file in ROOT.rglob("*.py")
    }
    return {name: running(tree_of(file), set(files)) - {name} for name, file in files.items()}


def running(tree: ast.AST, modules: set[str]) -> set[str]:
    """The modules that the code imports, without those that only type checkers read."""
    found: set[str] = set()
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if name in modules else node.module for name in names} & modules
        found |= running(node, modules)
    return found


def test_packages_do_not_import_each_other_in_circles() -> None:
    assert circle(dependencies()) == []


def test_modules_do_not_import_each_other_in_circles() -> None:
    assert circle(module_imports()) == []


def test_a_circle_would_be_found() -> None:
    graph = dependencies()
    assert "study" in graph["report"] & graph["experiment"]
    graph["study"].add("report")
    assert set(circle(graph)) == {"report", "study"}


def test_the_report_and_the_experiment_do_not_know_each_other() -> None:
    graph = dependencies()
    assert "report" not in graph["experiment"]
    assert "experiment" not in graph["report"]

"""Engines of a remote test in one file, and files that one load generator wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from result_files import HEADER, START_MS, jtl

from poolkeeper import results
from poolkeeper.results import Survey

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SECONDS = 40


def sample(at: float, took: int, thread: str, users: int, label: str = "home") -> str:
    return (
        f"{START_MS + at:.0f},{took},{label},200,OK,{thread},text,true,,900,100,{users},{users},http://here,{took},0,1"
    )


def busy(prefix: str, users: int, *, seed: int, think_ms: float = 100.0) -> Iterator[tuple[float, int, str, str]]:
    """Start, response time, thread and label of users who call two pages in turns."""
    random = np.random.default_rng(seed)
    for user in range(users):
        at, turn = float(random.uniform(0, 200)), 0
        while at < 1000 * SECONDS:
            took = int(random.integers(40, 120))
            yield at, took, f"{prefix}Users 1-{user + 1}", ("home", "order")[turn % 2]
            at, turn = at + took + random.exponential(think_ms), turn + 1


def of_engines(file: Path, *engines: tuple[str, int]) -> Path:
    """A file of remote engines, each of which counts its own users."""
    rows = [
        (at, sample(at, took, thread, users, label))
        for seed, (prefix, users) in enumerate(engines)
        for at, took, thread, label in busy(prefix, users, seed=seed)
    ]
    return jtl(file, [text for _, text in sorted(rows)])


@pytest.mark.parametrize(
    "prefixes",
    [
        ("10.0.0.1-", "10.0.0.2-"),
        ("10.0.0.1:1099-", "10.0.0.1:1100-"),
        ("load-a-", "load-b-"),
        ("engine1-", "engine2-"),
        ("east.example:1099-", "west.example:1099-"),
    ],
)
def test_users_of_engines_in_one_file_add_up(tmp_path: Path, prefixes: tuple[str, str]) -> None:
    file = of_engines(tmp_path / "remote.jtl", (prefixes[0], 8), (prefixes[1], 12))
    found = results.read(file)
    users = found.series().users
    assert np.nanmin(users[1:-1]) == np.nanmax(users[1:-1]) == 20
    (warning,) = map(str, found.warnings)
    names = [prefix.removesuffix("-") for prefix in prefixes]
    assert "holds samples of 2 engines" in warning
    assert f"{names[0]} 8.00 and {names[1]} 12.0; they add up" in warning


def test_the_column_of_the_host_tells_engines_apart(tmp_path: Path) -> None:
    rows = [
        (at, f"{sample(at, took, thread, users, label)},{host}")
        for seed, (host, users) in enumerate((("a", 8), ("b", 12)))
        for at, took, thread, label in busy("", users, seed=seed)
    ]
    file = tmp_path / "hosts.jtl"
    file.write_text("\n".join([f"{HEADER},Hostname", *(text for _, text in sorted(rows))]) + "\n")
    users = results.read(file).series().users
    assert np.nanmin(users[1:-1]) == np.nanmax(users[1:-1]) == 20


def test_engines_of_xml(tmp_path: Path) -> None:
    rows = [
        (at, f'<httpSample t="{took}" ts="{START_MS + at:.0f}" s="true" lb="{label}" tn="{thread}" na="{users}"/>')
        for seed, (prefix, users) in enumerate((("10.0.0.1-", 8), ("10.0.0.2-", 12)))
        for at, took, thread, label in busy(prefix, users, seed=seed)
    ]
    file = tmp_path / "remote.xml"
    samples = "\n".join(text for _, text in sorted(rows))
    file.write_text(f'<?xml version="1.0"?>\n<testResults version="1.2">\n{samples}\n</testResults>\n')
    users = results.read(file).series().users
    assert np.nanmin(users[1:-1]) == np.nanmax(users[1:-1]) == 20


def test_groups_whose_names_have_hyphens_are_no_engines(tmp_path: Path) -> None:
    rows = [
        (at, sample(at, took, thread.replace(" 1-", f" {seed + 1}-"), 20, label))
        for seed, (prefix, users) in enumerate((("read-", 8), ("write-", 12)))
        for at, took, thread, label in busy(prefix, users, seed=seed)
    ]
    found = results.read(jtl(tmp_path / "groups.jtl", [text for _, text in sorted(rows)]))
    assert np.nanmax(found.series().users) == 20
    assert not found.warnings


def of_labels(folder: Path, users: int, *, think_ms: float = 100.0) -> list[Path]:
    """Results of one load generator, a file for each label."""
    rows: dict[str, list[tuple[float, str]]] = {"home": [], "order": []}
    for at, took, thread, label in busy("", users, seed=3, think_ms=think_ms):
        rows[label].append((at, sample(at, took, thread, users, label)))
    return [jtl(folder / f"{label}.jtl", [text for _, text in sorted(found)]) for label, found in rows.items()]


@pytest.mark.parametrize("think_ms", [0.0, 100.0, 500.0])
def test_users_of_one_generator_with_a_file_for_each_label_count_once(tmp_path: Path, think_ms: float) -> None:
    files = of_labels(tmp_path, 15, think_ms=think_ms)
    found = results.read(files)
    users = found.series().users
    assert np.nanmin(users) == np.nanmax(users) == 15
    (warning,) = map(str, found.warnings)
    assert "taken for those of one load generator, and count once" in warning
    merged = Survey.merged([results.read(file).survey() for file in files])
    assert merged.series is not None
    assert merged.series.users == pytest.approx(users, nan_ok=True)


def test_users_of_one_generator_with_a_file_for_each_group_count_once(tmp_path: Path) -> None:
    files = [
        jtl(
            tmp_path / f"{number}.jtl",
            [
                sample(at, took, thread.replace(" 1-", f" {number}-"), 20)
                for at, took, thread, _ in sorted(busy("", users, seed=number))
            ],
        )
        for number, users in ((1, 8), (2, 12))
    ]
    assert np.nanmax(results.read(files).series().users) == 20


@pytest.mark.parametrize("think_ms", [0.0, 100.0, 2000.0])
def test_generators_with_threads_of_the_same_names_stay_two(tmp_path: Path, think_ms: float) -> None:
    files = [
        jtl(
            tmp_path / f"{seed}.jtl",
            [
                sample(at, took, thread, 15)
                for at, took, thread, _ in sorted(busy("", 15, seed=seed, think_ms=think_ms))
            ],
        )
        for seed in (1, 2)
    ]
    found = results.read(files)
    assert np.nanmax(found.series().users) == 30
    (warning,) = map(str, found.warnings)
    assert "those of two load generators, and add up" in warning

"""The launcher, in a copy of its files with stubs for what it starts."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STUB_MVN = """#!/bin/sh
echo "mvn $*" >> "$TIDEPOOL_HOME/calls"
mkdir -p "$TIDEPOOL_HOME/testbed/servers/target/lib"
"""
STUB_JAVAC = "#!/bin/sh\necho 'javac {version}' >&2\n"
# Stands for an interpreter: knows its version, makes "environments" that hold a copy of itself.
STUB_PYTHON = """#!/bin/sh
case "$*" in
  --version) echo "Python 3.11.9" ;;
  "-m venv "*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" && cp "$0" "$3/bin/pip" && echo venv >> "$TIDEPOOL_HOME/calls" ;;
  "-m tidepool "*) echo "ran: $*" ;;
esac
"""


def stub(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


class House:
    """A copy of the launcher in a folder whose name holds a space, and a path that holds stubs only."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "my house"
        shutil.copytree(ROOT / "launcher", self.root / "launcher", ignore=shutil.ignore_patterns("tests"))
        shutil.copy(ROOT / "tidepool", self.root / "tidepool")
        (self.root / "lab").mkdir()
        shutil.copy(ROOT / "lab/pyproject.toml", self.root / "lab/pyproject.toml")
        source = self.root / "core/src/main/java/A.java"
        source.parent.mkdir(parents=True)
        source.write_text("class A {}", encoding="utf-8")
        (self.root / "pom.xml").write_text("<project/>", encoding="utf-8")
        self.source = source
        self.bin = folder / "bin"
        for tool in ("bash", "env", "readlink", "dirname", "basename", "sed", "awk", "find", "sort", "cksum", "mkdir", "rm", "cp",
                     "flock", "cat", "head", "tail", "grep", "sleep", "sh"):
            found = shutil.which(tool)
            assert found, tool
            self.bin.mkdir(exist_ok=True)
            (self.bin / tool).symlink_to(found)
        self.jvms = folder / "jvms"
        stub(self.jvms / "jdk-17/bin/javac", STUB_JAVAC.format(version="17.0.2"))
        stub(self.bin / "mvn", STUB_MVN)
        stub(self.bin / "python3", STUB_PYTHON)

    def run(self, *words: str, cwd: Path | None = None, launcher: Path | None = None) -> subprocess.CompletedProcess[str]:
        environment = {"PATH": str(self.bin), "TIDEPOOL_JVMS": str(self.jvms), "HOME": os.environ.get("HOME", "/"), "CI": "true"}
        return subprocess.run(
            [str(launcher or self.root / "tidepool"), *words],
            env=environment, cwd=cwd, capture_output=True, text=True, timeout=60, check=False,
        )

    def calls(self) -> list[str]:
        file = self.root / "calls"
        return file.read_text(encoding="utf-8").splitlines() if file.exists() else []


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


def one_line(result: subprocess.CompletedProcess[str]) -> str:
    lines = [line for line in result.stderr.splitlines() if line.startswith("tidepool: ")]
    assert len(lines) == 1, result.stderr
    return lines[0]


def test_help_needs_nothing(house: House) -> None:
    for tool in ("mvn", "python3"):
        (house.bin / tool).unlink()
    for words in ((), ("help",), ("--help",)):
        result = house.run(*words)
        assert result.returncode == 0
        assert "./tidepool demo" in result.stdout
    assert house.run("--version").stdout.startswith("tidepool 0.")


def test_unknown_word_names_the_nearest(house: House) -> None:
    result = house.run("dmeo")
    assert result.returncode == 2
    assert "did you mean 'demo'" in one_line(result)


def test_sets_up_once_and_passes_words_on(house: House) -> None:
    first = house.run("run", "a file.yaml")
    assert first.returncode == 0, first.stderr
    assert first.stdout == "ran: -m tidepool run a file.yaml\n"
    set_up = house.calls()
    assert len(set_up) == 2
    second = house.run("run", "a file.yaml")
    assert second.stdout == first.stdout
    assert house.calls() == set_up


def test_builds_again_when_a_source_changes(house: House) -> None:
    house.run("run", "x")
    before = len(house.calls())
    house.source.write_text("class A { int changed; }", encoding="utf-8")
    house.run("run", "x")
    assert len(house.calls()) == before + 1


def test_makes_the_environment_again_when_its_packages_change(house: House) -> None:
    house.run("report", "x")
    assert house.calls() == ["venv"]
    project = house.root / "lab/pyproject.toml"
    project.write_text(project.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    house.run("report", "x")
    assert house.calls() == ["venv", "venv"]


def test_works_from_elsewhere_and_through_a_link(house: House, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(house.root / "tidepool")
    result = house.run("run", "x", cwd=tmp_path, launcher=link)
    assert result.stdout == "ran: -m tidepool run x\n", result.stderr


@pytest.mark.parametrize(
    ("prepare", "expected"),
    [
        (lambda house: shutil.rmtree(house.jvms), "no JDK 17"),
        (lambda house: stub(house.jvms / "jdk-17/bin/javac", STUB_JAVAC.format(version="11.0.1")), "is Java 11"),
        (lambda house: (house.bin / "mvn").unlink(), "no Maven"),
        (lambda house: (house.bin / "python3").unlink(), "no Python 3.11"),
        (lambda house: stub(house.bin / "python3", "#!/bin/sh\nexit 1\n"), "no Python 3.11"),
        (lambda house: stub(house.bin / "mvn", "#!/bin/sh\necho '[ERROR] no network'\nexit 1\n"), "building the Java parts failed"),
    ],
)
def test_what_is_missing_is_one_line(house: House, prepare: object, expected: str) -> None:
    assert callable(prepare)
    prepare(house)
    result = house.run("run", "x")
    assert result.returncode == 1
    assert expected in one_line(result)
    assert "ran:" not in result.stdout


def test_a_failed_build_is_tried_again(house: House) -> None:
    stub(house.bin / "mvn", "#!/bin/sh\nexit 1\n")
    assert house.run("run", "x").returncode == 1
    stub(house.bin / "mvn", STUB_MVN)
    assert house.run("run", "x").returncode == 0


def test_two_at_once_set_up_one_after_the_other(house: House) -> None:
    stub(house.bin / "mvn", STUB_MVN.replace('echo "mvn', 'sleep 1; echo "mvn'))
    house.run("report", "x")
    environment = {"PATH": str(house.bin), "TIDEPOOL_JVMS": str(house.jvms), "CI": "true"}
    command = [str(house.root / "tidepool"), "run", "x"]
    both = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    began = time.monotonic()
    said = [process.communicate(timeout=60) for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert time.monotonic() - began < 30
    assert len([call for call in house.calls() if call.startswith("mvn")]) == 1


def test_totals_of_junit_reports(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    report.write_text('<testsuites><testsuite tests="5" failures="1" errors="1" skipped="1"/></testsuites>', encoding="utf-8")
    result = subprocess.run(
        ["python3", ROOT / "launcher/count_junit.py", report, report], capture_output=True, text=True, check=True
    )
    assert result.stdout == "4 4 2\n"

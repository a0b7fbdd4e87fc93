"""A house in a temporary folder: the real launcher, with stubs in place of Java, Maven and Python."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "launcher"))

# Programs of the system that the launcher may use; nothing else is on its path, so a stub that is missing is missing.
_TOOLS = (
    "awk basename bash cat chmod cksum df dirname env find flock grep head mkdir readlink renice rm sed sleep sort tail"
)

_MVN = """#!/usr/bin/env bash
if [[ $1 == -v ]]; then echo "Apache Maven ${STUB_MAVEN:-3.9.9}"; exit; fi
echo "mvn $*" >> "$STUB_CALLS"
if [[ -n ${STUB_MVN_SAYS:-} ]]; then echo "$STUB_MVN_SAYS"; exit 1; fi
mkdir -p "$STUB_HOUSE/core/target/classes" "$STUB_HOUSE/core/target/surefire-reports"
echo "$STUB_SUREFIRE" > "$STUB_HOUSE/core/target/surefire-reports/TEST-A.xml"
# Two pipes: one says that the build has begun, the other keeps it from ending.
if [[ -n ${STUB_BEGUN:-} ]]; then
  if [[ -n ${STUB_DEAF:-} ]]; then
    # Hears a signal from the second one on.
    trap '((heard++)) && exit 1' TERM
    exec 3<> "$STUB_END"
    echo begun > "$STUB_BEGUN"
    until read -r -t 1 -u 3; do :; done
  else
    echo begun > "$STUB_BEGUN"
    cat "$STUB_END"
  fi
fi
"""

_PYTHON = """#!/usr/bin/env bash
case "$1 $2" in
  "-c "*version_info*) exit "${STUB_PYTHON_OLD:-0}" ;;
  "-c "*ensurepip*) exit "${STUB_NO_VENV:-0}" ;;
  "--version "*) echo "Python 3.11.0" ;;
  "-m venv")
    echo "venv" >> "$STUB_CALLS"
    mkdir -p "$3/bin"
    cat "$STUB_BIN/venv-python" > "$3/bin/python"
    cat "$STUB_BIN/venv-tool" > "$3/bin/pip"
    for tool in ruff mypy pytest; do cat "$STUB_BIN/venv-tool" > "$3/bin/$tool"; done
    chmod +x "$3"/bin/*
    ;;
esac
"""

_VENV_PYTHON = """#!/usr/bin/env bash
case $1 in
  --version) echo "Python 3.11.0" ;;
  -m)
    if [[ $3 == "${STUB_WRONG:-}" ]]; then echo "poolkeeper: it is wrong" >&2; exit 2; fi
    if [[ $4 == --list ]]; then echo check >> "$STUB_CALLS"; fi
    echo "started: ${*:3}, home $POOLKEEPER_HOME, java ${JAVA_HOME:-none}, pid $$"
    ;;
  *) exec "$STUB_REAL_PYTHON" "$@" ;;
esac
"""

_NODE = """#!/usr/bin/env bash
if [[ $1 == --version ]]; then echo "${STUB_NODE:-v20.11.0}"; exit; fi
echo "node $*" >> "$STUB_CALLS"
for argument in "$@"; do
  if [[ $argument == */node.xml ]]; then echo "$STUB_NODE_JUNIT" > "${argument#--test-reporter-destination=}"; fi
done
"""

_NPM = """#!/usr/bin/env bash
echo "npm $*" >> "$STUB_CALLS"
if [[ -n ${STUB_NPM_SAYS:-} ]]; then echo "$STUB_NPM_SAYS"; exit 1; fi
mkdir -p "$STUB_HOUSE/node/node_modules/.bin"
for tool in tsc eslint prettier; do
  cat "$STUB_BIN/venv-tool" > "$STUB_HOUSE/node/node_modules/.bin/$tool"
  chmod +x "$STUB_HOUSE/node/node_modules/.bin/$tool"
done
"""

_VENV_TOOL = """#!/usr/bin/env bash
echo "$(basename "$0") $*" >> "$STUB_CALLS"
for argument in "$@"; do
  if [[ $argument == --junitxml=* ]]; then echo "$STUB_JUNIT" > "${argument#--junitxml=}"; fi
done
if [[ $(basename "$0") == "${STUB_FAILS:-}" ]]; then echo "${STUB_SAYS:-it broke}"; exit 1; fi
"""


def junit(*, passed: int = 0, failed: int = 0, errors: int = 0, skipped: int = 0) -> str:
    """A report whose suite counts nothing itself, as Surefire's of nested classes."""
    cases = "<testcase/>" * passed
    for kind, count in (("failure", failed), ("error", errors), ("skipped", skipped)):
        cases += "".join(f'<testcase classname="ATest" name="{kind}{i}"><{kind}/></testcase>' for i in range(count))
    return f'<testsuites><testsuite tests="0">{cases}</testsuite></testsuites>'


def write_script(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


@dataclass
class House:
    """A copy of the launcher with sources to build, and the environment it is started with."""

    root: Path
    bin: Path
    env: dict[str, str]

    def start(self, *words: str, cwd: Path | None = None, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(self.root / "poolkeeper"), *words],
            cwd=cwd or self.root,
            env=self.env | env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def calls(self) -> list[str]:
        """Return the names of the stubs that were called since the last time."""
        log = Path(self.env["STUB_CALLS"])
        found = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        return [line.split()[0] for line in found]

    def state(self, name: str) -> Path:
        return self.root / ".poolkeeper" / name


def make_jdk(folder: Path, version: str) -> Path:
    (folder / "bin").mkdir(parents=True)
    write_script(folder / "bin/javac", f"#!/usr/bin/env bash\necho javac {version}\n")
    write_script(folder / "bin/java", '#!/usr/bin/env bash\necho "java $*, pid $$"\n')
    (folder / "release").write_text(f'JAVA_VERSION="{version}"\nJAVA_VERSION_DATE="2026-01-01"\n', encoding="utf-8")
    return folder


@pytest.fixture
def house(tmp_path: Path) -> House:
    root = tmp_path / "a house with spaces"
    (root / "core/src/main/java").mkdir(parents=True)
    (root / "lab").mkdir()
    (root / "node").mkdir()
    (root / "node/package-lock.json").write_text("{}", encoding="utf-8")
    shutil.copy(PROJECT / "poolkeeper", root)
    shutil.copytree(PROJECT / "launcher", root / "launcher", ignore=shutil.ignore_patterns("tests", "__pycache__"))
    (root / "pom.xml").write_text("<project/>", encoding="utf-8")
    (root / "core/src/main/java/A.java").write_text("class A {}", encoding="utf-8")
    (root / "lab/pyproject.toml").write_text('version = "1.2.3"\n', encoding="utf-8")

    tools = tmp_path / "tools"
    tools.mkdir()
    for tool in _TOOLS.split():
        found = shutil.which(tool)
        assert found, f"{tool} is missing on this machine"
        (tools / tool).symlink_to(found)
    stubs = tmp_path / "stubs"
    stubs.mkdir()
    write_script(stubs / "mvn", _MVN)
    write_script(stubs / "python3", _PYTHON)
    write_script(stubs / "node", _NODE)
    write_script(stubs / "npm", _NPM)
    write_script(stubs / "venv-python", _VENV_PYTHON)
    write_script(stubs / "venv-tool", _VENV_TOOL)
    make_jdk(tmp_path / "jvms/java-17", "17.0.9")
    real_python = shutil.which("python3")
    assert real_python
    env = {
        "PATH": f"{stubs}:{tools}",
        "HOME": str(tmp_path),
        "LC_ALL": os.environ.get("LC_ALL", "C.UTF-8"),
        "POOLKEEPER_JVMS": str(tmp_path / "jvms"),
        "STUB_BIN": str(stubs),
        "STUB_CALLS": str(tmp_path / "calls"),
        "STUB_HOUSE": str(root),
        "STUB_REAL_PYTHON": real_python,
        "STUB_JUNIT": junit(passed=5, skipped=2),
        "STUB_SUREFIRE": junit(passed=9, skipped=1),
        "STUB_NODE_JUNIT": junit(passed=3),
    }
    return House(root, stubs, env)

"""Uses a publication as others would: outside the project, in fresh folders, by its published files alone.

Arguments are the publication, a folder for downloads that later runs use again, and the folder of the logs.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import venv
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
EXPECTED = "sum 328350, io.poolkeeper.core"
"""The answer of the program: the squares of 0 to 99, summed up on a pool of a named module."""

GRADLE = (6, 4)
"""The first version that puts modules on the module path."""


class ConsumerError(Exception):
    """A use that failed; the message is one line."""


def plain(line: str) -> str:
    """Return a line without colours."""
    return re.sub(r"\x1b\[[0-9;]*m", "", line).strip()


@dataclass(frozen=True)
class Use:
    """One publication, and the place in which it is used."""

    publication: Path
    downloads: Path
    logs: Path
    scratch: Path

    @property
    def version(self) -> str:
        """Version of the Java modules."""
        return str(json.loads((self.publication / "publication.json").read_text(encoding="utf-8"))["version"])

    def run(self, name: str, *command: str | Path, folder: Path | None = None) -> str:
        """Run a command with its output in a log; raises ConsumerError with the last line of one that fails."""
        # Nothing of the project or of the caller's environment stands in for what was published.
        env = {key: value for key, value in os.environ.items() if key not in {"PYTHONPATH", "NODE_PATH", "CLASSPATH"}}
        done = subprocess.run(
            [str(part) for part in command],
            cwd=folder or self.scratch, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        )  # fmt: skip
        log = self.logs / f"check-{name}.log"
        with log.open("a", encoding="utf-8") as file:
            file.write(f"$ {' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
        if done.returncode:
            errors = [line for line in (done.stdout + done.stderr).splitlines() if "rror" in line] or [
                f"exit code {done.returncode}"
            ]
            raise ConsumerError(f"{name}: {plain(errors[0])} (log: {log})")
        return done.stdout

    def project(self, kind: str) -> Path:
        """Return a fresh copy of one of the projects in consumers/."""
        folder = self.scratch / kind
        shutil.copytree(HERE / "consumers" / kind, folder)
        shutil.copytree(HERE / "consumers/java", folder / "java")
        return folder


def require(what: str, actual: str, expected: str) -> None:
    """Raise ConsumerError where an answer does not have what it must have."""
    if expected not in actual:
        raise ConsumerError(f"{what} must answer '{expected}', but says '{actual.strip()[:200]}'")


def use_maven(use: Use) -> str:
    """Compile and run the program with Maven and the BOM; get sources and javadoc."""
    folder, local = use.project("maven"), use.downloads / "maven"
    # An earlier snapshot would be used for a day.
    shutil.rmtree(local / "io/poolkeeper", ignore_errors=True)
    versions = ET.parse(HERE.parent / "pom.xml").getroot()  # noqa: S314 - our own
    names = ("compiler-plugin.version", "dependency-plugin.version")
    plugins = {name: versions.findtext(f".//{{*}}{name}", "") for name in names}
    maven = [
        "mvn", "-B", "-ntp", f"-Dmaven.repo.local={local}", f"-Dpublication={(use.publication / 'maven').as_uri()}",
        f"-Dpoolkeeper.version={use.version}", *(f"-D{name}={value}" for name, value in plugins.items()),
    ]  # fmt: skip
    class_path = folder / "class-path"
    use.run(
        "maven", *maven, "compile", "dependency:build-classpath", f"-Dmdep.outputFile={class_path}",
        "-DincludeScope=compile", folder=folder,
    )  # fmt: skip
    java = Path(os.environ["JAVA_HOME"]) / "bin/java"
    modules = f"{folder}/target/classes:{class_path.read_text(encoding='utf-8')}"
    output = use.run("maven", java, "-p", modules, "-m", "consumer/consumer.Consumer", folder / "record", folder=folder)
    require("the program built with Maven", output, EXPECTED)
    for kind in ("sources", "javadoc"):
        wanted = (f"-Dclassifier={kind}", "-DincludeGroupIds=io.poolkeeper")
        use.run("maven", *maven, "dependency:resolve", *wanted, folder=folder)
        if not list((local / "io/poolkeeper/poolkeeper-core").glob(f"*/*-{kind}.jar")):
            raise ConsumerError(f"Maven got no {kind} of poolkeeper-core")
    return "the BOM, three modules and a starter, run on the module path; sources and javadoc"


def use_gradle(use: Use) -> str:
    """Compile and run the program with Gradle, if there is one."""
    gradle = shutil.which("gradle")
    if gradle is None:
        return "skipped: Gradle is not installed; the POMs, which it reads, were checked when they were published"
    found = re.search(r"Gradle (\d+)\.(\d+)", use.run("gradle", gradle, "--version"))
    if found is None or (int(found[1]), int(found[2])) < GRADLE:
        version = f"{found[1]}.{found[2]}" if found else "of an unknown version"
        return f"skipped: Gradle is {version}, and {GRADLE[0]}.{GRADLE[1]} or later is needed"
    folder = use.project("gradle")
    output = use.run(
        "gradle", gradle, "-q", "--no-daemon", "--refresh-dependencies", f"-Ppublication={use.publication / 'maven'}",
        f"-PpoolkeeperVersion={use.version}", "run", f"--args={folder / 'record'}", folder=folder,
    )  # fmt: skip
    require("the program built with Gradle", output, EXPECTED)
    return "the BOM and three modules, run on the module path"


def use_wheel(use: Use) -> str:
    """Install the wheel into a fresh environment and run its command."""
    wheels = list((use.publication / "python").glob("*.whl"))
    if not wheels:
        return "skipped: published without python"
    environment = use.scratch / "environment"
    venv.create(environment, with_pip=True)
    use.run("wheel", environment / "bin/pip", "install", "--disable-pip-version-check", wheels[0])
    require("poolkeeper --help", use.run("wheel", environment / "bin/poolkeeper", "--help"), "analyze")
    results = use.scratch / "results.csv"
    rows = "".join(f"{1_600_000_000_000 + 10 * i},{5 + i % 7},x,200,OK,t,true\n" for i in range(500))
    results.write_text(
        "timeStamp,elapsed,label,responseCode,responseMessage,threadName,success\n" + rows, encoding="utf-8"
    )
    require("poolkeeper analyze", use.run("wheel", environment / "bin/poolkeeper", "analyze", results), "500")
    return f"{wheels[0].name} installed into a fresh environment; poolkeeper --help and analyze"


def use_npm(use: Use) -> str:
    """Install the npm package into a fresh folder, import it and preload it."""
    packages = list((use.publication / "npm").glob("*.tgz"))
    if not packages:
        return "skipped: published without npm"
    if shutil.which("npm") is None:
        return "skipped: npm is not installed"
    folder = use.scratch / "npm"
    folder.mkdir()
    use.run("npm", "npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", packages[0], folder=folder)
    program = (
        'import { metrics, adapt } from "poolkeeper"; import { limited } from "poolkeeper/fs";'
        'const { fs } = limited(); const text = await fs.readFile("package.json", "utf8");'
        "console.log(typeof adapt, typeof metrics(), text.length > 0);"
    )
    (folder / "program.mjs").write_text(program, encoding="utf-8")
    for preload in ((), ("--import", "poolkeeper/register")):
        output = use.run("npm", "node", *preload, "program.mjs", folder=folder)
        require("the program on Node", output, "function object true")
    return f"{packages[0].name} installed into a fresh folder; imported, and preloaded"


def main(publication: Path, downloads: Path, logs: Path) -> None:
    """Use a publication in all ways, with a line for each."""
    failures = 0
    for log in logs.glob("check-*.log"):
        log.unlink()
    for name, kind in (("Maven", use_maven), ("Gradle", use_gradle), ("wheel", use_wheel), ("npm", use_npm)):
        sys.stderr.write(f"using it with {name} …\n")
        begin = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="poolkeeper-check-") as scratch:
            try:
                answer = kind(Use(publication, downloads, logs, Path(scratch)))
            except (ConsumerError, OSError, subprocess.SubprocessError) as problem:
                failures += 1
                answer = f"failed: {problem}"
        sys.stdout.write(f"{name}: {answer} ({time.monotonic() - begin:.0f} s)\n")
        sys.stdout.flush()
    if failures:
        sys.exit(f"poolkeeper: {failures} of 4 uses failed")


if __name__ == "__main__":
    try:
        main(*(Path(argument).absolute() for argument in sys.argv[1:4]))
    except KeyboardInterrupt:
        sys.exit(130)

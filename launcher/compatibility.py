"""Runs the tests of the integrations with versions of their hosts and of the JDK, and writes what ran into a table.

The adapters are compiled once, with the versions of the root POM and the oldest JDK, as they are published. Each cell
then runs those classes under the same tests with another host on another virtual machine.
"""

from __future__ import annotations

import argparse
import csv
import difflib
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NoReturn

PROJECT = Path(__file__).resolve().parents[1]
JDKS = (17, 21, 25)
PACKAGE = "io/poolkeeper"


@dataclass(frozen=True)
class Host:
    """Versions of one host, and the module whose tests show that they fit.

    `setting` is the property of the root POM that a version replaces; `reports` where an execution of its own in the
    module's POM puts its results, which then brings its version itself.
    """

    name: str
    module: str
    package: str
    setting: str
    versions: tuple[str, ...] = ()
    reports: str = "surefire-reports"


HOSTS = (
    Host("Tomcat 10.1", "integrations/tomcat", "tomcat", "tomcat.version", ("10.1.55",)),
    Host("Tomcat 11", "integrations/tomcat", "tomcat", "tomcat11.version", ("11.0.27",), "surefire-reports-tomcat11"),
    Host("HikariCP 7", "integrations/hikari", "hikari", "hikaricp.version", ("7.1.0",)),
    Host("HikariCP 6", "integrations/hikari", "hikari", "hikaricp6.version", (), "surefire-reports-hikari6"),
    Host("Agroal", "integrations/agroal", "agroal", "agroal.version", ("3.2.1",)),
    Host("Jetty", "integrations/jetty", "jetty", "jetty.version"),
    Host("Jetty 12.1", "integrations/jetty", "jetty", "jetty121.version", (), "surefire-reports-jetty-12.1"),
    Host("Micrometer", "integrations/micrometer", "micrometer", "micrometer.version", ("1.17.1", "1.17.2")),
    Host("Netty", "integrations/netty", "netty", "netty.version", ("4.1.140.Final",)),
    Host("Netty 4.2", "integrations/netty", "netty", "netty42.version", (), "surefire-reports-netty-4.2"),
    Host("HttpClient 5", "integrations/httpclient", "httpclient", "httpclient.version", ("5.4.4", "5.6.5")),
    Host("gRPC", "integrations/grpc", "grpc", "grpc.version", ("1.76.3",)),
    Host("Undertow", "integrations/undertow", "undertow", "undertow.version", ("2.4.4.Final",)),
    Host("RocksDB", "integrations/rocksdb", "rocksdb", "rocksdb.version"),
    Host("Spring Boot 3", "integrations/spring/boot3", "spring", "spring-boot3.version"),
    Host("Spring Boot 4", "integrations/spring/boot4", "spring", "spring-boot4.version", ("4.1.2",)),
)
"""All hosts; their versions are that of the root POM and those that are named here."""


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """Raise CompatibilityError."""
        raise CompatibilityError(f"{message}; ./poolkeeper help compatibility shows the options")


class CompatibilityError(Exception):
    """A wrong option or a cell that cannot be run; the message is one line."""


@dataclass(frozen=True)
class Cell:
    """Result of the tests of one host version on one JDK."""

    host: str
    version: str
    jdk: int
    passed: int
    failed: int
    skipped: int

    def text(self) -> str:
        """Return the cell as the table shows it."""
        if self.failed:
            return f"**{self.failed} of {self.passed + self.failed} failed**"
        return f"{self.passed} passed" + (f", {self.skipped} skipped" if self.skipped else "")


def versions(host: Host, project: Path = PROJECT) -> list[str]:
    """Return the versions of a host: that which the project is built with, then the others."""
    value = ET.parse(project / "pom.xml").getroot().findtext(f".//{{*}}{host.setting}", "")  # noqa: S314 - our own
    return [value, *(version for version in host.versions if version != value)]


def read_cells(file: Path) -> list[Cell]:
    """Read the cells that earlier runs wrote."""
    if not file.exists():
        return []
    with file.open(encoding="utf-8", newline="") as lines:
        return [
            Cell(row["host"], row["version"], *(int(row[name]) for name in ("jdk", "passed", "failed", "skipped")))
            for row in csv.DictReader(lines)
        ]


def write_cells(file: Path, cells: list[Cell]) -> None:
    """Write the cells in the order of the hosts, and the table made of them beside it."""
    order = [host.name for host in HOSTS]
    cells = sorted(cells, key=lambda cell: (order.index(cell.host), cell.version, cell.jdk))
    with file.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, list(Cell.__dataclass_fields__), lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(cell) for cell in cells)
    file.with_suffix(".md").write_text(table(cells), encoding="utf-8")


def table(cells: list[Cell]) -> str:
    """Return the page with the table; a cell that was never run is a dash."""
    found = {(cell.host, cell.version, cell.jdk): cell.text() for cell in cells}
    lines = [
        "# Compatibility",
        "Tests of each integration, on the classes that are published, with versions of the host and of the JDK.",
        "A dash is a cell that was not run, and nothing is claimed of it. `./poolkeeper compatibility` runs cells and",
        "writes this page; [compatibility.csv](compatibility.csv) has its numbers.",
        "",
        f"| host | version | {' | '.join(f'JDK {jdk}' for jdk in JDKS)} |",
        f"| --- | --- | {' | '.join('---' for _ in JDKS)} |",
    ]
    for host, version in dict.fromkeys((cell.host, cell.version) for cell in cells):
        row = " | ".join(found.get((host, version, jdk), "–") for jdk in JDKS)
        lines.append(f"| {host} | {version} | {row} |")
    return "\n".join(lines) + "\n"


def count(reports: Path) -> tuple[int, int, int]:
    """Return how many tests of JUnit reports passed, failed and were skipped."""
    passed = failed = skipped = 0
    for file in reports.glob("TEST-*.xml"):
        for case in ET.parse(file).getroot().iter("testcase"):  # noqa: S314 - written by our own run
            if case.find("failure") is not None or case.find("error") is not None:
                failed += 1
            elif case.find("skipped") is not None:
                skipped += 1
            else:
                passed += 1
    return passed, failed, skipped


def require_versions(reports: Path, version: str, jdk: int) -> None:
    """Raise CompatibilityError if tests did not run with a jar of that version on that JDK."""
    for file in reports.glob("TEST-*.xml"):
        root = ET.parse(file).getroot()  # noqa: S314 - written by our own run
        properties = {each.get("name"): each.get("value", "") for each in root.iter("property")}
        class_path = properties.get("surefire.test.class.path") or properties.get("java.class.path", "")
        if f"-{version}.jar" not in class_path:
            raise CompatibilityError(f"{file.name} has no jar of version {version} on its class path")
        if properties.get("java.specification.version") != str(jdk):
            raise CompatibilityError(
                f"{file.name} ran on Java {properties.get('java.specification.version')}, not {jdk}"
            )


def installed(folder: Path) -> dict[int, Path]:
    """Return the JDKs in a folder by their versions."""
    found: dict[int, Path] = {}
    for release in sorted(folder.glob("*/release")):
        for line in release.read_text(encoding="utf-8").splitlines():
            if line.startswith('JAVA_VERSION="'):
                found.setdefault(int(line.split('"')[1].split(".")[0]), release.parent)
    return found


def maven(source: Path, log: Path, *arguments: str) -> bool:
    """Run Maven with its output in a log; returns whether it succeeded."""
    command = ["mvn", "-B", "-ntp", "-Dstyle.color=never", "-Dspotless.check.skip=true", "-f", source / "pom.xml"]
    with log.open("w", encoding="utf-8") as file:
        done = subprocess.run(
            [*map(str, command), *arguments], stdin=subprocess.DEVNULL, stdout=file, stderr=file, check=False
        )
    return done.returncode == 0


def set_version(pom: Path, setting: str, version: str) -> None:
    """Set a property in a copy of the root POM: modules that state a version of their own keep it."""
    text = pom.read_text(encoding="utf-8")
    changed = re.sub(rf"(<{re.escape(setting)}>)[^<]*", rf"\g<1>{version}", text)
    pom.write_text(changed, encoding="utf-8")


def run_cell(source: Path, host: Host, version: str, jdk: tuple[int, Path], log: Path) -> tuple[int, int, int]:
    """Run the tests of one cell; raises CompatibilityError if none ran."""
    set_version(source / "pom.xml", host.setting, version)
    target = source / host.module / "target"
    for file in target.glob("surefire-reports*/TEST-*.xml"):
        file.unlink()
    maven(
        source, log, "-pl", host.module, "-am", "test", "-Dmaven.main.skip=true",
        f"-Djvm={jdk[1] / 'bin/java'}", f"-Dtest={PACKAGE}/{host.package}/**",
        "-Dsurefire.failIfNoSpecifiedTests=false", "-Dmaven.test.failure.ignore=true",
    )  # fmt: skip
    counts = count(target / host.reports)
    if not any(counts):
        raise CompatibilityError(f"{host.name} {version} ran no test (log: {log})")
    require_versions(target / host.reports, version, jdk[0])
    return counts


def chosen(names: list[str]) -> list[Host]:
    """Return the hosts of these names; raises CompatibilityError with the nearest one for another."""
    hosts = {host.name.lower().replace(" ", "-"): host for host in HOSTS}
    for name in names:
        if name not in hosts:
            nearest = difflib.get_close_matches(name, hosts, 1, 0.1) or list(hosts)
            raise CompatibilityError(f"unknown host '{name}'; did you mean '{nearest[0]}'? --list shows all")
    return [hosts[name] for name in names or hosts]


def main(source: Path, logs: Path, jvms: Path, arguments: list[str]) -> None:
    """Run the cells that were asked for, each written as soon as it is there."""
    parser = Parser(add_help=False, allow_abbrev=False)
    parser.add_argument("--jdk", action="append", default=[])
    parser.add_argument("--host", action="append", default=[])
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args(arguments)
    hosts, jdks = chosen(options.host), installed(jvms)
    there = [str(jdk) for jdk in JDKS if jdk in jdks]
    for jdk in options.jdk:
        if jdk not in there:
            raise CompatibilityError(f"jdk must be one of those in {jvms} ({', '.join(there)}), but is {jdk}")
    wanted = [int(jdk) for jdk in options.jdk or there]
    cells = [(host, version, jdk) for host in hosts for version in versions(host) for jdk in wanted]
    if options.list:
        for host, version, jdk in cells:
            sys.stdout.write(f"{host.name.lower().replace(' ', '-')} {version}, JDK {jdk}\n")
        return
    sys.stderr.write("compiling the integrations …\n")
    modules = ",".join(dict.fromkeys(host.module for host in hosts))
    if not maven(source, logs / "compatibility.log", "-q", "-pl", modules, "-am", "test-compile"):
        raise CompatibilityError(f"the integrations do not compile (log: {logs / 'compatibility.log'})")
    file = PROJECT / "docs/compatibility.csv"
    failures = 0
    for number, (host, version, jdk) in enumerate(cells, 1):
        sys.stderr.write(f"{number} of {len(cells)}: {host.name} {version} on JDK {jdk} …\n")
        begin = time.monotonic()
        cell = Cell(
            host.name, version, jdk, *run_cell(source, host, version, (jdk, jdks[jdk]), logs / "compatibility.log")
        )
        failures += cell.failed
        key = (cell.host, cell.version, cell.jdk)
        others = [each for each in read_cells(file) if (each.host, each.version, each.jdk) != key]
        write_cells(file, [*others, cell])
        line = f"{host.name} {version}, JDK {jdk}: {cell.text()} ({time.monotonic() - begin:.0f} s)\n"
        sys.stdout.write(line.replace("*", ""))
        sys.stdout.flush()
    if failures:
        raise CompatibilityError(f"{failures} tests failed; docs/compatibility.md shows where")


if __name__ == "__main__":
    try:
        source_folder, log_folder, jvm_folder = map(Path, sys.argv[1:4])
        main(source_folder, log_folder, jvm_folder, sys.argv[4:])
    except CompatibilityError as problem:
        sys.exit(f"poolkeeper: {problem}")
    except KeyboardInterrupt:
        sys.exit(130)

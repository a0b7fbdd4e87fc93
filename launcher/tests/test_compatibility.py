"""The compatibility table: cells that ran, and no others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from conftest import PROJECT, House, make_jdk

import compatibility
from compatibility import HOSTS, JDKS, Cell, CompatibilityError

if TYPE_CHECKING:
    from pathlib import Path

CASES = "<testcase/><testcase/><testcase><skipped/></testcase>"


def test_the_table_is_that_of_the_cells() -> None:
    file = PROJECT / "docs/compatibility.csv"
    cells = compatibility.read_cells(file)
    assert cells
    assert file.with_suffix(".md").read_text(encoding="utf-8") == compatibility.table(cells)
    assert {cell.host for cell in cells} <= {host.name for host in HOSTS}
    assert {cell.jdk for cell in cells} <= set(JDKS)


def test_every_host_is_a_module_with_its_version_in_the_root_pom() -> None:
    for host in HOSTS:
        assert (PROJECT / host.module / "pom.xml").exists()
        assert all(compatibility.versions(host)), host.name
        pom = (PROJECT / host.module / "pom.xml").read_text(encoding="utf-8")
        assert host.reports == "surefire-reports" or host.reports in pom


def test_a_cell_says_what_failed_and_a_cell_that_did_not_run_is_a_dash(tmp_path: Path) -> None:
    file = tmp_path / "compatibility.csv"
    cells = [Cell("Tomcat 11", "11.0", 25, 3, 1, 0), Cell("Tomcat 10.1", "10.1", 17, 4, 0, 2)]
    compatibility.write_cells(file, cells)
    assert compatibility.read_cells(file) == [cells[1], cells[0]]
    lines = file.with_suffix(".md").read_text(encoding="utf-8").splitlines()
    assert lines[-2:] == [
        "| Tomcat 10.1 | 10.1 | 4 passed, 2 skipped | – | – |",
        "| Tomcat 11 | 11.0 | – | – | **1 of 4 failed** |",
    ]


def test_tests_are_counted_from_the_reports_of_the_execution(tmp_path: Path) -> None:
    (tmp_path / "TEST-a.xml").write_text(f"<testsuite>{CASES}</testsuite>")
    (tmp_path / "TEST-b.xml").write_text("<testsuite><testcase><failure/></testcase></testsuite>")
    assert compatibility.count(tmp_path) == (2, 1, 1)
    assert compatibility.count(tmp_path / "nothing") == (0, 0, 0)


def test_a_cell_that_ran_with_another_version_or_jdk_is_refused(tmp_path: Path) -> None:
    properties = '<property name="{}" value="/m2/jetty-server-12.1.12.jar:a"/><property name="{}" value="25"/>'
    text = properties.format("surefire.test.class.path", "java.specification.version")
    (tmp_path / "TEST-a.xml").write_text(f"<testsuite><properties>{text}</properties></testsuite>")
    compatibility.require_versions(tmp_path, "12.1.12", 25)
    with pytest.raises(CompatibilityError, match=r"has no jar of version 12.0.25"):
        compatibility.require_versions(tmp_path, "12.0.25", 25)
    with pytest.raises(CompatibilityError, match="ran on Java 25, not 17"):
        compatibility.require_versions(tmp_path, "12.1.12", 17)


def test_a_version_is_set_in_the_root_pom_alone(tmp_path: Path) -> None:
    pom = tmp_path / "pom.xml"
    other = "<spring-boot4.jetty.version>1</spring-boot4.jetty.version>"
    pom.write_text(f"<a><jetty.version>12.0.25</jetty.version>{other}</a>")
    compatibility.set_version(pom, "jetty.version", "12.1.12")
    assert "<jetty.version>12.1.12<" in pom.read_text()
    assert "<spring-boot4.jetty.version>1<" in pom.read_text()


def test_an_unknown_host_gets_the_nearest_one() -> None:
    with pytest.raises(CompatibilityError, match="unknown host 'tomcat11'; did you mean 'tomcat-11'"):
        compatibility.chosen(["tomcat11"])
    assert [host.name for host in compatibility.chosen(["jetty"])] == ["Jetty"]
    assert compatibility.chosen([]) == list(HOSTS)


def test_a_jdk_that_is_not_there_is_refused(tmp_path: Path) -> None:
    make_jdk(tmp_path / "jdk-17", "17.0.9")
    with pytest.raises(CompatibilityError, match=r"jdk must be one of those in .* \(17\), but is 21"):
        compatibility.main(tmp_path, tmp_path, tmp_path, ["--jdk", "21"])
    with pytest.raises(CompatibilityError, match=r"unrecognized arguments: --jdks 17"):
        compatibility.main(tmp_path, tmp_path, tmp_path, ["--jdks", "17"])


def test_a_list_runs_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_jdk(tmp_path / "jdk-25", "25.0.1")
    compatibility.main(tmp_path, tmp_path, tmp_path, ["--list", "--host", "agroal"])
    (agroal,) = compatibility.chosen(["agroal"])
    listed = capsys.readouterr().out.splitlines()
    assert listed == [f"agroal {version}, JDK 25" for version in compatibility.versions(agroal)]
    assert len(listed) == 1 + len(agroal.versions)


def test_the_command_is_refused_in_one_line_without_maven(house: House) -> None:
    (house.bin / "mvn").unlink()
    done = house.start("compatibility")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("poolkeeper: no Maven (mvn); install version 3.8 or later")

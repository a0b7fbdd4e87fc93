"""`./poolkeeper test`: its parts, and the line of totals that must not lie."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from conftest import junit

if TYPE_CHECKING:
    from conftest import House


def last_line(text: str) -> str:
    return text.splitlines()[-1]


def test_the_last_line_is_the_sum_over_all_parts(house: House) -> None:
    done = house.start("test")
    assert done.returncode == 0, done
    assert last_line(done.stdout) == "22 passed, 0 failed, 5 skipped"


@pytest.mark.parametrize(
    ("part", "totals", "called"),
    [
        ("java", "9 passed, 0 failed, 1 skipped", ["mvn"]),
        ("lab", "5 passed, 0 failed, 2 skipped", ["ruff", "ruff", "mypy", "mvn", "pytest"]),
        ("node", "3 passed, 0 failed, 0 skipped", ["npm", "tsc", "eslint", "prettier", "node"]),
        ("launcher", "5 passed, 0 failed, 2 skipped", ["ruff", "ruff", "mypy", "pytest"]),
    ],
)
def test_a_part_by_itself(house: House, part: str, totals: str, called: list[str]) -> None:
    done = house.start("test", part)
    assert last_line(done.stdout) == totals
    assert house.calls() == ["venv", "pip", *called]


def test_an_unknown_part_is_one_line(house: House) -> None:
    done = house.start("test", "jav")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "poolkeeper: unknown part 'jav'; parts are java, lab, node and launcher\n"


def test_failed_tests_fail(house: House) -> None:
    done = house.start("test", STUB_SUREFIRE=junit(passed=7, failed=2, errors=1))
    assert done.returncode == 1
    assert last_line(done.stdout) == "20 passed, 3 failed, 4 skipped"
    assert done.stderr.splitlines()[-3:] == [
        "failed: Java: ATest failure0",
        "failed: Java: ATest failure1",
        "failed: Java: ATest error0",
    ]


@pytest.mark.parametrize("tool", ["ruff", "mypy"])
def test_a_check_that_fails_without_a_failed_test_is_counted(house: House, tool: str) -> None:
    done = house.start("test", "lab", STUB_FAILS=tool)
    assert done.returncode == 1
    assert last_line(done.stdout) == "5 passed, 1 failed, 2 skipped"


def test_java_that_does_not_build_fails_and_the_other_tests_run(house: House) -> None:
    done = house.start("test", STUB_MVN_SAYS="[ERROR] it does not compile")
    assert done.returncode == 1
    assert last_line(done.stdout) == "13 passed, 1 failed, 4 skipped"
    assert "poolkeeper: Java ran no test" in done.stderr


@pytest.mark.parametrize("tool", ["tsc", "eslint", "prettier"])
def test_a_check_of_node_that_fails_is_counted(house: House, tool: str) -> None:
    done = house.start("test", "node", STUB_FAILS=tool)
    assert done.returncode == 1
    assert last_line(done.stdout) == "3 passed, 1 failed, 0 skipped"


def test_failed_tests_of_node_fail(house: House) -> None:
    done = house.start("test", "node", STUB_NODE_JUNIT=junit(passed=4, failed=1))
    assert done.returncode == 1
    assert last_line(done.stdout) == "4 passed, 1 failed, 0 skipped"
    assert done.stderr.splitlines()[-1] == "failed: node: ATest failure0"


@pytest.mark.parametrize("tool", ["node", "npm"])
def test_missing_node_is_a_line_and_a_skip(house: House, tool: str) -> None:
    (house.bin / tool).unlink()
    done = house.start("test", "node")
    assert done.returncode == 0
    assert last_line(done.stdout) == "0 passed, 0 failed, 1 skipped"
    assert (
        "poolkeeper: tests of node/ skipped: node and npm are missing; on Debian: apt-get install nodejs npm"
        in done.stderr.splitlines()
    )


def test_an_old_node_is_a_line_and_a_skip(house: House) -> None:
    done = house.start("test", "node", STUB_NODE="v18.20.1")
    assert last_line(done.stdout) == "0 passed, 0 failed, 1 skipped"
    assert "Node 20 or later is needed, but this is 18.20.1" in done.stderr


def test_packages_of_node_that_cannot_be_installed_fail_and_the_other_tests_run(house: House) -> None:
    done = house.start("test", STUB_NPM_SAYS="npm error code ENOTFOUND")
    assert done.returncode == 1
    assert last_line(done.stdout) == "19 passed, 1 failed, 5 skipped"


def test_packages_of_node_are_installed_once(house: House) -> None:
    house.start("test", "node")
    house.calls()
    house.start("test", "node")
    assert "npm" not in house.calls()
    (house.root / "node/package-lock.json").write_text('{"version": 2}', encoding="utf-8")
    house.start("test", "node")
    assert "npm" in house.calls()


@pytest.mark.parametrize("junit", [junit(), "no xml"])
def test_a_suite_that_ran_nothing_fails(house: House, junit: str) -> None:
    done = house.start("test", "lab", STUB_JUNIT=junit)
    assert done.returncode == 1
    assert "poolkeeper: lab ran no test" in done.stderr
    assert last_line(done.stdout) == "0 passed, 1 failed, 0 skipped"


def test_reports_of_an_earlier_run_do_not_count(house: House) -> None:
    stale = house.root / "core/target/surefire-reports/TEST-Old.xml"
    stale.parent.mkdir(parents=True)
    stale.write_text(junit(passed=100))
    assert last_line(house.start("test", "java").stdout) == "9 passed, 0 failed, 1 skipped"


def test_the_tests_leave_the_java_parts_built(house: House) -> None:
    house.start("test", "java")
    house.calls()
    house.start("demo")
    assert house.calls() == []

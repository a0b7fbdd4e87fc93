"""Setup and builds of the launcher: once, again only when it must, and never half."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from conftest import PROJECT, House, make_jdk, write_script

MAVEN_FAILS = """[ERROR] A.java:[3,1] a semicolon is missing
[ERROR] A.java:[3,1] a semicolon is missing
[ERROR] -> [Help 1]
[ERROR]
[ERROR] Re-run Maven using the -X switch to enable full debug logging."""


def one_line(done: subprocess.CompletedProcess[str]) -> str:
    """The message of a start that failed, without what told that it went on."""
    assert done.returncode == 1, done
    assert done.stdout == ""
    lines = [line for line in done.stderr.splitlines() if not line.endswith("…")]
    assert len(lines) == 1, lines
    return lines[0]


def test_no_jdk_is_one_line(house: House) -> None:
    shutil.rmtree(house.env["POOLKEEPER_JVMS"])
    message = one_line(house.start("demo"))
    assert message.startswith("poolkeeper: no JDK 17 or later; install one")
    assert "openjdk-17-jdk-headless" in message


@pytest.mark.parametrize(("version", "major"), [("11.0.2", "11"), ("1.8.0_402", "8")])
def test_a_jdk_that_is_too_old_is_named(house: House, version: str, major: str, tmp_path: Path) -> None:
    shutil.rmtree(house.env["POOLKEEPER_JVMS"])
    old = make_jdk(tmp_path / "old", version)
    assert f"no JDK 17 or later ({old} is Java {major})" in one_line(house.start("demo", JAVA_HOME=str(old)))


def test_java_home_comes_before_the_path_and_the_path_before_the_usual_place(house: House, tmp_path: Path) -> None:
    set_one, on_path = make_jdk(tmp_path / "set", "21"), make_jdk(tmp_path / "on path", "17.0.1")
    path = f"{on_path}/bin:{house.env['PATH']}"
    assert f"java {on_path}," in house.start("demo", PATH=path).stdout
    assert f"java {set_one}," in house.start("demo", PATH=path, JAVA_HOME=str(set_one)).stdout


def test_a_java_home_that_is_too_old_is_passed_over(house: House, tmp_path: Path) -> None:
    old = make_jdk(tmp_path / "old", "11.0.2")
    assert f"java {house.env['POOLKEEPER_JVMS']}/java-17," in house.start("demo", JAVA_HOME=str(old)).stdout


def test_a_jdk_without_a_release_file_is_asked(house: House, tmp_path: Path) -> None:
    bare = make_jdk(tmp_path / "bare", "22.0.1")
    (bare / "release").unlink()
    assert f"java {bare}," in house.start("demo", JAVA_HOME=str(bare)).stdout


def test_no_maven_is_one_line(house: House) -> None:
    (house.bin / "mvn").unlink()
    assert one_line(house.start("demo")).startswith("poolkeeper: no Maven (mvn); install version 3.8 or later")


@pytest.mark.parametrize("version", ["3.6.3", "2.2.1"])
def test_a_maven_that_is_too_old_is_one_line(house: House, version: str) -> None:
    assert f"Maven is {version[:3]}; install version 3.8" in one_line(house.start("demo", STUB_MAVEN=version))


def test_no_python_is_one_line(house: House) -> None:
    (house.bin / "python3").unlink()
    assert one_line(house.start("report", "x")).startswith("poolkeeper: no Python 3.11 or later; on Debian")


def test_a_python_that_is_too_old_is_as_none(house: House) -> None:
    assert "no Python 3.11 or later" in one_line(house.start("report", "x", STUB_PYTHON_OLD="1"))


def test_a_python_without_venv_names_the_package(house: House) -> None:
    assert "apt-get install python3-venv" in one_line(house.start("report", "x", STUB_NO_VENV="1"))


@pytest.mark.parametrize(
    ("said", "cause"),
    [
        ("OSError: [Errno 28] No space left on device", "the disk is full"),
        ("Temporary failure in name resolution", "no network, or a proxy that has to be set"),
        ("PermissionError: Permission denied", "a file or folder cannot be written"),
    ],
)
def test_an_install_that_fails_says_why_in_one_line(house: House, said: str, cause: str) -> None:
    message = one_line(house.start("report", "x", STUB_FAILS="pip", STUB_SAYS=said))
    assert message == f"poolkeeper: installing the lab failed: {cause} (log: {house.state('logs/pip.log')})"
    assert house.state("logs/pip.log").read_text() == f"{said}\n"


def test_a_build_that_fails_shows_its_errors_and_the_log(house: House) -> None:
    done = house.start("demo", STUB_MVN_SAYS=MAVEN_FAILS)
    assert done.returncode == 1
    error, message = [line for line in done.stderr.splitlines() if not line.endswith("…")]
    assert error == "[ERROR] A.java:[3,1] a semicolon is missing"
    assert message.startswith(f"poolkeeper: building the Java parts with {house.env['POOLKEEPER_JVMS']}/java-17 failed")
    assert message.endswith(f"(log: {house.state('logs/java.log')})")


def test_what_servers_load_is_archived_with_the_jdk_that_built_them(house: House) -> None:
    house.start("demo")
    target = f"{house.root}/testbed/servers/target"
    said = house.state("logs/archive.log").read_text()
    assert f"-XX:ArchiveClassesAtExit={target}/servers.jsa -cp {target}/lib/* " in said


def test_an_archive_that_fails_costs_nothing_but_itself(house: House) -> None:
    write_script(Path(house.env["POOLKEEPER_JVMS"]) / "java-17/bin/java", "#!/usr/bin/env bash\nexit 1\n")
    earlier = house.root / "testbed/servers/target/servers.jsa"
    earlier.parent.mkdir(parents=True)
    earlier.write_text("of an earlier build")
    assert house.start("demo").returncode == 0
    assert not earlier.exists()


def test_a_folder_that_cannot_be_written_is_one_line(house: House) -> None:
    house.state("").write_text("in the way")
    assert one_line(house.start("report", "x")) == f"poolkeeper: cannot write {house.root}/.poolkeeper"


def test_the_second_start_sets_up_nothing_and_says_nothing(house: House) -> None:
    first = house.start("demo")
    assert house.calls() == ["venv", "pip", "check", "mvn"]
    second = house.start("demo")
    assert house.calls() == []
    assert [line[-1] for line in first.stderr.splitlines()] == ["…"] * 3
    assert second.stderr == ""


@pytest.mark.parametrize("word", ["run", "demo"])
def test_a_wrong_command_is_told_before_anything_is_built(house: House, word: str) -> None:
    done = house.start(word, STUB_WRONG=word)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1] == "poolkeeper: it is wrong"
    assert house.calls() == ["venv", "pip"]


def test_a_list_of_runs_needs_no_java(house: House) -> None:
    (house.bin / "mvn").unlink()
    shutil.rmtree(house.env["POOLKEEPER_JVMS"])
    assert house.start("run", "x", "--list").stdout.startswith("started: run x --list")


def test_a_report_needs_no_java(house: House) -> None:
    (house.bin / "mvn").unlink()
    assert house.start("report", "x").returncode == 0


@pytest.mark.parametrize("changed", ["core/src/main/java/A.java", "pom.xml", "core/src/main/java/New.java"])
def test_a_changed_source_is_built_again(house: House, changed: str) -> None:
    house.start("demo")
    house.calls()
    path = house.root / changed
    path.touch()
    os.utime(path, ns=(1, 1))
    house.start("demo")
    assert house.calls() == ["check", "mvn"]


def test_a_deleted_source_is_built_again(house: House) -> None:
    house.start("demo")
    house.calls()
    (house.root / "core/src/main/java/A.java").unlink()
    house.start("demo")
    assert house.calls() == ["check", "mvn"]


def test_classes_that_were_cleaned_away_are_built_again(house: House) -> None:
    house.start("demo")
    house.calls()
    shutil.rmtree(house.root / "core/target")
    house.start("demo")
    assert house.calls() == ["check", "mvn"]


def test_an_example_that_only_a_profile_builds_is_not_waited_for(house: House) -> None:
    (house.root / "examples/large/src/main/java").mkdir(parents=True)
    modules = "<modules><module>core</module></modules>"
    apart = "<profile>\n<id>examples</id>\n<module>examples/large</module>\n</profile>"
    (house.root / "pom.xml").write_text(f"<project>{modules}\n{apart}\n</project>")
    house.start("demo")
    house.calls()
    house.start("demo")
    assert house.calls() == []


def test_every_example_outside_of_the_build_is_in_the_profile_that_the_launcher_reads() -> None:
    pom = (PROJECT / "pom.xml").read_text()
    ordinary, profiles = pom[: pom.index("<profiles>")], pom[pom.index("<id>examples</id>") :]
    apart = profiles[: profiles.index("</profile>")]
    examples = [folder.parent for folder in (PROJECT / "examples").glob("*/src")]
    for example in examples:
        module = f"<module>examples/{example.name}</module>"
        assert (module in ordinary) != (module in apart)


def test_another_jdk_builds_again(house: House, tmp_path: Path) -> None:
    house.start("demo")
    house.calls()
    house.start("demo", JAVA_HOME=str(make_jdk(tmp_path / "other", "25")))
    assert house.calls() == ["check", "mvn"]


def test_runs_and_tests_are_no_sources(house: House) -> None:
    house.start("demo")
    house.calls()
    for name in ("runs/demo/src/main/x", "core/src/test/java/ATest.java", "core/target/src/main/x"):
        path = house.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    house.start("demo")
    assert house.calls() == []


def test_an_environment_is_made_again_when_what_it_installs_changes(house: House) -> None:
    house.start("report", "x")
    house.calls()
    (house.root / "lab/pyproject.toml").write_text('version = "1.2.4"\n')
    house.start("report", "x")
    assert house.calls() == ["venv", "pip"]


def test_an_environment_that_is_broken_is_made_again(house: House) -> None:
    house.start("report", "x")
    house.calls()
    house.state("venv/bin/python").unlink()
    house.state("venv/bin/python").symlink_to("/nowhere/python")
    house.start("report", "x")
    assert house.calls() == ["venv", "pip"]


def test_a_house_that_was_moved_makes_its_environment_again(house: House) -> None:
    house.start("report", "x")
    house.calls()
    house.root = house.root.rename(house.root.with_name("moved"))
    assert f"home {house.root}," in house.start("report", "x").stdout
    assert house.calls() == ["venv", "pip"]


def test_an_install_that_failed_is_done_again(house: House) -> None:
    house.start("report", "x", STUB_FAILS="pip")
    house.calls()
    assert house.start("report", "x").returncode == 0
    assert house.calls() == ["venv", "pip"]


@pytest.fixture
def pipes(tmp_path: Path) -> dict[str, str]:
    """Makes the build wait: it says that it has begun through one pipe, and ends when the other is written."""
    found = {"STUB_BEGUN": str(tmp_path / "begun"), "STUB_END": str(tmp_path / "end")}
    for path in found.values():
        os.mkfifo(path)
    return found


def launch(house: House, pipes: dict[str, str], *inherited: int) -> subprocess.Popen[str]:
    # The signal is given back its default: a suite that runs in the background ignores it, and so would the launcher.
    return subprocess.Popen(
        ["env", "--default-signal=INT", str(house.root / "poolkeeper"), "demo"],  # noqa: S607 - of the stubs' path
        env=house.env | pipes,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        pass_fds=inherited,
    )


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_ends_the_build_and_leaves_no_half_made_one(
    house: House, pipes: dict[str, str], sent: signal.Signals
) -> None:
    reading, writing = os.pipe()
    with launch(house, pipes, writing) as process, os.fdopen(reading, "rb") as alive:
        os.close(writing)
        Path(pipes["STUB_BEGUN"]).read_text(encoding="utf-8")
        assert process.stderr is not None
        while "building the Java parts" not in process.stderr.readline():
            assert process.poll() is None
        os.killpg(process.pid, sent) if sent is signal.SIGINT else process.send_signal(sent)
        _, err = process.communicate(timeout=300)
        assert alive.read() == b""  # returns once everything that was started has ended
    assert process.returncode == 130
    assert err.splitlines()[-1].startswith("poolkeeper: interrupted while building the Java parts")
    house.calls()
    assert house.start("demo").returncode == 0
    assert house.calls() == ["check", "mvn"]


def test_a_build_that_misses_the_first_signal_gets_another(house: House, pipes: dict[str, str]) -> None:
    house.start("report", "x")
    reading, writing = os.pipe()
    with launch(house, pipes | {"STUB_DEAF": "yes"}, writing) as process, os.fdopen(reading, "rb") as alive:
        os.close(writing)
        Path(pipes["STUB_BEGUN"]).read_text(encoding="utf-8")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=300)
        assert alive.read() == b""
    assert process.returncode == 130


def test_two_launchers_do_not_build_at_once(house: House, pipes: dict[str, str]) -> None:
    house.start("report", "x")
    house.calls()
    with launch(house, pipes) as first:
        Path(pipes["STUB_BEGUN"]).read_text(encoding="utf-8")
        with launch(house, pipes) as second:
            assert second.stderr is not None
            assert second.stderr.readline() == "another poolkeeper is setting up, waiting for it …\n"
            Path(pipes["STUB_END"]).write_text("go on", encoding="utf-8")
            first.communicate(timeout=300)
            second.communicate(timeout=300)
    assert (first.returncode, second.returncode) == (0, 0)
    assert house.calls().count("mvn") == 1

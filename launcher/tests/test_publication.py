"""Published modules, the layout of the repository, and the folders that it may be written to."""

from __future__ import annotations

import hashlib
import json
import re
import xml.etree.ElementTree as ET
import zipfile
from typing import TYPE_CHECKING

import pytest
from conftest import PROJECT, House

import consumers
import publication
from publication import POM, PublicationError, text_of

if TYPE_CHECKING:
    from pathlib import Path

POM_TEXT = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <artifactId>{artifact}</artifactId><version>1.0-SNAPSHOT</version><name>n</name><description>d</description><url>u</url>
  <licenses><license><url>l</url></license></licenses>
  <developers><developer><name>d</name></developer></developers>
  <scm><connection>c</connection><url>s</url></scm>
  {more}
</project>
"""
PACKED_AT = (2026, 1, 1, 0, 0, 0)
MANIFEST = {"Manifest-Version", "Created-By", "Build-Jdk-Spec", "Automatic-Module-Name"}
MANAGED = """<dependencyManagement><dependencies><dependency><groupId>io.poolkeeper</groupId>
  <artifactId>poolkeeper-core</artifactId><version>1.0-SNAPSHOT</version></dependency></dependencies></dependencyManagement>"""


def built(work: Path, *, module: bool = True, pom: str = "") -> Path:
    """A work folder in which one module, the wheel and the npm package were built."""
    source = work / "source"
    (source / "bom").mkdir(parents=True)
    (source / "bom/pom.xml").write_text(POM_TEXT.format(artifact="poolkeeper-bom", more=MANAGED), encoding="utf-8")
    target = source / "core/target"
    target.mkdir(parents=True)
    (source / "core/pom.xml").write_text(POM_TEXT.format(artifact="poolkeeper-core", more=""), encoding="utf-8")
    (target / "published.pom").write_text(pom or POM_TEXT.format(artifact="poolkeeper-core", more=""), encoding="utf-8")
    for ending in ("", "-sources", "-javadoc"):
        with zipfile.ZipFile(target / f"poolkeeper-core-1.0-SNAPSHOT{ending}.jar", "w") as jar:
            jar.writestr(zipfile.ZipInfo("META-INF/MANIFEST.MF"), "Manifest-Version: 1.0\n")
            if module:
                jar.writestr(zipfile.ZipInfo("module-info.class"), b"")
    for part, name in (("python", "poolkeeper-0.1.0-py3-none-any.whl"), ("npm", "poolkeeper-0.1.0.tgz")):
        (work / part).mkdir()
        (work / part / name).write_bytes(b"packed")
    return work


def modules() -> dict[str, Path]:
    return {name: path for name, path in publication.folders().items() if name.startswith("poolkeeper-")}


def poms() -> dict[str, ET.Element]:
    return {name: ET.parse(path / "pom.xml").getroot() for name, path in modules().items()}  # noqa: S314 - our own


def test_the_bom_has_all_modules_but_those_of_the_testbed_and_the_examples() -> None:
    version, artifacts = publication.managed()
    published = {
        name
        for name, pom in poms().items()
        if text_of(pom, "packaging") != "pom"
        and modules()[name].relative_to(PROJECT).parts[0] not in {"testbed", "examples", "launcher"}
    }
    assert set(artifacts) == published
    assert len(artifacts) == len(published)
    assert artifacts[0] == "poolkeeper-core"
    root = ET.parse(PROJECT / "pom.xml").getroot()  # noqa: S314 - our own
    assert version == text_of(root, "version")


def test_the_bom_says_of_itself_what_the_root_says_of_all() -> None:
    root = ET.parse(PROJECT / "pom.xml").getroot()  # noqa: S314 - our own
    bom = publication.checked_pom(PROJECT / "bom/pom.xml")
    for element in publication.REQUIRED[2:]:
        assert text_of(bom, element) == text_of(root, element)


def test_every_version_of_the_bom_is_its_own() -> None:
    bom = ET.parse(PROJECT / "bom/pom.xml").getroot()  # noqa: S314 - our own
    assert {text_of(each, "version") for each in bom.iterfind(".//m:dependency", POM)} == {text_of(bom, "version")}


def test_every_published_module_says_what_it_is_and_is_a_java_module() -> None:
    _, artifacts = publication.managed()
    names = []
    for artifact in artifacts:
        pom, folder = poms()[artifact], modules()[artifact]
        assert text_of(pom, "name"), artifact
        assert text_of(pom, "description"), artifact
        descriptor = folder / "src/main/java/module-info.java"
        names.append(
            re.findall(r"^module (\S+)", descriptor.read_text(encoding="utf-8"), re.MULTILINE)[0]
            if descriptor.exists()
            else pom.findtext("m:properties/m:module.name", "", POM)
        )
    assert all(name.startswith("io.poolkeeper.") for name in names)
    assert len(set(names)) == len(names)


def test_jars_of_this_build_hold_nothing_of_its_time_and_machine() -> None:
    version, artifacts = publication.managed()
    jars = {artifact: modules()[artifact] / "target" / f"{artifact}-{version}.jar" for artifact in artifacts}
    built = {artifact: jar for artifact, jar in jars.items() if jar.is_file()}
    if not built:
        pytest.skip("the Java parts are not built")
    for artifact, jar in built.items():
        with zipfile.ZipFile(jar) as packed:
            assert {entry.date_time for entry in packed.infolist()} == {PACKED_AT}, jar
            manifest = packed.read("META-INF/MANIFEST.MF").decode().strip().splitlines()
            properties = packed.read(f"META-INF/maven/io.poolkeeper/{artifact}/pom.properties")
        assert {line.partition(":")[0] for line in manifest if not line.startswith(" ")} <= MANIFEST, jar
        assert b"#" not in properties, "a comment of pom.properties is a time"


def test_coordinates_in_the_documents_are_those_that_are_published() -> None:
    version, artifacts = publication.managed()
    documents = [PROJECT / "README.md", *PROJECT.glob("docs/**/*.md"), *PROJECT.glob("examples/*/README.md")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in documents)
    named = re.findall(r"io\.poolkeeper:(poolkeeper-[a-z0-9-]+)(?::([\w.-]*\w))?", text)
    named += re.findall(r"<artifactId>(poolkeeper-[a-z0-9-]+)</artifactId>\s*(?:<version>([^<]*)</version>)?", text)
    assert len(named) > 2
    assert {artifact for artifact, _ in named} <= {*artifacts, "poolkeeper-bom"}
    assert {used for _, used in named} <= {version, ""}


def test_the_repository_has_all_files_with_their_checksums(tmp_path: Path) -> None:
    line = publication.write(built(tmp_path / "work"), tmp_path / "out", "abc", "17")
    assert line.startswith("published 1 modules and a BOM (1.0-SNAPSHOT), poolkeeper-0.1.0-py3-none-any.whl, ")
    home = tmp_path / "out/maven/io/poolkeeper/poolkeeper-core"
    names = {path.name for path in (home / "1.0-SNAPSHOT").iterdir()}
    files = {f"poolkeeper-core-1.0-SNAPSHOT{end}" for end in (".jar", "-sources.jar", "-javadoc.jar", ".pom")}
    assert names == files | {f"{name}.{kind}" for name in files for kind in ("md5", "sha1", "sha256", "sha512")}
    pom = home / "1.0-SNAPSHOT/poolkeeper-core-1.0-SNAPSHOT.pom"
    assert pom.with_name(f"{pom.name}.sha1").read_text() == hashlib.sha1(pom.read_bytes()).hexdigest()  # noqa: S324
    assert "<version>1.0-SNAPSHOT</version>" in (home / "maven-metadata.xml").read_text()
    bom = tmp_path / "out/maven/io/poolkeeper/poolkeeper-bom/1.0-SNAPSHOT"
    assert {path.name for path in bom.iterdir() if path.suffix == ".pom"} == {"poolkeeper-bom-1.0-SNAPSHOT.pom"}
    manifest = json.loads((tmp_path / "out/publication.json").read_text())
    assert (manifest["commit"], manifest["jdk"]) == ("abc", "17")
    assert publication.verify(tmp_path / "out").endswith("files are those of publication.json")


def test_a_second_publication_changes_nothing_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    work = built(tmp_path / "work")
    publication.write(work, tmp_path / "out", "abc", "17")
    before = publication.digests(tmp_path / "out")
    assert "; 0 of " in publication.write(work, tmp_path / "out", "abc", "17")
    assert publication.digests(tmp_path / "out") == before
    assert {path.name for path in tmp_path.iterdir()} == {"work", "out"}


def test_what_is_no_longer_published_goes(tmp_path: Path) -> None:
    work = built(tmp_path / "work")
    publication.write(work, tmp_path / "out", "", "")
    (work / "npm/poolkeeper-0.1.0.tgz").unlink()
    assert "; 1 of " in publication.write(work, tmp_path / "out", "", "")
    assert not (tmp_path / "out/npm").exists()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("<parent/>", "does not stand alone"),
        ("<dependencies><dependency><artifactId>a</artifactId></dependency></dependencies>", "has no version for a"),
        ("<properties><a>${b}</a></properties>", "does not stand alone"),
    ],
)
def test_a_pom_that_needs_others_is_not_published(tmp_path: Path, more: str, message: str) -> None:
    work = built(tmp_path / "work", pom=POM_TEXT.format(artifact="poolkeeper-core", more=more))
    with pytest.raises(PublicationError, match=message):
        publication.write(work, tmp_path / "out", "", "")
    assert not (tmp_path / "out").exists()


def test_a_pom_without_a_licence_is_not_published(tmp_path: Path) -> None:
    pom = re.sub("<licenses>.*</licenses>", "", POM_TEXT.format(artifact="poolkeeper-core", more=""))
    with pytest.raises(PublicationError, match="has no licenses/license/url"):
        publication.write(built(tmp_path / "work", pom=pom), tmp_path / "out", "", "")


def test_a_jar_without_a_module_name_is_not_published(tmp_path: Path) -> None:
    with pytest.raises(PublicationError, match="has no module name"):
        publication.write(built(tmp_path / "work", module=False), tmp_path / "out", "", "")


def test_a_jar_that_was_not_built_is_named(tmp_path: Path) -> None:
    work = built(tmp_path / "work")
    (work / "source/core/target/poolkeeper-core-1.0-SNAPSHOT-javadoc.jar").unlink()
    with pytest.raises(PublicationError, match=r"the build made no poolkeeper-core-1.0-SNAPSHOT-javadoc.jar"):
        publication.write(work, tmp_path / "out", "", "")


def test_folders_without_files_are_taken(tmp_path: Path) -> None:
    """Maven makes the folder of a repository that a project names before there is a publication."""
    (tmp_path / "out/maven").mkdir(parents=True)
    publication.refuse_foreign(tmp_path / "out")


def test_folders_with_other_files_are_refused_and_untouched(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(PublicationError, match=r"new or empty folder or a publication, but .* has 'mine.txt'"):
        publication.refuse_foreign(tmp_path)
    with pytest.raises(PublicationError, match=r"must be a folder, but .* is a file"):
        publication.refuse_foreign(tmp_path / "mine.txt")
    out = tmp_path / "out"
    publication.write(built(tmp_path / "work"), out, "", "")
    (out / "maven/mine.txt").write_text("mine")
    with pytest.raises(PublicationError, match=r"'maven/mine.txt', which publish did not write"):
        publication.write(tmp_path / "work", out, "", "")
    assert (out / "maven/mine.txt").read_text() == "mine"
    (tmp_path / "empty").mkdir()
    publication.refuse_foreign(tmp_path / "empty")
    publication.refuse_foreign(tmp_path / "new")


def test_a_folder_that_cannot_be_written_is_refused_before_a_build() -> None:
    with pytest.raises(PublicationError, match="local must be outside of the sources"):
        publication.refuse_foreign(PROJECT / "repository")
    # Nobody can make a folder there, not even root.
    with pytest.raises(PublicationError, match=r"cannot write /proc/repository/here: .* in /proc"):
        publication.refuse_foreign(PROJECT.__class__("/proc/repository/here"))


def test_a_file_that_was_changed_or_lost_is_named(tmp_path: Path) -> None:
    out = tmp_path / "out"
    publication.write(built(tmp_path / "work"), out, "", "")
    wheel = out / "python/poolkeeper-0.1.0-py3-none-any.whl"
    wheel.write_bytes(b"changed")
    with pytest.raises(PublicationError, match=r"none-any.whl is not the file that was published"):
        publication.verify(out)
    wheel.unlink()
    with pytest.raises(PublicationError, match=r"lacks python/poolkeeper-0.1.0-py3-none-any.whl"):
        publication.verify(out)
    with pytest.raises(PublicationError, match="is no publication"):
        publication.verify(tmp_path)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ([], "give --local DIR to write a publication, or --check DIR to use one"),
        (["--local"], "--local needs a folder, such as --local /tmp/poolkeeper-repository"),
        (["--check", ""], "--check needs a folder, such as --check /tmp/poolkeeper-repository"),
        (["--without", "java"], "--without must be python or npm, but is 'java'"),
        (["central"], "unknown option 'central'; options are --local DIR, --without PART, --since DIR and --check DIR"),
        (["--since"], "--since needs a folder, such as --since /tmp/poolkeeper-repository"),
    ],
)
def test_wrong_options_are_one_line_and_build_nothing(house: House, command: list[str], message: str) -> None:
    done = house.start("publish", *command)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"poolkeeper: {message}\n")
    assert house.calls() == []


def test_jars_of_an_earlier_publication_are_those_that_the_build_compares_with(tmp_path: Path) -> None:
    publication.write(built(tmp_path / "work"), tmp_path / "out", "abc", "17")
    assert publication.main(["earlier-jars", str(tmp_path / "out"), str(tmp_path / "api")]) == ""
    root = ET.parse(PROJECT / "pom.xml").getroot()  # noqa: S314 - our own
    path = text_of(root, "profiles/profile/build/plugins/plugin/configuration/oldVersion/file/path")
    path = path.replace("${api.since}", str(tmp_path / "api"))
    jars = {artifact: path.replace("${project.artifactId}", artifact) for artifact in publication.managed()[1]}
    with zipfile.ZipFile(jars["poolkeeper-core"]) as core, zipfile.ZipFile(jars["poolkeeper-linux"]) as new:
        assert core.namelist() == ["META-INF/MANIFEST.MF", "module-info.class"]
        assert new.namelist() == ["META-INF/MANIFEST.MF"]


def test_a_module_that_is_no_longer_published_is_named(tmp_path: Path) -> None:
    publication.write(built(tmp_path / "work"), tmp_path / "out", "abc", "17")
    home = tmp_path / "out/maven/io/poolkeeper"
    (home / "poolkeeper-core").rename(home / "poolkeeper-old")
    manifest = json.loads((tmp_path / "out/publication.json").read_text())
    manifest["files"] = publication.digests(tmp_path / "out")
    (tmp_path / "out/publication.json").write_text(json.dumps(manifest))
    with pytest.raises(PublicationError, match="has poolkeeper-old, which is no longer published"):
        publication.earlier_jars(tmp_path / "out", tmp_path / "api")


def test_a_use_that_answers_something_else_fails() -> None:
    with pytest.raises(consumers.ConsumerError, match="the program must answer 'a', but says 'b'"):
        consumers.require("the program", " b\n", "a")


def test_the_consumers_stand_alone_and_ask_the_bom_for_versions() -> None:
    pom = ET.parse(PROJECT / "launcher/consumers/maven/pom.xml").getroot()  # noqa: S314 - our own
    assert pom.find("m:parent", POM) is None
    dependencies = pom.findall("m:dependencies/m:dependency", POM)
    assert len(dependencies) == 4
    assert [each for each in dependencies if text_of(each, "version")] == []
    gradle = (PROJECT / "launcher/consumers/gradle/build.gradle").read_text(encoding="utf-8")
    assert re.findall(r"implementation '(.*)'", gradle) == [
        "io.poolkeeper:poolkeeper-core",
        "io.poolkeeper:poolkeeper-linux",
        "io.poolkeeper:poolkeeper-record",
    ]

"""Writes and verifies a publication: a Maven repository, the wheel and the npm package, in one folder.

A snapshot keeps its plain file name in the repository, without the time of its deployment: the same sources give the
same files, and a second publication replaces the first. Maven and Gradle read both forms.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import sys
import tempfile
import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path

from sources import sources

PROJECT = Path(__file__).resolve().parents[1]
MANIFEST = "publication.json"
FORMAT = "poolkeeper-publication/1"
CHECKSUMS = ("md5", "sha1", "sha256", "sha512")
POM = {"m": "http://maven.apache.org/POM/4.0.0"}
REQUIRED = (
    "name",
    "description",
    "url",
    "licenses/license/url",
    "developers/developer/name",
    "scm/connection",
    "scm/url",
)
"""Elements that Maven Central asks of every POM."""


class PublicationError(Exception):
    """A folder or a build that is not as it must be; the message is one line."""


def text_of(pom: ET.Element, path: str) -> str:
    """Return the text of an element, or nothing."""
    return pom.findtext("/".join(f"m:{part}" for part in path.split("/")), "", POM).strip()


def managed(project: Path = PROJECT) -> tuple[str, list[str]]:
    """Return the version and the artifacts of the BOM: all that is published."""
    bom = ET.parse(project / "bom/pom.xml").getroot()  # noqa: S314 - our own
    artifacts = [text_of(each, "artifactId") for each in bom.iterfind(".//m:dependency", POM)]
    return text_of(bom, "version"), artifacts


def folders(project: Path = PROJECT) -> dict[str, Path]:
    """Return the folder of every Maven module by its artifact."""
    found = {}
    for path in sources(project):
        if path.name == "pom.xml" and path.parent != project:
            found[text_of(ET.parse(path).getroot(), "artifactId")] = path.parent  # noqa: S314 - our own
    return found


def checked_pom(path: Path) -> ET.Element:
    """Read a POM that stands alone; raises PublicationError if it cannot be published."""
    pom = ET.parse(path).getroot()  # noqa: S314 - built from our own
    for element in REQUIRED:
        if not text_of(pom, element):
            raise PublicationError(f"{path.name} has no {element}")
    if pom.find("m:parent", POM) is not None or "${" in path.read_text(encoding="utf-8"):
        raise PublicationError(f"{path.name} does not stand alone: it has a parent or a property")
    for each in pom.iterfind(".//m:dependency", POM):
        if not text_of(each, "version"):
            raise PublicationError(f"{path.name} has no version for {text_of(each, 'artifactId')}")
    return pom


def module_name(jar: Path) -> str:
    """Return how a jar becomes a Java module: by a descriptor, or the name in its manifest; raises PublicationError."""
    with zipfile.ZipFile(jar) as file:
        if "module-info.class" in file.namelist():
            return "module-info"
        for line in file.read("META-INF/MANIFEST.MF").decode().splitlines():
            if line.startswith("Automatic-Module-Name: io.poolkeeper."):
                return line.split(": ")[1]
    raise PublicationError(f"{jar.name} has no module name")


def add_checksums(file: Path) -> None:
    """Write the checksums of a file beside it."""
    for kind in CHECKSUMS:
        digest = hashlib.new(kind, file.read_bytes(), usedforsecurity=False).hexdigest()
        file.with_name(f"{file.name}.{kind}").write_text(digest, encoding="ascii")


def add_artifact(repository: Path, artifact: str, version: str, files: dict[str, Path]) -> None:
    """Add one artifact to a Maven repository: its files by their endings, its metadata, and all checksums."""
    home = repository / "io/poolkeeper" / artifact
    (home / version).mkdir(parents=True)
    for ending, source in files.items():
        if not source.is_file():
            raise PublicationError(f"the build made no {source.name}")
        target = home / version / f"{artifact}-{version}{ending}"
        shutil.copyfile(source, target)
        add_checksums(target)
    checked_pom(home / version / f"{artifact}-{version}.pom")
    metadata = home / "maven-metadata.xml"
    # The time is that of all entries of the jars; it has no meaning in a repository of one version.
    metadata.write_text(
        '<?xml version="1.0" encoding="UTF-8"?>\n<metadata>\n'
        f"  <groupId>io.poolkeeper</groupId>\n  <artifactId>{artifact}</artifactId>\n  <versioning>\n"
        f"    <versions>\n      <version>{version}</version>\n    </versions>\n"
        "    <lastUpdated>20260101000000</lastUpdated>\n  </versioning>\n</metadata>\n",
        encoding="utf-8",
    )
    add_checksums(metadata)


def add_maven(source: Path, repository: Path) -> int:
    """Add the BOM and all modules that were built; returns the number of modules."""
    version, artifacts = managed(source)
    homes = folders(source)
    add_artifact(repository, "poolkeeper-bom", version, {".pom": source / "bom/pom.xml"})
    for artifact in artifacts:
        target = homes[artifact] / "target"
        jars = {ending: target / f"{artifact}-{version}{ending}" for ending in (".jar", "-sources.jar", "-javadoc.jar")}
        add_artifact(repository, artifact, version, {".pom": target / "published.pom"} | jars)
        module_name(jars[".jar"])
    return len(artifacts)


def digests(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of all files in a folder by their paths, without that of the manifest."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path != folder / MANIFEST)
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def read_manifest(folder: Path) -> dict[str, str]:
    """Return the files that a publication says it has; raises PublicationError if it is none."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        if manifest["format"] != FORMAT:
            raise PublicationError(f"{folder} has a publication of format '{manifest['format']}', not {FORMAT}")
        return dict(manifest["files"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise PublicationError(f"{folder} is no publication: it has no {MANIFEST} that can be read") from error


def refuse_foreign(folder: Path) -> None:
    """Raise PublicationError if a folder cannot be written, or has files that no publication wrote and would go."""
    if PROJECT in folder.parents or folder == PROJECT:
        raise PublicationError(f"local must be outside of the sources, but {folder} is in {PROJECT}")
    parent = next(path for path in folder.parents if path.exists())
    try:
        tempfile.TemporaryDirectory(dir=parent).cleanup()
    except OSError as error:
        raise PublicationError(f"cannot write {folder}: {error.strerror} in {parent}") from error
    if not folder.exists():
        return
    if not folder.is_dir():
        raise PublicationError(f"local must be a folder, but {folder} is a file")
    # Maven makes the folder of a file repository that a project names, so empty folders are nobody's.
    first = min((path.relative_to(folder).parts[0] for path in folder.rglob("*") if not path.is_dir()), default=None)
    if first is None:
        return
    if not (folder / MANIFEST).is_file():
        raise PublicationError(f"local must be a new or empty folder or a publication, but {folder} has '{first}'")
    foreign = sorted(digests(folder).keys() - read_manifest(folder).keys())
    if foreign:
        raise PublicationError(f"{folder} has '{foreign[0]}', which publish did not write; move it away")


def replace(stage: Path, folder: Path) -> int:
    """Put a finished publication in the place of an earlier one; returns the number of files that differ."""
    before = digests(folder) if folder.exists() else {}
    after = digests(stage)
    changed = sum(before.get(path) != after.get(path) for path in before.keys() | after.keys())
    # Beside the folder, so that both moves are renames and no reader meets half a publication for long.
    written, earlier = (folder.with_name(f"{folder.name}.{state}") for state in ("written", "earlier"))
    for left in (written, earlier):
        shutil.rmtree(left, ignore_errors=True)
    try:
        shutil.copytree(stage, written)
        if folder.exists():
            folder.rename(earlier)
        written.rename(folder)
    except BaseException:
        if earlier.exists() and not folder.exists():
            earlier.rename(folder)
        raise
    finally:
        shutil.rmtree(written, ignore_errors=True)
        shutil.rmtree(earlier, ignore_errors=True)
    return changed


def write(work: Path, folder: Path, commit: str, jdk: str) -> str:
    """Write what was built in a work folder as a publication; returns what was published in a line."""
    stage = work / "stage"
    shutil.rmtree(stage, ignore_errors=True)
    stage.mkdir(parents=True)
    version, _ = managed(work / "source")
    parts = [f"{add_maven(work / 'source', stage / 'maven')} modules and a BOM ({version})"]
    for part in ("python", "npm"):
        files = sorted((work / part).iterdir())
        if files:
            shutil.copytree(work / part, stage / part)
            parts.append(", ".join(file.name for file in files))
    manifest = {"format": FORMAT, "version": version, "commit": commit, "jdk": jdk, "files": digests(stage)}
    (stage / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    refuse_foreign(folder)
    changed = replace(stage, folder)
    shutil.rmtree(stage)
    return f"published {', '.join(parts)} in {folder}; {changed} of {len(manifest['files'])} files changed"


def verify(folder: Path) -> str:
    """Compare a publication with its manifest; raises PublicationError naming the first file that is wrong."""
    expected, actual = read_manifest(folder), digests(folder)
    for path in sorted(expected.keys() | actual.keys()):
        if path not in actual:
            raise PublicationError(f"{folder} lacks {path}; publish it again")
        if expected.get(path) != actual[path]:
            raise PublicationError(f"{folder}/{path} is not the file that was published; publish it again")
    return f"{len(expected)} files are those of {MANIFEST}"


def earlier_jars(earlier: Path, target: Path) -> None:
    """Put the jars of an earlier publication where the profile `api` takes them, and an empty one for each new module.

    Raises PublicationError if a module is no longer published.
    """
    jars = [
        path
        for path in read_manifest(earlier)
        if path.endswith(".jar") and not path.endswith(("-sources.jar", "-javadoc.jar"))
    ]
    before = {Path(path).parts[3]: earlier / path for path in jars}
    artifacts = managed()[1]
    for gone in sorted(before.keys() - set(artifacts)):
        raise PublicationError(f"{earlier} has {gone}, which is no longer published")
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for artifact in artifacts:
        jar = target / f"{artifact}.jar"
        if artifact in before:
            shutil.copyfile(before[artifact], jar)
        else:
            with zipfile.ZipFile(jar, "w") as empty:
                empty.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\n")


def main(arguments: list[str]) -> str:
    """Run one step of the command publish; returns its answer."""
    parser = argparse.ArgumentParser()
    steps = parser.add_subparsers(dest="step", required=True)
    steps.add_parser("modules")
    earlier = steps.add_parser("earlier-jars")
    earlier.add_argument("folder", type=Path)
    earlier.add_argument("target", type=Path)
    for step in ("refuse-foreign", "verify"):
        steps.add_parser(step).add_argument("folder", type=Path)
    writing = steps.add_parser("write")
    writing.add_argument("work", type=Path)
    writing.add_argument("folder", type=Path)
    writing.add_argument("--commit", default="")
    writing.add_argument("--jdk", default="")
    options = parser.parse_args(arguments)
    if options.step == "modules":
        return ",".join(f":{artifact}" for artifact in managed()[1])
    folder = options.folder.resolve()
    if options.step == "refuse-foreign":
        refuse_foreign(folder)
        return ""
    if options.step == "verify":
        return verify(folder)
    if options.step == "earlier-jars":
        earlier_jars(folder, options.target)
        return ""
    return write(options.work, folder, options.commit, options.jdk)


if __name__ == "__main__":
    try:
        answer = main(sys.argv[1:])
    except (PublicationError, OSError) as problem:
        sys.exit(f"poolkeeper: {problem}")
    if answer:
        sys.stdout.write(answer + "\n")

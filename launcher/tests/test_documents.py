"""Claims of the documents that a machine can check: links, words, dependencies, and that the example compiles."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tomllib
import xml.etree.ElementTree as ET
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

import pytest
from conftest import PROJECT

from sources import sources

DOCUMENTS = sorted(
    path.relative_to(PROJECT)
    for pattern in ("*.md", "docs/**/*.md", "contract/*.md", "experiments/**/*.md", "lab/*.md", "node/*.md")
    for path in PROJECT.glob(pattern)
)
MAVEN = {"m": "http://maven.apache.org/POM/4.0.0"}
EXAMPLE = """
import io.poolkeeper.*;
import java.time.Duration;

class Example {{
  static void handle(Object order) {{}}
  static String call() {{ return ""; }}

  static String run(Object order) throws Exception {{
    String answer;
    {snippet}
    return answer;
  }}
}}
"""


class Host(NamedTuple):
    """A section of the page of integrations: what its code presumes, its module, and where jars of the host are."""

    presumed: str
    module: str | None
    jars: tuple[str, ...]


HOSTS = {
    "Tomcat in ten lines": Host(
        "",
        "tomcat",
        (
            "org/apache/tomcat/embed/tomcat-embed-core",
            "org/apache/tomcat/tomcat-annotations-api",
        ),
    ),
    "HikariCP in ten lines": Host("", "hikari", ("com/zaxxer/HikariCP",)),
    "Agroal": Host(
        "static io.agroal.api.configuration.AgroalDataSourceConfiguration configuration;",
        "agroal",
        ("io/agroal/agroal-api", "io/agroal/agroal-pool"),
    ),
    "Apache HttpClient": Host(
        "",
        "httpclient",
        ("org/apache/httpcomponents/client5/*", "org/apache/httpcomponents/core5/*"),
    ),
    "gRPC": Host(
        "static abstract class Calls implements io.grpc.BindableService {}"
        "static class Orders extends Calls { public io.grpc.ServerServiceDefinition bindService() { return null; } }"
        "static io.grpc.ServerBuilder<?> builder;",
        "grpc",
        ("io/grpc/grpc-api",),
    ),
    "Jetty": Host(
        "static org.eclipse.jetty.server.Server server; static org.eclipse.jetty.server.Handler application;",
        "jetty",
        ("org/eclipse/jetty/jetty-*",),
    ),
    "Netty": Host(
        "static io.netty.channel.ChannelPipeline pipeline;"
        "static class OrdersHandler extends io.netty.channel.ChannelInboundHandlerAdapter {}",
        "netty",
        ("io/netty/netty-transport", "io/netty/netty-common", "io/netty/netty-buffer"),
    ),
    "Undertow": Host(
        "static io.undertow.Undertow.Builder builder; static io.undertow.Undertow server;"
        "static io.undertow.server.HttpHandler application;",
        "undertow",
        ("io/undertow/undertow-core", "org/jboss/xnio/xnio-api", "org/wildfly/common/wildfly-common"),
    ),
    "RocksDB": Host("", "rocksdb", ("org/rocksdb/rocksdbjni",)),
    "Anything else": Host(
        "interface Client { int getMax(); void setMax(int n); void use(); } static Client client; static long waited;",
        None,
        (),
    ),
}


def read(path: str | Path) -> str:
    return (PROJECT / path).read_text(encoding="utf-8")


@pytest.mark.parametrize("document", DOCUMENTS, ids=str)
def test_every_link_leads_somewhere(document: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", read(document))
    dead = [link for link in links if "://" not in link and not (PROJECT / document).parent.joinpath(link).exists()]
    assert dead == []


def test_every_command_that_the_documents_use_is_one_of_the_launcher() -> None:
    commands = set(re.findall(r'^  "([a-z]+)\|', read("poolkeeper"), re.MULTILINE))
    assert commands
    used = {word for document in DOCUMENTS for word in re.findall(r"\./poolkeeper ([a-z]+)", read(document))}
    assert used
    assert used <= commands


def test_every_experiment_that_the_readme_names_is_there() -> None:
    named = re.findall(r"experiments/\S+\.yaml", read("README.md"))
    assert named
    assert [path for path in named if not (PROJECT / path).exists()] == []


def test_the_map_of_the_house_shows_what_is_there() -> None:
    folders, folder = [], ""
    for line in read("ARCHITECTURE.md").split("\n\n", maxsplit=1)[0].splitlines()[1:]:
        shown = re.match(r"    (  )?(\w[\w/-]*)(?=[, ]|$)", line)
        if shown:
            folder = shown[2] if shown[1] is None else folder
            folders.append(shown[2] if shown[1] is None else f"{folder}{shown[2]}")
    assert len(folders) > len([path for path in PROJECT.iterdir() if (path / "pom.xml").exists()])
    assert [path for path in folders if not (PROJECT / path).exists()] == []


def java_dependencies() -> set[str]:
    found = set()
    for pom in (path for path in sources(PROJECT) if path.name == "pom.xml"):
        for kind in ("dependency", "path"):
            for each in ET.parse(pom).getroot().iterfind(f".//m:{kind}", MAVEN):  # noqa: S314 - our own
                artifact = each.findtext("m:artifactId", "", MAVEN)
                # A path may also be that of a file.
                if artifact and each.findtext("m:groupId", "", MAVEN) != "io.poolkeeper":
                    found.add(artifact)
    return found


def python_dependencies() -> set[str]:
    document = tomllib.loads(read("lab/pyproject.toml"))
    listed = document["build-system"]["requires"] + document["project"]["dependencies"]
    listed += [name for extra in document["project"]["optional-dependencies"].values() for name in extra]
    # An extra may name another one of the lab.
    return {re.split(r"[<>=\[ ]", name)[0] for name in listed} - {"poolkeeper"}


def node_dependencies() -> set[str]:
    document = json.loads(read("node/package.json"))
    assert "dependencies" not in document
    return set(document["devDependencies"])


def used_dependencies() -> set[str]:
    return java_dependencies() | python_dependencies() | node_dependencies()


def explained() -> set[str]:
    """Names in the first column of the table; a family may share a pattern such as `netty-*`."""
    table = [line.split("|")[1] for line in read("docs/dependencies.md").splitlines() if line.startswith("| ")]
    return {name for cell in table for name in re.findall(r"`([^`]+)`", cell)}


def test_every_dependency_has_its_reason() -> None:
    used = used_dependencies()
    assert {name for name in used if not any(fnmatchcase(name, pattern) for pattern in explained())} == set()


def test_no_reason_is_given_for_what_is_not_used() -> None:
    used = used_dependencies()
    assert {pattern for pattern in explained() if not any(fnmatchcase(name, pattern) for name in used)} == set()


def javac() -> str:
    java_home = os.environ.get("JAVA_HOME")
    found = str(Path(java_home) / "bin/javac") if java_home else shutil.which("javac")
    if found is None or not (PROJECT / "core/target/classes/io/poolkeeper").is_dir():
        pytest.skip("the library is not built; ./poolkeeper test java builds it")
    return found


def assert_compiles(tmp_path: Path, source: str, class_path: list[Path], *options: str) -> None:
    compiler = javac()
    (tmp_path / "Example.java").write_text(source, encoding="utf-8")
    entries = os.pathsep.join(map(str, [PROJECT / "core/target/classes", *class_path]))
    done = subprocess.run(
        [compiler, *options, "--release", "17", "-cp", entries, "-d", str(tmp_path), "Example.java"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout + done.stderr == ""
    assert done.returncode == 0


def test_the_example_of_the_readme_compiles(tmp_path: Path) -> None:
    snippet = re.search(r"```java\n(.*?)```", read("README.md"), re.DOTALL)
    assert snippet
    assert_compiles(tmp_path, EXAMPLE.format(snippet=snippet[1]), [], "-Xlint:all", "-Werror")


def class_path(host: Host) -> list[Path]:
    """The classes of a module, and of each library of its host the lowest version that builds have downloaded."""
    if host.module is None:
        return []
    classes = PROJECT / "integrations" / host.module / "target/classes"
    jars = []
    for library in host.jars:
        folders = sorted((Path.home() / ".m2/repository").glob(library))
        found = [sorted(folder.glob("*/*[0-9lr].jar"))[:1] for folder in folders]
        jars += [jar for each in found for jar in each]
        if not any(found):
            pytest.skip(f"{library} is not in the local repository; ./poolkeeper test java downloads it")
    if not classes.is_dir():
        pytest.skip(f"{host.module} is not built; ./poolkeeper test java builds it")
    return [classes, *jars]


@pytest.mark.parametrize("section", HOSTS)
def test_the_code_of_the_integrations_compiles_as_it_stands(section: str, tmp_path: Path) -> None:
    text = re.search(
        rf"^## {re.escape(section)}\n(.*?)(?=^## |\Z)",
        read("docs/integrations.md"),
        re.DOTALL | re.MULTILINE,
    )
    assert text
    host = HOSTS[section]
    for number, block in enumerate(re.findall(r"```java\n(.*?)```", text[1], re.DOTALL)):
        imports = re.findall(r"^import .*$", block, re.MULTILINE)
        # Virtual threads came with Java 21.
        code = re.sub(r"^import .*$", "", block, flags=re.MULTILINE).replace(
            "newVirtualThreadPerTaskExecutor", "newCachedThreadPool"
        )
        body = f"{host.presumed} void run() throws Exception {{\n{code}\n}}"
        folder = tmp_path / str(number)
        folder.mkdir()
        assert_compiles(
            folder,
            "\n".join([*imports, "class Example {", body, "}"]),
            class_path(host),
        )


def test_every_code_of_the_integrations_is_compiled() -> None:
    sections = re.split(r"^## ", read("docs/integrations.md"), flags=re.MULTILINE)
    assert {each.splitlines()[0] for each in sections if "```java" in each} == set(HOSTS)

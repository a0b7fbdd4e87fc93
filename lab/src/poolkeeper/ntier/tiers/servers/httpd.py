"""Apache httpd with the worker MPM and mod_proxy."""

from __future__ import annotations

from pathlib import Path

from poolkeeper.errors import RunError
from poolkeeper.ntier.tiers.programs import find
from poolkeeper.ntier.tiers.servers.front import READY_PATH, TIMEOUT_S, TRACE, Front, shares
from poolkeeper.ntier.tiers.servers.server import HOST

_MODULES = (
    *("mpm_worker", "unixd", "authz_core", "alias", "setenvif", "headers", "unique_id"),
    *("slotmem_shm", "lbmethod_byrequests", "proxy", "proxy_http", "proxy_balancer"),
)
_PLACES = (Path("/usr/lib/apache2/modules"), Path("/usr/lib64/httpd/modules"))
_KEPT_S = 30
"""An idle connection to the application is closed by httpd after this time, before the application does."""


class Httpd(Front):
    """httpd as one process with so many threads; its pool needs a restart. A user's connection ends with its answer.

    A thread of this MPM serves a connection, so with kept connections users who think would hold threads.
    """

    resized_by_restart = True

    def command(self) -> list[str]:
        """See TierServer."""
        folder = self.workplace.folder / self.name
        if not folder.exists():
            self.workplace.own_folder(self.name)
        file = self.workplace.logs / f"{self.name}.conf"
        file.write_text("\n".join(self._configuration(folder)) + "\n", encoding="utf-8")
        return [find("apache2"), "-f", str(file.resolve()), "-D", "FOREGROUND"]

    def _configuration(self, folder: Path) -> list[str]:
        modules = next((place for place in _PLACES if place.is_dir()), None)
        if modules is None:
            raise RunError(f"{self.name}: httpd's modules are not in {' or '.join(map(str, _PLACES))}")
        threads = self.sizes["threads"]
        user = self.workplace.user
        servers = len(self.next_ports)
        most = shares(self.sizes["connections"], servers) if "connections" in self.sizes else [threads] * servers
        return [
            # Debian has some of them built in.
            *(
                f"<IfModule !{name}_module>\nLoadModule {name}_module {modules}/mod_{name}.so\n</IfModule>"
                for name in _MODULES
            ),
            f"ServerRoot {folder}",
            f"DefaultRuntimeDir {folder}",
            f"PidFile {folder}/httpd.pid",
            "ServerName poolkeeper",
            f"Listen {HOST}:{self.port}",
            "ListenBacklog 4096",
            "AcceptFilter http none",
            *([f"User {user.pw_name}", f"Group #{user.pw_gid}"] if user is not None else []),
            "StartServers 1",
            "ServerLimit 1",
            f"ThreadLimit {threads}",
            f"ThreadsPerChild {threads}",
            f"MaxRequestWorkers {threads}",
            f"MinSpareThreads {threads}",
            f"MaxSpareThreads {threads}",
            "MaxConnectionsPerChild 0",
            "ThreadStackSize 524288",
            "KeepAlive Off",
            f"Timeout {TIMEOUT_S}",
            f"ErrorLog {self.log.resolve()}",
            "LogLevel warn",
            f"RequestHeader setifempty {TRACE} %{{UNIQUE_ID}}e",
            f"SetEnvIf Request_URI ^{READY_PATH} unlogged",
            f'LogFormat "%{{end:usec}}t %D %>s %{{{TRACE}}}i 0 %U" poolkeeper',
            f"CustomLog {self.access.file.resolve()} poolkeeper env=!unlogged",
            f"Redirect 204 {READY_PATH}",
            f"ProxyPass {READY_PATH} !",
            "<Proxy balancer://application>",
            *(
                f"    BalancerMember http://{address} max={limit} ttl={_KEPT_S} retry=1 timeout={TIMEOUT_S}"
                for address, limit in zip(self.backends(), most, strict=True)
            ),
            "    ProxySet lbmethod=byrequests nofailover=On",
            "</Proxy>",
            "ProxyPass / balancer://application/",
        ]

"""nginx as a front tier. It holds no thread while it waits, so it has no pool."""

from __future__ import annotations

from poolkeeper.ntier.tiers.programs import find
from poolkeeper.ntier.tiers.servers.front import READY_PATH, TIMEOUT_S, TRACE, Front
from poolkeeper.ntier.tiers.servers.server import HOST

_CONNECTIONS = 4096
_KEPT = 256
_KEPT_S = 30
_MANY = 1_000_000_000


class Nginx(Front):
    """nginx with one worker process. It logs times in milliseconds."""

    units = (1.0, 1.0)

    def command(self) -> list[str]:
        """See TierServer."""
        folder = self.workplace.folder / self.name
        if not folder.exists():
            self.workplace.own_folder(self.name).chmod(0o711)
        user = self.workplace.user
        trace = TRACE.lower().replace("-", "_")
        file = self.workplace.logs / f"{self.name}.conf"
        temporary = [
            f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        ]
        lines = [
            "daemon off;",
            *([f"user {user.pw_name};"] if user is not None else []),
            "worker_processes 1;",
            f"worker_rlimit_nofile {3 * _CONNECTIONS};",
            f"pid {folder}/nginx.pid;",
            f"error_log {self.log.resolve()} warn;",
            f"events {{ worker_connections {2 * _CONNECTIONS}; }}",
            "http {",
            *temporary,
            f"keepalive_requests {_MANY};",
            f"map $http_{trace} $trace {{ default $http_{trace}; '' $request_id; }}",
            "log_format poolkeeper '$msec $request_time $status $trace 0 $uri';",
            f"access_log {self.access.file.resolve()} poolkeeper;",
            "upstream application {",
            *(f"    server {address};" for address in self.backends()),
            f"    keepalive {_KEPT};",
            f"    keepalive_requests {_MANY};",
            f"    keepalive_timeout {_KEPT_S}s;",
            "}",
            "server {",
            f"    listen {HOST}:{self.port} backlog={_CONNECTIONS};",
            f"    location = {READY_PATH} {{ access_log off; return 204; }}",
            "    location / {",
            "        proxy_pass http://application;",
            "        proxy_http_version 1.1;",
            '        proxy_set_header Connection "";',
            f"        proxy_set_header {TRACE} $trace;",
            "        proxy_next_upstream off;",
            f"        proxy_read_timeout {TIMEOUT_S}s;",
            "    }",
            "}",
            "}",
        ]
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return [find("nginx"), "-p", str(folder), "-c", str(file.resolve())]

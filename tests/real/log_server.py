"""What the API server asks a kubelet for when somebody wants the log of a container, and nothing else of a kubelet."""

from __future__ import annotations

import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import parse_qs, urlsplit

from .certificates import Authority


class LogServer:
    """`logs` by `<namespace>/<pod>/<container>`; what was asked is kept."""

    def __init__(self, home: Path, logs: dict[str, str]) -> None:
        self.logs = logs
        self.asked: dict[str, dict[str, list[str]]] = {}
        Authority.create().issue_for_localhost(home / "kubelet.crt", home / "kubelet.key")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(home / "kubelet.crt", home / "kubelet.key")
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.port = self._server.server_port

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


def _handler(server: LogServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked = urlsplit(self.path)
            name = asked.path.removeprefix("/containerLogs/")
            server.asked[name] = parse_qs(asked.query)
            written = server.logs.get(name, "").encode()
            self.send_response(200 if name in server.logs else 404)
            self.send_header("Content-Type", "text/plain")
            self.send_header("Content-Length", str(len(written)))
            self.end_headers()
            self.wfile.write(written)

        def log_message(self, *_: object) -> None:
            pass

    return Handler

"""An HTTP API on a free port, as long as the `with` lasts: what it answers is a function."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

# Method, path, headers, what was sent → status and what is sent back.
Answer = Callable[[str, str, Mapping[str, str], dict[str, Any]], tuple[int, Any]]


class Api:
    def __init__(self, answer: Answer, context: ssl.SSLContext | None = None) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(answer))
        self._scheme = "https" if context else "http"
        if context:
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)

    @property
    def url(self) -> str:
        return f"{self._scheme}://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


def _handler(answer: Answer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            told = json.loads(self.rfile.read(length)) if length else {}
            status, data = answer(self.command, self.path, dict(self.headers), told)
            written = json.dumps(data).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(written)))
            self.end_headers()
            self.wfile.write(written)

        do_GET = do_POST = do_PATCH = do_PUT = _answer  # noqa: N815 - named by http.server

        def log_message(self, *_: object) -> None:
            pass

    return Handler

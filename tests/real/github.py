"""As much of GitHub as the action asks for: the comments of one pull request, kept in memory."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

TOKEN, OURS = "a-token-of-a-test", "github-actions[bot]"
LONGEST = 65_536


@dataclass
class PullRequest:
    """`refuses` is the status that whoever wants to write gets."""

    refuses: int | None = None
    comments: list[dict[str, Any]] = field(default_factory=list)
    written: list[str] = field(default_factory=list)

    def said(self, author: str, body: str) -> dict[str, Any]:
        comment = {"id": len(self.comments) + 1, "user": {"login": author}, "body": body}
        self.comments.append(comment)
        return comment

    @property
    def ours(self) -> list[str]:
        return [each["body"] for each in self.comments if each["user"]["login"] == OURS]

    def answer(self, method: str, path: str, told: dict[str, str]) -> tuple[int, Any]:
        url = urlsplit(path)
        if method == "GET":
            page = int(parse_qs(url.query)["page"][0])
            return 200, self.comments[(page - 1) * 100 : page * 100]
        self.written.append(method)
        if self.refuses is not None:
            return self.refuses, {"message": "Resource not accessible by integration"}
        if len(told["body"]) > LONGEST:
            return 422, {"message": f"Body is too long (maximum is {LONGEST} characters)"}
        if method == "POST":
            return 201, self.said(OURS, told["body"])
        comment = self.comments[int(url.path.rpartition("/")[2]) - 1]
        comment["body"] = told["body"]
        return 200, comment


class GitHub:
    """Serves a pull request on a free port, as long as the `with` lasts."""

    def __init__(self, pull_request: PullRequest) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(pull_request))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


def _handler(pull_request: PullRequest) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            told = json.loads(self.rfile.read(length)) if length else {}
            status, data = (401, {"message": "Bad credentials"})
            if self.headers.get("Authorization") == f"Bearer {TOKEN}":
                status, data = pull_request.answer(self.command, self.path, told)
            written = json.dumps(data).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(written)))
            self.end_headers()
            self.wfile.write(written)

        do_GET = do_POST = do_PATCH = _answer  # noqa: N815 - named by http.server

        def log_message(self, *arguments: Any) -> None:
            pass

    return Handler

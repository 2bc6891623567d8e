"""An editor, as far as a server can tell: messages with a header, over the pipes of the real process."""

from __future__ import annotations

import contextlib
import json
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

# A machine that does much else is no fault of the server.
PATIENCE_S = 90


class Editor:
    def __init__(
        self,
        root: Path,
        *arguments: str,
        cwd: Path | None = None,
        units: str | None = None,
        can: Mapping[str, Any] | None = None,
    ) -> None:
        self.root = root
        self._number = 0
        self._versions: dict[str, int] = {}
        self._texts: dict[str, str] = {}
        self._heard: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "nodeworthy", "lsp", "--stdio", *arguments],
            cwd=cwd or root,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._errors: list[bytes] = []
        self._threads = [threading.Thread(target=each, daemon=True) for each in (self._listen, self._drain)]
        for thread in self._threads:
            thread.start()
        folder = {"uri": root.as_uri(), "name": root.name}
        counts = {"general": {"positionEncodings": [units]}} if units else {}
        told: dict[str, Any] = {
            "processId": None,
            "rootUri": root.as_uri(),
            "capabilities": {**counts, **(can or {})},
            "workspaceFolders": [folder],
        }
        self.can = self.ask("initialize", told)["capabilities"]
        self.tell("initialized", {})

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for message in _messages(self.process.stdout):
            self._heard.put(message)
        self._heard.put(None)

    def _drain(self) -> None:
        assert self.process.stderr is not None
        self._errors += self.process.stderr

    @property
    def errors(self) -> str:
        return b"".join(self._errors).decode()

    def send(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def _say(self, message: Mapping[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.send(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def tell(self, method: str, told: Any) -> None:
        self._say({"method": method, "params": told})

    def hear(self) -> dict[str, Any]:
        message = self._heard.get(timeout=PATIENCE_S)
        assert message is not None, f"the server has gone: {self.errors}"
        return message

    def ask(self, method: str, told: Any) -> Any:
        answer = self.answer(method, told)
        assert "error" not in answer, answer
        return answer["result"]

    def answer(self, method: str, told: Any) -> dict[str, Any]:
        """With whatever the server has to say to it, an error included."""
        self._number += 1
        self._say({"id": self._number, "method": method, "params": told})
        while True:
            message = self.hear()
            if message.get("id") == self._number and "method" not in message:
                return message

    def asked(self, method: str) -> Any:
        """What the server wants of the editor, which grants it."""
        while (message := self.hear()).get("method") != method:
            pass
        self._say({"id": message["id"], "result": None})
        return message["params"]

    def changed(self, name: str) -> None:
        """Something else wrote the file, and the editor saw it."""
        self.tell("workspace/didChangeWatchedFiles", {"changes": [{"uri": self.uri(name), "type": 2}]})

    def uri(self, name: str) -> str:
        return (self.root / name).as_uri()

    def open(self, name: str, text: str) -> list[dict[str, Any]]:
        self._versions[name], self._texts[name] = 1, text
        document = {"uri": self.uri(name), "languageId": "yaml", "version": 1, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": document})
        return self.diagnostics(name)

    def type(self, name: str, *changes: Mapping[str, Any]) -> list[dict[str, Any]]:
        self.keystroke(name, *changes)
        return self.diagnostics(name)

    def keystroke(self, name: str, *changes: Mapping[str, Any]) -> None:
        """A change of a part, or a whole text; what is sent is always the whole, as the server has asked for."""
        for each in changes:
            edits = [{"range": each["range"], "newText": each["text"]}] if "range" in each else []
            self._texts[name] = applied(self._texts[name], edits) if edits else each["text"]
        self._versions[name] += 1
        document = {"uri": self.uri(name), "version": self._versions[name]}
        self.tell("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": self._texts[name]}]})

    def save(self, name: str) -> None:
        self.tell("textDocument/didSave", {"textDocument": {"uri": self.uri(name)}})

    def close(self, name: str) -> None:
        self.tell("textDocument/didClose", {"textDocument": {"uri": self.uri(name)}})

    def diagnostics(self, name: str) -> list[dict[str, Any]]:
        """Those of the text as it is now."""
        while True:
            said = self.published()
            if said["uri"] == self.uri(name) and said.get("version") == self._versions[name]:
                found: list[dict[str, Any]] = said["diagnostics"]
                return found

    def published(self) -> dict[str, Any]:
        while True:
            message = self.hear()
            if message.get("method") == "textDocument/publishDiagnostics":
                said: dict[str, Any] = message["params"]
                return said

    def actions(self, name: str, diagnostics: Sequence[Mapping[str, Any]], only: Sequence[str] = ()) -> Any:
        context = {"diagnostics": list(diagnostics), **({"only": list(only)} if only else {})}
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": 100_000, "character": 0}}
        at = diagnostics[0]["range"] if diagnostics and not only else whole
        asked = {"textDocument": {"uri": self.uri(name)}, "range": at, "context": context}
        return self.ask("textDocument/codeAction", asked)

    def leave(self) -> int:
        self.ask("shutdown", None)
        self.tell("exit", None)
        return self.process.wait(PATIENCE_S)

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(PATIENCE_S)
        for each in self._threads:
            each.join(PATIENCE_S)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            with contextlib.suppress(OSError):
                pipe.close()  # type: ignore[union-attr]  # all three are there


def _messages(stream: Any) -> Iterator[dict[str, Any]]:
    while True:
        length = 0
        while (line := stream.readline()) not in (b"\r\n", b""):
            name, _, value = line.decode().partition(":")
            if name.lower() == "content-length":
                length = int(value)
        if not line:
            return
        yield json.loads(stream.read(length))


def applied(text: str, edits: Sequence[Mapping[str, Any]]) -> str:
    """As an editor applies them: positions count UTF-16, lines end as LSP says."""
    lines = text.replace("\r\n", "\r\0").split("\n" if "\r\n" not in text else "\r\0")
    end = "\r\n" if "\r\n" in text else "\n"
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(f"{line}{end}".encode("utf-16-le")))
    data = end.join(lines).encode("utf-16-le")
    for each in sorted(edits, key=lambda edit: _at(edit["range"]["start"]), reverse=True):
        start, stop = (
            starts[each["range"][side]["line"]] + 2 * each["range"][side]["character"] for side in ("start", "end")
        )
        data = data[:start] + each["newText"].encode("utf-16-le") + data[stop:]
    return data.decode("utf-16-le")


def _at(position: Mapping[str, int]) -> tuple[int, int]:
    return position["line"], position["character"]

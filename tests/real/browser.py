"""A real browser, without a window: opens a page in a frame, and lets a script of ours look at it from outside."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from html import unescape
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from .daemon import PATIENCE
from .tools import Tools

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "chrome")
_OPTIONS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--virtual-time-budget=5000")
_LIGHT, _DARK = 1, 0
_WATCHER = """<!doctype html><meta charset="utf-8"><style>:root { color-scheme: light dark }</style>
<iframe src="page.html" width="WIDTH" height="900"></iframe><output></output>
<script>
const frame = document.querySelector("iframe");
frame.addEventListener("load", async () => {
  const view = frame.contentWindow, page = frame.contentDocument;
  const shown = () => new Promise(done => setTimeout(done, 300));
  await shown();
  const told = await (async () => { SCRIPT })();
  document.querySelector("output").textContent = JSON.stringify(told);
});
</script>
"""


class _Quiet(SimpleHTTPRequestHandler):
    def __init__(self, *rest: Any, asked: list[str], **named: Any) -> None:
        self.asked = asked
        super().__init__(*rest, **named)

    def do_GET(self) -> None:
        self.asked.append(self.path)
        super().do_GET()

    def log_message(self, *_: Any) -> None:
        """Its own output belongs to nobody."""


@dataclass
class Browser:
    program: Path
    folder: Path
    # What was fetched for the last page.
    asked: list[str] = field(default_factory=list)

    def told(self, page: str, script: str, *, width: int = 1100, dark: bool = False) -> Any:
        """What the script returns: it has `page` (the document), `view` (its window) and `await shown()`."""
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "page.html").write_text(page, encoding="utf-8")
        watcher = _WATCHER.replace("WIDTH", str(width)).replace("SCRIPT", script)
        (self.folder / "watcher.html").write_text(watcher, encoding="utf-8")
        self.asked.clear()
        with self._served() as address:
            dom = self._dom(f"{address}/watcher.html", _DARK if dark else _LIGHT)
        found = re.search("<output>(.*?)</output>", dom, re.DOTALL)
        assert found, dom[-2_000:]
        assert found[1], "the script has not ended"
        return json.loads(unescape(found[1]))

    def _dom(self, address: str, scheme: int) -> str:
        own = (f"--user-data-dir={self.folder / 'profile'}", f"--blink-settings=preferredColorScheme={scheme}")
        command = [str(self.program), *_OPTIONS, *own, "--dump-dom", address]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert ran.returncode == 0, ran.stderr[-2_000:]
        return ran.stdout

    @contextmanager
    def _served(self) -> Iterator[str]:
        handler = partial(_Quiet, directory=str(self.folder), asked=self.asked)
        with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            thread = threading.Thread(target=server.serve_forever)
            thread.start()
            try:
                yield f"http://127.0.0.1:{server.server_port}"
            finally:
                server.shutdown()
                thread.join()


def browser(tools: Tools, folder: Path) -> Browser:
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    return Browser(Path(program) if program else tools.path(PROGRAMS[0]), folder)

"""A real browser, held by its debugging pipe: a page as it is on the disk or on a server, in real time."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from select import select
from typing import Any

from .daemon import PATIENCE

_OPTIONS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe")
# The browser reads its orders from 3, and writes to 4.
_AS_IT_WANTS = 'exec "$@" 3<&"$ORDERS" 4>&"$ANSWERS"'


@dataclass
class Page:
    """One page. What it asked anybody for, and what it complained of, is kept."""

    orders: int
    answers: int
    asked: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    _number: int = 0
    _session: str = ""
    _rest: bytes = b""

    def open(self, address: str) -> None:
        self.asked.clear()
        self.complaints.clear()
        self.told("Page.navigate", url=address)
        self.wait("document.readyState === 'complete'")

    def value(self, script: str) -> Any:
        """What an expression comes to, or what the promise brings that it is."""
        told = self.told("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in told, told["exceptionDetails"]
        return told["result"].get("value")

    def wait(self, script: str) -> None:
        end = time.monotonic() + PATIENCE
        while not self.value(script):
            assert time.monotonic() < end, f"never came true: {script}; {self.complaints}"
            time.sleep(0.05)

    def told(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        order = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            order["sessionId"] = self._session
        os.write(self.orders, json.dumps(order).encode() + b"\0")
        while True:
            message = self._next()
            if message.get("id") == self._number:
                assert "error" not in message, message
                result: dict[str, Any] = message["result"]
                return result
            self._note(message)

    def attach(self) -> None:
        target = self.told("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.told("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for each in ("Page", "Runtime", "Network", "Log"):
            self.told(f"{each}.enable")

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            ready, _, _ = select([self.answers], [], [], PATIENCE)
            piece = os.read(self.answers, 1 << 20) if ready else b""
            assert piece, "the browser says nothing more"
            self._rest += piece
        message, _, self._rest = self._rest.partition(b"\0")
        read: dict[str, Any] = json.loads(message)
        return read

    def _note(self, message: dict[str, Any]) -> None:
        given = message.get("params", {})
        if message.get("method") == "Network.requestWillBeSent":
            self.asked.append(given["request"]["url"])
        elif message.get("method") == "Log.entryAdded":
            self.complaints.append(given["entry"]["text"])
        elif message.get("method") == "Runtime.exceptionThrown":
            self.complaints.append(str(given["exceptionDetails"]))


@contextmanager
def page(program: Path, profile: Path) -> Iterator[Page]:
    orders, to_it = os.pipe()
    from_it, answers = os.pipe()
    environment = {**os.environ, "ORDERS": str(orders), "ANSWERS": str(answers)}
    words = ["bash", "-c", _AS_IT_WANTS, "browser", str(program), *_OPTIONS, f"--user-data-dir={profile}"]
    with subprocess.Popen(
        words, env=environment, pass_fds=(orders, answers), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as running:
        os.close(orders)
        os.close(answers)
        held = Page(to_it, from_it)
        try:
            held.attach()
            yield held
        finally:
            os.close(to_it)
            os.close(from_it)
            running.terminate()
            running.wait(timeout=PATIENCE)

"""What a fresh node has to pass before it gets work: the node suite, and acceptance by work.

Each is asked as people ask it, by its command, and only a clean exit lets a node through.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from nodeworthy.documents.plain import mappings_at, text_at
from nodeworthy.records import dataclass
from nodeworthy.rollout.acts import DONE, Outcome

_BEAT_SECONDS = 2.0
_COULD_NOT_LOOK = 3
_WRONG = ("fail", "error", "unknown")


@dataclass(frozen=True)
class GateAnswer:
    """What a gate says of a node: the rule that speaks against it, and its words; empty where none does."""

    rule: str = ""
    why: str = ""
    # Whether it could not look, and may in a while.
    later: bool = False

    @property
    def outcome(self) -> Outcome:
        return Outcome(is_done=False, why=self.why, later=self.later) if self.rule else DONE


class Gate(Protocol):
    def prove(self, node: str, beat: Callable[[], object]) -> GateAnswer: ...

    def accept(self, node: str, level: str, beat: Callable[[], object]) -> GateAnswer: ...


@dataclass(frozen=True)
class Commands:
    """The commands of this nodeworthy."""

    image: str
    # What acceptance runs from, where the fleet does not say.
    accept_image: str = ""
    # Words that say which cluster, and by which fleet.
    cluster: tuple[str, ...] = ()
    fleet: tuple[str, ...] = ()
    # Whether what acceptance does not know lets a node through.
    allows_unknown: bool = False
    wait: str = "10m"

    def prove(self, node: str, beat: Callable[[], object]) -> GateAnswer:
        asked = ["node", "--in-cluster", f"node://{node}", "--image", self.image, "--wait", self.wait]
        return self._answer(node, "the node suite", [*asked, *self.cluster, *self.fleet], beat)

    def accept(self, node: str, level: str, beat: Callable[[], object]) -> GateAnswer:
        # It may be the only free node of its pool, and nobody waits for it: nobody gets it before.
        asked = [*self._acceptance(node, level), "--yes-last"]
        return self._answer(node, f"accept ({level})", asked, beat)

    def why_no_acceptance(self, node: str, level: str) -> str:
        """Whether it could be asked at all: known before anything is ended. Empty where it could."""
        for asked in (self._acceptance(node, level, "--dry-run"), ("accept", "--on", "kubernetes", "--print-role")):
            command = [sys.executable, "-m", "nodeworthy", *asked, "--quiet"]
            ran = subprocess.run(command, capture_output=True, text=True, check=False)
            if ran.returncode != 0:
                told = ran.stderr.strip().splitlines()
                return f"accept can't be asked: {told[-1] if told else f'it ended with {ran.returncode}'}"
        return ""

    def _acceptance(self, node: str, level: str, *more: str) -> list[str]:
        image = ("--image", self.accept_image) if self.accept_image else ()
        allows = ("--allow-unknown",) if self.allows_unknown else ()
        return [
            "accept",
            "--on",
            "kubernetes",
            node,
            "--level",
            level,
            *image,
            *allows,
            *self.cluster,
            *self.fleet,
            *more,
        ]

    def _answer(self, node: str, who: str, asked: Sequence[str], beat: Callable[[], object]) -> GateAnswer:
        command = [sys.executable, "-m", "nodeworthy", *asked, "--yes", "--quiet", "--format", "json"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
            try:
                out, told = _waited(running, beat)
            finally:
                if running.poll() is None:
                    running.terminate()  # it removes what it made
        if running.returncode == 0:
            return GateAnswer()
        return _against(node, who, running.returncode, out, told.decode("utf-8", "replace").strip())


def _waited(running: subprocess.Popen[bytes], beat: Callable[[], object]) -> tuple[bytes, bytes]:
    while True:
        try:
            return running.communicate(timeout=_BEAT_SECONDS)
        except subprocess.TimeoutExpired:
            beat()


def _against(node: str, who: str, code: int, out: bytes, told: str) -> GateAnswer:
    found = [each for each in mappings_at(_parsed(out), "findings") if text_at(each, "verdict") in _WRONG]
    found.sort(key=lambda each: _WRONG.index(text_at(each, "verdict")))
    if not found:
        last = told.splitlines()[-1] if told else f"it ended with {code}"
        return GateAnswer("looked-at", f"{node} was not looked at by {who}: {last}", later=code == _COULD_NOT_LOOK)
    first = found[0]
    says = {"fail": "fails", "error": "could not be judged by", "unknown": "is not known to pass"}
    said = f"{node} {says[text_at(first, 'verdict')]} {text_at(first, 'rule')} of {who}: {text_at(first, 'message')}"
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return GateAnswer(text_at(first, "rule"), said + more)


def _parsed(out: bytes) -> Any:
    try:
        return json.loads(out)
    except ValueError:
        return {}

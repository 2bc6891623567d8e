"""AWS or the API server leaves in the middle of a rollout, and comes back."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Timer

import pytest

from nodeworthy.rollout import acts
from nodeworthy.rollout.actor import Live
from nodeworthy.rollout.journal import Journal
from tests.real.forwarder import Forwarder

from .stage import Stage

WHO, HOW, WHEN = ("aws", "kubernetes"), ("closed", "silent"), ("before", "behind")
SECONDS = 3.0


@dataclass(frozen=True)
class Absence:
    """Once, at an act of this kind: before it, or before its outcome is known of what comes next."""

    act: type[acts.Act]
    who: str
    how: str
    when: str

    def __str__(self) -> str:
        return f"{self.who}-{self.how}-{self.when}-{self.act.__name__}"

    @contextmanager
    def of(self, stage: Stage, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
        """Where AWS is for whoever rolls out; fails where nobody has left."""
        server = stage.url if self.who == "aws" else _server_named()
        host, _, port = server.rpartition(":")
        with Forwarder(int(port)) as forwarder:
            before = f"{host}:{forwarder.port}"
            if self.who == "kubernetes":
                _name_server(before)
            left = self._watch(forwarder, monkeypatch)
            yield before if self.who == "aws" else stage.url
        assert left

    def _watch(self, forwarder: Forwarder, monkeypatch: pytest.MonkeyPatch) -> list[acts.Act]:
        left: list[acts.Act] = []
        real = Live.do

        def leave(act: acts.Act) -> None:
            if isinstance(act, self.act) and not left:
                left.append(act)
                self._leave(forwarder)

        def do(live: Live, act: acts.Act, journal: Journal) -> acts.Outcome:
            if self.when == "before":
                leave(act)
            outcome = real(live, act, journal)
            leave(act)
            return outcome

        monkeypatch.setattr(Live, "do", do)
        return left

    def _leave(self, forwarder: Forwarder) -> None:
        leaves, comes = {
            "closed": (forwarder.close, forwarder.reopen),
            "silent": (forwarder.be_silent, forwarder.speak),
        }[self.how]
        leaves()
        Timer(SECONDS, comes).start()


def _kubeconfig() -> Path:
    return Path(os.environ["KUBECONFIG"])


def _server_named() -> str:
    server: str = json.loads(_kubeconfig().read_text())["clusters"][0]["cluster"]["server"]
    return server


def _name_server(server: str) -> None:
    document = json.loads(_kubeconfig().read_text())
    document["clusters"][0]["cluster"]["server"] = server
    _kubeconfig().write_text(json.dumps(document))

"""The life of one node's Job: made, waited for, read, removed."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from nodeworthy.collect.in_cluster import state
from nodeworthy.collect.in_cluster.cluster import Busy, Cluster, NotBelieved
from nodeworthy.collect.in_cluster.job import Terms, job
from nodeworthy.collect.in_cluster.said import recording
from nodeworthy.collect.node.recording import Recording
from nodeworthy.documents.plain import mappings_at, text_at
from nodeworthy.errors import CouldNotLook
from nodeworthy.records import dataclass

POLL_SECONDS = 1.0
# How often it is asked whether the node is still there, and how long a Job may have no pod before we ask why.
NODE_SECONDS = 10.0
NO_POD_SECONDS = 3.0
# A fresh node may not reach a registry at once.
START_SECONDS = 60.0
# Kubernetes ends a Job by its own clock, and tells why; only then do we.
GRACE_SECONDS = 15.0
LOG_TRIES = 3


class Stopped(Exception):
    """Whoever asked wants to hear no more."""


@dataclass
class Looking:
    cluster: Cluster
    terms: Terms
    # When all of it is over, whatever is done by then.
    until: float
    stop: threading.Event = field(default_factory=threading.Event)

    def look(self, host: str, node: str, name: str) -> Recording:
        """Whatever comes, its Job is gone afterwards, or is left to whoever sweeps."""
        if time.monotonic() >= self.until:
            return Recording(host, unreached=f"its turn did not come within {self.terms.total_seconds:g} s")
        made: Mapping[str, Any] = {}
        try:
            made = self._made(job(name, node, self.terms))
            return self._read(host, node, made)
        except CouldNotLook as problem:
            return Recording(host, unreached=str(problem))
        finally:
            self._remove(made)

    def _read(self, host: str, node: str, made: Mapping[str, Any]) -> Recording:
        end = self._waited(node, made)
        if end.pod is None:
            return Recording(host, unreached=end.why)
        try:
            log = self._log(end.pod)
        except CouldNotLook as problem:
            return Recording(host, unreached="; ".join(filter(None, (end.why, str(problem)))))
        return recording(host, log, end.why)

    def _made(self, wanted: Mapping[str, Any]) -> Mapping[str, Any]:
        while True:
            try:
                return self.cluster.create(wanted)
            except Busy:
                if time.monotonic() >= self.until:
                    raise
                self._pause()

    def _log(self, pod: Mapping[str, Any]) -> bytes:
        """A kubelet has much to do, and may be asked again."""
        for _ in range(LOG_TRIES - 1):
            try:
                return self.cluster.log(pod)
            except NotBelieved:
                raise
            except CouldNotLook:
                self._pause()
        return self.cluster.log(pod)

    def _pause(self) -> None:
        if self.stop.wait(POLL_SECONDS):
            raise Stopped

    def _waited(self, node: str, made: Mapping[str, Any]) -> state.Over:
        """An API server that is away for a while is asked again: the Job goes on without it."""
        began = time.monotonic()
        until = min(began + self.terms.bound + GRACE_SECONDS, self.until)
        asked_for_node, why = began, "nothing was heard of its Job"
        while True:
            try:
                end, why = self._now(made, time.monotonic() - began, why)
                if end is None and time.monotonic() - asked_for_node >= NODE_SECONDS:
                    asked_for_node = time.monotonic()
                    lost = state.gone(self.cluster.node(node))
                    end = state.Over(lost) if lost else None
            except CouldNotLook as problem:
                end, why = None, str(problem)
            if end is not None:
                return end
            if time.monotonic() >= until:
                return state.Over(f"its Job was not over within {time.monotonic() - began:.0f} s: {why}")
            self._pause()

    def _now(self, made: Mapping[str, Any], age: float, why: str) -> tuple[state.Over | None, str]:
        """Whether it is over, and what it waits for. A Job that is past its time has lost its pods: what was known of
        them is the best that is known."""
        now = self.cluster.job(text_at(made, "metadata", "name"))
        if now is None or text_at(now, "metadata", "uid") != text_at(made, "metadata", "uid"):
            return state.Over("somebody has deleted its Job"), why
        pods = self.cluster.pods(made)
        end = state.over(now, pods)
        if end is not None:
            return (end if pods else state.Over(f"{end.why}; before: {why}")), why
        if pods:
            return state.hopeless(pods, is_up=age >= START_SECONDS), state.waiting(pods, ())
        if mappings_at(now, "status", "conditions"):
            return None, why
        warnings = self.cluster.warnings(made) if age >= NO_POD_SECONDS else ()
        return state.refused(warnings), state.waiting((), warnings)

    def _remove(self, made: Mapping[str, Any]) -> None:
        if not made:
            return
        try:
            self.cluster.remove(text_at(made, "metadata", "name"), text_at(made, "metadata", "uid"))
        except CouldNotLook:
            return  # whoever sweeps tries once more, and tells

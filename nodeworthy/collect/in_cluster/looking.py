"""The Jobs that look at nodes, some at a time: made, waited for, read, removed, whatever ends it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import field, replace
from typing import Any

from nodeworthy.collect.in_cluster import state
from nodeworthy.collect.in_cluster.cluster import Busy, Cluster, NotBelieved
from nodeworthy.collect.in_cluster.job import Terms, job, name_of
from nodeworthy.collect.node.asked import AskedHost
from nodeworthy.collect.node.recording import NoRecording, Recording, recording_from_data
from nodeworthy.documents.plain import mappings_at, text_at
from nodeworthy.errors import CouldNotLook
from nodeworthy.interrupts import terminate_like_interrupt, tidied
from nodeworthy.records import dataclass
from nodeworthy.redaction import hide_secrets

# As it is written; what stands before and after it is not read.
_BEGINS = '{\n "schema"'


def recording(host: str, log: bytes, why: str) -> Recording:
    """The recording under the name by which we asked: a log may claim any. `why` is what the cluster says of a Job that
    failed."""
    text = log.decode("utf-8", "replace")
    at = text.find(_BEGINS)
    if at < 0:
        return Recording(host, unreached=_unsaid(text, why))
    try:
        data, _ = json.JSONDecoder().raw_decode(text, at)
        return replace(recording_from_data(data), host=host)
    except NoRecording as problem:
        return Recording(host, unreached=f"its log is no recording: {problem}")
    except (ValueError, RecursionError):
        return Recording(host, unreached="its log is no whole recording: it breaks off, or was cut")


def _unsaid(text: str, why: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    last = f"; the last that its pod said: {hide_secrets(lines[-1])[:200]}" if lines else ""
    return f"{why or 'its log holds no recording: is the image built from this repository?'}{last}"


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
    """Ends the look because whoever asked for it has stopped listening."""


@dataclass
class Looking:
    cluster: Cluster
    terms: Terms
    # When all of it is over, whatever is done by then.
    until: float
    stop: threading.Event = field(default_factory=threading.Event)

    def look(self, host: str, node: str, name: str) -> Recording:
        """Looks at one host. Its Job is gone afterwards, whatever comes, or is left to whoever sweeps."""
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
        """The pod's log. A busy kubelet is asked several times."""
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
                    lost = state.why_node_is_gone(self.cluster.node(node))
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
        return state.namespace_refusal(warnings), state.waiting((), warnings)

    def _remove(self, made: Mapping[str, Any]) -> None:
        if not made:
            return
        try:
            self.cluster.remove(text_at(made, "metadata", "name"), text_at(made, "metadata", "uid"))
        except CouldNotLook:
            return  # whoever sweeps tries once more, and tells


# Told of each node when it has been read: how many of how many, its host, and why it was not reached.
Progress = Callable[[int, int, Recording], None]
SWEEPS = 3
SWEEP_SECONDS = 2.0


def ask_all(
    cluster: Cluster,
    terms: Terms,
    nodes: Mapping[str, str],
    *,
    workers: int,
    progress: Progress,
    tell: Callable[[str], None],
) -> list[AskedHost]:
    """Asks all nodes, and answers in the order of their hosts."""
    looking = Looking(cluster, terms, time.monotonic() + terms.total_seconds)
    with terminate_like_interrupt(), tidied(lambda: _sweep(cluster, terms, tell)):
        return _look_at_all(looking, nodes, workers, progress)


def _look_at_all(looking: Looking, nodes: Mapping[str, str], workers: int, progress: Progress) -> list[AskedHost]:
    with ThreadPoolExecutor(max_workers=max(1, min(workers, len(nodes) or 1))) as executor:
        futures = {
            executor.submit(looking.look, host, node, name_of(looking.terms.run, number, node)): host
            for number, (host, node) in enumerate(nodes.items())
        }
        try:
            for done, each in enumerate(as_completed(futures), start=1):
                progress(done, len(futures), each.result())
        except BaseException:
            looking.stop.set()
            executor.shutdown(wait=False, cancel_futures=True)
            raise
    return [AskedHost(host, future.result()) for future, host in futures.items()]


def _sweep(cluster: Cluster, terms: Terms, tell: Callable[[str], None]) -> None:
    """What a worker could not remove, or had made without hearing so."""
    for last in (*[False] * (SWEEPS - 1), True):
        try:
            left = [each for each in cluster.jobs(terms.selector) if not text_at(each, "metadata", "deletionTimestamp")]
            for each in left:
                cluster.remove(text_at(each, "metadata", "name"), text_at(each, "metadata", "uid"))
            return
        except CouldNotLook as problem:
            if last:
                by_hand = f"kubectl delete jobs -n {cluster.namespace} -l {terms.selector}"
                tell(f"Jobs of this run may be left, which end by themselves ({problem}): {by_hand}")
            else:
                time.sleep(SWEEP_SECONDS)

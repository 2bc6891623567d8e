"""Pieces as Jobs of Kubernetes: made, looked at all together, made to leave, and removed by their uids."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

from nodeworthy.collect.cluster.connection import Answer
from nodeworthy.collect.in_cluster.cluster import NotBelieved, NotDone, controller_uid
from nodeworthy.collect.in_cluster.state import why_node_is_gone
from nodeworthy.collect.workload.jobs import RunTerms, config_map, objects_of
from nodeworthy.collect.workload.live.job_state import JobNow, Patience, holds_gpus, judge_state
from nodeworthy.collect.workload.live.ledger import NodeLedger, pods_holding, read_ledger
from nodeworthy.collect.workload.live.piece import Now, Piece, SaidNo, names
from nodeworthy.collect.workload.live.turn import Turn
from nodeworthy.collect.workload.live.workbench import MADE, Workbench, is_going
from nodeworthy.documents.plain import text_at
from nodeworthy.known.acceptance import NotRun
from nodeworthy.records import dataclass

Made = Mapping[str, Any]


@dataclass
class OnKubernetes:
    bench: Workbench
    terms: RunTerms
    turn: Turn
    before: Mapping[str, NodeLedger]
    patience: Patience = field(default_factory=Patience)
    clock: Callable[[], float] = time.monotonic
    # What was made for each piece, and when; its Job comes last.
    _made: dict[str, list[Made]] = field(default_factory=dict)
    _when: dict[str, float] = field(default_factory=dict)
    _holds: dict[str, float] = field(default_factory=dict)
    _doing: dict[str, str] = field(default_factory=dict)

    @property
    def selector(self) -> str:
        return self.terms.selector

    def prepare(self) -> None:
        """What all pieces share: the programs."""
        answer = self.bench.make(config_map(self.terms))
        if not 200 <= answer.status < 300:
            raise NotDone(f"the programs could not be laid down as a ConfigMap: {answer.why}")

    def start(self, piece: Piece) -> None:
        self._when[piece.name] = self.clock()
        for wanted in objects_of(piece, self.terms):
            answer = self.bench.make(wanted)
            if not 200 <= answer.status < 300:
                self.remove(piece)
                raise SaidNo(_reason(answer), f"the server refused its {wanted['kind']}: {answer.why}")
            self._made.setdefault(piece.name, []).append({**answer.body, "kind": wanted["kind"]})

    def look(self, pieces: Sequence[Piece]) -> Mapping[str, Now]:
        self.turn.renew(self.clock())
        jobs = {text_at(each, "metadata", "name"): each for each in self.bench.there("Job", self.selector)}
        pods: dict[str, list[Made]] = {}
        for each in self.bench.pods_of(self.selector):
            pods.setdefault(text_at(each, "metadata", "labels", "job-name"), []).append(each)
        return {each.name: self._now(each, jobs.get(each.name), pods.get(each.name, ())) for each in pieces}

    def _now(self, piece: Piece, job: Made | None, pods: Sequence[Made]) -> Now:
        now, made = self.clock(), self._made.get(piece.name)
        if job is not None and made is None:  # its making was not heard of
            self._made[piece.name] = [job]
        elif made and text_at(job, "metadata", "uid") != text_at(made[-1], "metadata", "uid"):
            job = None
        if any(map(holds_gpus, pods)):
            self._holds.setdefault(piece.name, now)
        age, held = now - self._when[piece.name], now - self._holds.get(piece.name, now)
        is_late = job is not None and not pods and age >= self.patience.pods
        warnings = self.bench.warnings(job) if job is not None and is_late else ()
        before = self._doing.get(piece.name, "nothing was heard of it")
        found = judge_state(JobNow(job, pods, warnings, age, held, before, len(piece.shapes)), self.patience)
        self._doing[piece.name] = found.doing
        return Now(found.doing, piece.name in self._holds, found.is_over, found.ended)

    def keeps_off(self, pieces: Sequence[Piece]) -> Mapping[str, tuple[NotRun, str]]:
        if self.turn.lost:
            return {each.name: (NotRun.IN_USE, self.turn.lost) for each in pieces}
        nodes = {text_at(each, "metadata", "name"): each for each in self.bench.nodes("")}
        found = {}
        for piece in pieces:
            why = next((told for name in piece.nodes if (told := self._off(name, nodes.get(name)))), None)
            if why is not None:
                found[piece.name] = why
        return found

    def _off(self, name: str, node: Made | None) -> tuple[NotRun, str] | None:
        gone = why_node_is_gone(node)
        if gone is not None:
            return (NotRun.OPTED_OUT if "opted out" in gone else NotRun.NODE_GONE), f"{name}: {gone}"
        was = self.before.get(name)
        boot, provider = text_at(node, "status", "nodeInfo", "bootID"), text_at(node, "spec", "providerID")
        if was is not None and (boot, provider) != (was.boot, was.provider):
            return NotRun.NOT_HEARD, f"{name} was booted again, or is another machine of this name, since the run began"
        return None

    def output(self, piece: Piece) -> tuple[bytes, ...]:
        (job,) = self._made.get(piece.name, ())[-1:] or ({},)
        pods = [each for each in self.bench.pods_of(f"job-name={piece.name}") if controller_uid(each) == _uid(job)]
        inorder = sorted(pods, key=lambda each: (_index(each), text_at(each, "metadata", "name")))
        return tuple(self._log(each) for each in inorder)

    def _log(self, pod: Made) -> bytes:
        """The log of a pod. A pod that never began has none."""
        try:
            return self.bench.log(pod)
        except NotBelieved as problem:
            raise SaidNo(NotRun.BROKEN, f"what it printed is not believed: {problem}") from None
        except NotDone as problem:
            if "forbidden" in str(problem):
                raise SaidNo(NotRun.NO_RIGHT, str(problem)) from None
            return b""

    def remove(self, piece: Piece) -> None:
        for each in reversed(self._made.pop(piece.name, [])):
            self.bench.discard(each)

    def holding(self, pieces: Sequence[Piece]) -> frozenset[str]:
        self.turn.renew(self.clock())
        holding = filter(holds_gpus, self.bench.pods_of(self.selector))
        return frozenset(text_at(each, "metadata", "labels", "job-name") for each in holding) & names(pieces)

    def is_gone(self) -> bool:
        """Whether no pod of this run is left."""
        return not self.bench.pods_of(self.selector)

    def remove_all(self) -> int:
        """Removes whatever bears this run's name, also what was made without our hearing so."""
        count = 0
        for kind in MADE:
            for each in self.bench.there(kind, self.selector):
                if not is_going(each):
                    self.bench.discard(each)
                    count += 1
        return count

    def after(self) -> tuple[Mapping[str, NodeLedger], list[tuple[str, str]]]:
        """The ledger now, and by node which pods of ours hold GPUs still."""
        ledger = read_ledger(self.bench)
        return ledger, [(node, holder.pod) for node, holder in pods_holding(self.terms.run, ledger.values())]


def _uid(data: Made) -> str:
    return text_at(data, "metadata", "uid")


def _index(pod: Made) -> int:
    index = text_at(pod, "metadata", "annotations", "batch.kubernetes.io/job-completion-index")
    return int(index) if index.isdecimal() else 0


def _reason(answer: Answer) -> NotRun:
    said = answer.why
    if "exceeded quota" in said:
        return NotRun.QUOTA
    if answer.status == 403:
        return NotRun.NO_RIGHT
    return NotRun.QUOTA if answer.status == 429 else NotRun.BROKEN

"""Pieces as jobs of Slurm: submitted by standard input, looked at all together, cancelled by all they are known by."""

from __future__ import annotations

import getpass
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path

from nodeworthy.collect.in_cluster.cluster import NotDone
from nodeworthy.collect.workload.lines import MOST_READ, end_mark
from nodeworthy.collect.workload.live.ledger import NodeLedger, pods_holding
from nodeworthy.collect.workload.live.piece import Now, Piece, SaidNo, names
from nodeworthy.collect.workload.live.slurm_clients import accounting_records, ask, queue_records
from nodeworthy.collect.workload.live.slurm_nodes import SlurmNode, ledger_of, nodes_now, why_leave
from nodeworthy.collect.workload.live.slurm_turn import SlurmTurn, cancel
from nodeworthy.collect.workload.slurm import WATCHED, SlurmTerms, output_of, script
from nodeworthy.collect.workload.watcher import (
    FIRST_SECONDS,
    LAST_SECONDS,
    Answers,
    JobPhase,
    JobSighting,
    Ours,
    Record,
    look,
)
from nodeworthy.errors import CouldNotLook
from nodeworthy.known.acceptance import NotRun
from nodeworthy.records import dataclass

_ON = frozenset({"PENDING", "RUNNING", "CONFIGURING", "COMPLETING", "SUSPENDED", "STOPPED", "SIGNALING", "RESIZING"})
_HAS_GPUS = _ON - {"PENDING"}
_LONGEST_WORDS = 200
# What our programs measured, their marks, and where a client's manual is.
_SAY_NOTHING = ("{", "====", "Try ")
# What sbatch answers, by the words that tell one from another.
_REFUSALS: Mapping[str, NotRun] = {
    "partition name": NotRun.NO_PARTITION,
    "account": NotRun.NO_RIGHT,
    "qos specification": NotRun.NO_RIGHT,
    "access": NotRun.NO_RIGHT,
    "permission": NotRun.NO_RIGHT,
    "policy": NotRun.QUOTA,
    "limit": NotRun.QUOTA,
    "reservation": NotRun.QUOTA,
    "configuration is not available": NotRun.NO_HARDWARE,
    "node name": NotRun.NODE_GONE,
}


@dataclass(frozen=True)
class SlurmPatience:
    """Seconds."""

    # For the node that was free to be given to us.
    scheduling: float = 60.0
    # For somebody to know what has become of a job.
    accounting: float = 300.0
    first: float = FIRST_SECONDS
    last: float = LAST_SECONDS


@dataclass
class _Submitted:
    """A job, from before sbatch was asked: its id may not have been heard."""

    piece: Piece
    name: str
    when: float
    id: str = ""
    holds: bool = False
    unknown_since: float | None = None


@dataclass
class OnSlurm:
    terms: SlurmTerms
    turn: SlurmTurn
    before: Mapping[str, SlurmNode]
    patience: SlurmPatience = field(default_factory=SlurmPatience)
    clock: Callable[[], float] = time.monotonic
    user: str = field(default_factory=getpass.getuser)
    _jobs: dict[str, _Submitted] = field(default_factory=dict)
    _said: dict[str, Now] = field(default_factory=dict)
    _next: float = 0.0
    _wait: float = 0.0
    _wall: float = field(default_factory=time.time)

    def start(self, piece: Piece) -> None:
        self._jobs[piece.name] = made = _Submitted(piece, piece.name, self.clock())
        self._next, self._wait = 0.0, self.patience.first
        terms = replace(self.terms, gpus=_gpus(piece))
        told = script(terms, piece.name, piece.tests, piece.shapes, piece.asking)
        try:
            said = ask("sbatch", "--parsable", f"--chdir={terms.scratch}", said=told)
        except NotDone as problem:
            del self._jobs[piece.name]
            raise SaidNo(_reason(str(problem)), f"sbatch says: {problem}") from None
        made.id = said.strip().partition(";")[0]

    def look(self, pieces: Sequence[Piece]) -> Mapping[str, Now]:
        """Asked often at first, then seldom; between that what was seen last stands."""
        now = self.clock()
        self.turn.renew(now)
        if now >= self._next:
            seen = self._seen([self._jobs[each.name] for each in pieces if each.name in self._jobs])
            self._wait = self.patience.first if seen != self._said else min(self.patience.last, self._wait * 1.5)
            self._said, self._next = seen, now + self._wait
        return {name: each for name, each in self._said.items() if name in names(pieces)}

    def _seen(self, jobs: Sequence[_Submitted]) -> dict[str, Now]:
        queue = _unless_silent(lambda: queue_records("--me", f"--name={','.join(each.name for each in jobs)}"))
        for each in jobs:
            each.id = each.id or next((one.id for one in queue or () if one.name == each.name), "")
        on = {each.name for each in queue or () if each.state in _ON}
        gone = [each.id for each in jobs if each.id and each.name not in on]
        known = _unless_silent(lambda: accounting_records(gone)) if gone and queue is not None else []
        return {each.name: self._now(each, queue, known) for each in jobs}

    def _now(self, job: _Submitted, queue: Sequence[Record] | None, known: Sequence[Record] | None) -> Now:
        ours = Ours(job.id, self.user, job.name, self._wall)
        on = None if queue is None else [each for each in queue if each.state in _ON]
        over = None if queue is None else [each for each in queue if each.state not in _ON]
        if any(each.id == job.id and each.state in _HAS_GPUS for each in on or ()):
            job.holds = True
        found = look(ours, Answers(on, over, known, has_end_mark=self._has_ended(job)))
        return replace(self._judged(job, found), holds=job.holds or found.seen is JobPhase.ENDED)

    def _judged(self, job: _Submitted, found: JobSighting) -> Now:
        if found.seen is not JobPhase.UNKNOWN:
            job.unknown_since = None
        if found.seen is JobPhase.UNKNOWN:
            return self._unknown(job, found)
        if found.seen is JobPhase.ON:
            is_late = not job.holds and self.clock() - job.when >= self.patience.scheduling
            return Now(found.why, is_over=is_late, ended=NotRun.IN_USE if is_late else None)
        ended = self._why_ended(job, found)
        last = self._last_words(job) if ended is NotRun.BROKEN else ""
        return Now(f"{found.why}{last}", is_over=True, ended=ended)

    def _last_words(self, job: _Submitted) -> str:
        """The last words of the batch script or of srun: why nothing was begun."""
        lines = _read_output(Path(output_of(self.terms, job.id))).decode("utf-8", "replace").split("\n")
        said = [each.strip() for each in lines if each.strip() and not each.startswith(_SAY_NOTHING)]
        return f": {said[-1][:_LONGEST_WORDS]}" if said else ""

    def _unknown(self, job: _Submitted, found: JobSighting) -> Now:
        """Asked again for minutes; then it is not known, and never that it failed."""
        since = job.unknown_since = self.clock() if job.unknown_since is None else job.unknown_since
        is_over = self.clock() - since >= self.patience.accounting
        return Now(found.why, is_over=is_over, ended=NotRun.NOT_HEARD if is_over else None)

    def _why_ended(self, job: _Submitted, found: JobSighting) -> NotRun | None:
        if found.seen is not JobPhase.ENDED:
            return found.reason
        if self._has_ended(job):
            return None
        return NotRun.DEADLINE if "TIMEOUT" in found.why else NotRun.BROKEN

    def _has_ended(self, job: _Submitted) -> bool:
        mark = end_mark(self.terms.nonce).encode()
        logs = [_read_output(each) for each in self._files(job)]
        return bool(logs) and all(mark in each for each in logs)

    def _files(self, job: _Submitted) -> list[Path]:
        """The files that a job prints into: of a group, one for each of its tasks."""
        if not job.id:
            return []
        count = len(job.piece.nodes)
        tasks = [""] if count == 1 else [str(number) for number in range(count)]
        return [Path(output_of(self.terms, job.id, each)) for each in tasks]

    def keeps_off(self, pieces: Sequence[Piece]) -> Mapping[str, tuple[NotRun, str]]:
        if self.turn.lost:
            return {each.name: (NotRun.IN_USE, self.turn.lost) for each in pieces}
        nodes = nodes_now()
        found: dict[str, tuple[NotRun, str]] = {}
        for piece in pieces:
            for name in piece.nodes:
                why = why_leave(nodes.get(name), self.before[name].boot)
                if why is not None:
                    found.setdefault(piece.name, (why[0], f"{name}: {why[1]}"))
        return found

    def output(self, piece: Piece) -> tuple[bytes, ...]:
        job = self._jobs.get(piece.name)
        logs = tuple(_read_output(each) for each in self._files(job)) if job is not None else ()
        if any(len(each) > MOST_READ for each in logs):
            raise SaidNo(NotRun.BROKEN, f"it prints more than {MOST_READ >> 20} MiB")
        return logs

    def remove(self, piece: Piece) -> None:
        job = self._jobs.get(piece.name)
        if job is not None and job.id:
            cancel(job.id, job.name)
            del self._jobs[piece.name]

    def holding(self, pieces: Sequence[Piece]) -> frozenset[str]:
        self.turn.renew(self.clock())
        return frozenset(each.name for each in self._of_this_run() if each.state in _HAS_GPUS) & names(pieces)

    def is_gone(self) -> bool:
        return not self._of_this_run()

    def _of_this_run(self) -> list[Record]:
        """The jobs of this run, also those that were submitted without our hearing so."""
        return [
            each for each in queue_records("--me") if each.state in _ON and each.name.startswith(f"{self.terms.name}-")
        ]

    def remove_all(self) -> int:
        jobs = self._of_this_run()
        for each in jobs:
            cancel(each.id, each.name)
        return len(jobs)

    def after(self) -> tuple[Mapping[str, NodeLedger], list[tuple[str, str]]]:
        ledger = ledger_of(nodes_now(), self.terms.run, WATCHED)
        return ledger, [(node, holder.pod) for node, holder in pods_holding(self.terms.run, ledger.values())]


def _gpus(piece: Piece) -> str:
    """The GPUs as `--gres` asks for them; with their type where all are of one."""
    if piece.asking is not None and piece.asking.profile:
        return f"{piece.asking.resource}:{piece.asking.gpus}"
    kinds = {each.gpu for each in piece.shapes}
    kind = next(iter(kinds)) if len(kinds) == 1 else None
    return f"{kind}:{piece.of_each}" if kind else str(piece.of_each)


def _unless_silent(asked: Callable[[], list[Record]]) -> list[Record] | None:
    try:
        return asked()
    except CouldNotLook:
        return None


def _read_output(file: Path) -> bytes:
    """What is not there yet is empty; a link is nobody's output."""
    try:
        with os.fdopen(os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as opened:
            return opened.read(MOST_READ + 1)
    except OSError:
        return b""


def _reason(said: str) -> NotRun:
    return next((reason for words, reason in _REFUSALS.items() if words in said.lower()), NotRun.BROKEN)

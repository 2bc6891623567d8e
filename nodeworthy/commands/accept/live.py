"""`--on kubernetes`: a run that is shown first and agreed to, watched, judged, and cleared away whatever ends it."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING

from nodeworthy.collect.workload.live.job_state import Patience
from nodeworthy.collect.workload.live.on_kubernetes import OnKubernetes, wait_until_gone
from nodeworthy.collect.workload.live.places import Places, in_the_way
from nodeworthy.collect.workload.live.running import Courtesy, Running, Times, local_time
from nodeworthy.collect.workload.live.workbench import Workbench
from nodeworthy.collect.workload.recording import LeftOut
from nodeworthy.commands import judging
from nodeworthy.commands.accept import gate, judge_recording
from nodeworthy.commands.accept.options import Options
from nodeworthy.commands.accept.planned import Planned, namespace_of, plan, recording, terms_of
from nodeworthy.errors import CouldNotLook, InputError
from nodeworthy.interrupts import terminate_like_interrupt, tidied
from nodeworthy.records import dataclass
from nodeworthy.report.printable import on_one_line

if TYPE_CHECKING:
    from nodeworthy.collect.workload.jobs import RunTerms
    from nodeworthy.collect.workload.live.ledger import NodeLedger
    from nodeworthy.collect.workload.live.piece import Ended, Piece
    from nodeworthy.collect.workload.recording import RunRecording
    from nodeworthy.commands.settled import Run
    from nodeworthy.facts.accept.given_back import GpusGivenBack
    from nodeworthy.facts.accept.measure import Shape
    from nodeworthy.fleet.model import Fleet

# How long pods may take to be gone once they were told to.
GONE_SECONDS = 60.0
GONE_POLL_SECONDS = 0.5
TIMES, PATIENCE, LOCAL_TIME = Times(), Patience(), local_time


def print_role(options: Options) -> int:
    from nodeworthy.collect.workload.live.role import manifests

    written = manifests(options.namespace, taints=options.taint)
    judging.hand_over(written, options.output)
    return 0


def run_live(options: Options, run: Run, tests: tuple[str, ...]) -> int:
    """Raises InputError before anything is made, CouldNotLook where nothing could be begun."""
    from nodeworthy.collect.source.fleets import Fleets

    if options.taint:
        gate.refuse_parts(options)
    fleet = Fleets(options.fleet, options.stack).asked_for()
    terms = replace(terms_of(options, tests, fleet), is_watched=True)
    manner = _manner(options, fleet)
    bench = Workbench(options.context, namespace_of(options))
    _check_home(bench, terms)
    live = _prepared(options, plan(options, tests, terms, fleet, bench), bench, manner)
    recorded = live.course() if live.planned.shapes else recording(live.planned, [])
    if options.record:
        from nodeworthy.commands.accept.dry import write_run

        write_run(options.record, recorded)
    code, report = judge_recording(options, run, recorded)
    if not options.taint:
        return code
    boots = {name: each.boot for name, each in live.before.items()}
    return code if gate.mark_nodes(options, run, fleet, gate.Tried(recorded, report, boots)) else gate.REFUSED


@dataclass(frozen=True)
class _Manner:
    """What whoever asks says of when, for how long, and how many."""

    window: str | None
    total: float | None
    most: int | None
    last: bool


def _manner(options: Options, fleet: Fleet | None) -> _Manner:
    """Raises InputError."""
    from nodeworthy.collect.node.durations import count, seconds
    from nodeworthy.collect.workload.live.window import read_window

    of_fleet = fleet.accept.window if fleet is not None and fleet.accept is not None else None
    window = options.window or of_fleet
    if window is not None:
        read_window(window)
    if not (options.yes or sys.stdin.isatty()):
        raise InputError("accept asks before it begins, and there is no terminal: look at --dry-run, then --yes")
    total = seconds(options.total_deadline) if options.total_deadline else None
    return _Manner(window, total, count(options.max_nodes) if options.max_nodes else None, options.yes_last)


def _check_home(bench: Workbench, terms: RunTerms) -> None:
    """Raises InputError where a run could not be courteous, or has no place."""
    rights = "apply what nodeworthy accept --print-role prints"
    if not bench.has_namespace():
        raise InputError(f"there is no namespace {bench.namespace} in {bench.server}: --namespace NAME, or {rights}")
    value = bench.priority(terms.priority_class)
    if value is None or value >= 0:
        what = "is not there, or not to be read" if value is None else f"is {value}, and gives way to nobody"
        raise InputError(f"PriorityClass {terms.priority_class} {what}: work of ours yields to any other, so {rights}")


def _prepared(options: Options, planned: Planned, bench: Workbench, manner: _Manner) -> Live:
    from nodeworthy.collect.workload.live.ledger import read_ledger

    before = read_ledger(bench) if planned.shapes else {}
    planned = planned.without(in_the_way(planned.shapes, before, last=manner.last))
    places = Places(before, manner.most, last=manner.last)
    live = Live(options, planned, bench, before, places, _courtesy(planned, places, manner))
    live.agree()
    return live


def _courtesy(planned: Planned, places: Places, manner: _Manner) -> Courtesy:
    from nodeworthy.collect.workload.live.window import read_window
    from nodeworthy.known.acceptance import IN_ALL

    a_turn = max(IN_ALL[planned.terms.level], planned.terms.job_seconds or 0)
    turns = places.turns(planned.shapes) + len(planned.together(planned.shapes))
    window = read_window(manner.window) if manner.window is not None else None
    return Courtesy(manner.total or float(a_turn * max(1, turns)), window, TIMES, local=LOCAL_TIME)


@dataclass
class Live:
    """One run, from what is shown of it to what it gave back."""

    options: Options
    planned: Planned
    bench: Workbench
    before: Mapping[str, NodeLedger]
    places: Places
    courtesy: Courtesy
    is_done: bool = field(default=False, init=False)

    def agree(self) -> None:
        """Raises CouldNotLook where the answer is no."""
        from nodeworthy.commands.accept.dry import reasons

        shapes = self.planned.shapes
        for each in (*self.planned.told, *reasons(self.planned.left_out), *(self._shown() if shapes else ())):
            self.say(each)
        if self.options.yes or not shapes:
            return
        print(f"begin in {self.bench.server}? [y/N] ", end="", file=sys.stderr, flush=True)
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            raise CouldNotLook("nothing was begun, and no node was tried")

    def _shown(self) -> Sequence[str]:
        terms, shapes = self.planned.terms, self.planned.shapes
        window = f", within {self.courtesy.window.written}" if self.courtesy.window is not None else ""
        return (
            f"{len(shapes)} nodes in namespace {terms.namespace} of {self.bench.server}: "
            f"{', '.join(each.node for each in shapes[:12])}{' …' if len(shapes) > 12 else ''}",
            f"  {', '.join(terms.tests)}, in {terms.image}",
            f"  a node is held {terms.held} s at most, {self.places.told()}; all of it ends within "
            f"{self.courtesy.total:g} s{window}",
            f"  PriorityClass {terms.priority_class}, below that of any other work; nothing is begun a second time",
        )

    def course(self) -> RunRecording:
        """All of it; whatever ends it, what was made is removed."""
        from nodeworthy.collect.workload.live.turn import Turn, remove_left_behind

        pools = [self.before[each.node].pool for each in self.planned.shapes]
        turn = Turn(self.bench, self.planned.terms.run, pools)
        platform = OnKubernetes(self.bench, self.planned.terms, turn, self.before, PATIENCE)
        with terminate_like_interrupt(), tidied(lambda: self._sweep(platform)):
            turn.take()
            for each in remove_left_behind(self.bench, self.planned.terms.run):
                self.say(f"removed {each}, which a run had left that was killed")
            platform.prepare()
            ended = self._all(platform)
            self.is_done = True
        return recording(self.planned, [each.job for each in ended], self._given_back(platform))

    def _all(self, platform: OnKubernetes) -> list[Ended]:
        """Each by itself first: who fails alone is in no group, and nobody holds GPUs to wait for him."""
        running = Running(platform, self.courtesy, self.tell, self.places.may_begin)
        ended = running.run(self.planned.alone())
        well = {name for each in ended if each.ended is None for name in each.piece.nodes}
        shapes = [each for each in self.planned.shapes if not ended or each.node in well]
        if self.planned.together(self.planned.shapes):
            ended += self._groups(platform, running, shapes)
        return ended

    def _groups(self, platform: OnKubernetes, running: Running, shapes: Sequence[Shape]) -> list[Ended]:
        wait_until_gone(platform, GONE_SECONDS, GONE_POLL_SECONDS)
        now, _ = platform.after()
        off = in_the_way(shapes, now, last=self.options.yes_last, together=True)
        pieces = self.planned.together([each for each in shapes if each.node not in off])
        ended = running.run(pieces)
        self.planned = self._less_lonely(ended, off)
        return ended

    def _less_lonely(self, ended: Sequence[Ended], off: Mapping[str, LeftOut]) -> Planned:
        """Those that were in no group, with why."""
        from nodeworthy.collect.workload.jobs import of_groups
        from nodeworthy.known.acceptance import NotRun

        tried = {name for each in ended for name in each.piece.nodes}
        lonely = [each.node for each in self.planned.shapes if each.node not in tried]
        alone = "needs 2 nodes that are free and well, and there was no other"
        left = [
            replace(off[name], test=test) if name in off else LeftOut(test, (name,), NotRun.IN_USE, alone)
            for name in lonely
            for test in of_groups(self.planned.terms.tests)
        ]
        return replace(self.planned, left_out=(*self.planned.left_out, *left))

    def _given_back(self, platform: OnKubernetes) -> list[GpusGivenBack]:
        from nodeworthy.facts.accept.given_back import GpusGivenBack
        from nodeworthy.facts.accept.measure import place_of

        wait_until_gone(platform, GONE_SECONDS, GONE_POLL_SECONDS)
        try:
            now, kept = platform.after()
        except CouldNotLook:
            now, kept = {}, []
        found = []
        for name in (each.node for each in self.planned.shapes):
            offers = now[name].offers if name in now else None
            pods = tuple(pod for node, pod in kept if node == name)
            found.append(GpusGivenBack(place_of("accept", (name,)), name, self.before[name].offers, offers, pods))
        return found

    def _sweep(self, platform: OnKubernetes) -> None:
        terms = self.planned.terms
        try:
            count = platform.remove_all()
            platform.turn.leave()
        except CouldNotLook as problem:
            by_hand = f"kubectl delete jobs,services,configmaps,leases -n {terms.namespace} -l {terms.selector}"
            self.say(f"objects of this run may be left, whose Jobs end by themselves ({problem}): {by_hand}", loud=True)
            return
        if not self.is_done:
            self.say(f"removed what this run had made: {count} objects of {terms.selector}", loud=True)

    def tell(self, piece: Piece, what: str) -> None:
        self.say(f"{', '.join(piece.nodes[:4])}{' …' if len(piece.nodes) > 4 else ''}: {what}")

    def say(self, text: str, *, loud: bool = False) -> None:
        if loud or not self.options.quiet:
            print(on_one_line(text), file=sys.stderr, flush=True)

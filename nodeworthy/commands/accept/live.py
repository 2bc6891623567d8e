"""A run that is shown first and agreed to, watched, judged, and cleared away whatever ends it, on any platform."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Protocol

from nodeworthy.collect.workload.live.gone import wait_until_gone
from nodeworthy.collect.workload.live.job_state import Patience
from nodeworthy.collect.workload.live.piece import Ended
from nodeworthy.collect.workload.live.places import Places, in_the_way
from nodeworthy.collect.workload.live.running import Courtesy, Running, Times, local_time
from nodeworthy.collect.workload.recording import LeftOut
from nodeworthy.commands.accept import judge_recording
from nodeworthy.commands.accept.options import Options, platform_of
from nodeworthy.commands.accept.planned import Planned, recording
from nodeworthy.commands.asking import ask_yes
from nodeworthy.errors import CouldNotLook, InputError
from nodeworthy.interrupts import terminate_like_interrupt, tidied
from nodeworthy.records import dataclass
from nodeworthy.report.printable import on_one_line

if TYPE_CHECKING:
    from nodeworthy.collect.workload.live.ledger import NodeLedger
    from nodeworthy.collect.workload.live.piece import Piece, WatchedPlatform
    from nodeworthy.collect.workload.recording import RunRecording
    from nodeworthy.commands.accept import gate
    from nodeworthy.commands.settled import Run
    from nodeworthy.facts.accept.given_back import GpusGivenBack
    from nodeworthy.facts.accept.measure import Shape
    from nodeworthy.fleet.model import Fleet

# How long what was told to go may take to be gone.
GONE_SECONDS = 60.0
GONE_POLL_SECONDS = 0.5
TIMES, PATIENCE, LOCAL_TIME = Times(), Patience(), local_time


def run_live(options: Options, run: Run, tests: tuple[str, ...]) -> int:
    """Raises InputError before anything is made, CouldNotLook where nothing could be begun."""
    from nodeworthy.collect.source.fleets import Fleets
    from nodeworthy.commands.accept import gate

    if options.taint:
        gate.refuse_parts(options)
    fleet = Fleets(options.fleet, options.stack).asked_for()
    live = _prepared(options, tests, fleet)
    live.agree()
    recorded = live.course() if live.planned.shapes else recording(live.planned, [])
    if options.record:
        from nodeworthy.commands.accept.dry import write_run

        write_run(options.record, recorded)
    code, report = judge_recording(options, run, recorded)
    if not options.taint:
        return code
    boots = {name: each.boot for name, each in live.before.items()}
    return code if live.ground.mark(run, fleet, gate.Tried(recorded, report, boots)) else gate.REFUSED


def _prepared(options: Options, tests: tuple[str, ...], fleet: Fleet | None) -> Live:
    if platform_of(options) == "kubernetes":
        from nodeworthy.commands.accept.on_kubernetes import prepare
    else:
        from nodeworthy.commands.accept.on_slurm import prepare

    return prepare(options, tests, fleet)


class Ground(Protocol):
    """Where a run takes place: what is done there before its first piece, and after its last."""

    @property
    def platform(self) -> WatchedPlatform: ...

    @property
    def where(self) -> str:
        """The place of the run, for whoever is asked whether it may begin."""

    def shown(self) -> Sequence[str]:
        """What the user should know about this place before anything runs."""

    def begin(self) -> Iterator[str]:
        """Takes its turn, removes what killed runs have left, and creates what all pieces share. It tells each thing
        that it removes. Raises CouldNotLook where it is another's turn."""

    def clear(self) -> str:
        """Removes all that bears this run's name; how much that was, in words. Raises CouldNotLook."""

    @property
    def by_hand(self) -> str:
        """The command by which somebody does that himself."""

    def mark(self, run: Run, fleet: Fleet | None, tried: gate.Tried, /) -> bool:
        """Marks nodes by what was judged of them; whether all were marked as they should be."""


@dataclass(frozen=True)
class Manner:
    """What whoever asks says of when, for how long, and how many."""

    window: str | None
    total: float | None
    most: int | None
    last: bool


def manner_of(options: Options, fleet: Fleet | None) -> Manner:
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
    return Manner(window, total, count(options.max_nodes) if options.max_nodes else None, options.yes_last)


def courtesy_of(planned: Planned, places: Places, manner: Manner) -> Courtesy:
    from nodeworthy.collect.workload.live.window import read_window
    from nodeworthy.known.acceptance import HELD, IN_ALL

    terms = planned.terms
    beside = IN_ALL[terms.level] - HELD[terms.level]
    a_turn = max(terms.held + beside, terms.seconds_of(terms.tests) + int(GONE_SECONDS))
    turns = places.turns(planned.shapes) + len(planned.together(planned.shapes))
    window = read_window(manner.window) if manner.window is not None else None
    return Courtesy(manner.total or float(a_turn * max(1, turns)), window, TIMES, local=LOCAL_TIME)


@dataclass
class Live:
    """One run, from what is shown of it to what it gave back."""

    options: Options
    planned: Planned
    ground: Ground
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
        if not ask_yes(f"begin in {self.ground.where}?"):
            raise CouldNotLook("nothing was begun, and no node was tried")

    def _shown(self) -> Sequence[str]:
        terms, shapes = self.planned.terms, self.planned.shapes
        window = f", within {self.courtesy.window.written}" if self.courtesy.window is not None else ""
        return (
            f"{len(shapes)} nodes in {self.ground.where}: "
            f"{', '.join(each.node for each in shapes[:12])}{' …' if len(shapes) > 12 else ''}",
            f"  {', '.join(terms.tests)}, in {terms.image}",
            f"  a node is held {terms.held} s at most, {self.places.told()}; all of it ends within "
            f"{self.courtesy.total:g} s{window}",
            *self.ground.shown(),
        )

    def course(self) -> RunRecording:
        """The whole run. However it ends, what it has made is removed."""
        platform = self.ground.platform
        with terminate_like_interrupt(), tidied(self._sweep):
            for each in self.ground.begin():
                self.say(f"removed {each}, which a run had left that was killed")
            ended = self._all(platform)
            self.is_done = True
        return recording(self.planned, [each.job for each in ended], self._given_back(platform))

    def _all(self, platform: WatchedPlatform) -> list[Ended]:
        """Each by itself first: who fails alone is in no group, and nobody holds GPUs to wait for him."""
        running = Running(platform, self.courtesy, self.tell, self.places.may_begin)
        ended = running.run(self.planned.alone())
        ill = {name for each in ended if each.ended is not None for name in each.piece.nodes}
        shapes = [each for each in self.planned.shapes if each.node not in ill]
        for step in self.planned.asked(shapes):
            ended += self._asking(platform, running, step)
        if self.planned.together(self.planned.shapes):
            ended += self._groups(platform, running, [each for each in shapes if each.has_whole_gpus])
        return ended

    def _asking(self, platform: WatchedPlatform, running: Running, step: Sequence[Piece]) -> list[Ended]:
        """Runs the pieces whose nodes nobody has come to meanwhile."""
        shapes = dict.fromkeys(each.shapes[0] for each in step)
        now, _ = platform.after()
        off = in_the_way([*shapes], now, last=self.options.yes_last)
        late = [Ended(each, off[each.nodes[0]].reason, off[each.nodes[0]].why) for each in step if each.nodes[0] in off]
        return late + running.run([each for each in step if each.nodes[0] not in off])

    def _groups(self, platform: WatchedPlatform, running: Running, shapes: Sequence[Shape]) -> list[Ended]:
        wait_until_gone(platform, GONE_SECONDS, GONE_POLL_SECONDS)
        now, _ = platform.after()
        off = in_the_way(shapes, now, last=self.options.yes_last, together=True)
        pieces = self.planned.together([each for each in shapes if each.node not in off])
        ended = running.run(pieces)
        self.planned = self._less_lonely(ended, off)
        return ended

    def _less_lonely(self, ended: Sequence[Ended], off: Mapping[str, LeftOut]) -> Planned:
        """The plan without the nodes that were in no group, with the reason for each."""
        from nodeworthy.collect.workload.jobs import group_tests
        from nodeworthy.known.acceptance import NotRun

        tried = {name for each in ended for name in each.piece.nodes}
        lonely = [each.node for each in self.planned.shapes if each.node not in tried and each.has_whole_gpus]
        alone = "needs 2 nodes that are free and well, and there was no other"
        left = [
            replace(off[name], test=test) if name in off else LeftOut(test, (name,), NotRun.IN_USE, alone)
            for name in lonely
            for test in group_tests(self.planned.terms.tests)
        ]
        return replace(self.planned, left_out=(*self.planned.left_out, *left))

    def _given_back(self, platform: WatchedPlatform) -> list[GpusGivenBack]:
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

    def _sweep(self) -> None:
        try:
            removed = self.ground.clear()
        except CouldNotLook as problem:
            by_hand = self.ground.by_hand
            self.say(f"what this run made may be left, and ends by itself ({problem}): {by_hand}", loud=True)
            return
        if not self.is_done:
            self.say(f"removed what this run had made: {removed}", loud=True)

    def tell(self, piece: Piece, what: str) -> None:
        self.say(f"{', '.join(piece.nodes[:4])}{' …' if len(piece.nodes) > 4 else ''}: {what}")

    def say(self, text: str, *, loud: bool = False) -> None:
        if loud or not self.options.quiet:
            print(on_one_line(text), file=sys.stderr, flush=True)

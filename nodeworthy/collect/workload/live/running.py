"""The course of a run: pieces are begun a few at a time, watched, made to leave in time, and removed, whatever happens.

It names no platform, and no clock but that of its terms. Nothing is ever begun a second time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime

from nodeworthy.collect.workload.live.piece import Ended, Now, Piece, Platform, SaidNo
from nodeworthy.collect.workload.live.window import Window
from nodeworthy.errors import CouldNotLook
from nodeworthy.known.acceptance import NotRun
from nodeworthy.records import dataclass


@dataclass(frozen=True)
class Times:
    """The times of a run, in seconds."""

    poll: float = 1.0
    # How often it is asked whether somebody has opted out, or a node is another one now.
    opt_out: float = 10.0
    # Beyond a piece's own deadline: the platform ends it, and says why; only then do we.
    grace: float = 10.0
    # For which nobody begins anything in the place of a piece that has ended, and holds GPUs still.
    free: float = 75.0


def local_time() -> datetime:
    return datetime.now().astimezone()


@dataclass(frozen=True)
class Courtesy:
    """How long a run may last, and when."""

    total: float
    window: Window | None = None
    times: Times = field(default_factory=Times)
    clock: Callable[[], float] = time.monotonic
    local: Callable[[], datetime] = local_time


@dataclass
class _Held:
    """A piece that has begun and has not ended."""

    piece: Piece
    began: float
    # When it was first seen with its GPUs.
    holds_since: float | None = None
    doing: str = "nothing was heard of it"


@dataclass
class _Going:
    """A piece that has ended and may still hold GPUs."""

    ended: Ended
    since: float
    # Whether anybody has said that it does.
    was_seen: bool = False


# Told of a piece whenever it does something else; of none at every look, with how many are done.
Tell = Callable[[Piece, str], None]
# Whether a piece may begin beside those that run.
MayBegin = Callable[[Piece, Sequence[Piece]], bool]


@dataclass
class Running:
    platform: Platform
    courtesy: Courtesy
    tell: Tell
    may_begin: MayBegin
    began: float = field(init=False)

    def __post_init__(self) -> None:
        self.began = self.courtesy.clock()
        self._asked_who_opted_out = 0.0
        self._going: dict[str, _Going] = {}
        # Of the candidates of each node, the one that began first.
        self._won: dict[str, str] = {}

    def run(self, pieces: Sequence[Piece]) -> list[Ended]:
        """Runs the pieces, and tells of each in the order in which they ended."""
        waiting, held, ended = list(pieces), dict[str, _Held](), list[Ended]()
        self._won.clear()
        while waiting or held or self._going:
            ended += self._begin(waiting, held)
            self._let_go(self._watch(held))
            self._let_go(self._leave(held))
            ended += self._freed()
            if waiting or held or self._going:
                time.sleep(self.courtesy.times.poll)
        return ended

    def _begin(self, waiting: list[Piece], held: dict[str, _Held]) -> Iterator[Ended]:
        for piece in list(waiting):
            lost, too_late = self._lost(piece), self._too_late(piece)
            if lost is not None:
                waiting.remove(piece)
                yield Ended(piece, *lost, freed=0.0)
            elif too_late is not None:
                waiting.remove(piece)
                yield Ended(piece, *too_late)
            elif self.may_begin(piece, self._in_place(held)):
                waiting.remove(piece)
                yield from self._start(piece, held)

    def _too_late(self, piece: Piece) -> tuple[NotRun, str] | None:
        """Why a piece does not begin: its own deadline lies beyond the end of the run."""
        window = self.courtesy.window
        if window is not None and window.seconds_left(self.courtesy.local()) < piece.seconds:
            return NotRun.WINDOW, f"it takes {piece.seconds} s at most, and the window {window.written} has not as much"
        if self._now + piece.seconds > self.courtesy.total:
            return NotRun.DEADLINE, f"its turn did not come within the {self.courtesy.total:g} s of all"
        return None

    def _lost(self, piece: Piece) -> tuple[NotRun, str] | None:
        won = self._won.get(piece.nodes[0]) if piece.is_candidate else None
        return (NotRun.LOST, f"{won} began before it") if won not in (None, piece.name) else None

    def _start(self, piece: Piece, held: dict[str, _Held]) -> Iterator[Ended]:
        held[piece.name] = _Held(piece, self._now)
        try:
            self.platform.start(piece)
            self.tell(piece, "begins")
        except SaidNo as problem:
            del held[piece.name]
            yield self._told(Ended(piece, problem.reason, problem.why))
        except CouldNotLook as problem:  # it may have been made all the same
            held[piece.name].doing = str(problem)

    def _in_place(self, held: Mapping[str, _Held]) -> list[Piece]:
        """The pieces that hold GPUs, or may."""
        return [*(each.piece for each in held.values()), *(each.ended.piece for each in self._going.values())]

    def _watch(self, held: dict[str, _Held]) -> Iterator[Ended]:
        if not held:
            return
        try:
            seen = self.platform.look([each.piece for each in held.values()])
        except CouldNotLook as problem:  # what runs goes on without it
            seen = {}
            for each in held.values():
                each.doing = str(problem)
        for each in list(held.values()):
            now = seen.get(each.piece.name)
            if now is not None:
                self._note(each, now)
                if now.is_over:
                    # Two may be over when one looks next.
                    lost = self._lost(each.piece) if now.ended is None else None
                    yield self._end(held, each, *(lost or (now.ended, now.doing)))

    def _note(self, held: _Held, now: Now) -> None:
        if now.holds and held.holds_since is None:
            held.holds_since = self._now
        if held.piece.is_candidate and (now.holds or (now.is_over and now.ended is None)):
            self._won.setdefault(held.piece.nodes[0], held.piece.name)
        if now.doing != held.doing and not now.is_over:
            self.tell(held.piece, now.doing)
        held.doing = now.doing

    def _leave(self, held: dict[str, _Held]) -> Iterator[Ended]:
        """Ends the pieces that must make room now: their place is lost or wanted back, or their time is over."""
        off = self._kept_off(held)
        for each in list(held.values()):
            why = self._lost(each.piece) or off.get(each.piece.name) or self._over_time(each)
            if why is not None:
                yield self._end(held, each, *why)

    def _kept_off(self, held: Mapping[str, _Held]) -> Mapping[str, tuple[NotRun, str]]:
        if not held or self._now - self._asked_who_opted_out < self.courtesy.times.opt_out:
            return {}
        self._asked_who_opted_out = self._now
        try:
            return self.platform.keeps_off([each.piece for each in held.values()])
        except CouldNotLook:
            return {}  # it is asked again, and its deadline stands

    def _over_time(self, held: _Held) -> tuple[NotRun, str] | None:
        window = self.courtesy.window
        if window is not None and window.seconds_left(self.courtesy.local()) <= 0:
            return NotRun.WINDOW, f"the window {window.written} has ended: {held.doing}"
        if self._now >= self.courtesy.total:
            return NotRun.DEADLINE, f"the {self.courtesy.total:g} s of all are over: {held.doing}"
        if self._now - held.began > held.piece.seconds + self.courtesy.times.grace:
            return NotRun.DEADLINE, f"it was not over within {held.piece.seconds} s: {held.doing}"
        return None

    def _end(self, held: dict[str, _Held], one: _Held, reason: NotRun | None, why: str) -> Ended:
        """Ends a piece: its output is kept, and it is removed. What cannot be removed now is swept at the end."""
        logs: tuple[bytes, ...] = ()
        try:
            logs = self.platform.output(one.piece)
        except SaidNo as problem:
            reason, why = problem.reason, problem.why
        except CouldNotLook as problem:
            reason, why = (reason, why) if reason is not None else (NotRun.NOT_HEARD, str(problem))
        try:
            self.platform.remove(one.piece)
        except CouldNotLook as problem:
            self.tell(one.piece, f"was not removed yet: {problem}")
        del held[one.piece.name]
        since = self._now - one.holds_since if one.holds_since is not None else 0.0
        return self._told(Ended(one.piece, reason, why if reason is not None else "", since, logs))

    def _let_go(self, ended: Iterator[Ended]) -> None:
        for each in ended:
            self._going[each.piece.name] = _Going(each, self._now)

    def _freed(self) -> Iterator[Ended]:
        """The pieces of which nobody sees a GPU held any more, with how long that took; and those that are waited for
        no longer."""
        if not self._going:
            return
        try:
            holding = self.platform.holding([each.ended.piece for each in self._going.values()])
        except CouldNotLook:
            holding = None  # it is asked again
        for name, each in list(self._going.items()):
            took = self._now - each.since
            each.was_seen = holding is not None and (each.was_seen or name in holding)
            is_free = holding is not None and name not in holding
            if is_free or took >= self.courtesy.times.free:
                del self._going[name]
                yield replace(each.ended, freed=round(took, 1) if is_free or each.was_seen else None)

    def _told(self, ended: Ended) -> Ended:
        self.tell(ended.piece, _word(ended))
        return ended

    @property
    def _now(self) -> float:
        return self.courtesy.clock() - self.began


def _word(ended: Ended) -> str:
    if ended.ended is None:
        return "ran"
    if ended.ended is NotRun.LOST:
        return f"gave way: {ended.why}"
    return f"not run ({ended.ended.replace('-', ' ')}): {ended.why}"

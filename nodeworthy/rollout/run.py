"""Goes on with a rollout until it is done, paused or stopped: looks, chooses, writes down what it means, does it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Protocol

from nodeworthy.errors import CouldNotLook
from nodeworthy.records import dataclass
from nodeworthy.rollout import acts
from nodeworthy.rollout.journal import Journal, Stage, Status
from nodeworthy.rollout.put_back import set_back, stopping
from nodeworthy.rollout.steps import next_step
from nodeworthy.rollout.view import ABORT, Do, Finished, Pause, Reached, RefreshUnderWay, Stop, View, Wait
from nodeworthy.rollout.world import World

# Between two looks while something is waited for, and how long AWS or Kubernetes may be away.
POLL_SECONDS = 5.0
PATIENCE_SECONDS = 600.0


class Actor(Protocol):
    """The world, which is looked at and acted upon. Raises CouldNotLook where it does not answer."""

    def look(self, journal: Journal) -> World: ...

    def do(self, act: acts.Act, journal: Journal) -> acts.Outcome: ...

    def save(self, journal: Journal) -> None: ...

    def wanted(self) -> str:
        """What somebody asks for meanwhile: pause, abort, or nothing."""


class Clock(Protocol):
    def now(self) -> float: ...

    def sleep(self, seconds: float) -> None: ...


@dataclass
class Driver:
    journal: Journal
    actor: Actor
    clock: Clock
    say: Callable[[str], object]
    poll: float = POLL_SECONDS
    patience: float = PATIENCE_SECONDS
    _tried: set[str] = field(default_factory=set)
    _told: str = ""
    # What was refused last, by its words, and since when.
    _refused: tuple[str, float] = ("", 0.0)
    _cancelled_at: float = 0.0
    _ends_since: float = 0.0

    def run(self) -> Status:
        self.journal.status = Status.RUNNING
        away_since: float | None = None
        while self.journal.status is Status.RUNNING:
            try:
                view = self._moment()
                away_since = None
                self._step(view)
            except CouldNotLook as problem:
                now = self.clock.now()
                away_since = now if away_since is None else away_since
                if now - away_since >= self.patience:
                    self._give_up(str(problem))
                    break
                self._wait(f"waiting, for something does not answer: {problem}")
        return self.journal.status

    def _moment(self) -> View:
        wanted = self.actor.wanted()
        world = self.actor.look(self.journal)
        return View(world, self.journal, self.clock.now(), wanted, frozenset(self._tried))

    def _step(self, view: View) -> None:
        if self.journal.ending:
            self._end(view)
            return
        step = next_step(view)
        if isinstance(step, Do):
            self._do(step, view)
        elif isinstance(step, Reached):
            self._reach(step)
        elif isinstance(step, RefreshUnderWay):
            self.journal.refresh = step.refresh
            self.actor.save(self.journal)
        elif isinstance(step, Wait):
            self._wait(step.why)
        elif isinstance(step, Stop):
            self._stop(step, view)
        elif isinstance(step, Pause):
            self._begin_end(view, Status.PAUSED, step.why)
        else:
            assert isinstance(step, Finished)
            self._finish(Status.DONE, "")

    def _do(self, step: Do, view: View) -> None:
        self._foresee(step.act)
        outcome = self._act(step.act)
        if outcome.is_done:
            self._refused = ("", 0.0)
            if step.lane is not None and step.reaches is not None:
                self._reach(Reached(step.lane, step.reaches))
            return
        if outcome.later and self._tries_again(step.act, outcome.why):
            return
        if isinstance(step.act, acts.StartRefresh):
            self.journal.asked_for_refresh = False  # it was refused, and one that is under way is somebody else's
        is_bad = isinstance(step.act, acts.Prove | acts.Accept)
        why = f"{outcome.why}: tried again for {self.patience:g} s" if outcome.later else outcome.why
        self._stop(Stop(why, is_bad=is_bad), view)

    def _tries_again(self, act: acts.Act, why: str) -> bool:
        """Whether there is patience left; for a pod that may not go yet, others have it."""
        if isinstance(act, acts.Evict):
            self._tried.add(act.uid)
            self._tell(f"{act.told}: not now: {why}")
            return True
        refused, since = self._refused
        if refused != act.told:
            since = self.clock.now()
            self._refused = act.told, since
        if self.clock.now() - since >= self.patience:
            return False
        self._wait(f"{act.told}: not now: {why}")
        return True

    def _foresee(self, act: acts.Act) -> None:
        """What has to be taken back, or is ours to go on with, is known before it is done."""
        journal = self.journal
        match act:
            case acts.Suspend(process) if process not in journal.suspended:
                journal.suspended = (*journal.suspended, process)
            case acts.Shield(machines):
                journal.shielded = tuple(dict.fromkeys((*journal.shielded, *machines)))
            case acts.StartRefresh():
                journal.asked_for_refresh = True
            case acts.Pin() if journal.ending:
                journal.is_pinned = True

    def _act(self, act: acts.Act) -> acts.Outcome:
        """What is meant is written down before it is done."""
        self.journal.intent = act.told
        self.actor.save(self.journal)
        outcome = self.actor.do(act, self.journal)
        if outcome.is_done:
            self._tell(act.told)
        self.journal.intent = ""
        self.actor.save(self.journal)
        return outcome

    def _reach(self, step: Reached) -> None:
        lane = step.lane
        if step.stage is lane.stage is Stage.CORDONED:
            lane.drains_since = self.clock.now()
        else:
            lane.stage, lane.since = step.stage, self.clock.now()
        lane.fresh = step.fresh or lane.fresh
        lane.fresh_node = step.fresh_node or lane.fresh_node
        self._tried.clear()
        if told := _REACHED.get(lane.stage):
            self._tell(told.format(old=lane.title, fresh=lane.fresh_title))
        self.actor.save(self.journal)

    def _wait(self, why: str) -> None:
        self._tell(why)
        self._tried.clear()
        self.clock.sleep(self.poll)

    def _tell(self, text: str) -> None:
        if text and text != self._told:
            self._told = text
            self.say(text)

    def _stop(self, step: Stop, view: View) -> None:
        status = Status.ABORTED if view.wanted == ABORT else Status.STOPPED
        self._begin_end(view, status, step.why, is_bad=step.is_bad)

    def _begin_end(self, view: View, status: Status, why: str, *, is_bad: bool = False) -> None:
        self._tell(f"{status.value}: {why}")
        self.journal.why = why
        self.journal.ending = f"{status.value}{_BAD if is_bad else ''}"
        self.actor.save(self.journal)
        self._end(view)

    def _end(self, view: View) -> None:
        """Leaves the world as it can be left alone; what can't be put right is said."""
        if self._cancels(view):
            return
        ending = self.journal.ending
        if not self._leaves_well(list(stopping(view, is_bad=ending.endswith(_BAD)))):
            return
        set_back(view)
        self.journal.refresh, self.journal.asked_for_refresh = "", False
        status = Status(ending.removesuffix(_BAD))
        self.journal.has_paused |= status is Status.PAUSED
        self.journal.ending = ""
        self._finish(status, self.journal.why)

    def _leaves_well(self, needed: Sequence[acts.Act]) -> bool:
        """Whether everything was put right. Where something does not answer, it is asked again as long as there is
        patience."""
        self._ends_since = self._ends_since or self.clock.now()
        is_patient = self.clock.now() - self._ends_since < self.patience
        for act in needed:
            outcome = self._tried_to(act)
            if outcome.later and is_patient:
                self._wait(f"{act.told}: not now: {outcome.why}")
                return False
            if not outcome.is_done:
                self.say(f"could not {act.told}: {outcome.why}")
                self.journal.is_pinned &= not isinstance(act, acts.Pin)
        return True

    def _tried_to(self, act: acts.Act) -> acts.Outcome:
        self._foresee(act)
        try:
            return self._act(act)
        except CouldNotLook as problem:
            return acts.Outcome(is_done=False, why=str(problem), later=True)

    def _cancels(self, view: View) -> bool:
        """Whether our instance refresh has to be over first: as long as it is under way, AWS takes no other version."""
        group = view.world.group
        if not group.refresh or not view.refresh_is_ours:
            return False
        self._cancelled_at = self._cancelled_at or self.clock.now()
        why = "" if group.is_cancelling else self._refused_to_cancel(group.refresh)
        if why or self.clock.now() - self._cancelled_at >= self.patience:
            self.say(
                f"the instance refresh {group.refresh} goes on{f': {why}' if why else ', although it was cancelled'}"
            )
            return False
        self._wait(f"waiting for the instance refresh {group.refresh} to be cancelled")
        return True

    def _refused_to_cancel(self, refresh: str) -> str:
        outcome = self._act(acts.CancelRefresh(refresh))
        return "" if outcome.is_done or outcome.later else outcome.why

    def _finish(self, status: Status, why: str) -> None:
        self.journal.status, self.journal.why = status, why
        if status is Status.DONE:
            self._tell("every node is replaced and proven")
        self.actor.save(self.journal)

    def _give_up(self, why: str) -> None:
        """Gives up where nothing is known of what stands: nothing more is done to it, except that the group gets its
        own processes back."""
        for process in self.journal.suspended:
            outcome = self._tried_to(acts.Resume(process))
            if not outcome.is_done:
                why = f"{why}; {process} of the group stays suspended until it goes on"
        self._finish(Status.PAUSED, f"nothing could be looked at for {self.patience:g} s: {why}")


# Of an ending: the new version is at fault.
_BAD = ", bad"
_REACHED = {
    Stage.EMPTY: "{old} is empty",
    Stage.REPLACED: "{fresh} comes for {old}",
    Stage.JOINED: "{fresh} has joined",
    Stage.DONE: "{old} is replaced by {fresh}",
}

"""What a rollout puts back: in the end what it changed for as long as it lasts, and more where it stops in between."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.rollout import acts
from nodeworthy.rollout.journal import Journal, Lane, Stage
from nodeworthy.rollout.view import View


def restoring(view: View) -> Iterator[acts.Act]:
    """What was changed for as long as it lasts, of the group."""
    group, journal = view.world.group, view.journal
    if group.largest != journal.largest and group.desired <= journal.largest and journal.terms.new_first:
        yield acts.Bound(journal.largest)
    yield from (acts.Resume(each) for each in journal.suspended if each in group.suspended)
    there = (view.world.machine(each) for each in journal.shielded)
    shielded = tuple(each.id for each in there if each is not None and each.is_protected)
    if shielded:
        yield acts.Unshield(shielded)


def stopping(view: View, *, is_bad: bool) -> Iterator[acts.Act]:
    """What a stop leaves behind: no cordon on what stays, and a group that starts no more bad ones."""
    group, journal = view.world.group, view.journal
    if is_bad and journal.former and group.version == journal.target != journal.former:
        yield acts.Pin(journal.former)
    for lane in journal.unfinished():
        node = view.world.node_of(lane.old)
        if node is not None and node.is_cordoned and node.mark == journal.id and view.world.machine(lane.old):
            yield acts.Uncordon(node.name)
    yield from _protections(view)
    yield from restoring(view)


def _protections(view: View) -> Iterator[acts.Act]:
    """Protects machines again that were let go, and stay."""
    for lane in view.journal.unfinished():
        machine = view.world.machine(lane.old)
        if machine is not None and _was_let_go(view.journal, lane) and lane.was_protected and not machine.is_protected:
            yield acts.Protect(lane.old)


def set_back(view: View) -> None:
    """Lanes whose old node stays and takes work again: they begin anew when somebody resumes."""
    journal = view.journal
    for lane in journal.unfinished():
        stays = view.world.machine(lane.old) is not None
        if stays and (lane.stage in (Stage.CORDONED, Stage.EMPTY) or _was_let_go(journal, lane)):
            lane.stage = Stage.WELCOME if journal.terms.new_first else Stage.WAITS
            lane.drains_since = 0.0


def _was_let_go(journal: Journal, lane: Lane) -> bool:
    """Whether the machine was left to an instance refresh that did not come to it."""
    return journal.terms.by_refresh and lane.stage is Stage.TERMINATED

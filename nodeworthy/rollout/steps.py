"""What comes next, by what is seen and what the journal says: pure, so that it can be asked at any moment and again."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.rollout import acts
from nodeworthy.rollout.journal import Journal, Lane, Stage
from nodeworthy.rollout.lane_steps import lane_step
from nodeworthy.rollout.put_back import restoring
from nodeworthy.rollout.view import ABORT, PAUSE, Do, Finished, Pause, RefreshUnderWay, Step, Stop, View, Wait

REBALANCE = "AZRebalance"


def next_step(view: View) -> Step:
    if view.wanted == ABORT:
        return Stop("somebody asked for --abort")
    if not view.is_open and view.journal.unfinished() and not view.journal.under_way():
        return Pause(f"outside of the window {view.journal.terms.window}: {view.journal.how_far}")
    if _must_set_version(view):
        return Do(acts.Pin(view.journal.target))
    hand = next(other_hands(view), None)
    if hand is not None:
        return hand
    if _must_suspend(view):
        return Do(acts.Suspend(REBALANCE))
    step = refresh_step(view) if view.journal.terms.by_refresh else None
    if step is not None:
        return step
    return _of_lanes(view)


def _of_lanes(view: View) -> Step:
    waits: list[Wait] = []
    for lane in view.journal.under_way():
        step = lane_step(view, lane)
        if not isinstance(step, Wait):
            return step
        waits.append(step)
    begun = _beginning(view)
    if begun is not None and not isinstance(begun, Wait):
        return begun
    if waits or begun is not None:
        return waits[0] if waits else begun or Wait("")
    return _ending(view)


def _must_set_version(view: View) -> bool:
    """Once, before anything else."""
    journal = view.journal
    is_begun = any(each.stage is not Stage.WAITS for each in journal.lanes)
    sets_it = journal.sets_version and not journal.terms.by_refresh and not journal.is_pinned
    return sets_it and not is_begun and view.world.group.version != journal.target


def _must_suspend(view: View) -> bool:
    return REBALANCE not in view.world.group.suspended and bool(view.journal.unfinished())


def _beginning(view: View) -> Step | None:
    """None where none is left to begin."""
    journal = view.journal
    lane = next((each for each in journal.unfinished() if each.stage is Stage.WAITS), None)
    if lane is None:
        return None
    under_way, terms = len(journal.under_way()), journal.terms
    most = 1 if terms.new_first or journal.finished() < terms.canaries else terms.most_unavailable
    if under_way >= most:
        return Wait("")
    if not under_way and (view.wanted == PAUSE or _pauses_after_canary(journal)):
        why = "somebody asked for --pause" if view.wanted == PAUSE else "the canary is proven"
        return Pause(f"{why}: {journal.how_far}")
    if view.wanted == PAUSE or not view.is_open:
        return Wait("no further node is begun: those that were begun are finished first")
    if view.now < _rested_at(journal):
        return Wait("the last fresh node is left to itself for --soak")
    return _room_for(view, lane)


def _pauses_after_canary(journal: Journal) -> bool:
    terms = journal.terms
    return terms.pause_after_canary and not journal.has_paused and journal.finished() == terms.canaries > 0


def _rested_at(journal: Journal) -> float:
    done = [each.since for each in journal.lanes if each.stage is Stage.DONE]
    return max(done) + journal.terms.soak_seconds if done else 0.0


def _room_for(view: View, lane: Lane) -> Step:
    """Never more than so many away, whoever took them."""
    journal = view.journal
    own = {one for each in journal.under_way() for one in (each.old, each.fresh)} | {lane.old}
    own |= {each.id for each in view.unclaimed}  # asked for already, where nobody heard the answer
    others = [why for machine, why in view.world.unavailable().items() if machine not in own]
    missing = max(journal.desired - sum(each.is_there for each in view.world.machines) - len(journal.under_way()), 0)
    if len(others) + missing + len(journal.under_way()) < journal.terms.most_unavailable:
        return lane_step(view, lane)
    since = max((each.since for each in journal.lanes), default=0.0)
    why = "; ".join(others) or f"{missing} of {journal.desired} machines are missing"
    if view.now - since < journal.terms.join_seconds:
        return Wait(f"no further node may be away: {why}")
    return Stop(f"{lane.title} is not begun, for as many are away as may be: {why}")


def _ending(view: View) -> Step:
    journal = view.journal
    ended = max((each.since for each in journal.lanes), default=0.0)
    desired = view.world.group.desired
    if desired > journal.desired and view.now - ended < journal.terms.join_seconds:
        return Wait("waiting for the group to be as large as it was")
    if desired > journal.desired:
        return Stop(
            f"every node is replaced, and {journal.group} is still to have {desired}, and had {journal.desired}"
        )
    if journal.refresh and view.world.group.refresh == journal.refresh:
        return end_of_refresh(view, ended)
    left = next(iter(restoring(view)), None)
    return Finished() if left is None else Do(left)


# An instance refresh of AWS, which waits for each machine until it is let have it.


def refresh_step(view: View) -> Step | None:
    """None where it is under way, with all under its eyes protected whose turn has not come."""
    journal, group = view.journal, view.world.group
    if not journal.unfinished():
        return None
    bare = _unshielded(view)
    if bare:
        return Do(acts.Shield(bare))
    if group.refresh:
        return None if journal.refresh else RefreshUnderWay(group.refresh)
    if not journal.refresh:
        healthy = 100 * max(journal.desired - journal.terms.most_unavailable, 0) // max(journal.desired, 1)
        return Do(acts.StartRefresh(journal.target, healthy, journal.rolls_back))
    how = group.ended_refreshes.get(journal.refresh, "it is not known of any more")
    left = [each.title for each in journal.unfinished() if _is_left(view, each)]
    if left:
        return Stop(f"the instance refresh {journal.refresh} is over before {', '.join(left)}: {how}")
    return None


def _is_left(view: View, lane: Lane) -> bool:
    """Whether an instance refresh has still to end it; of an empty one it may have heard what we heard no answer to."""
    if lane.stage in (Stage.EMPTY, Stage.TERMINATED):
        return view.world.machine(lane.old) is not None
    return lane.stage in (Stage.WAITS, Stage.CORDONED)


def _unshielded(view: View) -> tuple[str, ...]:
    let_go = {each.old for each in view.journal.lanes if view.journal.has_reached(each, Stage.TERMINATED)}
    there = (view.world.machine(each) for each in view.journal.originals if each not in let_go)
    return tuple(each.id for each in there if each is not None and not each.is_protected)


def end_of_refresh(view: View, since: float) -> Step:
    """AWS is at its end by itself, unless it waits for machines that were left out."""
    journal = view.journal
    if view.world.group.is_cancelling:
        return Wait(f"waiting for the instance refresh {journal.refresh} to be cancelled")
    left_out = any(view.world.machine(each) is not None for each in journal.originals)
    if left_out or view.now - since >= journal.terms.join_seconds:
        return Do(acts.CancelRefresh(journal.refresh))
    return Wait(f"waiting for the end of the instance refresh {journal.refresh}")


# Whether somebody else has a hand in a rollout: then it stops, and touches nothing of his.


def other_hands(view: View) -> Iterator[Stop]:
    group, journal = view.world.group, view.journal
    if group.refresh and not view.refresh_is_ours:
        yield Stop(f"somebody started the instance refresh {group.refresh} of {group.name} meanwhile")
    if group.version != journal.target and not _names_what_it_did(view):
        yield Stop(_another_version(view))
    sizes = {journal.desired, journal.desired + 1} if journal.terms.new_first else {journal.desired}
    if group.desired not in sizes:
        yield Stop(f"{group.name} is to have {group.desired} nodes now, and had {journal.desired}: somebody changed it")
    for lane in journal.unfinished():
        yield from _vanished(view, lane)
    if len(view.unclaimed) > len(view.without_successor):
        ids = ", ".join(each.id for each in view.unclaimed)
        yield Stop(f"{group.name} has machines that this rollout did not ask for: {ids}")


def _another_version(view: View) -> str:
    group, journal = view.world.group, view.journal
    if journal.is_pinned:
        return (
            f"{group.name} was pinned to version {group.version} when this rollout stopped: mend the template, and "
            "begin another one"
        )
    return (
        f"{group.name} starts from version {group.version or '(none)'} of its template now, and this rollout is to "
        f"version {journal.target}: somebody else has changed it"
    )


def _names_what_it_did(view: View) -> bool:
    """An instance refresh goes by a version of its own, and tells the group of it when it is over."""
    journal, named = view.journal, view.world.group.named_version
    return journal.terms.by_refresh and not journal.is_pinned and named in (journal.named_version, journal.target)


def _vanished(view: View, lane: Lane) -> Iterator[Stop]:
    """An old one that somebody else has ended, a cordon of ours that somebody has lifted."""
    if view.journal.has_reached(lane, Stage.TERMINATED):
        return
    if view.world.machine(lane.old) is None:
        if lane.stage is not Stage.EMPTY:
            yield Stop(f"{lane.title} is gone, and this rollout did not end it")
        return
    node = view.world.node_of(lane.old)
    is_ours = node is None or (node.is_cordoned and node.mark == view.journal.id)
    if lane.stage in (Stage.CORDONED, Stage.EMPTY) and not is_ours:
        yield Stop(f"somebody has lifted the cordon of {lane.title}")

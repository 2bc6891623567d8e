"""An instance refresh of AWS, which waits for each machine until it is let have it."""

from __future__ import annotations

from nodeworthy.rollout import acts
from nodeworthy.rollout.journal import Lane, Stage
from nodeworthy.rollout.view import Do, RefreshUnderWay, Step, Stop, View, Wait


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

"""Whether somebody else has a hand in a rollout: then it stops, and touches nothing of his."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.rollout.journal import Lane, Stage
from nodeworthy.rollout.view import Stop, View


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

"""The way of one node that is to go, and of the one that comes for it: what comes next by how far it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from nodeworthy.facts.gpus_in_words import gpus_in_words
from nodeworthy.rollout import acts
from nodeworthy.rollout.journal import Lane, Stage
from nodeworthy.rollout.view import Do, Reached, Step, Stop, View, Wait
from nodeworthy.rollout.world import UNVERIFIED, Node, Pod

# Whoever drains by a hook completes it within this; the machine is empty already.
HOOK_SECONDS = 120.0
_AT_A_HOOK = "Terminating:Wait"


def lane_step(view: View, lane: Lane) -> Step:
    return _OF_STAGE[lane.stage](view, lane)


def _then(view: View, lane: Lane) -> Stage:
    stages = view.journal.terms.stages
    return stages[stages.index(lane.stage) + 1]


# The old one


def _cordon(view: View, lane: Lane) -> Step:
    node = view.world.node_of(lane.old)
    if node is None:
        return Reached(lane, Stage.EMPTY)  # what never joined holds no work
    return Do(acts.Cordon(node.name), lane, Stage.CORDONED)


def _grow(view: View, lane: Lane) -> Step:
    journal, group = view.journal, view.world.group
    wanted = journal.desired + 1
    return Do(acts.Resize(wanted, max(group.largest, wanted)), lane, Stage.GROWN)


def _drain(view: View, lane: Lane) -> Step:
    node = view.world.node_of(lane.old)
    if node is None:
        return Reached(lane, Stage.EMPTY)
    guests = [each for each in node.guests if not each.is_leaving]
    blocked = next((each for each in guests if each.blocks and each.title not in view.journal.terms.evict), None)
    if blocked is not None:
        return Stop(f"{lane.title} can't be emptied: {blocked.title} {blocked.blocks} (--evict {blocked.title})")
    jobs = [each for each in guests if each.is_gpu_job and each.title not in view.journal.terms.evict]
    if jobs:
        return _wait_for_job(view, lane, jobs[0])
    if not lane.drains_since:
        return Reached(lane, Stage.CORDONED)
    return _evict(view, lane, node, guests)


def _wait_for_job(view: View, lane: Lane, job: Pod) -> Step:
    terms = view.journal.terms
    told = f"{job.title} computes on {gpus_in_words(job.gpus)} of {lane.node} since {job.since}"
    if terms.job_seconds is not None:
        if view.now - lane.since < terms.job_seconds:
            return Wait(f"{told}: waiting for its end")
        return Stop(f"{told}, and was waited for as long as --wait-for-jobs says")
    if job.seconds_left is None:
        return Stop(f"{told}, and declares no end: --wait-for-jobs TIME waits for it, --evict {job.title} does not")
    if job.seconds_left < -terms.drain_seconds:
        return Stop(f"{told}, and did not end when it said that it would")
    return Wait(f"{told}: waiting for its end")


def _evict(view: View, lane: Lane, node: Node, guests: list[Pod]) -> Step:
    ready = next((each for each in guests if each.uid not in view.tried), None)
    late = view.now - lane.drains_since >= view.journal.terms.drain_seconds
    if ready is not None and not late:
        return Do(acts.Evict(ready.namespace, ready.name, ready.uid, node.name), lane)
    if node.guests or node.has_attachments:
        why = f"{lane.title} is not empty: {_left_on(node)}"
        return Stop(f"{why}, within --drain-timeout") if late else Wait(why)
    return Reached(lane, Stage.EMPTY)


def _left_on(node: Node) -> str:
    told = []
    for each in node.guests:
        budgets = "; ".join(one.told for one in each.budgets if one.allowed < 1 or len(each.budgets) > 1)
        two = " (two budgets for one pod: the Eviction API takes none of them)" if len(each.budgets) > 1 else ""
        state = f"is ending, {each.leaving}" if each.is_leaving else "stays"
        told.append(f"{each.title} {state}{two}{f': {budgets}' if budgets else ''}")
    if node.has_attachments and not told:
        told.append("a volume is still attached")
    return ", ".join(told)


def _terminate(view: View, lane: Lane) -> Step:
    if view.world.machine(lane.old) is None:
        return Reached(lane, Stage.TERMINATED)
    node = view.world.node_of(lane.old)
    if node is not None and node.guests:
        return Stop(f"{lane.title} was empty, and has {node.guests[0].title} now: somebody put it there")
    if view.journal.terms.by_refresh:
        return Do(acts.HandToRefresh(lane.old), lane, Stage.TERMINATED)
    return Do(acts.Terminate(lane.old, view.journal.terms.new_first), lane, Stage.TERMINATED)


def _replace(view: View, lane: Lane) -> Step:
    if _waits_at_a_hook(view, lane):
        return Do(acts.Complete(lane.old), lane, lane.stage)
    fresh = next(iter(view.unclaimed), None)
    if fresh is not None:
        return Reached(lane, Stage.REPLACED, fresh.id)
    if view.now - lane.since < view.journal.terms.join_seconds:
        return Wait(f"waiting for the group to start a successor of {lane.title}")
    failed = next((why for when, why in view.world.group.failed_launches), "")
    said = f": {failed}" if failed else ""
    return Stop(f"the group has started no successor of {lane.title} within --join-timeout{said}", is_bad=True)


def _waits_at_a_hook(view: View, lane: Lane) -> bool:
    old = next((each for each in view.world.machines if each.id == lane.old), None)
    return old is not None and old.state == _AT_A_HOOK and view.now - lane.since >= HOOK_SECONDS


# The fresh one


def _after_replacing(view: View, lane: Lane) -> Step:
    gone = _fresh_fault(view, lane)
    if gone is not None:
        return gone
    node = view.world.node_of(lane.fresh)
    if node is not None and not any(each.startswith(UNVERIFIED) for each in node.taints):
        return Do(acts.Taint(node.name), lane)
    if node is not None and node.is_ready:
        return Reached(lane, Stage.JOINED, fresh_node=node.name)
    if view.now - lane.since < view.journal.terms.join_seconds:
        return Wait(f"waiting for {lane.fresh} to join")
    why = "has joined, and is not Ready" if node is not None else "has no node"
    return Stop(f"{lane.fresh}, which came for {lane.title}, {why} within --join-timeout", is_bad=True)


def _fresh_fault(view: View, lane: Lane) -> Stop | None:
    machine = view.world.machine(lane.fresh)
    if machine is None:
        return Stop(f"{lane.fresh_title}, which came for {lane.title}, is gone again", is_bad=True)
    if machine.version and machine.version != view.journal.target:
        return Stop(
            f"{lane.fresh_title} was started from version {machine.version} of the template, and not from "
            f"{view.journal.target}",
            is_bad=True,
        )
    if machine.differs:
        return Stop(f"{lane.fresh_title} is not what its group would start now: {machine.differs}", is_bad=True)
    return None


def _on_fresh(act: Callable[[View, Lane], acts.Act | None]) -> Callable[[View, Lane], Step]:
    """An act on the successor, as long as it is there; none is needed where there is no act."""

    def step(view: View, lane: Lane) -> Step:
        fault = _fresh_fault(view, lane)
        if fault is not None:
            return fault
        node = view.world.node_of(lane.fresh)
        if node is None or not node.is_ready:
            return _not_ready_any_more(view, lane)
        wanted = act(view, lane)
        then = _then(view, lane)
        return Reached(lane, then) if wanted is None else Do(wanted, lane, then)

    return step


def _not_ready_any_more(view: View, lane: Lane) -> Step:
    """Where the API server was away, Kubernetes has heard of no node, and takes all of them for lost for a while."""
    if view.now - lane.since < view.journal.terms.join_seconds:
        return Wait(f"{lane.fresh_title} had joined, and is not Ready now")
    return Stop(f"{lane.fresh_title} had joined, and is not Ready any more since --join-timeout", is_bad=True)


def _labels(view: View, lane: Lane) -> acts.Act | None:
    if not view.journal.terms.keeps_labels or not any(lane.kept.values()):
        return None
    return acts.Label(lane.fresh_node, lane.kept)


def _acceptance(view: View, lane: Lane) -> acts.Act | None:
    level = view.journal.terms.accept
    return None if level == "none" else acts.Accept(lane.fresh_node, level)


def _after_welcome(view: View, lane: Lane) -> Step:
    machine = view.world.machine(lane.fresh)
    if lane.was_protected and machine is not None and not machine.is_protected:
        return Do(acts.Protect(lane.fresh), lane)
    if view.journal.terms.new_first:
        return _cordon(view, lane)
    return Reached(lane, Stage.DONE)


def _after_terminating(view: View, lane: Lane) -> Step:
    return Reached(lane, Stage.DONE) if view.journal.terms.new_first else _replace(view, lane)


_OF_STAGE: Mapping[Stage, Callable[[View, Lane], Step]] = {
    Stage.WAITS: lambda view, lane: (_grow if view.journal.terms.new_first else _cordon)(view, lane),
    Stage.GROWN: _replace,
    Stage.CORDONED: _drain,
    Stage.EMPTY: _terminate,
    Stage.TERMINATED: _after_terminating,
    Stage.REPLACED: _after_replacing,
    Stage.JOINED: _on_fresh(_labels),
    Stage.LABELLED: _on_fresh(lambda _, lane: acts.Prove(lane.fresh_node)),
    Stage.PROVEN: _on_fresh(_acceptance),
    Stage.ACCEPTED: _on_fresh(lambda _, lane: acts.Welcome(lane.fresh_node)),
    Stage.WELCOME: _after_welcome,
}

"""The way of one node that is to go, and of the one that comes for it: what comes next by how far it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from nodeworthy.rollout import acts
from nodeworthy.rollout.journal import Lane, Stage
from nodeworthy.rollout.moment import Do, Moment, Reached, Step, Stop, Wait
from nodeworthy.rollout.world import UNVERIFIED, Node, Pod

# Whoever drains by a hook completes it within this; the machine is empty already.
HOOK_SECONDS = 120.0
_AT_A_HOOK = "Terminating:Wait"


def lane_step(moment: Moment, lane: Lane) -> Step:
    return _OF_STAGE[lane.stage](moment, lane)


def _then(moment: Moment, lane: Lane) -> Stage:
    stages = moment.journal.terms.stages
    return stages[stages.index(lane.stage) + 1]


# The old one


def _cordon(moment: Moment, lane: Lane) -> Step:
    node = moment.world.node_of(lane.old)
    if node is None:
        return Reached(lane, Stage.EMPTY)  # what never joined holds no work
    return Do(acts.Cordon(node.name), lane, Stage.CORDONED)


def _grow(moment: Moment, lane: Lane) -> Step:
    journal, group = moment.journal, moment.world.group
    wanted = journal.desired + 1
    return Do(acts.Resize(wanted, max(group.largest, wanted)), lane, Stage.GROWN)


def _drain(moment: Moment, lane: Lane) -> Step:
    node = moment.world.node_of(lane.old)
    if node is None:
        return Reached(lane, Stage.EMPTY)
    guests = [each for each in node.guests if not each.is_leaving]
    blocked = next((each for each in guests if each.blocks and each.title not in moment.journal.terms.evict), None)
    if blocked is not None:
        return Stop(f"{lane.title} can't be emptied: {blocked.title} {blocked.blocks} (--evict {blocked.title})")
    jobs = [each for each in guests if each.is_gpu_job and each.title not in moment.journal.terms.evict]
    if jobs:
        return _wait_for_job(moment, lane, jobs[0])
    if not lane.drains_since:
        return Reached(lane, Stage.CORDONED)
    return _evict(moment, lane, node, guests)


def _wait_for_job(moment: Moment, lane: Lane, job: Pod) -> Step:
    terms = moment.journal.terms
    told = f"{job.title} computes on {job.gpus} GPU{'' if job.gpus == 1 else 's'} of {lane.node} since {job.since}"
    if terms.job_seconds is not None:
        if moment.now - lane.since < terms.job_seconds:
            return Wait(f"{told}: waiting for its end")
        return Stop(f"{told}, and was waited for as long as --wait-for-jobs says")
    if job.seconds_left is None:
        return Stop(f"{told}, and declares no end: --wait-for-jobs TIME waits for it, --evict {job.title} does not")
    if job.seconds_left < -terms.drain_seconds:
        return Stop(f"{told}, and did not end when it said that it would")
    return Wait(f"{told}: waiting for its end")


def _evict(moment: Moment, lane: Lane, node: Node, guests: list[Pod]) -> Step:
    ready = next((each for each in guests if each.uid not in moment.tried), None)
    late = moment.now - lane.drains_since >= moment.journal.terms.drain_seconds
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


def _terminate(moment: Moment, lane: Lane) -> Step:
    if moment.world.machine(lane.old) is None:
        return Reached(lane, Stage.TERMINATED)
    node = moment.world.node_of(lane.old)
    if node is not None and node.guests:
        return Stop(f"{lane.title} was empty, and has {node.guests[0].title} now: somebody put it there")
    if moment.journal.terms.by_refresh:
        return Do(acts.Release(lane.old), lane, Stage.TERMINATED)
    return Do(acts.Terminate(lane.old, moment.journal.terms.new_first), lane, Stage.TERMINATED)


def _replace(moment: Moment, lane: Lane) -> Step:
    if _waits_at_a_hook(moment, lane):
        return Do(acts.Complete(lane.old), lane, lane.stage)
    fresh = next(iter(moment.unclaimed), None)
    if fresh is not None:
        return Reached(lane, Stage.REPLACED, fresh.id)
    if moment.now - lane.since < moment.journal.terms.join_seconds:
        return Wait(f"waiting for the group to start a successor of {lane.title}")
    failed = next((why for when, why in moment.world.group.failed_launches), "")
    said = f": {failed}" if failed else ""
    return Stop(f"the group has started no successor of {lane.title} within --join-timeout{said}", is_bad=True)


def _waits_at_a_hook(moment: Moment, lane: Lane) -> bool:
    old = next((each for each in moment.world.machines if each.id == lane.old), None)
    return old is not None and old.state == _AT_A_HOOK and moment.now - lane.since >= HOOK_SECONDS


# The fresh one


def _after_replacing(moment: Moment, lane: Lane) -> Step:
    gone = _fresh_fault(moment, lane)
    if gone is not None:
        return gone
    node = moment.world.node_of(lane.fresh)
    if node is not None and not any(each.startswith(UNVERIFIED) for each in node.taints):
        return Do(acts.Taint(node.name), lane)
    if node is not None and node.is_ready:
        return Reached(lane, Stage.JOINED, fresh_node=node.name)
    if moment.now - lane.since < moment.journal.terms.join_seconds:
        return Wait(f"waiting for {lane.fresh} to join")
    why = "has joined, and is not Ready" if node is not None else "has no node"
    return Stop(f"{lane.fresh}, which came for {lane.title}, {why} within --join-timeout", is_bad=True)


def _fresh_fault(moment: Moment, lane: Lane) -> Stop | None:
    machine = moment.world.machine(lane.fresh)
    if machine is None:
        return Stop(f"{lane.fresh_title}, which came for {lane.title}, is gone again", is_bad=True)
    if machine.version and machine.version != moment.journal.target:
        return Stop(
            f"{lane.fresh_title} was started from version {machine.version} of the template, and not from "
            f"{moment.journal.target}",
            is_bad=True,
        )
    if machine.differs:
        return Stop(f"{lane.fresh_title} is not what its group would start now: {machine.differs}", is_bad=True)
    return None


def _on_fresh(act: Callable[[Moment, Lane], acts.Act | None]) -> Callable[[Moment, Lane], Step]:
    """An act on the successor, as long as it is there; none is needed where there is no act."""

    def step(moment: Moment, lane: Lane) -> Step:
        fault = _fresh_fault(moment, lane)
        if fault is not None:
            return fault
        node = moment.world.node_of(lane.fresh)
        if node is None or not node.is_ready:
            return _not_ready_any_more(moment, lane)
        wanted = act(moment, lane)
        then = _then(moment, lane)
        return Reached(lane, then) if wanted is None else Do(wanted, lane, then)

    return step


def _not_ready_any_more(moment: Moment, lane: Lane) -> Step:
    """Where the API server was away, Kubernetes has heard of no node, and takes all of them for lost for a while."""
    if moment.now - lane.since < moment.journal.terms.join_seconds:
        return Wait(f"{lane.fresh_title} had joined, and is not Ready now")
    return Stop(f"{lane.fresh_title} had joined, and is not Ready any more since --join-timeout", is_bad=True)


def _labels(moment: Moment, lane: Lane) -> acts.Act | None:
    if not moment.journal.terms.keeps_labels or not any(lane.kept.values()):
        return None
    return acts.Label(lane.fresh_node, lane.kept)


def _acceptance(moment: Moment, lane: Lane) -> acts.Act | None:
    level = moment.journal.terms.accept
    return None if level == "none" else acts.Accept(lane.fresh_node, level)


def _after_welcome(moment: Moment, lane: Lane) -> Step:
    machine = moment.world.machine(lane.fresh)
    if lane.was_protected and machine is not None and not machine.is_protected:
        return Do(acts.Protect(lane.fresh), lane)
    if moment.journal.terms.new_first:
        return _cordon(moment, lane)
    return Reached(lane, Stage.DONE)


def _after_terminating(moment: Moment, lane: Lane) -> Step:
    return Reached(lane, Stage.DONE) if moment.journal.terms.new_first else _replace(moment, lane)


_OF_STAGE: Mapping[Stage, Callable[[Moment, Lane], Step]] = {
    Stage.WAITS: lambda moment, lane: (_grow if moment.journal.terms.new_first else _cordon)(moment, lane),
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

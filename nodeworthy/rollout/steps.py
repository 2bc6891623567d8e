"""What comes next, by what is seen and what the journal says: pure, so that it can be asked at any moment and again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from datetime import datetime

from nodeworthy.collect.workload.live.window import read_window
from nodeworthy.records import dataclass
from nodeworthy.rollout import acts
from nodeworthy.rollout.journal import Journal, Lane, Stage
from nodeworthy.rollout.world import UNVERIFIED, Machine, Node, Pod, World

REBALANCE = "AZRebalance"
PAUSE, ABORT = "pause", "abort"
# Whoever drains by a hook completes it within this; the machine is empty already.
HOOK_SECONDS = 120.0
_AT_A_HOOK = "Terminating:Wait"


@dataclass(frozen=True)
class Do:
    act: acts.Act
    lane: Lane | None = None
    # What has been done of the lane once the act is.
    reaches: Stage | None = None


@dataclass(frozen=True)
class Reached:
    """Seen to be so, without an act."""

    lane: Lane
    stage: Stage
    fresh: str = ""
    fresh_node: str = ""


@dataclass(frozen=True)
class Seen:
    """The instance refresh that was asked for is under way."""

    refresh: str


@dataclass(frozen=True)
class Wait:
    why: str


@dataclass(frozen=True)
class Stop:
    why: str
    # Whether what was started from the new version is at fault, or could be: the group must start no more of it.
    is_bad: bool = False


@dataclass(frozen=True)
class Pause:
    why: str


@dataclass(frozen=True)
class Finished:
    pass


Step = Do | Reached | Seen | Wait | Stop | Pause | Finished


@dataclass(frozen=True)
class Moment:
    """All that the next step is chosen by."""

    world: World
    journal: Journal
    now: float
    # What somebody has asked for meanwhile.
    wanted: str = ""
    # Pods that were refused to be evicted in this round.
    tried: frozenset[str] = field(default_factory=frozenset)

    @property
    def is_open(self) -> bool:
        """Whether a node may be begun now; one that was begun is finished."""
        written = self.journal.terms.window
        return not written or read_window(written).seconds_left(datetime.fromtimestamp(self.now).astimezone()) > 0


def next_step(moment: Moment) -> Step:
    if moment.wanted == ABORT:
        return Stop("somebody asked for --abort")
    if not moment.is_open and moment.journal.unfinished() and not moment.journal.under_way():
        return Pause(f"outside of the window {moment.journal.terms.window}: {_how_far(moment.journal)}")
    if _must_set_version(moment):
        return Do(acts.Pin(moment.journal.target))
    hand = next(_other_hands(moment), None)
    if hand is not None:
        return hand
    if _must_suspend(moment):
        return Do(acts.Suspend(REBALANCE))
    step = _of_refresh(moment) if moment.journal.terms.by_refresh else None
    if step is not None:
        return step
    return _of_lanes(moment)


def _of_lanes(moment: Moment) -> Step:
    waits: list[Wait] = []
    for lane in moment.journal.under_way():
        step = _lane_step(moment, lane)
        if not isinstance(step, Wait):
            return step
        waits.append(step)
    begun = _beginning(moment)
    if begun is not None and not isinstance(begun, Wait):
        return begun
    if waits or begun is not None:
        return waits[0] if waits else begun or Wait("")
    return _ending(moment)


# Somebody else's hand


def _other_hands(moment: Moment) -> Iterator[Stop]:
    group, journal = moment.world.group, moment.journal
    if group.refresh and not _is_ours(moment):
        yield Stop(f"somebody started the instance refresh {group.refresh} of {group.name} meanwhile")
    if _names_what_it_did(moment):
        pass
    elif group.version != journal.target and journal.is_pinned:
        yield Stop(
            f"{group.name} was pinned to version {group.version} when this rollout stopped: mend the template, and "
            "begin another one"
        )
    elif group.version != journal.target:
        yield Stop(
            f"{group.name} starts from version {group.version or '(none)'} of its template now, and this rollout is to "
            f"version {journal.target}: somebody else has changed it"
        )
    sizes = {journal.desired, journal.desired + 1} if journal.terms.new_first else {journal.desired}
    if group.desired not in sizes:
        yield Stop(f"{group.name} is to have {group.desired} nodes now, and had {journal.desired}: somebody changed it")
    for lane in journal.unfinished():
        yield from _vanished(moment, lane)
    if len(_unclaimed(moment)) > len(_without_successor(moment)):
        ids = ", ".join(each.id for each in _unclaimed(moment))
        yield Stop(f"{group.name} has machines that this rollout did not ask for: {ids}")


def _names_what_it_did(moment: Moment) -> bool:
    """An instance refresh goes by a version of its own, and tells the group of it when it is over."""
    journal, named = moment.journal, moment.world.group.named_version
    return journal.terms.by_refresh and not journal.is_pinned and named in (journal.named_version, journal.target)


def _is_ours(moment: Moment) -> bool:
    journal = moment.journal
    return moment.world.group.refresh == journal.refresh or (not journal.refresh and journal.asked_for_refresh)


def _vanished(moment: Moment, lane: Lane) -> Iterator[Stop]:
    """An old one that somebody else has ended, a cordon of ours that somebody has lifted."""
    if lane.stage in _after(moment, Stage.TERMINATED):
        return
    if moment.world.machine(lane.old) is None:
        if lane.stage is not Stage.EMPTY:
            yield Stop(f"{lane.title} is gone, and this rollout did not end it")
        return
    node = moment.world.node_of(lane.old)
    is_ours = node is None or (node.is_cordoned and node.mark == moment.journal.id)
    if lane.stage in (Stage.CORDONED, Stage.EMPTY) and not is_ours:
        yield Stop(f"somebody has lifted the cordon of {lane.title}")


def _after(moment: Moment, stage: Stage) -> tuple[Stage, ...]:
    stages = moment.journal.terms.stages
    return stages[stages.index(stage) :]


def _unclaimed(moment: Moment) -> list[Machine]:
    """Machines that came since, and of which nobody said yet whose successors they are."""
    claimed = {lane.fresh for lane in moment.journal.lanes} | set(moment.journal.originals)
    return [each for each in moment.world.machines if each.is_there and each.id not in claimed]


def _without_successor(moment: Moment) -> list[Lane]:
    """Those that wait for one, or whose end may have brought one already."""
    stages = (Stage.GROWN, Stage.WAITS) if moment.journal.terms.new_first else (Stage.TERMINATED, Stage.EMPTY)
    return [lane for lane in moment.journal.unfinished() if not lane.fresh and lane.stage in stages]


def _must_set_version(moment: Moment) -> bool:
    """Once, before anything else."""
    journal = moment.journal
    is_begun = any(each.stage is not Stage.WAITS for each in journal.lanes)
    sets_it = journal.sets_version and not journal.terms.by_refresh and not journal.is_pinned
    return sets_it and not is_begun and moment.world.group.version != journal.target


def _must_suspend(moment: Moment) -> bool:
    return REBALANCE not in moment.world.group.suspended and bool(moment.journal.unfinished())


# An instance refresh of AWS, which waits for each machine until it is let have it


def _of_refresh(moment: Moment) -> Step | None:
    """None where it is under way, with all under its eyes protected whose turn has not come."""
    journal, group = moment.journal, moment.world.group
    if not journal.unfinished():
        return None
    bare = _unshielded(moment)
    if bare:
        return Do(acts.Shield(bare))
    if group.refresh:
        return None if journal.refresh else Seen(group.refresh)
    if not journal.refresh:
        healthy = 100 * max(journal.desired - journal.terms.most_unavailable, 0) // max(journal.desired, 1)
        return Do(acts.StartRefresh(journal.target, healthy, journal.rolls_back))
    how = group.ended_refreshes.get(journal.refresh, "it is not known of any more")
    left = [each.title for each in journal.unfinished() if _is_left(moment, each)]
    if left:
        return Stop(f"the instance refresh {journal.refresh} is over before {', '.join(left)}: {how}")
    return None


def _is_left(moment: Moment, lane: Lane) -> bool:
    """Whether an instance refresh has still to end it; of an empty one it may have heard what we heard no answer to."""
    if lane.stage in (Stage.EMPTY, Stage.TERMINATED):
        return moment.world.machine(lane.old) is not None
    return lane.stage in (Stage.WAITS, Stage.CORDONED)


def _unshielded(moment: Moment) -> tuple[str, ...]:
    let_go = {each.old for each in moment.journal.lanes if each.stage in _after(moment, Stage.TERMINATED)}
    there = (moment.world.machine(each) for each in moment.journal.originals if each not in let_go)
    return tuple(each.id for each in there if each is not None and not each.is_protected)


# One lane


def _lane_step(moment: Moment, lane: Lane) -> Step:
    return _OF_STAGE[lane.stage](moment, lane)


def _then(moment: Moment, lane: Lane) -> Stage:
    stages = moment.journal.terms.stages
    return stages[stages.index(lane.stage) + 1]


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
    fresh = next(iter(_unclaimed(moment)), None)
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
            return Stop(f"{lane.fresh_title} had joined, and is not Ready any more", is_bad=True)
        wanted = act(moment, lane)
        then = _then(moment, lane)
        return Reached(lane, then) if wanted is None else Do(wanted, lane, then)

    return step


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


# The next one, and the end


def _beginning(moment: Moment) -> Step | None:
    """None where none is left to begin."""
    journal = moment.journal
    lane = next((each for each in journal.unfinished() if each.stage is Stage.WAITS), None)
    if lane is None:
        return None
    under_way, terms = len(journal.under_way()), journal.terms
    most = 1 if terms.new_first or journal.finished() < terms.canaries else terms.most_unavailable
    if under_way >= most:
        return Wait("")
    if not under_way and (moment.wanted == PAUSE or _pauses_after_canary(journal)):
        why = "somebody asked for --pause" if moment.wanted == PAUSE else "the canary is proven"
        return Pause(f"{why}: {_how_far(journal)}")
    if moment.wanted == PAUSE or not moment.is_open:
        return Wait("no further node is begun: those that were begun are finished first")
    if moment.now < _rested_at(journal):
        return Wait("the last fresh node is left to itself for --soak")
    return _room_for(moment, lane)


def _how_far(journal: Journal) -> str:
    return f"{journal.finished()} of {len(journal.lanes)} nodes are replaced"


def _pauses_after_canary(journal: Journal) -> bool:
    terms = journal.terms
    return terms.pause_after_canary and not journal.has_paused and journal.finished() == terms.canaries > 0


def _rested_at(journal: Journal) -> float:
    done = [each.since for each in journal.lanes if each.stage is Stage.DONE]
    return max(done) + journal.terms.soak_seconds if done else 0.0


def _room_for(moment: Moment, lane: Lane) -> Step:
    """Never more than so many away, whoever took them."""
    journal = moment.journal
    own = {one for each in journal.under_way() for one in (each.old, each.fresh)} | {lane.old}
    own |= {each.id for each in _unclaimed(moment)}  # asked for already, where nobody heard the answer
    others = [why for machine, why in moment.world.unavailable().items() if machine not in own]
    missing = max(journal.desired - sum(each.is_there for each in moment.world.machines) - len(journal.under_way()), 0)
    if len(others) + missing + len(journal.under_way()) < journal.terms.most_unavailable:
        return _lane_step(moment, lane)
    since = max((each.since for each in journal.lanes), default=0.0)
    why = "; ".join(others) or f"{missing} of {journal.desired} machines are missing"
    if moment.now - since < journal.terms.join_seconds:
        return Wait(f"no further node may be away: {why}")
    return Stop(f"{lane.title} is not begun, for as many are away as may be: {why}")


def _ending(moment: Moment) -> Step:
    journal = moment.journal
    ended = max((each.since for each in journal.lanes), default=0.0)
    if moment.world.group.desired > journal.desired and moment.now - ended < journal.terms.join_seconds:
        return Wait("waiting for the group to be as large as it was")
    if journal.refresh and moment.world.group.refresh == journal.refresh:
        return _end_of_refresh(moment, ended)
    left = next(iter(restoring(moment)), None)
    return Finished() if left is None else Do(left)


def _end_of_refresh(moment: Moment, since: float) -> Step:
    """AWS is at its end by itself, unless it waits for machines that were left out."""
    journal = moment.journal
    if moment.world.group.is_cancelling:
        return Wait(f"waiting for the instance refresh {journal.refresh} to be cancelled")
    left_out = any(moment.world.machine(each) is not None for each in journal.originals)
    if left_out or moment.now - since >= journal.terms.join_seconds:
        return Do(acts.CancelRefresh(journal.refresh))
    return Wait(f"waiting for the end of the instance refresh {journal.refresh}")


def restoring(moment: Moment) -> Iterator[acts.Act]:
    """What was changed for as long as it lasts, of the group."""
    group, journal = moment.world.group, moment.journal
    if group.largest != journal.largest and group.desired <= journal.largest and journal.terms.new_first:
        yield acts.Bound(journal.largest)
    yield from (acts.Resume(each) for each in journal.suspended if each in group.suspended)
    there = (moment.world.machine(each) for each in journal.shielded)
    shielded = tuple(each.id for each in there if each is not None and each.is_protected)
    if shielded:
        yield acts.Unshield(shielded)


def stopping(moment: Moment, *, is_bad: bool) -> Iterator[acts.Act]:
    """What a stop leaves behind: no cordon on what stays, and a group that starts no more bad ones."""
    group, journal = moment.world.group, moment.journal
    if is_bad and journal.former and group.version == journal.target != journal.former:
        yield acts.Pin(journal.former)
    for lane in journal.unfinished():
        node = moment.world.node_of(lane.old)
        if node is not None and node.is_cordoned and node.mark == journal.id and moment.world.machine(lane.old):
            yield acts.Uncordon(node.name)
    yield from _protections(moment)
    yield from restoring(moment)


def _protections(moment: Moment) -> Iterator[acts.Act]:
    """Of machines that were let go, and stay."""
    for lane in moment.journal.unfinished():
        machine = moment.world.machine(lane.old)
        if (
            machine is not None
            and _was_let_go(moment.journal, lane)
            and lane.was_protected
            and not machine.is_protected
        ):
            yield acts.Protect(lane.old)


def set_back(moment: Moment) -> None:
    """Lanes whose old node stays and takes work again: they begin anew when somebody resumes."""
    journal = moment.journal
    for lane in journal.unfinished():
        stays = moment.world.machine(lane.old) is not None
        if stays and (lane.stage in (Stage.CORDONED, Stage.EMPTY) or _was_let_go(journal, lane)):
            lane.stage = Stage.WELCOME if journal.terms.new_first else Stage.WAITS
            lane.drains_since = 0.0


def _was_let_go(journal: Journal, lane: Lane) -> bool:
    """To an instance refresh that did not come to it."""
    return journal.terms.by_refresh and lane.stage is Stage.TERMINATED

"""The world of a rollout as it is: AWS, a cluster, a lease, and a file that outlives whoever runs it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from nodeworthy.collect.cloud.region import Version
from nodeworthy.records import dataclass
from nodeworthy.repair.edit import RepairRefused
from nodeworthy.repair.record import write_durably
from nodeworthy.rollout import acts
from nodeworthy.rollout.acts import DONE, Outcome
from nodeworthy.rollout.cloud import ScalingGroup
from nodeworthy.rollout.gate import Gate, GateAnswer
from nodeworthy.rollout.journal import Journal, Stage
from nodeworthy.rollout.kube import Kube
from nodeworthy.rollout.lease import Hold, Lost
from nodeworthy.rollout.world import GroupState, Machine, World

_WITH_GUESTS = (Stage.CORDONED, Stage.EMPTY)


@dataclass
class Live:
    group: ScalingGroup
    kube: Kube
    gate: Gate
    hold: Hold
    path: Path
    # Told of each state that is written: a page that is written anew.
    watcher: Callable[[Journal], object] = lambda _: None

    def look(self, journal: Journal) -> World:
        group, machines = self.group.look()
        busy = {each.old for each in journal.under_way() if each.stage in _WITH_GUESTS}
        fresh = {each.fresh for each in journal.lanes if each.stage is Stage.REPLACED}
        nodes = self.kube.nodes_of({each.id for each in machines}, busy.__contains__)
        return World(
            group, [self._seen(each, group, journal.target, looks=each.id in fresh) for each in machines], nodes
        )

    def _seen(self, machine: Machine, group: GroupState, target: str, *, looks: bool) -> Machine:
        """A fresh one is looked into once: what it says of its version is not what it booted with."""
        if not looks or not machine.is_there:
            return machine
        named = Version(group.template, target)
        return replace(machine, differs=self.group.difference(machine.id, named))

    def save(self, journal: Journal) -> None:
        write_durably(self.path, json.dumps(journal.as_data(), indent=1) + "\n")
        self.watcher(journal)

    def wanted(self) -> str:
        return self.hold.renew()

    def do(self, act: acts.Act, journal: Journal) -> Outcome:
        try:
            return self._in_cloud(act) or self._in_cluster(act, journal)
        except Lost:
            raise
        except RepairRefused as problem:
            return Outcome(is_done=False, why=str(problem))

    def _in_cloud(self, act: acts.Act) -> Outcome | None:
        match act:
            case acts.Suspend(process):
                return self.group.suspend(process)
            case acts.Resume(process):
                return self.group.resume(process)
            case acts.Resize(desired, largest):
                return self.group.resize(desired, largest)
            case acts.Bound(largest):
                return self.group.bound(largest)
            case acts.Pin(version):
                return self.group.pin(version)
            case acts.Protect(machine):
                return self.group.protect([machine], is_on=True)
            case acts.Complete(machine):
                return self.group.complete(machine)
            case acts.Terminate(machine, shrinks):
                return self.group.terminate(machine, shrinks=shrinks)
        return self._of_refresh(act)

    def _of_refresh(self, act: acts.Act) -> Outcome | None:
        match act:
            case acts.Shield(machines):
                return self.group.protect(machines, is_on=True)
            case acts.Unshield(machines):
                return self.group.protect(machines, is_on=False)
            case acts.HandToRefresh(machine):
                return self.group.protect([machine], is_on=False)
            case acts.StartRefresh(version, least_healthy, rolls_back):
                return self.group.start_refresh(version, least_healthy, rolls_back=rolls_back)
            case acts.CancelRefresh():
                return self.group.cancel_refresh()
        return None

    def _in_cluster(self, act: acts.Act, journal: Journal) -> Outcome:
        match act:
            case acts.Cordon(node):
                return self.kube.cordon(node, journal.id)
            case acts.Uncordon(node):
                return self.kube.uncordon(node, journal.id)
            case acts.Evict(namespace, pod, uid, _):
                return self.kube.evict(namespace, pod, uid)
            case acts.Label(node, kept):
                return self.kube.keep_labels(node, kept)
            case acts.Taint(node):
                return self.kube.taint(node, "looked-at", f"rollout {journal.id} has not proven it yet")
            case acts.Prove(node):
                return self._gated(node, self.gate.prove(node, self.hold.renew))
            case acts.Accept(node, level):
                return self._gated(node, self.gate.accept(node, level, self.hold.renew))
            case acts.Welcome(node):
                return self.kube.welcome(node)
        raise AssertionError(act)

    def _gated(self, node: str, answer: GateAnswer) -> Outcome:
        """What fails keeps the taint, with the reason."""
        if answer.rule:
            marked = self.kube.taint(node, answer.rule, answer.why)
            return marked if not marked.is_done else answer.outcome
        return DONE


class WallClock:
    def now(self) -> float:
        return time.time()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)

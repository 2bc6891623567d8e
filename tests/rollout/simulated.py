"""A group of nodes in memory that behaves as AWS and Kubernetes do, as far as a rollout can tell: what is ended is
replaced after a while, what is started joins after a while. It counts what must never happen, and dies on demand."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from nodeworthy.errors import CouldNotLook
from nodeworthy.rollout import acts
from nodeworthy.rollout.journal import Journal, Lane, Terms, journal_from
from nodeworthy.rollout.run import Driver
from nodeworthy.rollout.world import Budget, GroupState, Machine, Node, Pod, World

OLD, NEW = "3", "4"
TAINT = "nodeworthy/unverified:NoSchedule"


class KilledError(BaseException):
    """kill -9: nobody tidies up."""


@dataclass
class Simulated:
    nodes: int = 4
    fault: str = ""
    # At which point, counted over looks, acts and writes, it dies; None: never.
    dies_at: int | None = None
    # At which of them nobody answers for so many seconds, what was just done included.
    leaves_at: int | None = None
    away_for: float = 60.0
    group: GroupState = field(init=False)
    machines: dict[str, Machine] = field(default_factory=dict)
    there: dict[str, Node] = field(default_factory=dict)
    # What comes later: when, and what then happens.
    coming: list[tuple[float, Callable[[], None]]] = field(default_factory=list)
    time: float = 1000.0
    terminated: list[str] = field(default_factory=list)
    most_away: int = 0
    points: int = 0
    done: list[acts.Act] = field(default_factory=list)
    kept: str = ""
    asked: str = ""
    away_until: float = 0.0
    proven: list[str] = field(default_factory=list)
    refreshes: int = 0
    _made: int = 0
    _starting: int = 0
    _to: str = ""

    def __post_init__(self) -> None:
        self.group = GroupState("t4", self.nodes, self.nodes, self.nodes, "$Latest", NEW)
        for number in range(self.nodes):
            self._add(f"i-old{number}", OLD)
            self.there[f"n-i-old{number}"] = Node(f"n-i-old{number}", f"i-old{number}")

    # What a rollout asks and does

    def look(self, _: Journal) -> World:
        self._point()
        self._answer()
        return World(self.group, tuple(self.machines.values()), tuple(self.there.values()))

    def wanted(self) -> str:
        self._answer()
        return self.asked

    def save(self, journal: Journal) -> None:
        self._point()
        self.kept = json.dumps(journal.as_data())
        self._point()

    def do(self, act: acts.Act, journal: Journal) -> acts.Outcome:
        self._point()
        self._answer()
        self.done.append(act)
        outcome = self._do(act, journal)
        self._count()
        self._point()
        self._answer()
        return outcome

    def _answer(self) -> None:
        if self.time < self.away_until:
            raise CouldNotLook("nobody answers")

    def _point(self) -> None:
        self.points += 1
        if self.points == self.leaves_at:
            self.away_until = self.time + self.away_for
        if self.points == self.dies_at:
            raise KilledError

    def _do(self, act: acts.Act, journal: Journal) -> acts.Outcome:
        match act:
            case acts.Suspend(process):
                self.group = replace(self.group, suspended=self.group.suspended | {process})
            case acts.Resume(process):
                self.group = replace(self.group, suspended=self.group.suspended - {process})
            case acts.Pin(version):
                self.group = replace(self.group, named_version=version, version=version)
            case acts.Bound(largest):
                self.group = replace(self.group, largest=largest)
            case acts.Resize(desired, largest):
                self.group = replace(self.group, desired=desired, largest=largest)
                self._replace()
            case acts.Cordon(node):
                self._change(node, is_cordoned=True, mark=journal.id)
            case acts.Uncordon(node):
                self._change(node, is_cordoned=False, mark="")
            case acts.Terminate(machine, shrinks):
                self._terminate(machine, shrinks=shrinks)
            case acts.Protect(machine):
                self._protect((machine,), is_on=True)
            case _:
                return self._of_refresh(act) or self._of_pods(act)
        return acts.DONE

    def _of_refresh(self, act: acts.Act) -> acts.Outcome | None:
        match act:
            case acts.Shield(machines):
                self._protect(machines, is_on=True)
            case acts.Unshield(machines):
                self._protect(machines, is_on=False)
            case acts.HandToRefresh(machine):
                self._protect((machine,), is_on=False)
            case acts.StartRefresh(version, _, _):
                if self.group.refresh:
                    return acts.Outcome(is_done=False, why="AWS refuses it: InstanceRefreshInProgress")
                self.refreshes += 1
                self.group = replace(self.group, refresh=f"r-{self.refreshes}")
                self._to = version
                self.later(10, self._refresh)
            case acts.CancelRefresh(refresh):
                if refresh == self.group.refresh:
                    self.group = replace(self.group, is_cancelling=True)
                    self.later(15, lambda: self.over("Cancelled"))
            case _:
                return None
        return acts.DONE

    def _protect(self, machines: tuple[str, ...], *, is_on: bool) -> None:
        for each in machines:
            self.machines[each] = replace(self.machines[each], is_protected=is_on)

    def _refresh(self) -> None:
        """As AWS goes about it: whoever is not protected and of another version is ended; when none is left, it is over."""
        if not self.group.refresh or self.group.is_cancelling:
            return
        old = [each for each in self.machines.values() if each.version != self._to and each.id.startswith("i-old")]
        bare = next((each for each in old if not each.is_protected), None)
        if bare is not None:
            self._terminate(bare.id, shrinks=False)
        elif not old and len(self.machines) == self.group.desired:
            self.over("Successful")
            return
        self.later(10, self._refresh)

    def over(self, how: str) -> None:
        if not self.group.refresh:
            return
        ended = {**self.group.ended_refreshes, self.group.refresh: how}
        self.group = replace(self.group, refresh="", is_cancelling=False, ended_refreshes=ended)
        if how == "Successful":
            self.group = replace(self.group, named_version=self._to, version=self._to)

    def _of_pods(self, act: acts.Act) -> acts.Outcome:
        match act:
            case acts.Evict(_, pod, _, node):
                return self._evict(pod, node)
            case acts.Complete(machine):
                self._gone(machine)
            case acts.Label(node, kept):
                self._change(node, kept=kept)
            case acts.Taint(node):
                self._change(node, taints=(TAINT,))
            case acts.Prove(node):
                if self.fault == "suite":
                    return acts.Outcome(is_done=False, why=f"{node} fails profiling-before-driver")
                self.proven.append(node)
            case acts.Accept(node, _):
                if self.fault == "accept":
                    return acts.Outcome(is_done=False, why=f"{node} fails gpu-computes-right")
            case acts.Welcome(node):
                self._change(node, taints=())
        return acts.DONE

    # How the world goes

    def now(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.time += seconds
        due = [what for when, what in self.coming if when <= self.time]
        self.coming = [each for each in self.coming if each[0] > self.time]
        for each in due:
            each()
        self._count()

    def later(self, seconds: float, what: Callable[[], None]) -> None:
        self.coming.append((self.time + seconds, what))

    def _add(self, identifier: str, version: str) -> None:
        self.machines[identifier] = Machine(identifier, version=version)

    def _change(self, node: str, **values: Any) -> None:
        self.there[node] = replace(self.there[node], **values)

    def _terminate(self, machine: str, *, shrinks: bool) -> None:
        self.terminated.append(machine)
        if shrinks:
            self.group = replace(self.group, desired=self.group.desired - 1)
        if self.fault == "hook":
            self.machines[machine] = replace(self.machines[machine], state="Terminating:Wait")
        else:
            self._gone(machine)

    def _gone(self, machine: str) -> None:
        del self.machines[machine]
        self.there.pop(f"n-{machine}", None)
        self._replace()

    def _replace(self) -> None:
        if len(self.machines) + self._starting < self.group.desired:
            self._starting += 1
            self.later(20, self._start)

    def _version(self) -> str:
        return self._to if self.group.refresh else self.group.version

    def _start(self) -> None:
        self._starting -= 1
        if self.fault == "launch":
            self.group = replace(
                self.group, failed_launches=((str(self.time), "InsufficientInstanceCapacity: no p5.48xlarge is left"),)
            )
            return
        identifier = f"i-new{self._made}"
        self._made += 1
        self._add(identifier, OLD if self.fault == "old" else self._version())
        if self.fault != "join":
            self.later(3000 if self.fault == "late" else 60, lambda: self._join(identifier))

    def _join(self, machine: str) -> None:
        ready = self.fault != "never-ready"
        self.there[f"n-{machine}"] = Node(f"n-{machine}", machine, is_ready=ready, taints=(TAINT,))

    def _evict(self, pod: str, node: str) -> acts.Outcome:
        found = next(each for each in self.there[node].pods if each.name == pod)
        if any(each.allowed < 1 for each in found.budgets):
            return acts.Outcome(is_done=False, why="Cannot evict pod as it would violate the budget", later=True)
        self._change(node, pods=tuple(each for each in self.there[node].pods if each.name != pod))
        return acts.DONE

    def _count(self) -> None:
        world = World(self.group, tuple(self.machines.values()), tuple(self.there.values()))
        self.most_away = max(self.most_away, self.nodes - world.available)

    # For tests

    def give(self, node: int, *pods: Pod) -> None:
        self._change(f"n-i-old{node}", pods=(*self.there[f"n-i-old{node}"].pods, *pods))

    def empty(self, node: int) -> None:
        if f"n-i-old{node}" in self.there:
            self._change(f"n-i-old{node}", pods=())

    @property
    def uncordoned(self) -> bool:
        return not any(each.is_cordoned for each in self.there.values())


def journal(world: Simulated, terms: Terms, **values: Any) -> Journal:
    lanes = [Lane(each, f"n-{each}", **values) for each in world.machines]
    sizes = (world.group.desired, world.group.smallest, world.group.largest)
    named = ("r1", "t4", "us-east-2", "123456789012", "https://here", "$Latest", OLD, NEW)
    return Journal(*named, *sizes, terms, lanes, tuple(world.machines))


def rolled(world: Simulated, terms: Terms, said: list[str] | None = None, **values: Any) -> Journal:
    """Goes on until it ends, resumed whenever it was killed."""
    told: list[str] = [] if said is None else said
    made = journal(world, terms, **values)
    world.kept = json.dumps(made.as_data())
    while True:
        made = journal_from(json.loads(world.kept))
        try:
            Driver(made, world, world, told.append).run()
        except KilledError:
            continue
        return made


def pod(name: str, **values: Any) -> Pod:
    return Pod("research", name, f"uid-{name}", **{"owner": "ReplicaSet", **values})


def budget(allowed: int) -> Budget:
    return Budget("research", "keep", allowed, 1, 1)

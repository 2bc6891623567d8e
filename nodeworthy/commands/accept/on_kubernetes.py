"""`--on kubernetes`: the namespace in which a run takes place, what must be there, and its marks on nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from nodeworthy.collect.workload.live.ledger import read_ledger
from nodeworthy.collect.workload.live.on_kubernetes import OnKubernetes
from nodeworthy.collect.workload.live.places import Places, in_the_way
from nodeworthy.collect.workload.live.turn import Turn, remove_left_behind
from nodeworthy.collect.workload.live.workbench import Workbench
from nodeworthy.commands import judging
from nodeworthy.commands.accept import gate, live
from nodeworthy.commands.accept.options import Options
from nodeworthy.commands.accept.planned import namespace_of, plan, terms_of
from nodeworthy.errors import InputError
from nodeworthy.records import dataclass

if TYPE_CHECKING:
    from nodeworthy.collect.workload.jobs import RunTerms
    from nodeworthy.commands.accept.live import Live
    from nodeworthy.commands.settled import Run
    from nodeworthy.fleet.model import Fleet


def print_role(options: Options) -> int:
    from nodeworthy.collect.workload.live.role import manifests

    written = manifests(options.namespace, taints=options.taint)
    judging.hand_over(written, options.output)
    return 0


def prepare(options: Options, tests: tuple[str, ...], fleet: Fleet | None) -> Live:
    """Raises InputError, CouldNotLook."""
    terms = replace(terms_of(options, tests, fleet), is_watched=True)
    manner = live.manner_of(options, fleet)
    bench = Workbench(options.context, namespace_of(options))
    _check_home(bench, terms)
    planned = plan(options, tests, terms, fleet, bench)
    before = read_ledger(bench) if planned.shapes else {}
    planned = planned.without(in_the_way(planned.shapes, before, last=manner.last))
    turn = Turn(bench, terms.run, [before[each.node].pool for each in planned.shapes])
    ground = OfNamespace(options, terms, OnKubernetes(bench, terms, turn, before, live.PATIENCE))
    places = Places(before, manner.most, last=manner.last)
    return live.Live(options, planned, ground, before, places, live.courtesy_of(planned, places, manner))


def _check_home(bench: Workbench, terms: RunTerms) -> None:
    """Raises InputError where a run could not be courteous, or has no place."""
    rights = "apply what nodeworthy accept --print-role prints"
    if not bench.has_namespace():
        raise InputError(f"there is no namespace {bench.namespace} in {bench.server}: --namespace NAME, or {rights}")
    value = bench.priority(terms.priority_class)
    if value is None or value >= 0:
        what = "is not there, or not to be read" if value is None else f"is {value}, and gives way to nobody"
        raise InputError(f"PriorityClass {terms.priority_class} {what}: work of ours yields to any other, so {rights}")


@dataclass(frozen=True)
class OfNamespace:
    options: Options
    terms: RunTerms
    platform: OnKubernetes

    @property
    def where(self) -> str:
        return f"namespace {self.terms.namespace} of {self.platform.bench.server}"

    def shown(self) -> Sequence[str]:
        return (f"  PriorityClass {self.terms.priority_class}, below that of any other work; nothing is begun twice",)

    def begin(self) -> Iterator[str]:
        self.platform.turn.take()
        yield from remove_left_behind(self.platform.bench, self.terms.run)
        self.platform.prepare()

    def clear(self) -> str:
        count = self.platform.remove_all()
        self.platform.turn.leave()
        return f"{count} objects of {self.terms.selector}"

    @property
    def by_hand(self) -> str:
        kinds = "jobs,services,configmaps,leases"
        return f"kubectl delete {kinds} -n {self.terms.namespace} -l {self.terms.selector}"

    def mark(self, run: Run, fleet: Fleet | None, tried: gate.Tried) -> bool:
        return gate.mark_nodes(self.options, run, fleet, tried)

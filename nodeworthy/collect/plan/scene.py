"""A plan as facts, judged by the fleet of the previewed stack."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from nodeworthy.collect.aws.stack import Stack
from nodeworthy.collect.plan.aws import stack_of
from nodeworthy.collect.plan.manifests import CHART, GROUPS, manifests
from nodeworthy.collect.plan.plan import STACK_TYPE, PreviewedPlan, Resource, urn_of
from nodeworthy.collect.plan.planted import LATER, Planter
from nodeworthy.collect.plan.releases import RELEASES, Releases
from nodeworthy.collect.plan.standins import StandIns
from nodeworthy.derive import Facts
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.aws.node_group import NodeGroup
from nodeworthy.facts.aws.security_group import CLUSTER
from nodeworthy.facts.aws.world_ports import PlannedFleet
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.boot.unread_steps import not_followed
from nodeworthy.facts.fleet.asked_for import MonitoringNotPlanned, QueueNotPlanned
from nodeworthy.facts.fleet.gpu_pool import GpuPool, PoolDoor, doors_of_pools, pools_of
from nodeworthy.facts.fleet.node_size import NodeSize, sizes_unless_shared
from nodeworthy.facts.fleet.pool_claim import pool_claims
from nodeworthy.facts.fleet.pool_system import pool_systems
from nodeworthy.facts.fleet.pools_by_evidence import are_of_several_clusters, pools_asked_for, settle_drivers
from nodeworthy.facts.not_seen import NotLookedAt
from nodeworthy.facts.operator.driver_flavour import DriverBranch, DriverFlavour
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.facts.secrets.plain_text import PlainText
from nodeworthy.facts.secrets.planned_secret import PlannedSecret, outputs_in_plain_sight
from nodeworthy.facts.services.monitoring_stack import MonitoringStack
from nodeworthy.facts.services.queue_database import QueueDatabase
from nodeworthy.fleet.model import Fleet
from nodeworthy.known.secrets import spans
from nodeworthy.patterns import pattern
from nodeworthy.scene import Fact, Scene, make_scene
from nodeworthy.suppression import Suppression
from nodeworthy.verdict import Place

NO_OBJECTS = "this program makes no objects of Kubernetes"
# Resources that open other files, of which a preview sees nothing.
_OPENED_LATER = ("kubernetes:yaml", "kubernetes:kustomize", "kubernetes:yaml/v2")
# Charts that may bring it under a name of their own.
_DATABASES = pattern(r"postgres|pgmq|cnpg|cloudnative-?pg|stackgres|database|queue", re.IGNORECASE)
_METRICS = pattern(r"prometheus|monitoring|observability|victoria|mimir|grafana", re.IGNORECASE)


def unplanned_services(
    plan: PreviewedPlan, facts: Sequence[Fact], fleet: Fleet | None
) -> Iterator[MonitoringNotPlanned | QueueNotPlanned]:
    if fleet is None:
        return
    alone = None if any(_is_object(each) for each in plan.resources) else NO_OBJECTS
    if fleet.monitoring is not None and not any(isinstance(fact, MonitoringStack) for fact in facts):
        place = fleet.monitoring.place.about("monitoring")
        yield MonitoringNotPlanned(place, alone, _hidden(plan, _METRICS))
    if fleet.queue is not None and not Facts(facts).of(QueueDatabase):
        yield QueueNotPlanned(fleet.queue.place.about("queue"), alone, _hidden(plan, _DATABASES))


def _is_object(resource: Resource) -> bool:
    return resource.type.startswith("kubernetes:")


def _hidden(plan: PreviewedPlan, named: re.Pattern[str]) -> str | None:
    """Why it may be there all the same."""
    if not plan.complete:
        return "the program left before its end"
    for each in plan.resources:
        if each.remote or each.type.startswith(_OPENED_LATER):
            return f"{each.type} '{each.name}' may bring it, and is not opened here"
        if each.type in RELEASES and _may_be(each, named):
            return f"the chart of {each.name} may bring it, and is not opened here"
        if named is _DATABASES and each.type.startswith("aws:rds/"):
            return f"the database '{each.name}' of RDS may be it"
    return None


def _may_be(release: Resource, named: re.Pattern[str]) -> bool:
    chart = release.inputs.get("chart")
    return named.search(f"{release.name} {chart if isinstance(chart, str) else ''}") is not None


ENCRYPTED = f"{LATER}, or encrypted in the stack's config"


def scene_of(
    plan: PreviewedPlan,
    *,
    folder: Path,
    fleet: Fleet | None,
    no_fleet: str = "",
    made: StandIns | None = None,
    encrypted: bool = False,
    file: PlainText | None = None,
    suppressions: Sequence[Suppression] = (),
) -> Scene:
    """The scene of a plan: everything in it that rules ask for, and the fleet that it is judged by."""
    unknown = ENCRYPTED if encrypted else LATER
    stack = stack_of(plan, made, unknown)
    aws = stack.facts(fleet, no_fleet) if stack is not None else []
    facts = [*facts_of_resources(plan, Releases(folder, fleet), made, unknown), *aws]
    if not plan.complete:
        facts.append(
            NotLookedAt(
                Place(subject="the program"), "the program left before its end, so there may be more than it registered"
            )
        )
    if file is not None and spans(file.text):
        # Only then: that this file holds no secret says nothing about what the program makes.
        facts.append(file)
    facts += outputs_in_plain_sight(_outputs(plan, made, unknown))
    facts += _of_several(facts, fleet)
    facts = _told_once(facts, fleet)
    facts += unplanned_services(plan, facts, fleet)
    if fleet is None:
        facts = [*_joined(stack, facts), *_pools(stack, facts)]
        return make_scene(facts, dict.fromkeys((GpuPool, NodeSize), no_fleet), suppressions)
    missing = {GpuPool: f"the fleet of stack {plan.stack} has no GPU pool"}
    return make_scene(
        [*facts, fleet, PlannedFleet(fleet), *pool_claims(fleet), *pools_of(fleet, facts, _groups(facts))],
        missing,
        suppressions,
    )


def _pools(stack: Stack | None, facts: Sequence[Fact]) -> Iterator[GpuPool | NodeSize | PoolDoor]:
    """The pools that follow from what the program makes, the size of their nodes, and which pods may come to them."""
    values = [each for each in facts if isinstance(each, OperatorValues) and not each.cluster]
    asked = pools_asked_for(facts)
    planned = stack.gpu_pools(facts) if stack is not None else []
    pools = settle_drivers([*planned, *asked], values) if asked or are_of_several_clusters(planned) else planned
    yield from pools
    if stack is None or len(stack.resources.of(CLUSTER)) < 2:
        yield from doors_of_pools([*planned, *asked])
    yield from sizes_unless_shared(pools, [*facts, *values])


def _joined(stack: Stack | None, facts: list[Fact]) -> list[Fact]:
    """The facts, where a program makes several clusters: each knows into which one it is installed."""
    if stack is None or len(stack.resources.of(CLUSTER)) < 2:
        return facts
    return with_their_pools(facts, stack.pools_of_its_groups(facts))


def _outputs(plan: PreviewedPlan, made: StandIns | None, unknown: str) -> Tree:
    place = Place(urn=urn_of(plan.stack, plan.project, None, STACK_TYPE, f"{plan.project}-{plan.stack}"))
    return Planter(place, made, unknown).tree(dict(plan.outputs))


def _groups(facts: Iterable[Fact]) -> list[NodeGroup]:
    return [fact for fact in facts if isinstance(fact, NodeGroup)]


def _of_several(facts: Sequence[Fact], fleet: Fleet | None) -> Iterator[Fact]:
    yield from not_followed([fact for fact in facts if isinstance(fact, BootScript)])
    if fleet is not None:
        yield from pool_systems(fleet)


def _told_once(facts: Sequence[Fact], fleet: Fleet | None) -> list[Fact]:
    """The facts without the secrets that the rule for the queue's database looks for."""
    queues = Facts(facts).of(QueueDatabase)
    judged = [each for each in queues if each.is_for_pgmq or (fleet is not None and fleet.queue is not None)]
    told = {variable.get("value").place for each in judged for variable in each.passwords}
    return [fact for fact in facts if not (isinstance(fact, PlannedSecret) and fact.place in told)]


def scene_of_fleet(fleet: Fleet) -> Scene:
    """What can be judged before the program runs."""
    return make_scene(pool_claims(fleet))


def facts_of_resources(plan: PreviewedPlan, releases: Releases, made: StandIns | None, unknown: str) -> Iterator[Fact]:
    parents = {each.parent for each in plan.resources}
    for resource in plan.resources:
        planter = Planter(resource.place, made, unknown, resource.property_dependencies)
        if resource.type in GROUPS:
            yield from manifests(resource, planter, releases.folder)
        elif resource.remote:
            yield _unopened(resource)
        elif resource.type == CHART and not resource.inputs and resource.urn not in parents:
            yield NotLookedAt(resource.place, f"what the chart {resource.name} is given is not known before deployment")
        yield from (with_cluster_of_provider(each, resource, plan) for each in releases.facts(resource, planter))


def _unopened(resource: Resource) -> NotLookedAt:
    return NotLookedAt(
        resource.place,
        f"{resource.type} '{resource.name}' is a remote component: only its own provider can say what it would create",
        remedy="use the plain resources that it is made of, or preview with the pulumi CLI and policies/",
    )


# Of which of a program's clusters its releases are: by the provider that installs them, whose kubeconfig is made of a
# cluster's outputs.


# From where a provider knows its cluster; all of its other settings say nothing of it.
_KUBECONFIG = "kubeconfig"


def with_cluster_of_provider(fact: Fact, resource: Resource, plan: PreviewedPlan) -> Fact:
    """The operator's settings, with the cluster that its provider leads to."""
    if not isinstance(fact, OperatorValues):
        return fact
    provider = plan.by_urn.get(resource.provider.rpartition("::")[0])
    made_of = provider.property_dependencies.get(_KUBECONFIG, ()) if provider is not None else ()
    found = set(_clusters(plan, made_of))
    return replace(fact, cluster=found.pop()) if len(found) == 1 else fact


def _clusters(plan: PreviewedPlan, urns: Sequence[str]) -> Iterator[str]:
    """The names of those that these are, or are made of."""
    left, seen = list(urns), set[str]()
    while left:
        urn = left.pop()
        resource = plan.by_urn.get(urn)
        if resource is None or urn in seen:
            continue
        seen.add(urn)
        if resource.type == CLUSTER:
            yield resource.name
        else:
            left += [each for some in resource.property_dependencies.values() for each in some]


def with_their_pools(facts: Sequence[Fact], pools: Sequence[GpuPool]) -> list[Fact]:
    """Settings whose cluster is known are judged by the pools of that one alone."""
    clusters = {each.place.urn: each.cluster.name for each in facts if isinstance(each, NodeGroup) and each.cluster}
    return [_with_its_pools(each, pools, clusters) for each in facts]


def _with_its_pools(fact: Fact, pools: Sequence[GpuPool], clusters: dict[str | None, str]) -> Fact:
    if isinstance(fact, (DriverFlavour, DriverBranch)):
        return replace(fact, values=_judged_by(fact.values, pools, clusters))
    return _judged_by(fact, pools, clusters) if isinstance(fact, OperatorValues) else fact


def _judged_by(values: OperatorValues, pools: Sequence[GpuPool], clusters: dict[str | None, str]) -> OperatorValues:
    own = tuple(each for each in pools if clusters.get(each.place.urn) in (None, values.cluster))
    return replace(values, own={GpuPool: own}) if values.cluster else values

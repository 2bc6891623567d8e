"""Of which of a program's clusters its releases are: by the provider that installs them, whose kubeconfig is made of a
cluster's outputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from nodeworthy.collect.plan.plan import PreviewedPlan, Resource
from nodeworthy.facts.aws.node_group import NodeGroup
from nodeworthy.facts.aws.security_group import CLUSTER
from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.facts.operator.driver_flavour import DriverFlavour
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.scene import Fact

# From where a provider knows its cluster; all of its other settings say nothing of it.
_KUBECONFIG = "kubeconfig"


def of_its_cluster(fact: Fact, resource: Resource, plan: PreviewedPlan) -> Fact:
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
    if isinstance(fact, DriverFlavour):
        return replace(fact, values=_judged_by(fact.values, pools, clusters))
    return _judged_by(fact, pools, clusters) if isinstance(fact, OperatorValues) else fact


def _judged_by(values: OperatorValues, pools: Sequence[GpuPool], clusters: dict[str | None, str]) -> OperatorValues:
    own = tuple(each for each in pools if clusters.get(each.place.urn) in (None, values.cluster))
    return replace(values, own={GpuPool: own}) if values.cluster else values

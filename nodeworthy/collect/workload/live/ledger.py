"""The holders of a node's GPUs: before a run, to keep out of their way; after it, to show that all were given back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from nodeworthy.collect.in_cluster.job import RUN
from nodeworthy.collect.workload.jobs import UNVERIFIED
from nodeworthy.collect.workload.live.workbench import Workbench
from nodeworthy.collect.workload.targets import offers
from nodeworthy.documents.plain import mapping_at, mappings_at, number_at, strings_at, text_at
from nodeworthy.known.resources import gpu_names
from nodeworthy.records import dataclass

_POOL, _PRODUCT, _INSTANCE = "nodeworthy/pool", "nvidia.com/gpu.product", "node.kubernetes.io/instance-type"


@dataclass(frozen=True)
class Holder:
    """A pod that has GPUs of a node."""

    pod: str
    gpus: int
    # Of which run of ours; empty for anybody else's.
    run: str


@dataclass(frozen=True)
class NodeLedger:
    node: str
    pool: str
    offers: int
    # By which a machine of the same name is known to be another, or to have booted again.
    boot: str
    provider: str
    # Whether others may come to it now.
    is_open: bool
    holders: tuple[Holder, ...]

    @property
    def is_free(self) -> bool:
        """Whether it is free for us: between two runs of ours, whose turn it is decides."""
        return all(each.run for each in self.holders)


def pool_of_node(node: Mapping[str, Any]) -> str:
    """The name that its label gives it, else what makes it alike with others."""
    labels = strings_at(node, "metadata", "labels")
    return labels.get(_POOL) or "-".join(filter(None, (labels.get(_INSTANCE), labels.get(_PRODUCT))))


def read_ledger(bench: Workbench) -> dict[str, NodeLedger]:
    """What is held of all nodes that offer GPUs. It takes two lists, whatever their number. Raises CouldNotLook."""
    nodes = [each for each in bench.nodes("") if offers(each)]
    holders: dict[str, list[Holder]] = {}
    for pod in bench.all_pods():
        gpus = _gpus_of(pod)
        if gpus:
            holders.setdefault(text_at(pod, "spec", "nodeName"), []).append(_holder(pod, gpus))
    return {each.node: each for each in (_ledger(node, holders) for node in nodes)}


def _ledger(node: Mapping[str, Any], holders: Mapping[str, list[Holder]]) -> NodeLedger:
    name = text_at(node, "metadata", "name")
    return NodeLedger(
        name,
        pool_of_node(node),
        sum(offers(node).values()),
        text_at(node, "status", "nodeInfo", "bootID"),
        text_at(node, "spec", "providerID"),
        _is_open(node),
        tuple(holders.get(name, ())),
    )


def _is_open(node: Mapping[str, Any]) -> bool:
    closed = any(text_at(each, "key") == UNVERIFIED for each in mappings_at(node, "spec", "taints"))
    return not closed and mapping_at(node, "spec").get("unschedulable") is not True


def _holder(pod: Mapping[str, Any], gpus: int) -> Holder:
    name = f"{text_at(pod, 'metadata', 'namespace')}/{text_at(pod, 'metadata', 'name')}"
    return Holder(name, gpus, strings_at(pod, "metadata", "labels").get(RUN, ""))


def _gpus_of(pod: Mapping[str, Any]) -> int:
    """The GPUs as the scheduler counts them: the containers together, or the init container that asks for most."""
    beside = sum(_gpus_asked_by(each) for each in mappings_at(pod, "spec", "containers"))
    before = max((_gpus_asked_by(each) for each in mappings_at(pod, "spec", "initContainers")), default=0)
    return max(beside, before)


def _gpus_asked_by(container: Mapping[str, Any]) -> int:
    """GPUs and slices of them together: nobody holds a node of which any is held."""
    sides = [mapping_at(container, "resources", where) for where in ("requests", "limits")]
    return next((count for side in sides if (count := sum(number_at(side, name) or 0 for name in gpu_names(side)))), 0)


def others_on(ledger: NodeLedger) -> str:
    """The holders of GPUs there, in words."""
    return ", ".join(f"{each.pod} holds {each.gpus}" for each in ledger.holders)


def pods_holding(run: str, ledgers: Iterable[NodeLedger]) -> Iterator[tuple[str, Holder]]:
    """What pods of this run still hold."""
    for each in ledgers:
        yield from ((each.node, holder) for holder in each.holders if holder.run == run)

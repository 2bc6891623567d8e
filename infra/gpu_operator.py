"""NVIDIA's GPU operator, with the values that follow from the fleet's pools."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import declared
import pulumi
import pulumi_kubernetes as kubernetes
from pulumi_kubernetes.helm.v3 import Release, ReleaseArgs, RepositoryOptsArgs

from nodeworthy.documents.tree import Tree, merge, plant
from nodeworthy.fleet.model import Fleet
from nodeworthy.fleet.operator import effective_values
from nodeworthy.verdict import need
from userdata.registration import GPU, UNVERIFIED

NAME = "gpu-operator"
REPOSITORY = "https://helm.ngc.nvidia.com/nvidia"
# What makes a GPU node one is there before the node has been checked.
TOLERATIONS = [{"key": key, "operator": "Exists", "effect": "NoSchedule"} for key in (GPU, UNVERIFIED)]


def build(fleet: Fleet, provider: kubernetes.Provider | None, after: Sequence[pulumi.Resource]) -> Release | None:
    if fleet.operator is None or not fleet.gpu_pools:
        return None
    values = _plain(merge(plant(_placed(fleet), fleet.operator.place), effective_values(fleet)))
    return Release(
        NAME,
        ReleaseArgs(
            chart=NAME,
            version=f"v{need(fleet.operator.chart).removeprefix('v')}",
            repository_opts=RepositoryOptsArgs(repo=REPOSITORY),
            namespace=NAME,
            create_namespace=True,
            values=pulumi.Output.secret(values) if declared.is_secret() else values,
        ),
        opts=pulumi.ResourceOptions(provider=provider, depends_on=after),
    )


def _placed(fleet: Fleet) -> dict[str, Any]:
    """Where its parts may run: those of a node on every GPU node, the others there too where there is no other node."""
    on_nodes = {
        "daemonsets": {"tolerations": TOLERATIONS},
        "node-feature-discovery": {"worker": {"tolerations": TOLERATIONS}},
    }
    if any(not pool.is_gpu for pool in fleet.pools):
        return on_nodes
    return {
        "operator": {"tolerations": TOLERATIONS},
        "daemonsets": {"tolerations": TOLERATIONS},
        "node-feature-discovery": {part: {"tolerations": TOLERATIONS} for part in ("master", "worker", "gc")},
    }


def _plain(tree: Tree) -> Any:
    """The values as Helm takes them. What the fleet leaves open (a runtime that nobody named) is not set."""
    if tree.is_mapping:
        return {name: _plain(child) for name, child in tree.mapping.items() if not child.is_unknown}
    if tree.is_sequence:
        return [_plain(child) for child in tree.sequence if not _is_open(child)]
    return tree.value


def _is_open(variable: Tree) -> bool:
    return variable.is_unknown or any(part.is_unknown for part in variable.mapping.values())

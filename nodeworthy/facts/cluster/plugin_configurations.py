"""By which of its configurations the device plugin goes on each node: a label of the node names one, or a default."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.cluster.node_gpus import NodeGpus
from nodeworthy.facts.cluster.node_labels import label_that_switches_off
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# Source: NVIDIA/k8s-device-plugin 1b826acc: cmd/config-manager (updateConfigName); gpu-operator a22dbf67: controllers/
# object_controls.go, which sets FALLBACK_STRATEGIES=empty: without a label and a default no configuration counts.
CHOICE = "nvidia.com/device-plugin.config"


@dataclass(frozen=True)
class PluginConfigurations:
    """Those of one ClusterPolicy."""

    policy: Place
    config_map: str
    # What is in it; the one for nodes that name none; and what nodes name, with them.
    names: tuple[str, ...]
    default: str
    chosen: Mapping[str, Sequence[NodeGpus]]
    # The nodes that name none.
    others: Sequence[NodeGpus]


def plugin_configurations(
    policies: Collection[Tree], maps: Mapping[tuple[str, str], Sequence[str]], nodes: Collection[NodeGpus]
) -> Iterator[PluginConfigurations]:
    """`maps` are the ConfigMaps that were read, with the names of what is in them."""
    served = [node for node in nodes if node.has_gpus and not label_that_switches_off(node.labels)]
    for policy in policies:
        named = policy.get("spec", "devicePlugin", "config")
        name, namespace = named.get("name").string, policy.get("status", "namespace").string
        names = maps.get((namespace, name), ())
        if not names or not served:
            continue
        chosen: dict[str, list[NodeGpus]] = {}
        for node in served:
            chosen.setdefault(node.labels.get(CHOICE, ""), []).append(node)
        others = chosen.pop("", [])
        yield PluginConfigurations(policy.place, name, tuple(names), named.get("default").string, chosen, others)

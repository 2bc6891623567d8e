"""Which device plugins run on the nodes of a cluster."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar

from nodeworthy.facts.cluster.node import ClusterNode
from nodeworthy.facts.cluster.pod import ClusterPod
from nodeworthy.facts.operator.daemonset_manifest import DaemonSetManifest, Part
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

Key = tuple[str, str]


@dataclass(frozen=True)
class PluginsOnNodes:
    called: ClassVar[str] = "a device plugin on a node"

    # Those that run on the same nodes; one alone is as it should be.
    plugins: tuple[DaemonSetManifest, ...]
    nodes: tuple[str, ...]
    # The nodes among them whose image runs a device plugin as a service of the host.
    with_their_own: tuple[ClusterNode, ...] = ()

    @property
    def place(self) -> Place:
        return self.plugins[0].place


def plugins_on_nodes(
    daemonsets: Mapping[Key, DaemonSetManifest], pods: Iterable[ClusterPod], nodes: Iterable[ClusterNode]
) -> Iterator[PluginsOnNodes]:
    own = {node.name: node for node in nodes if node.brings_its_plugin}
    on: dict[str, set[Key]] = defaultdict(set)
    for pod in pods:
        key = (pod.namespace, pod.daemonset)
        plugin = daemonsets.get(key)
        if plugin is not None and plugin.part is not Part.DCGM_EXPORTER and pod.node and not pod.is_over:
            on[pod.node].add(key)
    together: dict[tuple[Key, ...], list[str]] = defaultdict(list)
    for node, keys in on.items():
        together[tuple(sorted(keys))].append(node)
    for keys_, names_ in together.items():
        names = tuple(sorted(names_))
        bring = tuple(own[name] for name in names if name in own)
        yield PluginsOnNodes(tuple(daemonsets[key] for key in keys_), names, bring)

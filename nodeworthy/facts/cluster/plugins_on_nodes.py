"""Which device plugins run on the nodes of a cluster."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar

from nodeworthy.facts.cluster.node import ClusterNode
from nodeworthy.facts.cluster.pod import ClusterPod
from nodeworthy.facts.operator.daemonset_manifest import DaemonSetManifest, Part
from nodeworthy.known.gpu_stack import INSTALLER
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import Place

Key = tuple[str, str]
# Google's plugin, and what tells it of another folder than GKE's; how GKE labels its nodes.
# Source: GoogleCloudPlatform/container-engine-accelerators, cmd/nvidia_gpu (-host-path: /home/kubernetes/bin/nvidia).
_IMAGE, _TOLD, _OF_GKE = "nvidia-gpu-device-plugin", "-host-path", "cloud.google.com/gke-"


@dataclass(frozen=True)
class PluginsOnNodes:
    called: ClassVar[str] = "a device plugin on a node"

    # Those that run on the same nodes; one alone is as it should be.
    plugins: tuple[DaemonSetManifest, ...]
    nodes: tuple[str, ...]
    # The nodes among them whose image runs a device plugin as a service of the host.
    with_their_own: tuple[ClusterNode, ...] = ()
    # Google's, and the nodes among them that are not GKE's.
    of_google: DaemonSetManifest | None = None
    not_googles: tuple[ClusterNode, ...] = ()

    @property
    def place(self) -> Place:
        return self.plugins[0].place


def plugins_on_nodes(
    daemonsets: Mapping[Key, DaemonSetManifest], pods: Iterable[ClusterPod], nodes: Iterable[ClusterNode]
) -> Iterator[PluginsOnNodes]:
    by_name = {node.name: node for node in nodes}
    own = {name: node for name, node in by_name.items() if node.brings_its_plugin}
    is_installed = False
    on: dict[str, set[Key]] = defaultdict(set)
    for pod in pods:
        is_installed = is_installed or pod.part == INSTALLER
        key = (pod.namespace, pod.daemonset)
        plugin = daemonsets.get(key) if pod.daemonset else None
        if plugin is not None and plugin.part is not Part.DCGM_EXPORTER and pod.node and not pod.is_over:
            on[pod.node].add(key)
    together: dict[tuple[Key, ...], list[str]] = defaultdict(list)
    for node, keys in on.items():
        together[tuple(sorted(keys))].append(node)
    for keys_, names_ in together.items():
        names = tuple(sorted(names_))
        bring = tuple(own[name] for name in names if name in own)
        found = PluginsOnNodes(tuple(daemonsets[key] for key in keys_), names, bring)
        googles = next((each for each in found.plugins if _is_googles(each)), None)
        yield found if googles is None or is_installed else _on_foreign_nodes(found, googles, by_name)


def _on_foreign_nodes(
    found: PluginsOnNodes, googles: DaemonSetManifest, nodes: Mapping[str, ClusterNode]
) -> PluginsOnNodes:
    """Google's gives containers what it finds where GKE has its driver: its own installer puts it there elsewhere."""
    foreign = tuple(nodes[name] for name in found.nodes if name in nodes and not _is_of_gke(nodes[name]))
    return replace(found, of_google=googles, not_googles=foreign)


def _is_googles(plugin: DaemonSetManifest) -> bool:
    """Whether it is Google's, and nobody told it where the driver is."""
    containers = plugin.pods.get("containers").sequence
    told = (each.string for one in containers for name in ("command", "args") for each in one.get(name).sequence)
    named = any(_IMAGE in each.get("image").string for each in containers)
    return named and not any(_TOLD in each for each in told)


def _is_of_gke(node: ClusterNode) -> bool:
    return "-gke." in node.kubelet or any(label.startswith(_OF_GKE) for label in node.labels)

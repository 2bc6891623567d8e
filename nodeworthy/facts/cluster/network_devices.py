"""The devices of second networks: which resource a network takes its device of, and which pods ask for none of it."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from nodeworthy.documents.plain import mapping_at, mappings_at, strings_at, text_at
from nodeworthy.facts.cluster.references import is_about_gpus, networks
from nodeworthy.records import dataclass, field
from nodeworthy.verdict import Place

Key = tuple[str, str]
ASKED = "k8s.v1.cni.cncf.io/networks"
_MADE = "k8s.v1.cni.cncf.io/network-status"
_OF = "k8s.v1.cni.cncf.io/resourceName"
_OVER = ("Running", "Succeeded", "Failed")
# The CNI plugins that move a device into the pod, and how each may be told which one without a resource.
# Source: k8snetworkplumbingwg/multus-cni 95a09323: pkg/k8sclient/k8sclient.go (getKubernetesDelegate: the device is one
# of those that kubelet gave the pod of the annotation's resource); sriov-cni: pkg/config/config.go; ib-sriov-cni:
# pkg/config/config.go; containernetworking/plugins: plugins/main/host-device/host-device.go; 2026-08.
_MOVES_A_DEVICE: Mapping[str, tuple[str, ...]] = {
    "sriov": ("deviceID",),
    "ib-sriov": ("deviceID",),
    "host-device": ("device", "hwaddr", "kernelpath", "kernelPath", "pciBusID"),
}


@dataclass(frozen=True, slots=True)
class Network:
    # Empty where its annotation names none.
    resource: str
    # The CNI plugin that needs a device of it; empty where it needs none, or is told which.
    needs_one: str


@dataclass(frozen=True)
class NoDevice:
    """Pods with GPUs on a network that moves a device into them, of which they ask for none."""

    network: Key
    plugin: str
    resource: str
    pods: tuple[str, ...]

    @property
    def place(self) -> Place:
        return Place(object=self.pods[0])


@dataclass
class NetworkDevicesSeen:
    by_network: dict[Key, Network] = field(default_factory=dict)
    # What policies call the virtual functions that they make, without the domain that is put before it; by whom.
    made_as: dict[str, str] = field(default_factory=dict)
    # Pods on second networks that have none yet: the networks, and all that they ask for.
    pods: dict[Key, tuple[tuple[Key, ...], frozenset[str]]] = field(default_factory=dict)

    def add(self, kind: str, key: Key, data: Mapping[str, Any]) -> None:
        if kind == "NetworkAttachmentDefinition":
            self.by_network[key] = _network(data)
        elif kind == "SriovNetworkNodePolicy" and (name := text_at(data, "spec", "resourceName")):
            self.made_as[name] = key[1]
        elif kind == "Pod":
            self._add_pod(key, data)

    def _add_pod(self, key: Key, data: Mapping[str, Any]) -> None:
        self.pods.pop(key, None)
        annotations = mapping_at(data, "metadata", "annotations")
        said = text_at(annotations, ASKED)
        if not said or _MADE in annotations or text_at(data, "status", "phase") in _OVER:
            return
        named = ((text_at(each, "namespace") or key[0], text_at(each, "name")) for each in networks(said))
        if is_about_gpus(data, by_words=False):
            self.pods[key] = tuple(named), frozenset(_asked_for(data))

    def add_all(self, other: NetworkDevicesSeen) -> None:
        self.pods.update(other.pods)

    @property
    def are_there(self) -> bool:
        return bool(self.by_network or self.made_as)

    def is_of_network(self, resource: str) -> bool:
        """Whether it is no GPU, whatever its domain: a network takes its device of it, or a policy makes it."""
        return any(each.resource == resource for each in self.by_network.values()) or self.maker_of(resource) != ""

    def maker_of(self, resource: str) -> str:
        """The policy that makes virtual functions of this name."""
        return self.made_as.get(resource.partition("/")[2], "")

    def networks_of(self, resource: str) -> list[Key]:
        return [key for key, each in self.by_network.items() if each.resource == resource]


def without_device(found: NetworkDevicesSeen, unplaced: Collection[str]) -> Iterator[NoDevice]:
    """`unplaced` are the pods that are on no node: what keeps them is another thing."""
    lacking: dict[tuple[Key, Network], list[str]] = {}
    for (namespace, name), (named, asked) in found.pods.items():
        pod = f"Pod/{namespace}/{name}"
        for key in named if pod not in unplaced else ():
            network = found.by_network.get(key)
            if network is not None and network.needs_one and network.resource not in asked:
                lacking.setdefault((key, network), []).append(pod)
    for (key, network), pods in lacking.items():
        yield NoDevice(key, network.needs_one, network.resource, tuple(sorted(pods)))


def _network(data: Mapping[str, Any]) -> Network:
    resource = strings_at(data, "metadata", "annotations").get(_OF, "")
    return Network(resource, _needs_one(text_at(data, "spec", "config")))


def _needs_one(written: str) -> str:
    """The first of its plugins moves the device; of a configuration that is no JSON nothing follows."""
    try:
        config = json.loads(written)
    except ValueError:
        return ""
    chained = mappings_at(config, "plugins")
    first = chained[0] if chained else config
    plugin = text_at(first, "type")
    told = _MOVES_A_DEVICE.get(plugin)
    return plugin if told is not None and not any(text_at(first, name) for name in told) else ""


def _asked_for(data: Mapping[str, Any]) -> Iterator[str]:
    for where in ("containers", "initContainers"):
        for each in mappings_at(data, "spec", where):
            for how in ("limits", "requests"):
                yield from mapping_at(each, "resources", how)

"""A node as the cluster knows it, and what it says of its container runtime."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

from nodeworthy.documents.plain import mapping_at, number_at, strings_at, text_at
from nodeworthy.facts.cluster.labelled_node import LabelledNode
from nodeworthy.facts.cluster.node_labels import gpu_of, says_it_has_gpus, type_count
from nodeworthy.known.containerd import Containerd, containerd_of, same_file, takes_base_dir
from nodeworthy.known.node_signs import Sign, cri_socket, signs
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field, replace
from nodeworthy.verdict import Located

GPU = "nvidia.com/gpu"
# Bottlerocket's images for NVIDIA run a device plugin as a service of the host, nvidia-k8s-device-plugin.
# Source: bottlerocket-os/bottlerocket, QUICKSTART-EKS.md; the name of the variant stands behind the release.
_WITH_OWN_PLUGIN = pattern(r"Bottlerocket OS \S{1,40} \([a-z0-9.-]{1,60}-nvidia\)")


@dataclass(frozen=True)
class ClusterNode(LabelledNode):
    called: ClassVar[str] = "a node of the cluster"

    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    kubelet: str = ""
    runtime: str = ""
    os_image: str = ""
    gpus: int = 0
    # A device plugin has registered there: kubelet keeps the name when it is gone, and counts none.
    has_counted_gpus: bool = False
    # Others say so: its pool of the fleet, a pod on it that asks for GPUs or for their runtime.
    used_for_gpus: bool = False

    @cached_property
    def gpu(self) -> str | None:
        return gpu_of(self.labels)

    @property
    def gpus_of_its_type(self) -> int:
        """How many it has, even where it offers none yet; 0 where nothing says so."""
        return type_count(self.labels) or 0

    @cached_property
    def is_gpu(self) -> bool:
        return self.has_counted_gpus or says_it_has_gpus(self.labels) or self.used_for_gpus

    @property
    def brings_its_plugin(self) -> bool:
        """Whether its image runs a device plugin that is no pod."""
        return _WITH_OWN_PLUGIN.match(self.os_image) is not None

    @cached_property
    def sign(self) -> Sign | None:
        """What the node shows of its distribution."""
        shown = (self.runtime, self.kubelet, self.os_image, self.labels)
        return next((each for each in signs() if each.holds(*shown)), None)

    @cached_property
    def says(self) -> str:
        """What it shows, in a reader's words."""
        said = [f"kubelet {self.kubelet}", self.os_image, self.runtime]
        if self.sign is not None and self.sign.label:
            said.append(f"label {self.sign.label}")
        return ", ".join(each for each in said if each not in ("", "kubelet "))

    @cached_property
    def containerd(self) -> Located[Containerd]:
        """The runtime that kubelet talks to, where the node itself decides it."""
        annotated = self._annotated()
        if annotated is not None:
            return Located.known(annotated, self.place.about(cri_socket().annotation))
        if self.sign is None:
            return Located.unknown("the node does not say which containerd its kubelet uses", self.place)
        candidates = {_paths(each): each for each in map(containerd_of, self.sign.distributions)}
        if len(candidates) > 1 or any(map(takes_base_dir, self.sign.distributions)):
            named = " or ".join(self.sign.distributions)
            why = f"the node says {named} of itself, which alone does not decide its paths"
            return Located.unknown(why, self.place)
        return Located.known(next(iter(candidates.values())), self.place)

    def _annotated(self) -> Containerd | None:
        socket = self.annotations.get(cri_socket().annotation, "").strip().removeprefix("unix://")
        if not socket.startswith("/") or self.runtime.startswith("cri-o"):
            return None
        plain = containerd_of(cri_socket().distribution)
        if same_file(socket, plain.socket):
            return plain
        # Whose socket it is says nothing of its config file.
        return replace(plain, socket=socket, config=None, units=(), source=cri_socket().source)


def _paths(runtime: Containerd) -> tuple[str | None, str | None]:
    return runtime.config, runtime.socket


def cluster_node(data: Any) -> ClusterNode:
    """Reads an object of kind Node."""
    return ClusterNode(
        name=text_at(data, "metadata", "name"),
        labels=strings_at(data, "metadata", "labels"),
        annotations=strings_at(data, "metadata", "annotations"),
        kubelet=text_at(data, "status", "nodeInfo", "kubeletVersion"),
        runtime=text_at(data, "status", "nodeInfo", "containerRuntimeVersion"),
        os_image=text_at(data, "status", "nodeInfo", "osImage"),
        gpus=number_at(data, "status", "capacity", GPU) or 0,
        has_counted_gpus=GPU in mapping_at(data, "status", "capacity"),
    )

"""A DaemonSet that looks at GPUs or hands them out: a DCGM exporter, a device plugin, as a manifest or as a chart."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar

from nodeworthy.documents.release import BY_COMMAND, Release, chart_name
from nodeworthy.documents.settled import settle
from nodeworthy.documents.tree import Tree, plant
from nodeworthy.known.hami import image_names
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located, Place

if TYPE_CHECKING:
    from nodeworthy.facts.pod.node_choice import Labels

GPU = "nvidia.com/gpu"
OPERATORS_OWN = "nvidia.com/gpu.deploy."


class Part(StrEnum):
    DCGM_EXPORTER = "a DCGM exporter"
    DEVICE_PLUGIN = "NVIDIA's device plugin"
    HAMI = "HAMi's device plugin"


_IMAGES = {
    "dcgm-exporter": Part.DCGM_EXPORTER,
    "k8s-device-plugin": Part.DEVICE_PLUGIN,
    "nvidia-gpu-device-plugin": Part.DEVICE_PLUGIN,
    **dict.fromkeys(image_names(), Part.HAMI),
}
# As their charts are called where it is known what those tolerate.
_TOLERATING = {Part.DEVICE_PLUGIN: "device-plugin", Part.DCGM_EXPORTER: "dcgm-exporter"}
# AMD's and Intel's images end alike (rocm/k8s-device-plugin), and hand out other GPUs.
_OF_OTHERS = ("rocm/", "amd/", "amdgpu", "intel/", "habana", "huawei", "ascend")
# Other programs that live in the device plugin's image.
_BESIDE_IT = ("feature-discovery", "gfd", "mps-control", "config-manager")
# As their DaemonSets are called, by the operator and by the plugin's chart.
_NAMED_BESIDE_IT = ("gpu-feature-discovery", "mps-control-daemon")
_RESOURCE = "--resource-name="
# How NVIDIA's plugin is given a configuration.
_CONFIGURED_BY, _CONFIGURATION = "CONFIG_FILE", "--config-file"


@dataclass(frozen=True)
class DaemonSetManifest:
    called: ClassVar[str] = "a DaemonSet of DCGM or of a device plugin"

    place: Place
    part: Part
    # How a reader finds it: DaemonSet 'kube-system/nvidia-device-plugin'.
    title: str
    # Where nodeSelector and affinity stand: a pod's spec, or a chart's values.
    pods: Tree
    # Of a device plugin: what it advertises.
    resource: Located[str]
    # Why its choice of nodes may be said elsewhere.
    elsewhere: str | None = None
    # `pods` are the values of its chart, which brings what they leave out.
    is_of_chart: bool = False
    # A script installs it: what lies beside that may be another way to the same.
    by_command: bool = False
    # It is given a configuration, which may share GPUs under another name.
    reads_configuration: bool = False
    # Its name is filled in later: it may be that of any other.
    is_named_later: bool = False

    @property
    def runtime_class(self) -> Located[Any]:
        return settle(self.pods.get("runtimeClassName"))

    def chooses(self, labels: Labels) -> bool | None:
        from nodeworthy.facts.pod.node_choice import chooses

        if (
            self.elsewhere is not None
            and self.pods.get("nodeSelector").is_absent
            and self.pods.get("affinity").is_absent
        ):
            return None
        return chooses(self.pods, labels)

    @property
    def tolerations(self) -> Tree:
        """What its pods tolerate: what is said, or else what its chart says."""
        said = self.pods.get("tolerations")
        if said.sequence or said.is_unknown or not self.is_of_chart or self.part not in _TOLERATING:
            return said
        from nodeworthy.known.operator_parts import chart_tolerations

        return plant(chart_tolerations(_TOLERATING[self.part]), said.place)

    @property
    def is_the_operators(self) -> bool:
        """The operator makes these itself, and its settings say whether."""
        selected = self.pods.get("nodeSelector").mapping.items()
        return any(key.startswith(OPERATORS_OWN) and value.text == "true" for key, value in selected)


def daemonsets(document: Tree) -> Iterator[DaemonSetManifest]:
    if document.get("kind").text != "DaemonSet":
        return
    pods = document.get("spec", "template", "spec")
    if document.get("metadata", "name").string.endswith(_NAMED_BESIDE_IT):
        return
    found = next(filter(None, map(_part, pods.get("containers").sequence)), None)
    if found is not None:
        part, container = found
        resource, is_configured = _resource(container), _is_configured(container)
        yield DaemonSetManifest(
            document.place,
            part,
            title_of(document),
            pods,
            resource,
            reads_configuration=is_configured,
            is_named_later=document.get("metadata", "name").is_unknown,
        )


# Where kubelet looks for plugins of devices.
_PLUGINS = "/var/lib/kubelet/device-plugins"


def hands_out_gpus(document: Tree) -> bool:
    """Whether it is a device plugin, without which no node of its offers any."""
    parts = (each.part for each in daemonsets(document))
    return any(each is not Part.DCGM_EXPORTER for each in parts)


def hands_out_devices(document: Tree) -> bool:
    """Whether it is kubelet's plugin of any device, of a network card for RDMA as well."""
    volumes = document.get("spec", "template", "spec", "volumes").sequence
    paths = (each.get("hostPath", "path").string.rstrip("/") for each in volumes)
    return document.get("kind").text == "DaemonSet" and _PLUGINS in paths


def title_of(document: Tree) -> str:
    namespace = document.get("metadata", "namespace").text
    name = document.get("metadata", "name").text or "without a name"
    return f"DaemonSet '{namespace}/{name}'" if namespace else f"DaemonSet '{name}'"


def _part(container: Tree) -> tuple[Part, Tree] | None:
    image = container.get("image").string
    if any(other in image for other in _OF_OTHERS):
        return None
    part = _IMAGES.get(posixpath.basename(image.split("@", maxsplit=1)[0]).split(":", maxsplit=1)[0])
    said = [container.get("name").string, *(each.string for each in _command(container))]
    if part is None or any(other in word for word in said for other in _BESIDE_IT):
        return None
    return part, container


def _command(container: Tree) -> Iterator[Tree]:
    yield from container.get("command").sequence
    yield from container.get("args").sequence


def _resource(container: Tree) -> Located[str]:
    for argument in _command(container):
        if argument.text is not None and argument.text.startswith(_RESOURCE):
            return Located(Known(argument.text.removeprefix(_RESOURCE)), argument.place)
    return Located(Known(GPU), container.place, written=False)


def _is_configured(container: Tree) -> bool:
    named = (each.get("name").text for each in container.get("env").sequence)
    return _CONFIGURED_BY in named or any(each.string.startswith(_CONFIGURATION) for each in _command(container))


def daemonsets_of_chart(release: Release) -> Iterator[DaemonSetManifest]:
    """What a release of one of these charts makes."""
    name, at = chart_name(release.chart), release.place
    if name == "hami":
        yield from _of_hami(release)
    elif name in _CHARTS:
        part, gpu, told = _CHARTS[name], Located(Known(GPU), at, written=False), release.elsewhere
        by_command = release.origin == BY_COMMAND
        yield DaemonSetManifest(at, part, release.title, release.values, gpu, told, True, by_command)


_CHARTS = {"dcgm-exporter": Part.DCGM_EXPORTER, "nvidia-device-plugin": Part.DEVICE_PLUGIN}


def _of_hami(release: Release) -> Iterator[DaemonSetManifest]:
    plugin, at = release.values.get("devicePlugin"), release.place
    if plugin.get("enabled").value is False:
        return
    chosen = plugin.get("nvidianodeSelector")
    pods = Tree({} if chosen.is_absent else {"nodeSelector": chosen}, at)
    resource = release.values.get("resourceName").located()
    if resource.state == Known(None):
        resource = Located(Known(GPU), resource.place, written=False)
    by_command = release.origin == BY_COMMAND
    yield DaemonSetManifest(at, Part.HAMI, release.title, pods, resource, release.elsewhere, False, by_command)


def overlap(one: DaemonSetManifest, other: DaemonSetManifest) -> bool | None:
    """Whether two of them go to one node; None where each asks for labels of its own that may be there or not."""
    from nodeworthy.facts.pod.node_choice import Labels, is_of_gpu_nodes

    ones, others = _fixed(one.pods), _fixed(other.pods)
    if any(others.get(key, value) != value for key, value in ones.items()):
        return False
    labels = Labels({**ones, **others})
    chosen = {one.chooses(labels), other.chooses(labels)}
    if False in chosen:
        return False
    apart = all(any(not is_of_gpu_nodes(key) for key in each) for each in (ones.keys() - others, others.keys() - ones))
    return None if apart or None in chosen else True


def _fixed(pods: Tree) -> dict[str, str]:
    """The labels without which it goes nowhere."""
    return {key: value.text for key, value in pods.get("nodeSelector").mapping.items() if value.text is not None}

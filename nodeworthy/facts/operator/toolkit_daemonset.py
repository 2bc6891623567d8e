"""The DaemonSet that runs NVIDIA's container toolkit, and the host folders that it really mounts.

Its environment is of no use here: the operator rewrites the user's host paths to paths inside the pod. What
the toolkit can reach is told by the volumes alone.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from functools import cached_property

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.cluster.node import ClusterNode
from nodeworthy.facts.cluster.pod import ClusterPod
from nodeworthy.known.containerd import Containerd, defaults, same_file
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located, Place, Unknown, value_if_known

NAME = "nvidia-container-toolkit-daemonset"
IMAGE = "container-toolkit"
# Where the operator mounts what it was told (gpu-operator: controllers/object_controls.go).
CONFIG_MOUNT = "/runtime/config-dir"
SOCKET_MOUNT = "/runtime/sock-dir"
NRI_MOUNT = "/runtime/nri-sock-dir"
VOLUMES = {CONFIG_MOUNT: "containerd-config", SOCKET_MOUNT: "containerd-socket"}
_CHART = "gpu-operator-"
OPT_OUT = "nvidia.com/gpu.deploy.container-toolkit"


def is_toolkit_daemonset(document: Tree) -> bool:
    """Whether its name, its label or its image says that it is the toolkit's, in whatever namespace."""
    template = document.get("spec", "template")
    named = [
        document.get("metadata", "name"),
        *(each.get("metadata", "labels", "app") for each in (document, template)),
    ]
    images = (each.get("image").string for each in template.get("spec", "containers").sequence)
    return any(each.text == NAME for each in named) or any(_repository(each) == IMAGE for each in images)


def _repository(image: str) -> str:
    return image.split("@", maxsplit=1)[0].rsplit("/", 1)[-1].split(":", maxsplit=1)[0]


@dataclass(frozen=True)
class ToolkitDaemonSet:
    document: Tree

    @cached_property
    def namespace(self) -> str:
        return self.document.get("metadata", "namespace").string

    @cached_property
    def name(self) -> str:
        return self.document.get("metadata", "name").string

    @property
    def place(self) -> Place:
        return self.document.place

    @property
    def release(self) -> str:
        """The release of the operator that made it, as its chart states it; empty where it does not."""
        made_by = self.document.get("metadata", "labels", "helm.sh/chart").string
        return made_by.removeprefix(_CHART) if made_by.startswith(_CHART) else ""

    @cached_property
    def config_folder(self) -> Located[str | None]:
        """The host folder that it takes for the one of containerd's config; None where it mounts none."""
        return self._mounted(CONFIG_MOUNT)

    @cached_property
    def socket_folder(self) -> Located[str | None]:
        return self._mounted(SOCKET_MOUNT)

    @cached_property
    def config_file(self) -> str | None:
        """The file of the host that it writes: the operator keeps the name of the one that it was told."""
        folder, inside = value_if_known(self.config_folder), self._variables.get("RUNTIME_CONFIG")
        name = posixpath.basename(inside or self._variables.get("CONTAINERD_CONFIG", ""))
        return posixpath.join(folder, name) if folder and name else None

    @cached_property
    def uses_nri(self) -> bool:
        return bool(value_if_known(self._mounted(NRI_MOUNT))) and not value_if_known(self.socket_folder)

    @cached_property
    def runtime(self) -> str:
        """What it was told to configure."""
        return self._variables.get("RUNTIME", "") or "containerd"

    @cached_property
    def restarts_nothing(self) -> bool:
        """Whether it was told to write its runtime and to leave the restart to others (CONTAINERD_RESTART_MODE)."""
        return any(name.endswith("RESTART_MODE") and value == "none" for name, value in self._variables.items())

    @cached_property
    def runtime_names(self) -> frozenset[str]:
        """The runtime handlers that it writes."""
        named = self._variables.get("CONTAINERD_RUNTIME_CLASS") or self._variables.get("NVIDIA_RUNTIME_NAME")
        base = defaults().runtime_class
        return frozenset(filter(None, (named, base, f"{base}-cdi", f"{base}-legacy")))

    @cached_property
    def ready_everywhere(self) -> bool:
        """Whether its own status says so."""
        desired, ready = self._count("desiredNumberScheduled"), self.ready_count
        return desired is not None and ready is not None and 0 < desired <= ready

    @cached_property
    def ready_count(self) -> int | None:
        return self._count("numberReady")

    @cached_property
    def runs_somewhere(self) -> bool:
        return self._count("desiredNumberScheduled") != 0

    def _count(self, name: str) -> int | None:
        counted = self.document.get("status", name).value
        return counted if isinstance(counted, int) and not isinstance(counted, bool) else None

    @cached_property
    def node_selector(self) -> Mapping[str, str]:
        return self._pods.get("nodeSelector").texts

    def owns(self, pod: ClusterPod) -> bool:
        if pod.namespace != self.namespace:
            return False
        return pod.daemonset == self.name or (not pod.daemonset and self._selects(pod))

    def _selects(self, pod: ClusterPod) -> bool:
        if not self._selected:
            return pod.name.startswith(f"{self.name}-")
        return all(pod.labels.get(name) == value for name, value in self._selected.items())

    @cached_property
    def _selected(self) -> Mapping[str, str]:
        return self.document.get("spec", "selector", "matchLabels").texts

    def chooses(self, node: ClusterNode) -> bool:
        """Whether it would run there. Without a selector of its own, it is meant for GPU nodes."""
        if node.labels.get(OPT_OUT) == "false":
            return False
        if not self.node_selector:
            return node.is_gpu
        return all(node.labels.get(name) == value for name, value in self.node_selector.items())

    @cached_property
    def _pods(self) -> Tree:
        return self.document.get("spec", "template", "spec")

    @cached_property
    def _variables(self) -> Mapping[str, str]:
        entries = (env for container in self._containers for env in container.get("env").sequence)
        return {name: env.get("value").string for env in entries if (name := env.get("name").text)}

    @property
    def _containers(self) -> Iterator[Tree]:
        yield from self._pods.get("containers").sequence

    def _mounted(self, where: str) -> Located[str | None]:
        mounts = (mount for container in self._containers for mount in container.get("volumeMounts").sequence)
        here = next((each for each in mounts if posixpath.normpath(each.get("mountPath").text or ".") == where), None)
        # A volume of the operator's own name is mounted there, even if what was kept of the pod does not show it.
        name = here.get("name").text if here is not None else VOLUMES.get(where)
        volume = next((each for each in self._pods.get("volumes").sequence if each.get("name").text == name), None)
        if volume is None and here is None:
            return Located(Known(None), self.place, written=False)
        path = volume.get("hostPath", "path").text if volume else None
        place = self.place.about(f"spec.template.spec.volumes[{name}].hostPath.path")
        if path is None:
            return Located.unknown(f"what is mounted at {where} is no folder of the host", place)
        return Located.known(path, place)

    def misses(self, runtime: Containerd) -> tuple[Miss, ...]:
        """Which of its folders are not those of this runtime."""
        found = (
            _miss("config", self.config_folder, runtime.config, (), runtime),
            _miss("socket", self.socket_folder, runtime.socket, runtime.older_sockets, runtime),
        )
        return tuple(each for each in found if each is not None)


@dataclass(frozen=True)
class Miss:
    """A folder that is mounted, and is not the one of kubelet's containerd."""

    kind: str
    mounted: str
    right: str
    located: Located[str | None]
    # Where releases of the distribution disagree, it may be right after all.
    doubtful: bool


def _miss(
    kind: str, located: Located[str | None], right: str | None, older: tuple[str, ...], runtime: Containerd
) -> Miss | None:
    mounted = value_if_known(located)
    if mounted is None or right is None or isinstance(located.state, Unknown):
        return None
    folders = [posixpath.dirname(each) for each in (right, *older)]
    if any(same_file(mounted, each) for each in folders):
        return None
    doubtful = any(same_file(mounted, posixpath.dirname(each)) for each in runtime.doubtful)
    return Miss(kind, mounted, folders[0], located, doubtful)

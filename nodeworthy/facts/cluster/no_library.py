"""Why a program finds no library of the driver in its container, although its pod names NVIDIA's RuntimeClass."""

from __future__ import annotations

from nodeworthy.facts.cluster.pod import ClusterPod
from nodeworthy.known.containerd import defaults
from nodeworthy.known.evidence import Evidence

# By these a program says that it finds none, for whatever reason.
FINDS_NO_DRIVER = ("plugin-no-nvml", "nvml-library-not-found")
_BY_MOUNTS = (
    "its pod says by a variable which GPUs it wants, and hands them out by mounts "
    "(DEVICE_LIST_STRATEGY=volume-mounts); a toolkit that is set up for mounts takes variables of privileged "
    "containers alone, and this one is none, so it gets neither a GPU nor the driver's library"
)
_LET_IT = (
    "let the device plugin's container add the capability SYS_ADMIN, or be privileged (its chart does where it is told "
    "deviceListStrategy: volume-mounts); to be sure: grep accept-nvidia-visible-devices "
    "/etc/nvidia-container-runtime/config.toml on the node"
)
_IN_ITS_CLASS = (
    "no driver library is in its container, though its RuntimeClass is {name}: its node has no driver where the "
    "toolkit looks for it, or the handler of that class is not NVIDIA's runtime there"
)
_LOOK_THERE = (
    "look at the driver first: nvidia-smi on {node}; then at the runtime: containerd config dump | grep -i -A6 "
    "runtimes.nvidia; kubectl get runtimeclass {name} -o yaml"
)


def without_library(pod: ClusterPod, known: Evidence | None) -> tuple[str, str] | None:
    """Returns why, and what to do; what is known of the words alone supposes that no class is named."""
    if known is None or known.id not in FINDS_NO_DRIVER:
        return None
    if pod.lists_by_mounts:
        return _BY_MOUNTS, _LET_IT
    if not pod.runtime_class.startswith(defaults().runtime_class):
        return None
    named, node = pod.runtime_class, pod.node or "its node"
    return _IN_ITS_CLASS.format(name=named), _LOOK_THERE.format(name=named, node=node)

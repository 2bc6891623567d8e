"""Why a program finds no library of the driver in its container, although its pod names NVIDIA's RuntimeClass."""

from __future__ import annotations

from nodeworthy.facts.cluster.node_labels import GOOGLES
from nodeworthy.facts.cluster.own_logs import ONLY_NONE
from nodeworthy.facts.cluster.pod import ClusterPod
from nodeworthy.known.containerd import defaults
from nodeworthy.known.evidence import Evidence
from nodeworthy.known.platforms import platforms

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
_TOLD_OF_NONE = (
    "its pod has NVIDIA_VISIBLE_DEVICES=none, so NVIDIA's runtime gives the container no GPU; the operator and its "
    "charts do not write that: {}"
)
_BY_A_POLICY = "{} has changed this pod as it was made"
_BY_SOMEBODY = "its values say so, or an admission policy writes it into pods that ask for no GPU"
_LEAVE_IT_OUT = (
    "leave the namespace of the GPU stack out of the policy that writes it (Kyverno: exclude with namespaces), or take "
    "it out of the values, then delete the pod; to be sure: kubectl get pod POD -o yaml | grep -A1 -e "
    "NVIDIA_VISIBLE_DEVICES -e last-applied-patches; kubectl get mutatingwebhookconfigurations"
)
# The driver's libraries are in its container all the same.
_FINDS_NO_GPU = ("no-cuda-device", "plugin-no-devices")
# A container without it lacks the driver's tools as well.
_LACKS_IT = (*FINDS_NO_DRIVER, "plugin-no-devices", "smi-not-in-container")
_BY_RUNTIME = {
    "cri-o": (
        "no driver library is in its container: CRI-O of its node starts it without NVIDIA's hook or runtime; the "
        "operator's toolkit puts the hook into /run/containers/oci/hooks.d, which CRI-O reads where hooks_dir of its "
        "configuration names that folder (OpenShift's does), and since 25.3 a runtime into crio.conf.d; or its "
        "node has no driver",
        'write hooks_dir = ["/usr/share/containers/oci/hooks.d", "/run/containers/oci/hooks.d"] under [crio.runtime] '
        "of /etc/crio/crio.conf and restart crio; where the toolkit writes a runtime, give the pod runtimeClassName: "
        "nvidia; then delete the pod; to be sure, on the node: crio config | grep -A4 -e hooks_dir -e default_runtime; "
        "ls /run/containers/oci/hooks.d /etc/crio/crio.conf.d; nvidia-smi",
    ),
    "docker": (
        "no driver library is in its container: Docker of its node starts it by its default runtime, which is not "
        "NVIDIA's (a RuntimeClass does not choose one for Docker); or the node has no driver",
        'write "default-runtime": "nvidia" into /etc/docker/daemon.json beside "runtimes", systemctl restart '
        "docker, then delete the pod; to be sure, on the node: docker info | grep -i runtime; nvidia-smi",
    ),
}
_ON_GKE = (
    "no driver library is in its container: GKE's driver lies in /home/kubernetes/bin/nvidia of the node, no runtime "
    "of NVIDIA's puts it anywhere, and GKE's own device plugin gives it to containers that ask for nvidia.com/gpu "
    "alone, which this one does not; or the node's driver is not installed yet"
)
_MOUNT_IT = (
    "mount that folder (a hostPath volume) at /usr/local/nvidia, set LD_LIBRARY_PATH=/usr/local/nvidia/lib64, and let "
    "the container be privileged: of the exporter's chart extraHostVolumes, extraVolumeMounts and securityContext; GKE "
    "has DCGM of its own as well (gcloud container clusters update NAME --monitoring=SYSTEM,DCGM)"
)
# A part of the stack that is there is none that Google brings: of DCGM and NVML these say no more than that.
_OF_GKE = (*FINDS_NO_DRIVER, "plugin-no-devices", "nvml-initialization", "dcgm-initialization")
_IN_ITS_CLASS = (
    "no driver library is in its container, though its RuntimeClass is {name}: its node has no driver where the "
    "toolkit looks for it, or the handler of that class is not NVIDIA's runtime there"
)
_LOOK_THERE = (
    "look at the driver first: nvidia-smi on {node}; then at the runtime: containerd config dump | grep -i -A6 "
    "runtimes.nvidia; kubectl get runtimeclass {name} -o yaml"
)


# By these a program says no more than that it finds no GPU, or nothing of the driver, in its container.
_FINDS_NOTHING = frozenset((*ONLY_NONE, *FINDS_NO_DRIVER, "smi-not-in-container"))


def by_platform(pod: ClusterPod, known: Evidence, platform: str) -> tuple[str, str] | None:
    """Why, and what to do, where the platform of its node has its own way of getting the driver into a container."""
    own = platforms().get(platform)
    if pod.part and platform == GOOGLES:
        return None
    if own is None or known.id not in _FINDS_NOTHING or pod.lists_by_mounts:
        return None
    by_its_class = own.by_class and pod.runtime_class.startswith(defaults().runtime_class)
    return None if by_its_class else (own.why, own.remedy)


def without_library(pod: ClusterPod, known: Evidence, runtime: str = "") -> tuple[str, str] | None:
    """Returns why, and what to do; what is known of the words alone supposes that no class is named, and that its
    node's `runtime` is containerd."""
    if pod.told_of_none and known.id in _FINDS_NO_GPU:
        by = _BY_A_POLICY.format(pod.changed_by) if pod.changed_by else _BY_SOMEBODY
        return _TOLD_OF_NONE.format(by), _LEAVE_IT_OUT
    if runtime == GOOGLES and known.id in _OF_GKE and not pod.mounts_googles_driver:
        return _ON_GKE, _MOUNT_IT
    by_runtime = _BY_RUNTIME.get(runtime.partition(":")[0])
    if by_runtime is not None and known.id in _LACKS_IT and not pod.lists_by_mounts:
        return by_runtime
    if known.id not in FINDS_NO_DRIVER:
        return None
    if pod.lists_by_mounts:
        return _BY_MOUNTS, _LET_IT
    if not pod.runtime_class.startswith(defaults().runtime_class):
        return None
    named, node = pod.runtime_class, pod.node or "its node"
    return _IN_ITS_CLASS.format(name=named), _LOOK_THERE.format(name=named, node=node)

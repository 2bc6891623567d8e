"""What a node's labels say of its hardware."""

from __future__ import annotations

from collections.abc import Mapping

from nodeworthy.known.cloud_gpus import MachineGpus, gpus_of_machine, gpus_of_size
from nodeworthy.known.gpus import gpu_named
from nodeworthy.known.instances import exists, gpus_of, has_gpus
from nodeworthy.known.node_signs import is_labelled_with_a_gpu
from nodeworthy.known.operator_parts import DEVICE_PLUGIN

PRODUCT = "nvidia.com/gpu.product"
COUNT = "nvidia.com/gpu.count"
POOL = "nodeworthy/pool"
# By which clouds say how many a machine was started with, where its type leaves that open or is a new one.
TYPE_COUNTS = ("cloud.google.com/gke-accelerator-count", "karpenter.k8s.aws/instance-gpu-count")
INSTANCE_TYPES = ("node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type")
# What starts containers of GKE's nodes, beside the driver that Google installs: no runtime of NVIDIA's.
GOOGLES = "gke"
# What GPU feature discovery puts behind the product of GPUs that are shared.
SHARED = "-SHARED"
# And of GPUs whose MIG devices the strategy `single` has no one name for: the device plugin then offers none.
# Source: k8s-device-plugin, internal/lm/mig-strategy.go and internal/rm/nvml_manager.go (1.0.0 and since).
INVALID, _STRATEGY, LAYOUT = "-MIG-INVALID", "nvidia.com/mig.strategy", "nvidia.com/mig.config"
# Of a device plugin that makes several of one GPU, or slices of it: the count is not that of the GPUs.
_SLICE, _WHOLE, _REPLICAS = "-MIG-", "all-disabled", "nvidia.com/gpu.replicas"
_SHARED_BY_GKE = ("cloud.google.com/gke-gpu-partition-size", "cloud.google.com/gke-max-shared-clients-per-gpu")

# A pool's own label shows that it is GKE itself: others set the first by hand.
_OF_GKE = ("cloud.google.com/gke-accelerator", "cloud.google.com/gke-nodepool")
_GKES_DRIVER = "cloud.google.com/gke-gpu-driver-version"

# What the operator says of a node that it is changing; GPUs are taken away for that, and come back.
# Source: mig-parted, deployments/container (nvidia.com/mig.config.state); gpu-operator, k8s-operator-libs pkg/upgrade
# (nvidia.com/gpu-driver-upgrade-state); gpu-operator-validator and mig-manager pause parts by their deploy label.
_CHANGES = {
    "nvidia.com/mig.config.state": ("its GPUs are being cut by MIG", frozenset(("pending", "rebooting"))),
    "nvidia.com/gpu-driver-upgrade-state": (
        "its driver is being upgraded",
        frozenset(
            (
                "cordon-required",
                "wait-for-jobs-required",
                "pod-deletion-required",
                "drain-required",
                "node-maintenance-required",
                "post-maintenance-required",
                "pod-restart-required",
                "validation-required",
                "uncordon-required",
            )
        ),
    ),
    DEVICE_PLUGIN: (
        "its device plugin was stopped for a change",
        frozenset(("paused-for-mig-change", "paused-for-driver-upgrade", "paused-for-vgpu-change")),
    ),
}


def wrongly_cut(labels: Mapping[str, str]) -> str | None:
    """How its GPUs are cut, where the strategy `single` can't name what came of that."""
    if not labels.get(PRODUCT, "").endswith(INVALID) or labels.get(_STRATEGY, "single") != "single":
        return None
    return labels.get(LAYOUT) or "as it is"


def instance_type_of(labels: Mapping[str, str]) -> str:
    for name in INSTANCE_TYPES:
        if labels.get(name):
            return labels[name]
    return ""


def type_count(labels: Mapping[str, str]) -> int | None:
    """How many GPUs a node has, by its type or by what feature discovery counted; None where neither tells."""
    typical, counted = gpus_of(instance_type_of(labels)), labels.get(COUNT, "")
    if typical is not None and typical.count >= 1:
        return typical.count
    machine = _machine_of(labels)
    if machine is not None and machine.count is not None:
        return machine.count
    said = next((labels[name] for name in TYPE_COUNTS if labels.get(name, "").isdecimal()), "")
    if 0 < len(said) < 4:
        return int(said)
    return int(counted) if counted.isdecimal() and 0 < len(counted) < 4 else None


def counts_whole_gpus(labels: Mapping[str, str]) -> bool:
    """Whether what it counts are its GPUs, and neither slices nor shares of them. The strategy of MIG alone says
    nothing: it is the operator's default, and stands on nodes that are not cut."""
    is_cut = _SLICE in labels.get(PRODUCT, "") or labels.get(LAYOUT, _WHOLE) != _WHOLE
    is_shared = labels.get(_REPLICAS, "1") not in ("0", "1") or any(name in labels for name in _SHARED_BY_GKE)
    return not (is_cut or is_shared)


def gpus_if_all_counted(labels: Mapping[str, str], counted: int) -> int:
    """How many a node has, those included that it has and does not count: of them another rule tells."""
    typical = type_count(labels) if not counted or counts_whole_gpus(labels) else None
    return max(counted, typical or 0)


def gpu_of(labels: Mapping[str, str]) -> str | None:
    """The GPU's canonical name, from its product label, else from the instance type; None where neither tells."""
    typical = gpus_of(instance_type_of(labels)) or _machine_of(labels)
    return gpu_of_product(labels.get(PRODUCT, "")) or (typical.gpu if typical else None)


def _machine_of(labels: Mapping[str, str]) -> MachineGpus | None:
    """The machine type of a node of Google Cloud or Azure, where GPUs are a part of the type."""
    kind = instance_type_of(labels)
    return gpus_of_machine(kind) or gpus_of_size(kind)


def change_under_way(labels: Mapping[str, str]) -> str | None:
    """Why its GPUs may be away for a while, with the label that says so."""
    told = (
        f"{says} ({name}={labels[name]})" for name, (says, states) in _CHANGES.items() if labels.get(name) in states
    )
    return next(told, None)


def waits_for_an_installer(labels: Mapping[str, str]) -> bool:
    """Whether it is one of GKE's pools for which Google installs no driver: its installer's DaemonSet chooses those.

    Source: GoogleCloudPlatform/container-engine-accelerators, nvidia-driver-installer (affinity)."""
    return all(each in labels for each in _OF_GKE) and _GKES_DRIVER not in labels


def says_it_has_gpus(labels: Mapping[str, str]) -> bool:
    """Whether it has any, even of a kind that nobody names."""
    kind = instance_type_of(labels)
    # Other clouds call theirs by letters and numbers, too.
    of_its_type = (has_gpus(kind) and exists(kind)) or _machine_of(labels) is not None
    return PRODUCT in labels or of_its_type or is_labelled_with_a_gpu(labels)


def gpu_of_product(product: str) -> str | None:
    gpu = gpu_named(product.removesuffix(SHARED))
    return gpu.name if gpu is not None else None


# By which a node is taken out of what the operator brings: all of it, or its device plugin.
# Source: NVIDIA/gpu-operator a22dbf67: controllers/state_manager.go (hasOperandsDisabled, gpuStateLabels); 2026-08.
_SWITCHES = ("nvidia.com/gpu.deploy.operands", "nvidia.com/gpu.deploy.device-plugin")


def label_that_switches_off(labels: Mapping[str, str]) -> str:
    """The label by which somebody keeps the operator's device plugin away from the node."""
    return next((name for name in _SWITCHES if labels.get(name) == "false"), "")

"""The extended resources by which a container asks for GPUs, whole, sliced or shared."""

from __future__ import annotations

GPU = "nvidia.com/gpu"
_DOMAINS = ("nvidia.com/", "amd.com/", "gpu.intel.com/")
# Of the operator's domain, and no GPU: what network devices are called there.
_NOT_GPUS = ("nvidia.com/hostdev", "nvidia.com/mlnx", "nvidia.com/sriov", "nvidia.com/rdma", "nvidia.com/ib")


def is_gpu_resource(name: str) -> bool:
    return name.startswith(_DOMAINS) and not name.startswith(_NOT_GPUS)


def holds_a_gpu(name: str) -> bool:
    """Whether a count of it is a count of GPUs or of their slices, and not of memory or cores."""
    return is_gpu_resource(name) and not name.startswith(("nvidia.com/gpumem", "nvidia.com/gpucores"))

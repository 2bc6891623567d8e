"""What a node's labels say of its hardware."""

from __future__ import annotations

from collections.abc import Mapping

from nodeworthy.known.gpus import gpu_named
from nodeworthy.known.instances import gpus_of

PRODUCT = "nvidia.com/gpu.product"
COUNT = "nvidia.com/gpu.count"
POOL = "nodeworthy/pool"
INSTANCE_TYPES = ("node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type")
# What GPU feature discovery puts behind the product of GPUs that are shared.
SHARED = "-SHARED"


def instance_type_of(labels: Mapping[str, str]) -> str:
    return next((labels[name] for name in INSTANCE_TYPES if labels.get(name)), "")


def type_count(labels: Mapping[str, str]) -> int | None:
    """How many GPUs a node has, by its type or by what feature discovery counted; None where neither tells."""
    typical, counted = gpus_of(instance_type_of(labels)), labels.get(COUNT, "")
    if typical is not None and typical.count >= 1:
        return typical.count
    return int(counted) if counted.isdecimal() and 0 < len(counted) < 4 else None


def gpu_of(labels: Mapping[str, str]) -> str | None:
    """The GPU's canonical name, from its product label, else from the instance type; None where neither tells."""
    typical = gpus_of(instance_type_of(labels))
    return gpu_of_product(labels.get(PRODUCT, "")) or (typical.gpu if typical else None)


def gpu_of_product(product: str) -> str | None:
    gpu = gpu_named(product.removesuffix(SHARED))
    return gpu.name if gpu is not None else None

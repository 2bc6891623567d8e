"""The names under which a node offers NVIDIA's GPUs: whole ones, and slices by MIG, a name for each profile."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

GPU = "nvidia.com/gpu"
_MIG = "nvidia.com/mig-"
# Of what several pods are given at once (time-slicing, MPS) the plugin's configuration makes another name.
SHARED = ".shared"


def mig_profile(resource: str) -> str:
    """Which one it is a slice of (1g.10gb); empty for whatever is none."""
    return resource.removeprefix(_MIG) if resource.startswith(_MIG) and not resource.endswith(SHARED) else ""


def gpu_names(amounts: Mapping[str, Any]) -> list[str]:
    """The names among these that are GPUs, or slices of them that one pod alone holds."""
    return [each for each in sorted(amounts) if each == GPU or mig_profile(each)]

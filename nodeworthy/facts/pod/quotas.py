"""What a namespace may have of GPUs, by a quota: a ResourceQuota, OpenShift's over several namespaces, and what makes
ResourceQuotas of its own (Kubeflow's Profile, Capsule's Tenant)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import ClassVar

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.pod.containers import is_gpu_resource
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# What a quota counts of a device is called so; every other name of it counts nothing.
COUNTED = "requests."
_LIMITS = "limits."
_PREFIXES = (COUNTED, _LIMITS)
# HAMi's scheduler, from 2.8 on, counts by `limits.` what is asked of it: shares, and GPUs beside them.
_OF_HAMI = ("nvidia.com/gpumem", "nvidia.com/gpucores")


@dataclass(frozen=True)
class DeviceQuota:
    called: ClassVar[str] = "a quota of GPUs"

    place: Place
    title: str
    hard: Tree

    @cached_property
    def uncounted(self) -> Mapping[str, Tree]:
        """The amounts of devices that nobody counts, by their names as they are written."""
        is_of_hami = any(name.removeprefix(_LIMITS).startswith(_OF_HAMI) for name in self.hard.mapping)
        return {
            name: tree
            for name, tree in self.hard.mapping.items()
            if is_gpu_resource(device := name.removeprefix(_LIMITS))
            and f"{COUNTED}{device}" not in self.hard.mapping
            and not is_of_hami
        }


def device_quotas(document: Tree) -> Iterator[DeviceQuota]:
    called = f"{document.get('kind').text} '{document.get('metadata', 'name').text or ''}'"
    for hard in _hards(document.get("spec")):
        if any(
            is_gpu_resource(name.partition(".")[2] if name.startswith(_PREFIXES) else name) for name in hard.mapping
        ):
            yield DeviceQuota(hard.heading, called, hard)


def _hards(spec: Tree) -> Iterator[Tree]:
    for holder in (
        spec,
        spec.get("quota"),
        spec.get("resourceQuotaSpec"),
        *spec.get("resourceQuotas", "items").sequence,
    ):
        yield holder.get("hard")

"""What pods claim by Dynamic Resource Allocation: their claims, the classes there are, who publishes devices."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from nodeworthy.documents.plain import mapping_at, mappings_at, text_at
from nodeworthy.known.dra import classes_of_gpus, is_nvidias
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field
from nodeworthy.verdict import Place, Related

Key = tuple[str, str]
_SHOWN = 3
# How a class says whose devices it means, as those of drivers do.
_DRIVER = pattern(r"device\.driver\s{0,4}==\s{0,4}[\"'](?P<name>[a-z0-9.-]{1,120})[\"']")
# What the API server adds to a name that it makes.
_LETTERS = pattern(r"-[bcdfghjklmnpqrstvwxz2-9]{5}$")
_ROOT = (
    "see what its pod on that node says, and where the node has its driver: nvidiaDriverRoot of the chart is / where "
    "the host brings it, /run/nvidia/driver where the operator does, /home/kubernetes/bin/nvidia on GKE"
)


@dataclass(frozen=True)
class ClaimFault:
    """Why a claim can't be had, whatever the scheduler says of it."""

    says: str
    is_: str
    should: str
    cause: str
    remedy: str
    related: tuple[Related, ...] = ()


@dataclass(frozen=True, slots=True)
class DevicesOf:
    """What one ResourceSlice publishes."""

    driver: str
    node: str
    count: int


@dataclass
class ClaimedDevices:
    """The names and counts of classes, claims and slices, and no more: a large cluster has many."""

    # The drivers that a class names; none where its selectors do not say.
    classes: dict[str, frozenset[str]] = field(default_factory=dict)
    # The classes that a claim asks for, as long as it has no devices.
    claims: dict[Key, tuple[str, ...]] = field(default_factory=dict)
    slices: dict[str, DevicesOf] = field(default_factory=dict)

    def add_class(self, name: str, data: Any) -> None:
        said = (text_at(each, "cel", "expression") for each in mappings_at(data, "spec", "selectors"))
        self.classes[name] = frozenset(found["name"] for each in said for found in _DRIVER.finditer(each))

    def add_claim(self, key: Key, data: Any) -> None:
        self.claims.pop(key, None)
        if not mapping_at(data, "status", "allocation"):
            self.claims[key] = tuple(dict.fromkeys(filter(None, _classes_of(data))))

    def add_slice(self, name: str, data: Any) -> None:
        spec = mapping_at(data, "spec")
        self.slices[name] = DevicesOf(
            text_at(spec, "driver"), text_at(spec, "nodeName"), len(mappings_at(spec, "devices"))
        )

    @property
    def nodes_with_gpus(self) -> Sequence[str]:
        """The nodes whose GPUs NVIDIA's driver hands out by claims."""
        theirs = (each for each in self.slices.values() if each.driver in classes_of_gpus() and each.count)
        return sorted({each.node for each in theirs if each.node})

    def made_for(self, namespace: str, beginnings: Collection[str]) -> Iterator[str]:
        """The claims that were made for a pod, by how they are called."""
        for space, name in self.claims if beginnings else ():
            if space == namespace and (name in beginnings or _LETTERS.sub("", name) in beginnings):
                yield name

    def fault(
        self, namespace: str, claims: Iterable[str], *, knows_classes: bool, knows_slices: bool
    ) -> ClaimFault | None:
        """`knows_…` tell whether all of them were read: what was not may be there."""
        asked = {name: self.claims.get((namespace, name), ()) for name in claims}
        for claim, classes in asked.items():
            for each in classes:
                if knows_classes and each not in self.classes and _may_be_gpus(each):
                    return self._without_class(Place(object=f"ResourceClaim/{namespace}/{claim}"), claim, each)
        for each in dict.fromkeys(name for classes in asked.values() for name in classes):
            for driver in sorted(self.classes.get(each, ())):
                if knows_slices and is_nvidias(driver) and not any(self._published(driver)):
                    return self._without_devices(each, driver)
        return None

    def _published(self, driver: str) -> Iterator[int]:
        return (each.count for each in self.slices.values() if each.driver == driver)

    def _without_class(self, place: Place, claim: str, name: str) -> ClaimFault:
        there = ", ".join(sorted(self.classes)[:_SHOWN]) or "none"
        brings = (
            "the DRA driver that makes it is not installed, or with resources.gpus.enabled: false"
            if (name in classes_of_gpus())
            else "nobody has made it, or the claim names it wrongly"
        )
        return ClaimFault(
            f"the DeviceClass '{name}' that their claim names is not there",
            f"the DeviceClasses of the cluster: {there}",
            f"a DeviceClass '{name}', or a claim of one that there is",
            brings,
            "name a class that there is (kubectl get deviceclasses), or install what makes it; a claim can't be "
            "changed: delete it, and the pod, and apply both anew",
            (Related(place, f"claim '{claim}' asks for {name}"),),
        )

    def _without_devices(self, name: str, driver: str) -> ClaimFault:
        empty = sorted({each.node for each in self.slices.values() if each.driver == driver})
        if not empty:
            return ClaimFault(
                f"no node publishes devices of {driver}",
                f"no ResourceSlice of {driver}",
                f"ResourceSlices of {driver} with the devices of each node",
                f"the driver of the class '{name}' runs on no node, has not started, or does not hand out such devices",
                "see that its kubelet plugin runs on the nodes with GPUs (kubectl get pods -A | grep dra), and what it "
                "says; of NVIDIA's chart that resources.gpus.enabled and gpuResourcesEnabledOverride are true",
            )
        nodes = ", ".join(f"'{each}'" for each in empty[:_SHOWN] if each)
        return ClaimFault(
            f"the DRA driver publishes no devices of {driver}",
            f"ResourceSlices without devices{f' of node {nodes}' if nodes else ''}",
            "the devices of each node with GPUs in its ResourceSlice",
            f"{driver} runs and finds no GPU: it looks for NVIDIA's driver where the node does not have it, the driver "
            "is not loaded, or no GPU is left to it",
            _ROOT,
        )


def _classes_of(claim: Mapping[str, Any]) -> Iterator[str]:
    for each in mappings_at(claim, "spec", "devices", "requests"):
        yield text_at(each, "deviceClassName")
        yield text_at(each, "exactly", "deviceClassName")
        yield from (text_at(sub, "deviceClassName") for sub in mappings_at(each, "firstAvailable"))


def _may_be_gpus(device_class: str) -> bool:
    """Others' drivers bear their makers' domains: network cards, FPGAs. What bears none may be anything."""
    return is_nvidias(device_class) or "gpu" in device_class or "." not in device_class

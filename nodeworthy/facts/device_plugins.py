"""What would hand out GPUs in one cluster: the operator's plugin, NVIDIA's own, HAMi's."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from nodeworthy.facts.boot_script import BootScript
from nodeworthy.facts.daemonset_manifest import GPU, DaemonSetManifest, Part, overlap
from nodeworthy.facts.node_selection import asked_for, is_of_gpu_nodes
from nodeworthy.facts.operator_values import OperatorValues
from nodeworthy.facts.profiling_nodes import registrations
from nodeworthy.fleet.model import Fleet
from nodeworthy.known.operator_parts import DEVICE_PLUGIN
from nodeworthy.verdict import Known, Located, Place

# Labels by which HAMi's plugin chooses its nodes; they say nothing of the operator's.
_HAMIS_OWN = frozenset(("gpu",))


@dataclass(frozen=True)
class Advertiser:
    title: str
    place: Place
    enabled: Located[bool]
    resource: Located[str]
    # None for the operator's, which goes to every GPU node that does not opt out, and for a fleet's HAMi.
    manifest: DaemonSetManifest | None = None
    is_operators: bool = False


@dataclass(frozen=True)
class DevicePlugins:
    called: ClassVar[str] = "a set of device plugins"
    whole_stack: ClassVar[bool] = True

    advertisers: tuple[Advertiser, ...]
    # Nodes register with the label by which the operator's plugin leaves them out.
    opted_out: bool = False

    @property
    def place(self) -> Place:
        return self.advertisers[-1].place


def device_plugins(facts: Sequence[Any], fleet: Fleet | None) -> Iterator[DevicePlugins]:
    """Those that might meet: of one alone nothing is proven. A fleet is one cluster; without one, only what lies in one
    folder is taken to be for one cluster."""
    opted_out = any(_opts_out(fact) for fact in facts if isinstance(fact, BootScript))
    found = list(_advertisers(facts))
    if fleet is not None:
        if fleet.hami is not None:
            found.append(_of_the_fleet(fleet.hami.place))
        sets: Iterable[list[Advertiser]] = [found]
    else:
        by_folder: dict[str, list[Advertiser]] = defaultdict(list)
        for each in found:
            by_folder[posixpath.dirname(each.place.path or "")].append(each)
        sets = by_folder.values()
    for each_set in sets:
        if len(each_set) > 1:
            yield DevicePlugins(tuple(each_set), opted_out)


def _advertisers(facts: Iterable[Any]) -> Iterator[Advertiser]:
    for fact in facts:
        if isinstance(fact, OperatorValues):
            enabled = fact.part("devicePlugin", default=True)
            gpu = Located(Known(GPU), fact.place, written=False)
            yield Advertiser("the operator's device plugin", enabled.place, enabled, gpu, is_operators=True)
        elif isinstance(fact, DaemonSetManifest) and fact.part is not Part.DCGM_EXPORTER and not fact.is_the_operators:
            on = Located(Known(True), fact.place, written=False)
            yield Advertiser(f"{fact.part} ({fact.title})", fact.place, on, fact.resource, fact)


def _of_the_fleet(place: Place) -> Advertiser:
    on, gpu = Located(Known(True), place), Located(Known(GPU), place, written=False)
    return Advertiser(f"{Part.HAMI} (the fleet has HAMi)", place, on, gpu)


def _opts_out(script: BootScript) -> bool:
    return any(labels.get(DEVICE_PLUGIN) == "false" for _, labels in registrations(script))


def meet(one: Advertiser, other: Advertiser, *, opted_out: bool) -> bool | None:
    """Whether both go to one node; None where that is not known."""
    if one.is_operators and other.is_operators:
        return False  # the same operator, from several files
    if one.manifest is not None and other.manifest is not None:
        same = one.manifest.title == other.manifest.title
        return False if same else overlap(one.manifest, other.manifest)
    manifest = one.manifest or other.manifest
    if not (one.is_operators or other.is_operators):
        return manifest is not None and manifest.part is not Part.HAMI  # the fleet's HAMi and its manifest are one
    if opted_out:
        return False
    if manifest is None:
        return True
    labels = asked_for(manifest.pods)
    if DEVICE_PLUGIN in labels:
        return False
    return True if all(is_of_gpu_nodes(each) or each in _HAMIS_OWN for each in labels) else None

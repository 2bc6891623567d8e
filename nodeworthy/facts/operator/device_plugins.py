"""What would hand out GPUs in one cluster: the operator's plugin, NVIDIA's own, HAMi's."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from nodeworthy.derive import derive
from nodeworthy.documents.release import BY_COMMAND, LOOSE, STACK_CONFIG
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.fleet.gpu_pool import GpuPool, PoolDoor
from nodeworthy.facts.hami.values import HamiValues, truth
from nodeworthy.facts.operator.daemonset_manifest import GPU, DaemonSetManifest, Part, overlap
from nodeworthy.facts.operator.fleet_operator import DeclaredFleet, FleetsOperator
from nodeworthy.facts.operator.sharing import SharingConfig
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.facts.profiling.nodes import registrations
from nodeworthy.fleet.model import Fleet
from nodeworthy.known.hami import resources
from nodeworthy.known.operator_parts import DEVICE_PLUGIN
from nodeworthy.known.resources import SHARED
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import Known, Located, Place, Related

# What says which plugins are deployed, and how they share.
_Brought = OperatorValues | DaemonSetManifest | HamiValues | SharingConfig
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
    # A command installs it.
    by_command: bool = False
    # The release that names the file of values which says it, where one does.
    release: Place | None = None
    # The labels by which HAMi's chart chooses its nodes; None where no such values are here.
    hamis_nodes: tuple[str, ...] | None = None


@dataclass(frozen=True)
class DevicePlugins:
    called: ClassVar[str] = "a set of device plugins"
    whole_stack: ClassVar[bool] = True

    advertisers: tuple[Advertiser, ...]
    # Nodes register with the label by which the operator's plugin leaves them out.
    opted_out: bool = False
    # The pools to which the operator's plugin goes.
    doors: tuple[PoolDoor, ...] = ()

    @property
    def place(self) -> Place:
        return self.advertisers[-1].place

    def where_both_go(self, one: Advertiser, other: Advertiser) -> PoolDoor | None:
        """A pool whose nodes register with the labels by which one of them chooses, beside the operator's."""
        manifest = one.manifest or other.manifest
        if manifest is None or self.opted_out or not (one.is_operators or other.is_operators):
            return None
        return next((each for each in self.doors if _comes_to(manifest, each)), None)


@derive
def device_plugins(
    brought: Sequence[_Brought | GpuPool | PoolDoor],
    scripts: Sequence[BootScript] | None,
    fleet: Fleet | None,
    declared: DeclaredFleet | None,
    operator: FleetsOperator | None,
) -> Iterator[DevicePlugins]:
    """The device plugins that might meet: one alone proves nothing. A fleet is one cluster; without one, only what lies
    in one folder is taken to be for one cluster."""
    opted_out = any(map(_opts_out, scripts or ()))
    found = list(_advertisers(brought if declared is None or operator is None else (operator.values, *brought)))
    configs = [each for each in brought if isinstance(each, SharingConfig)]
    found = [_as_configured(each, configs) for each in found]
    if fleet is not None:
        if fleet.hami is not None and not any(each.hamis_nodes is not None for each in found):
            found.append(_of_the_fleet(fleet.hami.place))
        sets: Iterable[list[Advertiser]] = [found]
    else:
        by_folder: dict[str, list[Advertiser]] = defaultdict(list)
        for each in found:
            for where in _whereabouts(each):
                by_folder[where].append(each)
        sets = {tuple(map(id, each)): each for each in by_folder.values()}.values()
    for each_set in sets:
        if len(each_set) > 1:
            yield DevicePlugins(tuple(each_set), opted_out, tuple(_doors_of_the_operators(brought)))


def _doors_of_the_operators(brought: Sequence[_Brought | GpuPool | PoolDoor]) -> Iterator[PoolDoor]:
    """Its chart tolerates the taint of nodes with GPUs, and no other."""
    pools = [each for each in brought if isinstance(each, (GpuPool, PoolDoor))]
    for each in brought:
        if isinstance(each, OperatorValues):
            for door in _doors_for(each, pools):
                taints = {taint.key for taint in door.pool.machines.taints if taint.keeps_away}
                if taints <= {GPU} and not door.shuts_operators_plugin_out:
                    yield door


def _as_configured(advertiser: Advertiser, configs: Sequence[SharingConfig]) -> Advertiser:
    """By its configuration a plugin may share GPUs under a name of their own, beside another that hands out whole
    ones."""
    manifest = advertiser.manifest
    if manifest is None or not manifest.reads_configuration:
        return advertiser
    where = _whereabouts(advertiser)[0]
    beside = [each for each in configs if posixpath.dirname(each.place.file) == where]
    renaming = next((each for config in beside if (each := config.renaming(GPU)) is not None), None)
    if renaming is None:
        return advertiser
    return replace(advertiser, resource=Located(Known(f"{GPU}{SHARED}"), renaming.place))


def _whereabouts(advertiser: Advertiser) -> Sequence[str]:
    """The folder, and that of the release that brings it; of a plugin that a script installs the script, for those
    beside it are often other ways to the same. The operator of a script meets what lies beside it, and what the same
    script installs."""
    path = advertiser.place.file
    folder = posixpath.dirname(path)
    if not advertiser.by_command:
        release = advertiser.release
        return [folder] if release is None else list(dict.fromkeys((folder, posixpath.dirname(release.file))))
    return [folder, path] if advertiser.is_operators else [path]


@dataclass(frozen=True)
class PluginBesideImage:
    called: ClassVar[str] = "a device plugin beside a machine image that runs one"

    title: str
    place: Place
    enabled: Located[bool]
    door: PoolDoor
    # What says that the image runs one.
    own: Related


@derive
def plugins_beside_images(
    brought: Sequence[OperatorValues | DaemonSetManifest], pools: Sequence[GpuPool | PoolDoor]
) -> Iterator[PluginBesideImage]:
    """The device plugins that go to nodes whose image runs one."""
    for each in brought:
        for door in _doors_for(each, pools):
            own = door.plugin_of_image
            if own is not None and _comes_to(each, door):
                for one in _advertisers([each]):
                    yield PluginBesideImage(one.title, each.place, one.enabled, door, own)


def _doors_for(brought: OperatorValues | DaemonSetManifest, pools: Sequence[GpuPool | PoolDoor]) -> Sequence[PoolDoor]:
    """The doors of the values' own cluster, where that is known; none for values that nobody wrote."""
    if isinstance(brought, OperatorValues):
        if brought.implied:
            return ()
        pools = brought.own.get(GpuPool, pools)
    doors = [each for each in pools if isinstance(each, PoolDoor)]
    return doors or [PoolDoor(each) for each in pools if isinstance(each, GpuPool)]


def _comes_to(brought: OperatorValues | DaemonSetManifest, door: PoolDoor) -> bool:
    if isinstance(brought, OperatorValues):
        return not door.shuts_operators_plugin_out
    from nodeworthy.facts.fleet.node_taint import untolerated_taint
    from nodeworthy.facts.pod.node_choice import Labels

    labels = {name: each.shown() for name, each in door.labels.items()}
    is_kept_away = untolerated_taint(door.pool.machines.taints, brought.tolerations) is not None
    return brought.part is Part.DEVICE_PLUGIN and brought.chooses(Labels(labels)) is True and not is_kept_away


def _advertisers(
    facts: Iterable[_Brought | GpuPool | PoolDoor],
) -> Iterator[Advertiser]:
    for fact in facts:
        if isinstance(fact, OperatorValues):
            enabled = fact.part("devicePlugin", default=True)
            gpu = Located(Known(GPU), fact.place, written=False)
            title, by_command = "the operator's device plugin", fact.origin == BY_COMMAND
            yield Advertiser(title, enabled.place, enabled, gpu, None, True, by_command, fact.place)
        elif isinstance(fact, DaemonSetManifest) and fact.part is not Part.DCGM_EXPORTER and not fact.is_the_operators:
            on = Located(Known(True), fact.place, written=False)
            title = f"{fact.part} ({fact.title})"
            yield Advertiser(title, fact.place, on, fact.resource, fact, by_command=fact.by_command)
        elif isinstance(fact, HamiValues) and fact.origin in (LOOSE, STACK_CONFIG):  # a release is a DaemonSetManifest
            yield _of_values(fact)


def _of_values(values: HamiValues) -> Advertiser:
    enabled = truth(values.said("devicePlugin", "enabled"), default=True)
    on = enabled or Located(Known(True), values.place, written=False)
    gpu = values.said("resourceName") or Located(Known(resources().count), values.place, written=False)
    nodes = tuple(values.node_selector.mapping)
    return Advertiser(f"{Part.HAMI} ({values.origin})", values.place, on, gpu, hamis_nodes=nodes)


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
        return False if _are_versions(one.manifest, other.manifest) else overlap(one.manifest, other.manifest)
    manifest = one.manifest or other.manifest
    nodes = next((each.hamis_nodes for each in (one, other) if each.hamis_nodes is not None), None)
    if nodes is not None and (manifest is not None or one.is_operators or other.is_operators):
        return False if opted_out and manifest is None else _meets_hami(nodes, manifest)
    if not (one.is_operators or other.is_operators):
        return manifest is not None and manifest.part is not Part.HAMI  # the fleet's HAMi and its manifest are one
    if opted_out:
        return False
    if manifest is None:
        return True
    from nodeworthy.facts.pod.node_choice import is_hidden, labels_asked_for

    return None if is_hidden(manifest.pods) else _are_the_operators(labels_asked_for(manifest.pods))


def _are_versions(one: DaemonSetManifest, other: DaemonSetManifest) -> bool:
    """Whether both are versions of one manifest: the same name in two files of a folder, of which one or the other is
    applied, in whatever namespace."""
    names = {each.title.rstrip("'").rpartition("/")[2].rpartition("'")[2] for each in (one, other)}
    if one.is_named_later or other.is_named_later:
        return True
    in_two_files = one.place.path != other.place.path and one.place.path is not None
    return one.title == other.title or (in_two_files and len(names) == 1 and one.part is other.part)


def _meets_hami(nodes: Iterable[str], manifest: DaemonSetManifest | None) -> bool | None:
    """HAMi of a chart's values against another's manifest, or against the operator's plugin."""
    if manifest is None:
        return _are_the_operators(nodes)
    if manifest.part is Part.HAMI:
        return False  # what the chart makes of these values
    from nodeworthy.facts.pod.node_choice import is_hidden, is_of_gpu_nodes, labels_asked_for

    are_gpu_nodes = all(is_of_gpu_nodes(each) for each in labels_asked_for(manifest.pods))
    return True if are_gpu_nodes and not is_hidden(manifest.pods) else None


def _are_the_operators(labels: Iterable[str]) -> bool | None:
    """Whether nodes of these labels have the operator's plugin."""
    named = list(labels)
    if DEVICE_PLUGIN in named:
        return False
    from nodeworthy.facts.pod.node_choice import is_of_gpu_nodes

    return True if all(is_of_gpu_nodes(each) or each in _HAMIS_OWN for each in named) else None

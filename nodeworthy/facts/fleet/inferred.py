"""A fleet that nobody declares: the pools of one cluster that follow from evidence, and what else is said of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath

from nodeworthy.facts.fleet.asked_nodes import SaidCluster
from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.facts.fleet.machines import NOTHING_SAID
from nodeworthy.facts.fleet.plugin_by_address import PluginByAddress
from nodeworthy.facts.fleet.pool_system import minor_of
from nodeworthy.facts.fleet.pools_by_evidence import are_of_several_clusters, cluster_kind
from nodeworthy.facts.operator.daemonset_manifest import DaemonSetManifest
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import Known, Located, value_if_known

# As a fleet may call its cluster.
_NAME = pattern(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")


@dataclass(frozen=True)
class InferredFleet:
    pools: tuple[GpuPool, ...]
    name: Located[str] | None = None
    # The releases of the operator that are asked for.
    releases: tuple[Located[str | None], ...] = ()
    # Whether the operator's settings were seen at all; and those that were, and who else hands out GPUs.
    has_operator: bool = False
    settings: tuple[OperatorValues, ...] = ()
    daemonsets: tuple[DaemonSetManifest | PluginByAddress, ...] = ()

    @property
    def versions(self) -> list[Located[str]]:
        """The versions of Kubernetes that are named, each once: two that differ cannot both be right. Patches of one
        version count as one."""
        told: dict[int | str, Located[str]] = {}
        for each in (pool.kubernetes for pool in self.pools if pool.kubernetes is not None):
            if isinstance(each.state, Known):
                told.setdefault(minor_of(each.state.value) or each.state.value, each)
        return list(told.values())

    @property
    def services(self) -> Located[str] | None:
        return _the_only([each.services for each in self.pools])

    @property
    def pods(self) -> Located[str] | None:
        return _the_only([each.pods for each in self.pools])


def _the_only(said: Iterable[Located[str] | None]) -> Located[str] | None:
    known = {value: each for each in said if (value := value_if_known(each)) is not None}
    return next(iter(known.values())) if len(known) == 1 else None


def infer_fleets(
    pools: Iterable[GpuPool],
    values: Sequence[OperatorValues],
    clusters: Sequence[SaidCluster] = (),
    daemonsets: Sequence[DaemonSetManifest | PluginByAddress] = (),
) -> list[InferredFleet]:
    """One of each cluster that is named; a pool that names none is of the only one that is, else of the nearest."""
    fleets = _of_each_cluster(_told_once(list(_telling(list(pools)))), values)
    if len(fleets) == 1:
        # Where several are in reach, nobody says into which of them something is installed.
        fleets = [replace(fleets[0], settings=tuple(values), daemonsets=tuple(daemonsets))]
    if len(fleets) == 1 and fleets[0].name is None:
        return [replace(fleets[0], name=_the_only_name(clusters))]
    return fleets


def _telling(pools: Sequence[GpuPool]) -> Iterator[GpuPool]:
    """The pools less those of which nothing is known but what another pool says as well, and more: a server of k3s
    beside the nodes with GPUs."""
    known = {each.distribution.state for each in pools if _is_told_of(each)}
    yield from (each for each in pools if _is_told_of(each) or each.distribution.state not in known)


def _told_once(pools: Sequence[GpuPool]) -> Iterator[GpuPool]:
    """A makefile and a script may both ask for one pool, and only one of them says of which cluster."""
    named = {_what_it_is(each) for each in pools if _is_named(each)}
    yield from (
        each for each in pools if _is_named(each) or each.machines.gpu is None or _what_it_is(each) not in named
    )


def _is_named(pool: GpuPool) -> bool:
    return _NAME.fullmatch(_cluster(pool)) is not None


def _what_it_is(pool: GpuPool) -> object:
    machines = pool.machines
    said = (machines.gpu, machines.gpus, *machines.types)
    return (pool.title, pool.distribution.state, *(each.state if each is not None else None for each in said))


def _is_told_of(pool: GpuPool) -> bool:
    said = (pool.driver, pool.kubernetes, pool.cluster)
    return pool.machines != NOTHING_SAID or any(each is not None for each in said)


def _the_only_name(clusters: Sequence[SaidCluster]) -> Located[str] | None:
    """The name of the cluster where no other one is named; what is filled in later is no name."""
    named = {name: each for each in clusters for name in each.names}
    name, said = next(iter(named.items())) if len(named) == 1 else ("", None)
    return Located.known(name, said.place) if said is not None and _NAME.fullmatch(name) else None


def _of_each_cluster(pools: Iterable[GpuPool], values: Sequence[OperatorValues]) -> list[InferredFleet]:
    named, unnamed = defaultdict[str, list[GpuPool]](list), list[GpuPool]()
    for pool in pools:
        (named[name] if (name := _cluster(pool)) else unnamed).append(pool)
    for name in [each for each, together in named.items() if not _may_be_together(together)]:
        # Two clouds have one of this name.
        for pool in named.pop(name):
            named[f"{name} {cluster_kind(pool)}"].append(pool)
    left = defaultdict[str, list[GpuPool]](list)
    for pool in unnamed:
        near = list(_nearest(pool, {name: each for name, each in named.items() if _may_be_together([pool, *each])}))
        (named[near[0]] if len(near) == 1 else left[cluster_kind(pool) or ""]).append(pool)
    if len(left) == 2 and "" in left:
        # What nobody knows may be of the only other kind.
        unknown = left.pop("")
        next(iter(left.values())).extend(unknown)
    return [_fleet(each, values) for each in (*named.values(), *left.values())]


def _may_be_together(pools: Sequence[GpuPool]) -> bool:
    return not are_of_several_clusters(pools)


def _fleet(pools: Sequence[GpuPool], values: Sequence[OperatorValues]) -> InferredFleet:
    releases = {each.release.state: each.release for each in values if isinstance(each.release.state, Known)}
    told = tuple(each for state, each in releases.items() if state.value)
    # One that is filled in later holds its pools together, and is no name.
    name = next((each.cluster for each in pools if _is_named(each)), None)
    return InferredFleet(tuple(pools), name, told, bool(values))


def _cluster(pool: GpuPool) -> str:
    return value_if_known(pool.cluster) or ""


def _nearest(pool: GpuPool, named: dict[str, list[GpuPool]]) -> Iterator[str]:
    """The only one, or the clusters of those folders that the most of the way is shared with."""
    if len(named) == 1:
        yield from named
        return
    shared = {name: max(_shared(pool, each) for each in pools) for name, pools in named.items()}
    most = max(shared.values(), default=0)
    yield from (name for name, count in shared.items() if count == most and most > 0)


def _shared(pool: GpuPool, other: GpuPool) -> int:
    ours, theirs = (PurePath(each.place.file).parent.parts for each in (pool, other))
    count = 0
    while count < min(len(ours), len(theirs)) and ours[count] == theirs[count]:
        count += 1
    return count

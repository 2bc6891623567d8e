"""The pools that follow from boot scripts: a script that joins a cluster, or begins one, makes a node of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from nodeworthy.boot.effects import Joins
from nodeworthy.facts.boot.chosen_releases import containerd_chosen, kubernetes_chosen
from nodeworthy.facts.boot.pool_drivers import brought_by_scripts
from nodeworthy.facts.boot.pools import DISTRIBUTIONS_BY_JOIN, is_for_gpus
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.boot.shown_containerd import cluster_begun, runtime_of
from nodeworthy.facts.firewall.pods import ranges_written
from nodeworthy.facts.fleet.gpu_pool import GpuPool, pool_running
from nodeworthy.facts.fleet.machines import NOTHING_SAID, Machines
from nodeworthy.facts.fleet.node_taint import written_taint
from nodeworthy.fleet.os import EKS
from nodeworthy.records import replace
from nodeworthy.verdict import Located, NotKnown, Place, value_if_known


def pools_by_script(scripts: Sequence[BootScript]) -> list[GpuPool]:
    return [*_with_drivers(_agreeing(list(_of_scripts(scripts))))]


def _with_drivers(pools: Sequence[GpuPool]) -> Iterator[GpuPool]:
    """The nodes with GPUs among those that scripts make of one distribution: the ones that get a driver."""
    having = {each.distribution.shown() for each in pools if each.driver is not None}
    yield from (each for each in pools if each.driver is not None or each.distribution.shown() not in having)


def _agreeing(pools: Sequence[GpuPool]) -> list[GpuPool]:
    """The pools with what they agree on. Where nodes of one distribution choose several releases, nobody knows which a
    cluster has; what one script says of the cluster's addresses holds for all."""
    together = defaultdict[str, list[GpuPool]](list)
    for pool in pools:
        together[pool.distribution.shown()].append(pool)
    return [_agreed(pool, together[pool.distribution.shown()]) for pool in pools]


def _agreed(pool: GpuPool, others: Sequence[GpuPool]) -> GpuPool:
    chosen = {(_state(each.kubernetes), _state(each.containerd)) for each in others}
    made = replace(pool, services=_only([each.services for each in others]), pods=_only([each.pods for each in others]))
    return made if len(chosen) == 1 else replace(made, kubernetes=None, containerd=None)


def _state(said: Located[str] | None) -> object:
    return said.state if said is not None else None


def _only(said: Sequence[Located[str] | None]) -> Located[str] | None:
    known = {each.state: each for each in said if each is not None}
    return next(iter(known.values())) if len(known) == 1 else None


def _of_scripts(scripts: Sequence[BootScript]) -> Iterator[GpuPool]:
    for script in scripts:
        try:
            made = _joining(script) or _beginning(script)
        except NotKnown:
            continue
        if made is not None:
            name = PurePath(script.place.file).name or "this script"
            distribution, place, said = made
            pool = pool_running(name, "the node made by script", distribution, place, said)
            pool = replace(pool, runtime=runtime_of(distribution, place, script), scripts=(script,))
            yield brought_by_scripts(_with_releases(replace(pool, machines=_registering(script)), script), [script])


def _with_releases(pool: GpuPool, script: BootScript) -> GpuPool:
    runtime, ranges = value_if_known(pool.runtime), ranges_written(script)
    is_chosen = runtime is not None and runtime.chosen
    return replace(
        pool,
        kubernetes=kubernetes_chosen(script),
        containerd=containerd_chosen(script) if is_chosen else None,
        services=ranges.get("services"),
        pods=ranges.get("pods"),
    )


def _registering(script: BootScript) -> Machines:
    """The labels and taints that its node registers with, where it is one with GPUs and comes in one way: what a script
    asks before its only join decides whether there is a node, and not what it is."""
    joins = list(script.timeline.of(Joins))
    ways = {(each.labels, each.taints) for each in joins if not each.hidden_labels}
    if len(ways) != 1 or (len(joins) > 1 and any(each.conditions for each in joins)):
        return NOTHING_SAID
    labels, written = ways.pop()
    place = joins[0].place
    taints = [found for each in written if (found := written_taint(each, place)) is not None]
    words = [*(word for pair in labels for word in pair), *written]
    if len(taints) < len(written) or not (is_for_gpus(script) or any("gpu" in each for each in words)):
        return NOTHING_SAID
    return Machines(labels={name: Located.known(value, place) for name, value in labels}, taints=tuple(taints))


def _joining(script: BootScript) -> tuple[str, Place, str] | None:
    """What its node becomes, where, and the words for it."""
    joins = list(script.timeline.of(Joins))
    found = {each for one in joins for each in DISTRIBUTIONS_BY_JOIN.get(one.how, ())}
    # In a cluster of EKS nodes without GPUs may be of another kind; other distributions are the whole cluster's.
    if len(found) == 1 and (found.isdisjoint(EKS) or is_for_gpus(script)):
        said = f"it joins with {', '.join(dict.fromkeys(one.how for one in joins))}"
        return found.pop(), joins[0].place, said
    return None


def _beginning(script: BootScript) -> tuple[str, Place, str] | None:
    """A machine that begins a cluster is a node of it: in many, the only one."""
    if any(script.timeline.of(Joins)):
        return None
    begun = cluster_begun(script)
    return (*begun, f"it begins a cluster of {begun[0]}") if begun is not None else None

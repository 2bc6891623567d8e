"""The pools that follow from the files of one scope, where no fleet declares any.

What asks for nodes by name (Karpenter, eksctl) says it, and the scripts that make the nodes; else the controller that a
HelmChart needs, which k3s and RKE2 bring.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath

from nodeworthy.documents.release import HELM_CHART
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.fleet.asked_nodes import (
    AskedNodes,
    SaidCluster,
    SaidMachines,
    with_cluster_said,
    with_machines_said,
)
from nodeworthy.facts.fleet.gpu_pool import GpuPool, pool_running
from nodeworthy.facts.fleet.karpenter_choice import nodes_of_karpenter
from nodeworthy.facts.fleet.machines import NOTHING_SAID
from nodeworthy.facts.fleet.pool_system import minor_of
from nodeworthy.facts.fleet.talos import OF_AN_IMAGE
from nodeworthy.facts.operator.paths_of import having_its_paths, known_path
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.fleet.os import EKS
from nodeworthy.known.containerd import Containerd
from nodeworthy.records import replace
from nodeworthy.verdict import Known, Located, Placed

# Who brings the controller of helm.cattle.io.
_HELM_CONTROLLERS = ("k3s", "rke2")
# From where they take manifests by themselves, in a folder of their name.
_TAKEN_FROM = "/server/manifests/"
_DECLARED = "a declared fleet would, and `nodeworthy fleet infer` prints each as one"


def pools_by_evidence(facts: Sequence[Placed]) -> list[GpuPool]:
    theirs = {script.place for each in facts if isinstance(each, AskedNodes) for script in each.scripts}
    scripts = [each for each in facts if isinstance(each, BootScript) and each.place not in theirs]
    return [*pools_asked_for(facts), *_of_scripts(scripts)]


def _of_scripts(scripts: Sequence[BootScript]) -> Sequence[GpuPool]:
    """Imported only where there is a script."""
    if not scripts:
        return []
    from nodeworthy.facts.fleet.pools_by_script import pools_by_script

    return pools_by_script(scripts)


def pools_asked_for(facts: Sequence[Placed]) -> list[GpuPool]:
    """The pools of whatever asks for nodes by name."""
    named = [each for each in facts if isinstance(each, AskedNodes)]
    asked = [*(each for each in named if not _is_of_a_neighbour(each, named)), *nodes_of_karpenter(facts)]
    clusters = [each for each in facts if isinstance(each, SaidCluster)] if asked else []
    machines = [each for each in facts if isinstance(each, SaidMachines)] if clusters else []
    joined = [with_cluster_said(with_machines_said(each, clusters, machines), clusters) for each in asked]
    return [each.pool for each in _having_gpus(joined)]


def _is_of_a_neighbour(nodes: AskedNodes, named: Sequence[AskedNodes]) -> bool:
    """Whether what may be k3s lies in one folder with what is RKE2: of both, a config of RKE2 may name none."""
    folder = PurePath(nodes.place.file).parent
    return (nodes.is_likely and nodes.distribution.shown() == _HELM_CONTROLLERS[0]) and any(
        each.distribution.shown() == _HELM_CONTROLLERS[1] and PurePath(each.place.file).parent == folder
        for each in named
    )


def _having_gpus(asked: Sequence[AskedNodes]) -> Sequence[AskedNodes]:
    """The nodes with GPUs. Among machine configs of Talos, those with NVIDIA's modules have them; where none has these
    modules, nobody knows which do."""
    laid = [each for each in asked if each.is_patch and each.has_gpus]
    asked = [_with_patches(each, laid) for each in asked] if laid else asked
    of_talos = [each for each in asked if each.distribution.shown() == "talos"]
    if not any(each.has_gpus for each in of_talos):
        return asked
    having = [each for each in of_talos if each.has_gpus]
    # An image is made for machines: where one of them says that it has the modules, these are meant.
    made = [each for each in having if not each.is_patch] or [each for each in having if each.noun != OF_AN_IMAGE]
    return [each for each in asked if each not in of_talos or (each.has_gpus and not _is_for_one_of(each, made))]


def _with_patches(nodes: AskedNodes, laid: Sequence[AskedNodes]) -> AskedNodes:
    """The nodes with what the patches say that are laid over them."""
    folder, own = PurePath(nodes.place.file).parent, nodes.registers
    named = {PurePath(folder, each) for each in nodes.patches}
    for patch in laid:
        if PurePath(patch.place.file) in named:
            said = patch.machines
            own = replace(own, labels={**own.labels, **said.labels}, taints=(*own.taints, *said.taints))
            if not nodes.has_driver:
                nodes = replace(nodes, has_driver=True, said=patch.said, distribution=patch.distribution)
            nodes = replace(nodes, machines=own)
    return nodes


def _is_for_one_of(nodes: AskedNodes, made: Sequence[AskedNodes]) -> bool:
    """A patch that lies with the nodes that it is for, or in a folder below, makes none of its own; nor does an image
    that lies above them."""
    if not nodes.is_patch or nodes in made:
        return False
    above, own = PurePath(nodes.place.file).parents, PurePath(nodes.place.file).parent
    return any(
        PurePath(each.place.file).parent in above
        or (nodes.noun == OF_AN_IMAGE and own in PurePath(each.place.file).parents)
        for each in made
    )


def pools_together(facts: Sequence[Placed]) -> list[GpuPool]:
    """All of them, those apart of which nothing but the distribution is known: sixty scripts of k3s say no more than
    one."""
    pools = with_roles(pools_by_evidence(facts), facts)
    bare = list(_unlike([each for each in pools if each.machines == NOTHING_SAID]))
    told = {each.distribution.shown() for each in bare if each.kubernetes is not None}
    # The script that makes them need not say the version that an inventory gives it.
    bare = [each for each in bare if each.kubernetes is not None or each.distribution.shown() not in told]
    return [each for each in pools if each.machines != NOTHING_SAID or each in bare]


def with_roles(pools: list[GpuPool], facts: Sequence[Placed]) -> list[GpuPool]:
    """Imported only where roles of Ansible do something."""
    scripts = [each for each in facts if isinstance(each, BootScript) and "roles/" in each.place.file]
    if not scripts:
        return pools
    from nodeworthy.facts.fleet.by_roles import with_other_roles

    return with_other_roles(pools, scripts)


def pools_of_charts(values: Sequence[OperatorValues], folder: PurePath) -> Iterator[GpuPool]:
    """The pools that follow from HelmCharts. k3s and RKE2 have that kind, and whoever installs their controller; so it
    is likely, and not certain. `folder` is where the chart lies, wherever it was asked for."""
    for each in values:
        if each.origin == HELM_CHART:
            by_config = [one.distribution for one in having_its_paths(each.toolkit).config]
            by_folder = next((one for one in _HELM_CONTROLLERS if f"{one}{_TAKEN_FROM}" in f"{folder}/"), None)
            own = by_folder or next((one for one in _HELM_CONTROLLERS if one in by_config), _HELM_CONTROLLERS[0])
            why = "" if by_folder else "a HelmChart needs the controller that k3s and RKE2 bring"
            name = PurePath(each.place.file).name
            yield pool_running(name, "the cluster of", own, each.place, why, is_likely=not by_folder)
            return


def settle_drivers(
    pools: Sequence[GpuPool], values: Sequence[OperatorValues], folder: PurePath | None = None
) -> list[GpuPool]:
    """The pools that values are judged by, where nodes are of several kinds. Nobody knows which nodes the values are
    for, so values that are not right for all of them are unknown. `folder` is where they lie in their repository."""
    pools = _of_the_cluster_of(folder.parts, pools) if folder is not None else pools
    of_each = {each.distribution.shown(): each for each in reversed(pools)}
    if len(of_each) < 2:
        return list(_unlike(pools))
    second, first = [*of_each.values()][-2:]
    runtimes = [each.runtime.state.value for each in of_each.values() if isinstance(each.runtime.state, Known)]
    if all(_fits(each, runtime) for each in values for runtime in runtimes):
        return list(_unlike(pools))
    told = " and ".join(map(_pool_in_words, (first, second)))
    why = f"there are {told} here, and nothing says which of them these values are for: {_DECLARED}"
    unknown = Located.unknown(why, values[0].place if values else first.place)
    one = next((each for each in pools if each.driver is None), first)
    if len({each.driver for each in pools}) > 1:
        first = replace(one, driver=None, driver_by="", driver_said=None)
    return [replace(first, distribution=unknown, runtime=unknown, one_of=_known_to_be(pools))]


def _known_to_be(pools: Sequence[GpuPool]) -> frozenset[str]:
    """Their distributions, where all are known."""
    states = [each.distribution.state for each in pools]
    known = frozenset(each.value for each in states if isinstance(each, Known))
    return known if all(isinstance(each, Known) for each in states) else frozenset()


def are_of_several_clusters(pools: Sequence[GpuPool]) -> bool:
    """Nodes of EKS are in no cluster of another distribution, and k3s' in none of RKE2's."""
    return len({cluster_kind(each) for each in pools} - {None}) > 1


def cluster_kind(pool: GpuPool) -> str | None:
    """The kind of cluster of which it can be a part, by what it runs. None where that is not known."""
    state = pool.distribution.state
    if not isinstance(state, Known):
        return None
    if state.value.startswith("gke-"):
        return "GKE"
    return "EKS" if state.value in EKS else state.value


def _pool_in_words(pool: GpuPool) -> str:
    cluster = f" in cluster '{pool.cluster.shown()}'" if pool.cluster is not None else ""
    return f"{pool.title} of {pool.distribution.shown()}{cluster}"


def _of_the_cluster_of(folders: Sequence[str], pools: Sequence[GpuPool]) -> Sequence[GpuPool]:
    """The pools of the cluster after which one of these folders is named: `clusters/east/gpu-operator/values.yaml`."""
    named = {_cluster(each) for each in pools} & {*folders}
    return [each for each in pools if _cluster(each) in named] if len(named) == 1 else pools


def _cluster(pool: GpuPool) -> str:
    return pool.cluster.shown() if pool.cluster is not None else ""


def _unlike(pools: Sequence[GpuPool]) -> Iterator[GpuPool]:
    """The first of those pools from which the same follows, and a certain one before one that is only likely. Sixty
    scripts of k3s say no more than one."""
    seen: set[object] = set()
    for each in sorted(pools, key=lambda pool: pool.is_likely):
        version = minor_of(each.kubernetes.shown()) if each.kubernetes is not None else None
        what = (each.distribution.shown(), each.driver, version)
        if what not in seen:
            seen.add(what)
            yield each


def _fits(values: OperatorValues, runtime: Containerd) -> bool:
    socket, config = known_path(values.toolkit.socket), known_path(values.toolkit.config)
    if socket is None or config is None:
        return False
    is_left_out = runtime.config_optional and not values.toolkit.config.written
    return runtime.accepts_socket(socket) and (is_left_out or runtime.accepts_config(config))

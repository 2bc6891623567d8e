"""GPUs that pods or a device plugin ask for on nodes to which nobody brings a driver: where nobody could but their
image or their script, and where their cloud was told to leave it to others, and nobody here is one."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from typing import ClassVar

from nodeworthy.derive import derive
from nodeworthy.facts.fleet.gpu_pool import GpuPool, PoolDoor
from nodeworthy.facts.operator.daemonset_manifest import DaemonSetManifest, Part
from nodeworthy.facts.operator.driver_daemonset import brings_a_driver
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.facts.pod.containers import GPU
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.fleet.model import Driver
from nodeworthy.known.cloud_gpus import aks_distribution
from nodeworthy.known.operator_parts import WITHOUT_CONTAINER
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Place, Related, value_if_known


@dataclass(frozen=True)
class GpusWithoutDriver:
    called: ClassVar[str] = "GPUs that are asked for on nodes without a driver"

    pool: GpuPool
    # Who asks for them: pods, or the device plugin that is to hand them out.
    askers: str
    asks: Related
    # Their cloud would have installed it: who else does may stand elsewhere.
    is_left_to_others: bool = False

    @property
    def place(self) -> Place:
        """Where its image is said. What a module takes by itself stands where it is called, at the line's beginning."""
        said = self.pool.driver_said
        return self.pool.place if said is None or said.place.column == 1 else said.place


@derive
def gpus_without_a_driver(
    pod: PodTemplate,
    pods: Sequence[PodTemplate],
    pools: Sequence[GpuPool],
    operators: Sequence[OperatorValues] | None,
) -> Iterator[GpusWithoutDriver]:
    """Where no operator is judged with them, and none of the cluster's other nodes has a driver for the pods: once,
    for the first of these."""
    is_first = pod.least(GPU) and next(each for each in pods if each.least(GPU)) is pod
    if not is_first or operators:
        return
    asks = Related(pod.place, f"{pod.title} asks for GPUs")
    if all(map(_has_none, pools)):
        yield from (GpusWithoutDriver(each, "pods ask for the GPUs", asks) for each in pools)
    elif all(map(_is_left_by_gke, pools)) and not any(brings_a_driver(each.spec) for each in pods):
        for each in pools:
            if _are_planned(pod.place, each.place):
                yield GpusWithoutDriver(each, "pods ask for the GPUs", asks, is_left_to_others=True)


@derive
def gpus_a_plugin_has_no_driver_for(
    plugin: DaemonSetManifest,
    plugins: Sequence[DaemonSetManifest],
    pods: Sequence[PodTemplate] | None,
    pools: Sequence[GpuPool],
    operators: Sequence[OperatorValues] | None,
) -> Iterator[GpusWithoutDriver]:
    """The same under a device plugin, where no pods are that ask. Beside nodes that have a driver only of those in its
    own folder: what lies elsewhere may be another cluster's."""
    if operators or plugin is not next((each for each in plugins if each.part is Part.DEVICE_PLUGIN), None):
        return
    yield from _left_to_others(plugin, pools, pods or ())
    without = [each for each in pools if _has_none(each)]
    if len(without) < len(pools):
        folder = posixpath.dirname(plugin.place.file)
        without = [each for each in without if posixpath.dirname(each.place.file) == folder]
    elif any(each.least(GPU) for each in pods or ()):
        return
    asks = Related(plugin.place, f"{plugin.title} is to hand them out")
    for each in without:
        if _may_come(plugin, each):
            yield GpusWithoutDriver(each, "a device plugin is to hand out the GPUs", asks)


@dataclass(frozen=True)
class DriverLeft:
    """A pool of GKE's to which GKE is told to bring no driver."""

    called: ClassVar[str] = "a pool of GKE that is told to leave the driver to others"

    pool: GpuPool

    @property
    def place(self) -> Place:
        return self.pool.place


def drivers_left(pools: Sequence[GpuPool]) -> Iterator[DriverLeft]:
    yield from (DriverLeft(each) for each in pools if _is_left_by_gke(each))


@derive
def gpus_an_operator_leaves(
    left: DriverLeft, operators: Sequence[OperatorValues], pods: Sequence[PodTemplate] | None
) -> Iterator[GpusWithoutDriver]:
    """Where the only operator beside it brings none either."""
    if len(operators) != 1 or any(brings_a_driver(each.spec) for each in pods or ()):
        return
    brings = operators[0].brings_driver
    if brings.state == Known(False) and _are_planned(left.place) and _lies_below(brings.place, left.place):
        asks = Related(brings.place, "the operator is to serve its GPUs, and driver.enabled is false")
        yield GpusWithoutDriver(left.pool, "the operator leaves it to others", asks, is_left_to_others=True)


def _lies_below(place: Place, pool: Place) -> bool:
    folder = posixpath.dirname(pool.file)
    return not folder or place.file.startswith(f"{folder}/")


def _left_to_others(
    plugin: DaemonSetManifest, pools: Sequence[GpuPool], pods: Sequence[PodTemplate]
) -> Iterator[GpusWithoutDriver]:
    """Beside a plugin of the same root, or of the folder whose script asks for the nodes, where none of its pods
    installs it either."""
    if any(brings_a_driver(each.spec) for each in pods):
        return
    asks = Related(plugin.place, f"{plugin.title} is to hand them out")
    for each in pools:
        leaves_it = value_if_known(each.distribution) == aks_distribution() and each.driver is Driver.OPERATOR
        planned = plugin.is_of_chart and _are_planned(plugin.place, each.place)
        if leaves_it and (planned or _are_beside(plugin.place, each.place)) and _may_come(plugin, each):
            yield GpusWithoutDriver(each, "a device plugin is to hand out the GPUs", asks, is_left_to_others=True)


def _is_left_by_gke(pool: GpuPool) -> bool:
    is_gkes = (value_if_known(pool.distribution) or "").startswith("gke")
    return is_gkes and pool.driver is None and pool.driver_said is not None


def _are_planned(*places: Place) -> bool:
    return all(each.file.endswith((".tf", ".tofu", ".tf.json", ".hcl")) or each.urn for each in places)


def _are_beside(*places: Place) -> bool:
    return len({posixpath.dirname(each.file) for each in places}) == 1


def _may_come(plugin: DaemonSetManifest, pool: GpuPool) -> bool:
    from nodeworthy.facts.fleet.node_taint import untolerated_taint
    from nodeworthy.facts.pod.node_choice import Labels, chooses, is_of_gpu_nodes, labels_asked_for

    known = {name: each.shown() for name, each in PoolDoor(pool).labels.items()}
    are_known = all(is_of_gpu_nodes(each) or each in known for each in labels_asked_for(plugin.pods))
    is_tolerated = untolerated_taint(pool.machines.taints, plugin.tolerations) is None
    return are_known and is_tolerated and chooses(plugin.pods, Labels(known)) is not False


def _has_none(pool: GpuPool) -> bool:
    is_amazons = value_if_known(pool.distribution) in WITHOUT_CONTAINER
    return bool(pool.evidence) and is_amazons and pool.driver is Driver.OPERATOR

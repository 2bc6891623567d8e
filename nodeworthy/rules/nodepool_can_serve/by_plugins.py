"""What makes a node's GPUs known to the cluster, beside the taints of the pools that have them: the operator's parts,
what finds out that a node has GPUs, a device plugin of its own."""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.documents.tree import Tree, plant
from nodeworthy.facts.fleet.gpu_pool import PoolDoor
from nodeworthy.facts.fleet.node_taint import NodeTaint, untolerated_taint
from nodeworthy.facts.operator.daemonset_manifest import DaemonSetManifest, Part
from nodeworthy.facts.operator.door_visitor import DoorVisitor
from nodeworthy.facts.operator.recognition import ORIGIN
from nodeworthy.facts.operator.values import OperatorValues, boolean
from nodeworthy.facts.pod.node_choice import Labels
from nodeworthy.known.operator_parts import GPU_SIGNS, chart_tolerations
from nodeworthy.known.scaling import worker_of_taint
from nodeworthy.records import replace
from nodeworthy.rules.nodepool_can_serve import RULE
from nodeworthy.verdict import Draft, Findings, Located, Related, Severity, fail, need, skip

_UNHEARD = "the cluster never hears of the GPUs of these nodes: pods that ask for one stay Pending"
_UNMEASURED = "no pod of it runs on these nodes (DESIRED 0), and nobody measures their GPUs"
_GPUS = "nvidia.com/gpu"
_OWN = "tolerations"
_FINDER = "node-feature-discovery.worker.tolerations"


@RULE.check
def they_come_to_it(visitor: DoorVisitor) -> Findings:
    if not any(each.keeps_away for each in visitor.door.pool.machines.taints):
        return
    if isinstance(visitor.who, OperatorValues):
        yield from _of_the_operator(visitor.who, visitor.door)
    else:
        yield from _of_a_plugin(visitor.who, visitor.door)


def _of_the_operator(values: OperatorValues, door: PoolDoor) -> Findings:
    if values.implied or door.shuts_operators_plugin_out or door.plugin_of_image is not None:
        skip("the operator's device plugin is not meant for these nodes")
    if not need(values.part("devicePlugin", default=True)):
        skip("the operator's device plugin is off")
    parts = _keeping(door, _setting_or_unknown(values, "daemonsets", "tolerations"), "operator")
    if parts is not None:
        yield _kept_away(door, parts, "the operator's DaemonSets do", values, "daemonsets", "tolerations")
    elif values.origin != ORIGIN and not any(door.has(*each) for each in GPU_SIGNS):
        yield from _found_out(values, door)


def _found_out(values: OperatorValues, door: PoolDoor) -> Findings:
    """A ClusterPolicy does not say it, and nodes that register with the label need nobody for it."""
    if not need(boolean("nfd.enabled", values.tree.get("nfd", "enabled"), default=True)):
        return
    finder = _keeping(door, _setting_or_unknown(values, *_FINDER.split(".")), "feature-discovery")
    if finder is not None:
        who = "node feature discovery, by which the operator knows nodes with GPUs, does"
        told = _kept_away(door, finder, who, values, *_FINDER.split("."))
        # Its label may be given to these nodes by somebody else.
        yield replace(told, severity=Severity.WARNING)


def _setting_or_unknown(values: OperatorValues, *path: str) -> Tree:
    said = values.tree.get(*path)
    if said.is_absent and values.elsewhere is not None:
        need(Located.unknown(f"{'.'.join(path)} is not known: {values.elsewhere}", said.place))
    return said


def _of_a_plugin(plugin: DaemonSetManifest, door: PoolDoor) -> Findings:
    if plugin.part is Part.DCGM_EXPORTER and not plugin.is_the_operators:
        yield from _of_an_exporter(plugin, door)
        return
    if plugin.part is not Part.DEVICE_PLUGIN or plugin.is_the_operators or door.plugin_of_image is not None:
        skip("it is no device plugin of its own that is meant for these nodes")
    labels = {name: each.shown() for name, each in door.labels.items()}
    if plugin.chooses(Labels(labels)) is not True:
        skip("it is not known to choose these nodes")
    said = plugin.pods.get("tolerations")
    taint = _keeping(door, plugin.tolerations)
    if taint is not None:
        place = plugin.place if said.is_absent else said.place
        yield _not_tolerating(door, taint, f"{plugin.title} does", replace(said, place=place))


def _of_an_exporter(exporter: DaemonSetManifest, door: PoolDoor) -> Findings:
    """Some nodes are kept free of it on purpose: the taint may be for that."""
    labels = {name: each.shown() for name, each in door.labels.items()}
    said = exporter.pods.get("tolerations")
    if exporter.chooses(Labels(labels)) is not True or (exporter.elsewhere is not None and said.is_absent):
        skip("it is not known to choose these nodes, or what it tolerates may stand elsewhere")
    taint = _keeping(door, exporter.tolerations)
    if taint is not None and taint.key == _GPUS:
        place = exporter.place if said.is_absent else said.place
        told = _not_tolerating(door, taint, f"{exporter.title} does", replace(said, place=place))
        yield replace(told, cause=_UNMEASURED, severity=Severity.WARNING)


def _keeping(door: PoolDoor, said: Tree, chart: str | None = None) -> NodeTaint | None:
    """The taint that keeps those away who tolerate what is said, or else what their chart does."""
    own = said if said.sequence or said.is_unknown or chart is None else plant(chart_tolerations(chart), said.place)
    stays = [each for each in door.pool.machines.taints if worker_of_taint(each.key) is None]
    return untolerated_taint(stays, own)


def _kept_away(door: PoolDoor, taint: NodeTaint, who: str, values: OperatorValues, *path: str) -> Draft:
    return _not_tolerating(door, taint, who, values.tree.get(*path), ".".join(path))


def _not_tolerating(door: PoolDoor, taint: NodeTaint, who: str, said: Tree, named: str = _OWN) -> Draft:
    added = f"add {{key: {taint.key}, operator: Exists, effect: {taint.effect}}} to {named}"
    whole = "" if named == _OWN else "; a list there replaces that of the chart, so keep the entry of nvidia.com/gpu"
    return fail(
        said.place,
        f"{who} not tolerate the taint of {door.title}",
        is_=f"{named}: {', '.join(_toleration_keys(said.sequence)) or 'nothing of its own'}",
        should=f"a toleration of {taint}, too",
        related=[Related(taint.place, f"{door.title} has {taint}")],
        cause=_UNHEARD,
        remedy=f"{added}{whole}",
        severity=door.pool.severity,
        link="daemonsets",
    )


def _toleration_keys(tolerations: Sequence[Tree]) -> list[str]:
    return [each.get("key").text or "all" for each in tolerations]

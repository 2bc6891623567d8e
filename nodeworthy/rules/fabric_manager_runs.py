"""Nodes whose GPUs talk through NVSwitches run fabric manager, of the driver's version.

On A100 SXM, H100, H200 and B200 instances `nvidia-fabricmanager` sets up the switches between the GPUs. Without it
`nvidia-smi` looks well, and every CUDA program ends with error 802, system not yet initialized. It accepts only a
driver of its own version, to the last digit. The NVIDIA images of EKS for AL2023 and AL2 bring it and start it
themselves, and the operator's driver container brings its own; who installs the driver in user data has to install
it beside, start it and enable it. A script that installs fabric manager alone, and is nobody's user data, may leave
that to others. The build of an image leaves it on the disk, of the driver's version; it need not start there, and who
boots the image may enable it. On a node, systemd says whether it runs and will after a reboot, it says itself of which
version it is, and the GPUs say whether their fabric is set up: running is not done.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from nodeworthy.facts.aws.node_group import NodeGroup
from nodeworthy.facts.aws.node_types import instance_types
from nodeworthy.facts.boot.drivers import drivers, fabric_managers, unsure, who_brings
from nodeworthy.facts.boot.fabric_manager import (
    is_named,
    left_on_the_disk,
    manager_faults,
    needs_it,
    runs,
    runs_on_every_way,
    switched_off_faults,
    versions,
)
from nodeworthy.facts.boot.remote_script import RemoteScript
from nodeworthy.facts.boot.script import BootPool, BootScript, drafts_of_a_whole
from nodeworthy.facts.fleet.asked_nodes import AskedNodes
from nodeworthy.facts.fleet.gpu_pool import NodeImage
from nodeworthy.facts.fleet.karpenter import KarpenterClass
from nodeworthy.facts.fleet.karpenter_choice import ChosenClass
from nodeworthy.facts.node.boot import BootEnd
from nodeworthy.facts.node.driver import NodeDriver
from nodeworthy.facts.node.fabric import NodeFabric, fabric_drafts
from nodeworthy.facts.node.gpus import NodeSmi
from nodeworthy.facts.node.identity import NodeIdentity
from nodeworthy.fleet.model import Driver
from nodeworthy.known.instances import gpus_of
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Known, Located, Related, Severity, skip, unknown, value_if_known

RULE = Rule(
    "fabric-manager-runs",
    severity=Severity.ERROR,
    incident="D",
    title="Fabric manager runs where GPUs talk through NVSwitches, of the driver's version",
    remedy="install nvidia-fabricmanager of the driver's version, and systemctl enable --now nvidia-fabricmanager",
)

# The images that bring the driver, and fabric manager with it.
IN_THE_IMAGE = ("eks-al2023", "eks-al2", "bottlerocket")


@RULE.check
def what_it_installs_fits(script: BootScript) -> Findings:
    timeline = script.timeline
    managers = fabric_managers(timeline)
    if not managers:
        skip("the script installs no fabric manager")
    image = script.use.builds_an_image
    is_a_boot = script.use.is_user_data or bool(script.pools)
    left: Iterable[Draft] = ()
    if image:
        left = left_on_the_disk(timeline)
    elif is_a_boot or drivers(timeline):  # one of several scripts may leave its start to the others
        left = runs(timeline, managers[0].place, is_a_boot=is_a_boot)
    yield from versions(timeline)
    yield from drafts_of_a_whole(script, left)


@RULE.check
def what_is_installed_over_there_fits(script: RemoteScript) -> Findings:
    return what_it_installs_fits(script)


@RULE.check
def it_runs_where_it_is_needed(script: BootScript, pool: BootPool) -> Findings:
    if script.use.builds_an_image:
        skip("an image is no node yet: whoever boots it starts fabric manager")
    needed = needs_it(pool.pool)
    if needed is False:
        skip(f"the nodes of {pool.title} have no NVSwitches to manage")
    brings = who_brings(pool, script.timeline)
    if brings.driver is Driver.OPERATOR or (brings.driver is None and pool.image is not None and _has_none(pool.image)):
        skip("the operator's driver container brings fabric manager")
    by_script = brings.driver is Driver.USER_DATA
    flaws = list(
        _of_the_script(script) if by_script else _of_the_image(script, pool, is_said=brings.driver is not None)
    )
    if needed is None and flaws:
        why = f"whether the GPUs of {pool.title} talk through NVSwitches is not known: its pool names no instance type"
        flaws = [unknown(script.place, why)]
    gpu = pool.pool.gpu
    says = Related(gpu.place, f"{pool.title} has {gpu.shown()}") if gpu is not None else pool.declared("needs it")
    for flaw in flaws:
        yield flaw.with_more(on=pool.title, related=(says,))


@RULE.check
def it_runs_on_what_a_stack_starts(script: BootScript, groups: Sequence[NodeGroup]) -> Findings:
    """Where no fleet says what the nodes are, their types say it."""
    if script.pools or not script.holder:
        skip("a pool says what its nodes are" if script.pools else "no stack starts nodes with it")
    started = (each for each in groups if _starts_with(each, script))
    nodes = next((each for each in started if _have_switches(instance_types(each))), None)
    if nodes is None:
        skip("no node that is known to have NVSwitches starts with it")
    flaws: Iterable[Draft] = ()
    if script.image is not None and script.image.has_driver:
        flaws = switched_off_faults(script.timeline)
    elif drivers(script.timeline):
        flaws = _of_the_script(script)
    says = Related(nodes.place, f"{nodes.title} starts {instance_types(nodes)[0].shown()}, which has NVSwitches")
    for flaw in flaws:
        yield flaw.with_more(on=nodes.title, related=(says,))


@RULE.check
def it_runs_where_karpenter_starts_nodes(node_class: KarpenterClass, chosen: Sequence[ChosenClass]) -> Findings:
    of_pools = (node_class.nodes(each.pool) for each in chosen if each.node_class is node_class)
    nodes = next((each for each in of_pools if each is not None and _have_switches(each.machines.types)), None)
    if nodes is None:
        skip("no pool takes it whose nodes are known to have NVSwitches")
    return it_runs_on_what_a_manifest_asks_for(nodes)


@RULE.check
def it_runs_on_what_a_manifest_asks_for(nodes: AskedNodes) -> Findings:
    """Groups of eksctl and of Cluster API whose image has no driver of its own."""
    types = nodes.machines.types
    if nodes.has_driver or not _have_switches(types):
        skip("its image brings the driver, or its nodes are not known to have NVSwitches")
    installing = next((each for each in nodes.scripts if drivers(each.timeline) or unsure(each.timeline)), None)
    if installing is None or any(fabric_managers(each.timeline) for each in nodes.scripts if each is not installing):
        skip("none of its scripts installs a driver, or another one brings fabric manager")
    title = f"{nodes.noun} '{nodes.name}'"
    says = Related(types[0].place, f"{title} starts {types[0].shown()}, which has NVSwitches")
    for flaw in _of_the_script(installing):
        yield flaw.with_more(on=title, related=(says,))


def _starts_with(nodes: NodeGroup, script: BootScript) -> bool:
    return nodes.template is not None and nodes.template.urn == script.holder


def _have_switches(types: Sequence[Located[str | None]] | Sequence[Located[str]]) -> bool:
    """Every one of them, whichever is started."""
    of_types = [gpus_of(each.state.value or "") for each in types if isinstance(each.state, Known)]
    return bool(of_types) and all(each is not None and each.nvswitch for each in of_types)


def _has_none(image: NodeImage) -> bool:
    return image.has_driver is False


def _of_the_image(script: BootScript, pool: BootPool, *, is_said: bool) -> Iterator[Draft]:
    if pool.image is not None and _has_none(pool.image):
        skip("the image has no driver, which one-driver says")
    if is_said and value_if_known(pool.pool.distribution) in IN_THE_IMAGE:
        yield from switched_off_faults(script.timeline)
    elif is_named(script.timeline):
        yield from runs(script.timeline, script.place)
        yield from runs_on_every_way(script.timeline)
    else:
        yield unknown(script.place, "whether the image brings fabric manager and starts it is not known")


def _of_the_script(script: BootScript) -> Iterator[Draft]:
    timeline = script.timeline
    installs = drivers(timeline)
    if not installs:
        step = unsure(timeline) or timeline.not_understood("nvidia", "cuda", "driver")
        if step is not None:
            yield unknown(step.place, "whether this step installs the driver is not known")
            return
        skip("the script installs no driver, which one-driver says")
    yield from manager_faults(timeline, installs[0])
    yield from runs_on_every_way(timeline)


@RULE.check
def it_runs_on_the_node(
    fabric: NodeFabric, driver: NodeDriver, identity: NodeIdentity, end: BootEnd, smi: NodeSmi | None
) -> Findings:
    yield from fabric_drafts(fabric, driver, identity, end, smi)

"""The NVIDIA driver of a node comes from its image, from its user data or from the operator: from exactly one.

The operator's chart installs a driver unless `driver.enabled` is false, also on nodes that have one: its container
waits for the modules of the other to go, or loads beside them, and nothing on the node works. A script that installs
a driver over the image's leaves libraries of one version and modules of another. And where each thinks that the other
brings it, nobody does, and the node has no GPUs. In a cluster, their pods show the operator's driver
beside a cloud's installer on one node.

Who brings it is read where it is decided: in a plan from the image (an SSM parameter, an amiType, an image's name) and
from the script; a pool that says otherwise than its image is wrong. The operator leaves out nodes that register with
`nvidia.com/gpu.deploy.driver=false`.
"""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.facts.boot.drivers import (
    BROUGHT_BY,
    FIGHT,
    NO_DRIVER,
    NvidiaPackage,
    WhoBrings,
    drivers,
    in_each_others_way,
    may_install_one,
    missing,
    who_brings,
)
from nodeworthy.facts.boot.script import BootPool, BootScript
from nodeworthy.facts.fleet.asked_nodes import AskedNodes
from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.facts.fleet.karpenter import KarpenterClass, KarpenterPool
from nodeworthy.facts.fleet.node_image import NodeImage
from nodeworthy.facts.operator.driver_daemonset import DriversOnNodes
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.fleet.model import Driver
from nodeworthy.known.operator_parts import OWN_DRIVER as OWN_DRIVER_LABEL
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Known, Place, Related, Severity, ToGive, fail, need, skip, unknown

RULE = Rule(
    "one-driver",
    severity=Severity.ERROR,
    title="The driver comes from the image, the user data or the operator: from exactly one",
    remedy="let one bring it: set the pool's driver to who does, driver.enabled of the operator to match, "
    "and take the other install out of the script",
)

# NVIDIA/gpu-operator issue 2150; k8s-driver-manager. Of nodes that nobody declares this is all that is certain.
_STANDS_BACK = (
    "the operator's driver manager looks for a driver on each node, and leaves alone those that have one "
    "(nvidia.com/gpu.deploy.driver=pre-installed): the setting says what does not happen, and where the look fails, "
    "two drivers overwrite each other"
)
# A node with this label is left out by the operator's driver.
OWN_DRIVER = "=".join(OWN_DRIVER_LABEL)


@RULE.check
def the_script_installs_one_at_most(script: BootScript) -> Findings:
    if not drivers(script.timeline):
        skip("the script installs no driver")
    yield from in_each_others_way(script.timeline)


@RULE.check
def a_node_class_of_karpenters_has_one(node_class: KarpenterClass, pools: Sequence[KarpenterPool]) -> Findings:
    nodes = next((each for pool in pools if (each := node_class.nodes(pool)) is not None), None)
    script = node_class.script
    if nodes is None or nodes.image.has_driver is None or script is None:
        skip("no pool with GPUs takes an image of EKS' own from it, and boots with its user data")
    yield from _beside_the_image(nodes, script, "Karpenter")


@RULE.check
def a_group_of_eksctls_has_one(nodes: AskedNodes) -> Findings:
    if nodes.image.has_driver is None or not nodes.scripts:
        skip("no image of EKS' own is taken for it, or it boots with no commands of its own")
    for script in nodes.scripts:
        yield from _beside_the_image(nodes, script, "eksctl")


def _beside_the_image(nodes: AskedNodes, script: BootScript, chooser: str) -> Findings:
    if not nodes.image.has_driver:
        return
    installed = drivers(script.timeline)
    if not installed:
        step = may_install_one(script.timeline)
        if step is not None:
            why = "whether this step installs a driver beside that of the image is not known"
            yield unknown(step.place, why, on=f"{nodes.noun} '{nodes.name}'", related=[nodes.image.told()])
        return
    yield fail(
        installed[0].place,
        "the user data installs a driver, and the image brings one already",
        is_=installed[0].name,
        should="the driver of the image alone",
        on=f"{nodes.noun} '{nodes.name}'",
        related=[nodes.image.told()],
        cause=FIGHT,
        remedy=f"take this install out; {chooser} takes the image with NVIDIA's driver for instances with GPUs",
    )


@RULE.check
def the_script_does_what_its_pool_says(script: BootScript, pool: BootPool) -> Findings:
    if not pool.pool.is_gpu:
        skip(f"{pool.title} has no GPUs")
    if _is_the_operators_by_default(pool):
        skip("nobody says that the operator brings it, whose own settings are looked at")
    who = who_brings(pool, script.timeline)
    if pool.image is not None and pool.image.has_driver is False and who.driver is Driver.AMI:
        yield _not_in_the_image(pool, pool.image, who)
    elif pool.pool.driver_is_said and who.driver is Driver.USER_DATA:
        for flaw in missing(script.timeline, script.place):
            yield flaw.with_more(on=pool.title, related=(who.said,))
    elif installed := drivers(script.timeline):
        yield from _beside_another(installed[0], pool, who)
    else:
        yield from _installs_none(script, pool, who)


def _beside_another(package: NvidiaPackage, pool: BootPool, who: WhoBrings) -> Findings:
    """The script installs one; whether that is the only one, the image or the pool says."""
    if who.driver is Driver.USER_DATA:
        if pool.image is not None and pool.image.has_driver is False:
            return
        image = [pool.image.told()] if pool.image is not None else []
        yield unknown(
            package.place,
            "the script installs a driver, and whether the image brings one already is not known",
            on=pool.title,
            related=[*image, pool.declared("does not say who brings its driver")],
            remedy="say it in the fleet (driver of the pool): user-data, where the image has none",
        )
        return
    assert who.driver is not None
    brought_by = BROUGHT_BY[who.driver]
    yield fail(
        package.place,
        f"the script installs a driver, and {brought_by} brings one already",
        is_=package.name,
        should=f"the driver of {brought_by} alone",
        on=pool.title,
        related=[who.said],
        cause=FIGHT,
        remedy="take this install out, or set the pool's driver to user-data and use an image without one",
    )


def _installs_none(script: BootScript, pool: BootPool, who: WhoBrings) -> Findings:
    step = may_install_one(script.timeline)
    if step is not None:
        other = f", and {BROUGHT_BY[who.driver]} brings one already" if who.driver is not None else ""
        why = f"whether this step installs a driver is not known{other}"
        yield unknown(step.place, why, on=pool.title, related=[who.said])
    elif who.driver is None and pool.image is not None and pool.image.has_driver is None:
        skip(ToGive(f"nobody says who brings the driver of {pool.title}", "say it in a fleet (driver of the pool)"))
    elif who.driver is None and pool.fleet.operator is None:
        yield fail(
            script.place,
            "nobody brings the driver: the image has none, the script installs none, and the fleet has no operator",
            should="a driver from one of them",
            on=pool.title,
            related=[who.said],
            cause=NO_DRIVER,
            remedy="take an image that has one, or install it here and set the pool's driver to user-data",
        )


def _not_in_the_image(pool: BootPool, image: NodeImage, who: WhoBrings) -> Draft:
    return fail(
        image.place,
        "the driver is to come from the image, and this image has none",
        is_=image.named,
        should="an image that has the driver",
        on=pool.title,
        related=[who.said],
        cause=NO_DRIVER,
        remedy="take the image with NVIDIA's driver (EKS: …/amazon-linux-2023/x86_64/nvidia/…, AL2023_x86_64_NVIDIA), "
        "or set the pool's driver to who brings it",
    )


def _is_the_operators_by_default(pool: BootPool) -> bool:
    in_the_image = pool.image is not None and pool.image.has_driver
    return pool.pool.driver is Driver.OPERATOR and not pool.pool.driver_is_said and not in_the_image


@RULE.check
def the_script_is_not_beside_the_operators(
    script: BootScript, pool: BootPool, operators: Sequence[OperatorValues]
) -> Findings:
    """Where only a default says that the operator brings the driver: what its settings say is more than that."""
    pools = [each.place for each in pool.fleet.gpu_pools]
    yield from _beside_what_is_said(script, pool, [each for each in operators if not _follows_from(each, pools)])


@RULE.check
def nor_beside_that_of_the_fleet(script: BootScript, pool: BootPool, operator: OperatorValues | None) -> Findings:
    if operator is not None:
        skip("the operator's settings are here")
    yield from _beside_what_is_said(script, pool, [])


def _beside_what_is_said(script: BootScript, pool: BootPool, operators: Sequence[OperatorValues]) -> Findings:
    found, operator = drivers(script.timeline)[:1], pool.fleet.operator
    if not found or not pool.pool.is_gpu or not _is_the_operators_by_default(pool) or operator is None:
        skip("the script installs no driver, or the fleet says who brings it")
    said = [each.brings_driver for each in operators]
    if any(isinstance(each.state, Known) and each.state.value is False for each in said):
        skip("the operator's settings leave the driver to others")
    brings = next((each.place for each in said if need(each)), operator.place if operator.declared else None)
    if brings is None:
        why = f"no settings of an operator are here, and the fleet names none; {found[0].name} is installed"
        yield unknown(found[0].place, f"whether an operator brings {pool.title} a second driver is not known: {why}")
    else:
        says = "the operator brings a driver, unless driver.enabled is false"
        yield _beside(found[0], pool, Related(brings, says))


def _beside(package: NvidiaPackage, pool: BootPool, says: Related) -> Draft:
    return fail(
        package.place,
        "the script installs a driver, and so does the operator",
        is_=package.name,
        should="the driver of one of them",
        on=pool.title,
        related=[says],
        cause=FIGHT,
        remedy="set driver.enabled: false in the operator's values, and driver: user-data for the pool; or take this "
        "install out",
    )


@RULE.check
def the_operator_does_what_the_pools_say(values: OperatorValues, pool: GpuPool, pools: Sequence[GpuPool]) -> Findings:
    if pool.driver is None:
        skip(ToGive(f"nobody says who brings the driver of {pool.title}", "say it in a fleet (driver of the pool)"))
    if need(values.brings_driver) and need(values.chooses_drivers):
        skip("NVIDIADriver resources say which nodes get a driver")
    enabled = need(values.brings_driver)
    if enabled and pool.driver is Driver.OPERATOR and pool.shuts_operators_driver_out:
        yield _kept_off(values, pool)
        return
    if enabled == (pool.driver is Driver.OPERATOR) or (enabled and _follows_from_doubt(values, pools)):
        return
    if enabled and (pool.shuts_operators_driver_out or _is_for_others(pool, pools)):
        return
    brought_by = BROUGHT_BY[pool.driver]
    declared = pool.driver_said or Related(pool.place, f"{pool.title} gets its driver from {brought_by}")
    yield _two(values, pools, brought_by, pool, declared) if enabled else _none(values, pool, declared)


@RULE.check
def one_runs_on_a_node(running: DriversOnNodes) -> Findings:
    yield fail(
        running,
        f"the operator installs a driver, and {running.other.title} another",
        is_=f"{running.operators.title} and {running.other.title}",
        should="one",
        on=[f"node '{name}'" for name in running.nodes],
        related=[Related(running.other.place, "the other one")],
        cause=FIGHT,
        remedy="set driver.enabled: false in the operator's values, or keep its driver from these nodes: "
        f"kubectl label node {' '.join(running.nodes[:4])}{' …' if len(running.nodes) > 4 else ''} {OWN_DRIVER}",
    )


def _kept_off(values: OperatorValues, pool: GpuPool) -> Draft:
    said = Related(values.brings_driver.place, "the operator would bring one")
    return fail(
        pool,
        "nobody brings the driver: its nodes register with the label that keeps the operator's off",
        is_=OWN_DRIVER,
        should="no such label",
        on=pool.title,
        related=[said, *([pool.driver_said] if pool.driver_said is not None else [])],
        cause=NO_DRIVER,
        remedy=f"register these nodes without {OWN_DRIVER}, or say who else brings their driver",
    )


def _none(values: OperatorValues, pool: GpuPool, declared: Related) -> Draft:
    return fail(
        values.brings_driver,
        "nobody brings the driver: the operator's is off",
        is_="false",
        should="true",
        on=pool.title,
        related=[declared],
        cause=NO_DRIVER,
        remedy="set driver.enabled: true, or the pool's driver to who brings it",
    )


def _two(values: OperatorValues, pools: Sequence[GpuPool], brought_by: str, pool: GpuPool, declared: Related) -> Draft:
    said = "true" if values.brings_driver.written else "not set, and true by default"
    return fail(
        values.brings_driver,
        f"driver.enabled is {said}: the operator brings a driver, and {brought_by} has one already",
        is_="true",
        should="false",
        on=pool.title,
        related=[declared],
        severity=Severity.WARNING if pool.evidence else Severity.ERROR,
        cause=_STANDS_BACK if pool.evidence else FIGHT,
        remedy=_remedy(pools),
    )


def _is_for_others(pool: GpuPool, pools: Sequence[GpuPool]) -> bool:
    """Of nodes that nobody declares: where not all have a driver, the operator's is for the rest, and leaves these."""
    return bool(pool.evidence) and any(each.driver is not Driver.AMI for each in pools)


def _follows_from_doubt(values: OperatorValues, pools: Sequence[GpuPool]) -> bool:
    """Whether nobody wrote it, and it follows from a pool that does not say who brings its driver."""
    return _follows_from(values, [each.place for each in pools if each.driver is None])


def _follows_from(values: OperatorValues, pools: Sequence[Place]) -> bool:
    where = values.brings_driver.place
    return any((each.path, each.line) == (where.path, where.line) for each in pools)


def _remedy(pools: Sequence[GpuPool]) -> str:
    if any(each.driver is Driver.OPERATOR for each in pools):
        return f"give the nodes that have a driver the label {OWN_DRIVER}"
    return "set driver.enabled: false in the operator's values"

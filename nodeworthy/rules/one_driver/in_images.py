"""One driver, where whoever makes nodes takes an image of EKS' own that may have it: Karpenter, eksctl."""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.facts.boot.drivers import drivers, may_install_one
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.fleet.asked_nodes import AskedNodes
from nodeworthy.facts.fleet.karpenter import KarpenterClass
from nodeworthy.facts.fleet.karpenter_choice import ChosenClass
from nodeworthy.facts.fleet.no_driver import GpusWithoutDriver
from nodeworthy.known.cloud_gpus import aks_distribution
from nodeworthy.rules.one_driver import FIGHT, NO_DRIVER, RULE, TAKE_THE_IMAGE
from nodeworthy.verdict import Draft, Findings, Severity, fail, skip, unknown, value_if_known

# Who leaves the driver to others: by which words, and how it is mended.
_AKS = (
    "AKS",
    "gpu_driver None",
    'let AKS install it (gpu_driver = "Install", or leave it out), or install the GPU operator, which brings one and '
    "its own device plugin",
)
_GKE = (
    "GKE",
    "gpu_driver_version INSTALLATION_DISABLED",
    'let GKE install it (gpu_driver_installation_config { gpu_driver_version = "DEFAULT" }), or apply the DaemonSet '
    "of Google's installer, or install the GPU operator",
)


@RULE.check
def a_node_class_of_karpenters_has_one(node_class: KarpenterClass, chosen: Sequence[ChosenClass]) -> Findings:
    nodes = next(filter(None, (node_class.nodes(each.pool) for each in chosen if each.node_class is node_class)), None)
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
def nodes_whose_gpus_are_asked_for_have_one(without: GpusWithoutDriver) -> Findings:
    pool = without.pool
    if without.is_left_to_others:
        yield _nobody_of_others(without)
        return
    yield fail(
        without,
        f"nobody brings the driver, and {without.askers}",
        is_=pool.evidence,
        should="an image that has the driver",
        on=pool.title,
        related=[*([pool.driver_said] if pool.driver_said is not None else []), without.asks],
        severity=pool.severity,
        cause=f"{NO_DRIVER}; nor could the operator bring one, as NVIDIA has no driver container for this system",
        remedy=TAKE_THE_IMAGE,
    )


def _nobody_of_others(without: GpusWithoutDriver) -> Draft:
    said = without.pool.driver_said
    cloud, told, mended = _AKS if value_if_known(without.pool.distribution) == aks_distribution() else _GKE
    return fail(
        without,
        f"{cloud} is told to install no driver, and nobody else here brings one, while {without.askers}",
        is_=told,
        should="one who brings it",
        on=without.pool.title,
        related=[*([said] if said is not None else []), without.asks],
        severity=Severity.WARNING,
        cause=NO_DRIVER,
        remedy=mended,
    )

"""How NVIDIA's DRA driver is installed: beside which operator, where it looks for the GPU driver, what it hands out."""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.documents.release import LOOSE
from nodeworthy.documents.settled import settle
from nodeworthy.facts.operator.values import OperatorValues, boolean
from nodeworthy.facts.pod.claims import DraDriver, ResourceClaim
from nodeworthy.facts.pod.node_choice import Selection
from nodeworthy.known.dra import driver_roots
from nodeworthy.rules.claims_resolvable import RULE
from nodeworthy.verdict import Findings, Related, Severity, fail, need, skip, unknown

# By which GKE's nodes are chosen, and where its installer puts the driver on them.
_OF_GKE, _GKES_ROOT = "cloud.google.com/gke-", "/home/kubernetes/bin/nvidia"


@RULE.check
def cdi_is_on(driver: DraDriver, operators: Sequence[OperatorValues]) -> Findings:
    for values in operators:
        said = values.tree.get("cdi", "enabled")
        if said.is_absent:
            continue
        if need(boolean("cdi.enabled", said, default=True)) or not need(values.toolkit.enabled):
            continue
        yield fail(
            said,
            "the operator's values switch CDI off, and NVIDIA's DRA driver hands devices over by CDI alone",
            is_="cdi.enabled: false",
            should="cdi.enabled: true",
            related=[Related(driver.place, "the DRA driver is installed here")],
            cause="the toolkit's runtime then goes by NVIDIA_VISIBLE_DEVICES: a pod sees other GPUs than its claim has",
            remedy="set cdi.enabled: true in the operator's values",
        )


@RULE.check
def the_driver_is_where_it_is_looked_for(driver: DraDriver, operators: Sequence[OperatorValues]) -> Findings:
    host, theirs = driver_roots()
    if len(operators) != 1 or (driver.elsewhere is not None and driver.root.is_absent):
        skip("who brings the driver is not told by one operator's values")
    brings = need(operators[0].brings_driver)
    root = need(settle(driver.root)) or host
    wanted = theirs if brings else host
    if root not in (host, theirs) or root == wanted:
        return
    yield fail(
        driver.root.located() if not driver.root.is_absent else driver.place,
        "NVIDIA's DRA driver looks for the GPU driver in another place than where it is",
        is_=f"nvidiaDriverRoot: {root}",
        should=wanted,
        related=[Related(operators[0].brings_driver.place, "the operator brings the driver" if brings else
                         "the operator brings no driver: it is on the host")],
        cause="its kubelet plugin finds no libnvidia-ml.so.1 and stays in Init: no ResourceSlice, and all claims wait",
        remedy=f"set nvidiaDriverRoot: {wanted}",
    )  # fmt: skip


@RULE.check
def nobody_else_hands_them_out(driver: DraDriver, operators: Sequence[OperatorValues]) -> Findings:
    if len(operators) != 1 or driver.elsewhere is not None or operators[0].implied:
        skip("what hands out GPUs beside it is not told by one operator's values")
    if not need(boolean("resources.gpus.enabled", driver.shares_gpus, default=True)):
        skip("it hands out no GPUs, but ComputeDomains")
    if not need(boolean("gpuResourcesEnabledOverride", driver.override, default=False)):
        skip("its chart refuses to hand out GPUs, which is told by itself")
    plugin = operators[0].part("devicePlugin", default=True)
    if not need(plugin):
        return
    yield fail(
        driver.override.heading,
        "NVIDIA's DRA driver hands out GPUs beside the operator's device plugin",
        is_="gpuResourcesEnabledOverride: true, and devicePlugin " + ("on" if plugin.written else "on by default"),
        should="devicePlugin.enabled: false in the operator's values, or resources.gpus.enabled: false here",
        related=[Related(plugin.place, "the operator's device plugin is on here")],
        cause="each gives the same GPUs away and knows nothing of the other: a claim and a pod with nvidia.com/gpu get "
        "one and the same",
        remedy="leave one of them, on each node; who has both keeps them apart by labels (nvidia.com/gpu.deploy."
        "device-plugin=false)",
        severity=Severity.WARNING,
    )


@RULE.check
def the_driver_is_where_gke_puts_it(driver: DraDriver) -> Findings:
    chooses = Selection(driver.tree.get("kubeletPlugin"))
    keys = [*chooses.selector, *(each.key for term in chooses.terms for each in term)]
    found = next((each for each in keys if each.startswith(_OF_GKE)), None)
    if driver.root.is_mapping or driver.root.is_sequence:
        skip("its root is no path")
    root = str(need(settle(driver.root)) or driver_roots()[0])
    if found is None or (driver.root.is_absent and driver.elsewhere is not None):
        skip("nothing says that its nodes are GKE's")
    if root.rstrip("/") == _GKES_ROOT or root == driver_roots()[1]:
        return
    yield fail(
        driver.root.located() if not driver.root.is_absent else driver.place,
        "NVIDIA's DRA driver looks for the GPU driver in another place than where GKE puts it",
        is_=f"nvidiaDriverRoot: {root}",
        should=_GKES_ROOT,
        cause=f"it chooses nodes by {found}, and Google's installer puts the driver there: the kubelet plugin finds no "
        "libnvidia-ml.so.1 and stays in Init, no ResourceSlice comes, and all claims wait",
        remedy=f"set nvidiaDriverRoot: {_GKES_ROOT}",
        severity=Severity.WARNING,
    )


@RULE.check
def what_is_agreed_to_is_on(
    driver: DraDriver, claim: ResourceClaim | None, operator: OperatorValues | None
) -> Findings:
    """Beside an operator, whose device plugin hands GPUs out, the override may be what is left of a trial."""
    if claim is not None or operator is not None:
        skip("what claims beside it find, and what an operator hands out, is judged by itself")
    gpus, override = driver.shares_gpus, driver.override
    if gpus.is_absent or override.is_absent:
        skip("it does not say both")
    if need(boolean("resources.gpus.enabled", gpus, default=True)):
        skip("it hands out GPUs")
    if not need(boolean("gpuResourcesEnabledOverride", override, default=False)):
        skip("it is for ComputeDomains alone")
    yield fail(
        gpus.located(),
        "the DRA driver is allowed to hand out GPUs, and its part for GPUs is switched off",
        is_="resources.gpus.enabled: false, and gpuResourcesEnabledOverride: true",
        should="resources.gpus.enabled: true, or no gpuResourcesEnabledOverride",
        related=[Related(override.place, "the override is set here")],
        cause="the override alone makes nothing: there is no DeviceClass gpu.nvidia.com and no ResourceSlice of GPUs, "
        "and whoever claims one waits",
        remedy="set resources.gpus.enabled: true; for ComputeDomains alone take the override out",
        severity=Severity.WARNING,
    )


@RULE.check
def its_chart_agrees_to_share_gpus(driver: DraDriver) -> Findings:
    gpus, override = driver.shares_gpus, driver.override
    if (gpus.is_absent or override.is_absent) and driver.elsewhere is not None:
        yield unknown(driver, f"whether the driver hands out GPUs is not known: {driver.elsewhere}")
        return
    if not need(boolean("resources.gpus.enabled", gpus, default=True)):
        skip("it hands out no GPUs, but ComputeDomains")
    if need(boolean("gpuResourcesEnabledOverride", override, default=False)):
        return
    if driver.origin == LOOSE:
        skip("who installs the chart with these values may say more")
    if gpus.is_absent and override.is_absent:
        skip("what a release does not say is often said on the command line")
    yield fail(
        override.located() if not override.is_absent else gpus.heading,
        "the DRA driver is to hand out whole GPUs, which its chart refuses without the override",
        is_=f"gpuResourcesEnabledOverride: {'false' if not override.is_absent else 'not said'}",
        should="gpuResourcesEnabledOverride: true, or resources.gpus.enabled: false",
        cause="the chart's validation ends `helm install` with an error: it collides with the device plugin on a node",
        remedy="set gpuResourcesEnabledOverride: true where no device plugin runs; else resources.gpus.enabled: false",
        severity=Severity.WARNING,
    )

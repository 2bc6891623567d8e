"""The NVIDIA driver of a node comes from its image, from its user data or from the operator: from exactly one.

The operator's chart installs a driver unless `driver.enabled` is false, also on nodes that have one: its container
waits for the modules of the other to go, or loads beside them, and nothing on the node works. A script that installs
a driver over the image's leaves libraries of one version and modules of another. And where each thinks that the other
brings it, nobody does, and the node has no GPUs. In a cluster, their pods show the operator's driver
beside a cloud's installer on one node.

Who brings it is read where it is decided: in a plan from the image (an SSM parameter, an amiType, an image's name) and
from the script; a pool that says otherwise than its image is wrong. The operator leaves out nodes that register with
`nvidia.com/gpu.deploy.driver=false`; and of Amazon Linux, for which NVIDIA has no driver container, it can bring none:
where pods ask for the GPUs of such nodes, or a device plugin is to hand them out, and neither their image nor their
script has a driver, nobody brings one.
"""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.fleet.model import BROUGHT_BY, Driver
from nodeworthy.known.operator_parts import OF_EXTENSIONS, WITHOUT_CONTAINER
from nodeworthy.known.operator_parts import OWN_DRIVER as OWN_DRIVER_LABEL
from nodeworthy.rule import Rule
from nodeworthy.verdict import (
    Draft,
    Findings,
    Place,
    Related,
    Severity,
    ToGive,
    fail,
    need,
    skip,
    value_if_known,
)

RULE = Rule(
    "one-driver",
    severity=Severity.ERROR,
    title="The driver comes from the image, the user data or the operator: from exactly one",
    remedy="let one bring it: set the pool's driver to who does, driver.enabled of the operator to match, "
    "and take the other install out of the script",
)

FIGHT = (
    "two drivers overwrite each other's libraries and modules: nvidia-smi ends with "
    "Failed to initialize NVML: Driver/library version mismatch"
)
NO_DRIVER = "the node joins and has no GPUs to offer: its pods stay Pending"
# NVIDIA/gpu-operator issue 2150; k8s-driver-manager. Of nodes that nobody declares this is all that is certain.
_STANDS_BACK = (
    "the operator's driver manager looks for a driver on each node, and leaves alone those that have one "
    "(nvidia.com/gpu.deploy.driver=pre-installed): the setting says what does not happen, and where the look fails, "
    "two drivers overwrite each other"
)
_NO_IMAGE = (
    "there is no driver container for this system, whose modules are signed with its image: the driver's pods stay in "
    "ImagePullBackOff or Init, and the operator waits for them with everything else"
)
_NVIDIAS = "nvcr.io/nvidia"
TAKE_THE_IMAGE = "take the image with NVIDIA's driver (EKS: AL2023_x86_64_NVIDIA)"
_TAKE_THE_EXTENSION = (
    "make the image with NVIDIA's extensions (siderolabs/nvidia-open-gpu-kernel-modules, nvidia-container-toolkit)"
)
# A node with this label is left out by the operator's driver.
OWN_DRIVER = "=".join(OWN_DRIVER_LABEL)


@RULE.check
def the_operator_does_what_the_pools_say(values: OperatorValues, pool: GpuPool, pools: Sequence[GpuPool]) -> Findings:
    if pool.driver is None and not _is_talos(pool):
        skip(ToGive(f"nobody says who brings the driver of {pool.title}", "say it in a fleet (driver of the pool)"))
    if need(values.brings_driver) and need(values.chooses_drivers):
        skip("NVIDIADriver resources say which nodes get a driver")
    enabled = need(values.brings_driver)
    if pool.driver is None and not enabled:
        return
    if enabled and pool.driver is Driver.OPERATOR and pool.keeps_operators_driver_out:
        yield _kept_off(values, pool)
        return
    if enabled and _has_no_image(values, pool):
        yield _not_there(values, pool)
        return
    if enabled == (pool.driver is Driver.OPERATOR) or (enabled and _follows_from_doubt(values, pools)):
        return
    if enabled and (pool.keeps_operators_driver_out or _is_for_others(pool, pools)):
        return
    if pool.driver is None:
        return
    brought_by = pool.driver_by or BROUGHT_BY[pool.driver]
    declared = pool.driver_said or Related(pool.place, f"{pool.title} gets its driver from {brought_by}")
    yield _two(values, pools, brought_by, pool, declared) if enabled else _none(values, pool, declared)


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


def _has_no_image(values: OperatorValues, pool: GpuPool) -> bool:
    """Whether nodes that nobody declares run a system for which NVIDIA has no driver container; people build some."""
    repository = values.tree.get("driver", "repository")
    is_nvidias = repository.is_absent or repository.string.startswith(_NVIDIAS)
    is_amazons = pool.driver is Driver.OPERATOR and _is_amazons(pool)
    is_talos = pool.driver in (None, Driver.OPERATOR) and _is_talos(pool)
    return is_nvidias and (is_amazons or is_talos)


def _is_talos(pool: GpuPool) -> bool:
    return bool(pool.evidence) and value_if_known(pool.distribution) == OF_EXTENSIONS


def _is_amazons(pool: GpuPool) -> bool:
    return bool(pool.evidence) and value_if_known(pool.distribution) in WITHOUT_CONTAINER


def _not_there(values: OperatorValues, pool: GpuPool) -> Draft:
    named, image = ("-talos", _TAKE_THE_EXTENSION) if _is_talos(pool) else ("-amzn2023 or -amzn2", TAKE_THE_IMAGE)
    return fail(
        values.brings_driver,
        f"the operator is to bring the driver, and NVIDIA has no driver container for the system of {pool.title}",
        is_="true",
        should="an image that has the driver",
        on=pool.title,
        related=[pool.driver_said] if pool.driver_said is not None else [],
        severity=pool.severity,
        cause=f"the driver's pods ask for an image that ends in {named}, stay in ImagePullBackOff, and the operator "
        "waits for them with everything else",
        remedy=f"{image}, and set driver.enabled: false",
    )


def _none(values: OperatorValues, pool: GpuPool, declared: Related) -> Draft:
    image = TAKE_THE_IMAGE if _is_amazons(pool) else _TAKE_THE_EXTENSION if _is_talos(pool) else None
    return fail(
        values.brings_driver,
        "nobody brings the driver: the operator's is off",
        is_="false",
        should="an image that has the driver" if image is not None else "true",
        on=pool.title,
        related=[declared],
        # With which image a machine of Talos is installed may stand nowhere.
        severity=Severity.WARNING if _is_talos(pool) else Severity.ERROR,
        cause=NO_DRIVER,
        remedy=image or "set driver.enabled: true, or the pool's driver to who brings it",
    )


def _two(values: OperatorValues, pools: Sequence[GpuPool], brought_by: str, pool: GpuPool, declared: Related) -> Draft:
    said = "true" if values.brings_driver.written else "not set, and true by default"
    is_certain = not pool.is_likely and (not pool.evidence or values.brings_driver.written or _has_no_other(pool))
    return fail(
        values.brings_driver,
        f"driver.enabled is {said}: the operator brings a driver, and {brought_by} has one already",
        is_="true",
        should="false",
        on=pool.title,
        related=[declared],
        severity=Severity.ERROR if is_certain else Severity.WARNING,
        cause=_cause(pool),
        remedy=_remedy(pools),
    )


def _cause(pool: GpuPool) -> str:
    if _has_no_other(pool):
        return _NO_IMAGE
    return _STANDS_BACK if pool.evidence else FIGHT


def _has_no_other(pool: GpuPool) -> bool:
    """Whether its system takes no driver but that of its image: then nobody's toolkit either."""
    runtime = value_if_known(pool.runtime)
    return pool.driver is Driver.AMI and runtime is not None and not runtime.toolkit


def _is_for_others(pool: GpuPool, pools: Sequence[GpuPool]) -> bool:
    """Whether the operator's driver is for other nodes: where undeclared nodes have a driver in part, it is for the
    rest."""
    return bool(pool.evidence) and any(each.driver in (None, Driver.OPERATOR) for each in pools)


def _follows_from_doubt(values: OperatorValues, pools: Sequence[GpuPool]) -> bool:
    """Whether nobody wrote it, and it follows from a pool that does not say who brings its driver."""
    return follows_from(values, [each.place for each in pools if each.driver is None])


def follows_from(values: OperatorValues, pools: Sequence[Place]) -> bool:
    where = values.brings_driver.place
    return any((each.path, each.line) == (where.path, where.line) for each in pools)


def _remedy(pools: Sequence[GpuPool]) -> str:
    if any(each.driver is Driver.OPERATOR for each in pools):
        return f"give the nodes that have a driver the label {OWN_DRIVER}"
    return "set driver.enabled: false in the operator's values"

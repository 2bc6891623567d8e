"""NVIDIA's container toolkit is brought to a node once: by its image, by its boot script or by the operator.

Each of them installs its own programs and writes its own runtime `nvidia` into containerd. Whoever writes last wins:
after an update of one of them, containers run by the other's release, and what is set for one (its debug log, CDI, who
may ask for all GPUs by a variable) is not set for the other. The operator's toolkit is on unless `toolkit.enabled` is
false; it leaves out nodes with `nvidia.com/gpu.deploy.container-toolkit=false`. A toolkit that a script installs for
Docker, or tells no containerd of, is in nobody's way. Of an image that has the toolkit beside an operator whose
settings say nothing of it nothing is told: the operator's then serves these nodes as its chart has it. Nor is anything
told where `toolkit.env` names their containerd: whoever wrote that wants the operator's toolkit there.

Where the operator's is off, somebody else brings it: the image, or the script. Nodes of an image without a driver have
no toolkit either, nor has a machine on which its own script installs the driver, and nothing but it. An image of Talos
has it by an extension of its own: one with the driver's modules alone starts no container with a GPU.
"""

from __future__ import annotations

from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.fleet.model import Driver
from nodeworthy.known.operator_parts import OF_EXTENSIONS, WITHOUT_CONTAINER
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Known, Related, Severity, Unknown, fail, need, skip, unknown, value_if_known

RULE = Rule(
    "one-toolkit",
    severity=Severity.WARNING,
    title="The container toolkit is brought once: by the image, the boot script or the operator",
    remedy="let one bring it: toolkit.enabled: false in the operator's values, or no toolkit in the script",
)

TWICE = (
    "both write a runtime nvidia into containerd, and the one that writes last wins: after an update of either, "
    "containers run by the other's release and settings"
)
# A node with this label is left out by the operator's toolkit.
OWN_TOOLKIT_LABEL = "nvidia.com/gpu.deploy.container-toolkit"
OWN_TOOLKIT = f"{OWN_TOOLKIT_LABEL}=false"

WITHOUT_ANY = (
    "containers start without the driver's libraries and devices: the device plugin finds no GPU, and pods that name "
    'the runtime class end with: no runtime for "nvidia" is configured'
)
_REMEDY = "set toolkit.enabled: true, with the paths of their containerd in toolkit.env; or let their script install it"


@RULE.check
def the_operators_is_not_beside_the_images(values: OperatorValues, pool: GpuPool) -> Findings:
    enabled = values.toolkit.enabled
    if enabled.state == Known(False) or pool.driver in (Driver.USER_DATA, Driver.OPERATOR):
        return
    if values.implied or not enabled.written:
        skip("nobody has asked for the operator's toolkit: it serves these nodes as its chart has it")
    if pool.driver is None or not need(pool.runtime).toolkit_in_image:
        skip(f"no image of {pool.title} is known to have the toolkit")
    if values.toolkit.variables or values.toolkit.env.is_unknown or not need(enabled):
        return
    own = pool.machines.labels.get(OWN_TOOLKIT_LABEL)
    if own is not None and need(own) == "false":
        skip(f"the nodes of {pool.title} register with the label that keeps the operator's toolkit off")
    yield fail(
        enabled,
        f"the operator brings the toolkit, and the image of {pool.title} has it already",
        is_="toolkit.enabled: true",
        should="toolkit.enabled: false",
        on=pool.title,
        related=[pool.declares_its_runtime(), *([pool.driver_said] if pool.driver_said is not None else [])],
        cause=TWICE,
        remedy=f"set toolkit.enabled: false, or give the nodes that have a toolkit the label {OWN_TOOLKIT}",
    )


@RULE.check
def somebody_brings_it(values: OperatorValues, pool: GpuPool) -> Findings:
    enabled, distribution = values.toolkit.enabled, pool.distribution.state
    if values.implied or enabled.state != Known(False):
        skip("the operator brings it, or may, or nobody has asked for the operator")
    if isinstance(distribution, Unknown) and len(pool.one_of) > 1:
        yield unknown(
            enabled,
            f"whether somebody else brings the toolkit, which is off here, is not known: {distribution.why}",
            related=[Related(pool.place, f"this is {pool.title}")],
        )
        return
    if not _gets_none(pool) or (pool.driver is Driver.OPERATOR and not need(values.brings_driver)):
        skip(f"nothing shows that {pool.title} gets no toolkit, or it gets no driver either, which one-driver says")
    related = [pool.declares_its_runtime(), *([pool.driver_said] if pool.driver_said is not None else [])]
    yield fail(
        enabled,
        "nobody brings the container toolkit: the operator's is off",
        is_="false",
        should="true",
        on=pool.title,
        related=related,
        cause=WITHOUT_ANY,
        remedy=_REMEDY,
    )


def _gets_none(pool: GpuPool) -> bool:
    """An image without a driver has no toolkit either, nor has a machine whose own script installs the driver; what
    else brings one is in their scripts."""
    distribution = value_if_known(pool.distribution)
    if not pool.evidence or distribution is None or distribution in (*WITHOUT_CONTAINER, OF_EXTENSIONS):
        return False
    if pool.driver not in (Driver.OPERATOR, Driver.USER_DATA) or pool.driver_by:
        return False
    if pool.driver is Driver.USER_DATA and not pool.scripts:
        return False
    from nodeworthy.facts.boot.toolkit_installed import toolkits
    from nodeworthy.facts.boot.unread_steps import other_scripts

    return not any(
        script.is_a_part or any(toolkits(script.timeline)) or next(other_scripts(script.timeline), None) is not None
        for script in pool.scripts
    )

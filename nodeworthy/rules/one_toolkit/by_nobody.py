"""Whether anybody brings a toolkit to nodes for which the operator's is off."""

from __future__ import annotations

from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.fleet.model import Driver
from nodeworthy.known.operator_parts import OF_EXTENSIONS, WITHOUT_CONTAINER
from nodeworthy.rules.one_toolkit import RULE
from nodeworthy.verdict import Findings, Known, Related, Unknown, fail, need, skip, unknown, value_if_known

_NONE = (
    "containers start without the driver's libraries and devices: the device plugin finds no GPU, and pods that name "
    'the runtime class end with: no runtime for "nvidia" is configured'
)
_REMEDY = "set toolkit.enabled: true, with the paths of their containerd in toolkit.env; or let their script install it"


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
        cause=_NONE,
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

"""What a boot script says of itself: what it is, and where it came from. No time: the same fleet, the same bytes."""

from __future__ import annotations

from nodeworthy.fleet.model import Driver
from userdata.plan import NodePlan

_OS = {
    "al2023": "Amazon Linux 2023",
    "al2": "Amazon Linux 2",
    "ubuntu-22.04": "Ubuntu 22.04",
    "ubuntu-24.04": "Ubuntu 24.04",
    "bottlerocket": "Bottlerocket",
}
_DRIVER = {
    Driver.AMI: "the image brings the driver",
    Driver.USER_DATA: "this script installs the driver",
    Driver.OPERATOR: "the GPU operator brings the driver",
}


def title(plan: NodePlan, part: str = "") -> tuple[str, ...]:
    of_stack = f" of stack {plan.stack}" if plan.stack else ""
    gpus = (f"{plan.gpus.gpu} GPUs", _DRIVER[plan.gpus.driver]) if plan.gpus is not None else ()
    told = ", ".join(filter(None, [_OS[plan.os], plan.instance_type, *gpus]))
    return (
        f"{part or 'Boots a node'} of pool {plan.pool}{of_stack}: {told}.",
        "Written from the fleet by `python -m userdata`: change the fleet, or userdata/, and not this.",
    )

"""The boot script of a pool: which family of images reads what, and in which form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.boot.userdata import LIMIT
from nodeworthy.fleet.model import Driver
from userdata import al2, al2023, bottlerocket, mime, steps, ubuntu
from userdata.plan import CannotWrite, NodePlan
from userdata.script import comment, script
from userdata.title import title

STEPS = {
    "al2023": al2023.in_order,
    "al2": al2.in_order,
    "ubuntu-22.04": ubuntu.in_order,
    "ubuntu-24.04": ubuntu.in_order,
}
# The distributions whose nodes these scripts make.
DISTRIBUTIONS = frozenset({"eks-al2023", "eks-al2", "eks-ubuntu", "bottlerocket"})
# The disk that images and logs live on; Bottlerocket keeps its own system apart.
ROOT_DEVICE = {
    "al2023": "/dev/xvda",
    "al2": "/dev/xvda",
    "ubuntu-22.04": "/dev/sda1",
    "ubuntu-24.04": "/dev/sda1",
    "bottlerocket": "/dev/xvdb",
}


class TooLarge(CannotWrite):
    """More than EC2 takes."""


def of(plan: NodePlan) -> str:
    if plan.firewall is not None and not plan.os.startswith("ubuntu"):
        raise CannotWrite(f"pool '{plan.pool}': ufw is Ubuntu's firewall, and the pool's os is {plan.os}")
    parts = list(_parts(plan))
    # What is alone needs no envelope.
    text = mime.multipart(parts) if len(parts) > 1 else parts[0].text
    size = len(text.encode())
    if size > LIMIT:
        raise TooLarge(_too_large(plan.pool, size, parts))
    return text


def _parts(plan: NodePlan) -> Iterator[mime.Part]:
    if plan.os == "bottlerocket":
        yield mime.Part(mime.SETTINGS, bottlerocket.settings(plan))
        return
    if plan.os == "al2023":
        yield mime.Part(mime.NODE_CONFIG, comment(title(plan, "NodeConfig")) + al2023.node_config(plan))
    if plan.driver is Driver.AMI:
        # Early in every boot, before the image loads the driver: a script at the end of cloud-init is too late.
        yield mime.Part(mime.BOOTHOOK, script(title(plan, "Boothook"), [steps.allow_profiling()]))
    yield mime.Part(mime.SHELL, script(title(plan), STEPS[plan.os](plan)))


def _too_large(pool: str, size: int, parts: Sequence[mime.Part]) -> str:
    sizes = sorted(((len(part.text.encode()), part.type) for part in parts), reverse=True)
    return (
        f"the boot script of pool '{pool}' has {size:,} bytes, "
        f"and EC2 takes {LIMIT:,}: that is {size - LIMIT:,} too many. "
        f"Of its parts, {', '.join(f'{kind} has {its:,}' for its, kind in sizes)}"
    )

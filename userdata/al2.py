"""Amazon Linux 2 on EKS: the image's own bootstrap.sh."""

from __future__ import annotations

from collections.abc import Iterator

from userdata import steps
from userdata.plan import NodePlan
from userdata.script import Step

# Of Amazon's repository for NVIDIA.
DRIVER_VERSION = "550.163.01"


def in_order(plan: NodePlan) -> Iterator[Step]:
    yield from steps.gpus(plan, "al2", DRIVER_VERSION)
    yield from steps.registries(plan)
    yield from steps.storage(plan)
    yield from steps.bootstrap(plan, "al2")

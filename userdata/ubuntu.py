"""Ubuntu on EKS: the image's own bootstrap.sh, kubelet in a snap, and a firewall where the pool wants one."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.fleet.model import Driver
from userdata import steps
from userdata.plan import NodePlan, Ufw
from userdata.script import Step

# The branch: Ubuntu's packages carry it in their names.
DRIVER_VERSION = "580"


def in_order(plan: NodePlan) -> Iterator[Step]:
    if plan.storage is not None or plan.firewall is not None or plan.driver is Driver.USER_DATA:
        yield Step("packages", ("refresh_packages",), "ubuntu/apt")
    yield from steps.gpus(plan, "ubuntu", DRIVER_VERSION)
    yield from steps.registries(plan)
    if plan.storage is not None:
        yield Step("shared storage", ("install_nfs",), "ubuntu/nfs")
    yield from steps.storage(plan)
    if plan.firewall is not None:
        yield from _firewall(plan.firewall)
    yield from steps.bootstrap(plan, "ubuntu")


def _firewall(ufw: Ufw) -> Iterator[Step]:
    values = {
        # As Amazon's CNI and Ubuntu on Nitro call them.
        "POD_INTERFACES": "eni+",
        "UPLINKS": "ens+",
        "POD_RANGE": ufw.pod_range,
        "SERVICE_RANGE": ufw.service_range,
        "VPC_RANGE": ufw.vpc_range,
    }
    opened = [("allow_node_ports", each) for each in ufw.node_ports_from]
    for call in (("install_firewall",), ("allow_pods",), ("allow_node",), *opened, ("raise_firewall",)):
        yield Step("firewall", call, "ubuntu/firewall", values)

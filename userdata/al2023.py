"""Amazon Linux 2023: a NodeConfig, which nodeadm reads before cloud-init runs, and a script beside it."""

from __future__ import annotations

from collections.abc import Iterator

import yaml

from userdata import steps
from userdata.plan import NodePlan
from userdata.registration import Taint
from userdata.script import Step

# libyaml's, where it is there: a fleet of hundreds of pools is written in half the time.
_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
# Of Amazon's repository for NVIDIA.
DRIVER_VERSION = "580.105.08"


def in_order(plan: NodePlan) -> Iterator[Step]:
    yield from steps.gpus(plan, "al2023", DRIVER_VERSION)
    yield from steps.registries(plan)
    yield from steps.storage(plan)
    yield Step("kubelet, after a reboot", ("enable_kubelet",), "al2023/kubelet")


def node_config(plan: NodePlan) -> str:
    cluster = {
        "name": plan.told.cluster,
        "apiServerEndpoint": plan.told.endpoint,
        "certificateAuthority": plan.told.certificate_authority,
        "cidr": plan.told.service_range,
    }
    kubelet: dict[str, object] = {"flags": [f"--node-labels={steps.node_labels(plan)}"]}
    if plan.taints:
        kubelet["config"] = {"registerWithTaints": [_taint(each) for each in plan.taints]}
    config = {
        "apiVersion": "node.eks.aws/v1alpha1",
        "kind": "NodeConfig",
        "spec": {"cluster": cluster, "kubelet": kubelet},
    }
    text: str = yaml.dump(config, Dumper=_DUMPER, sort_keys=False, width=1 << 30)
    return text


def _taint(taint: Taint) -> dict[str, str]:
    value = {"value": taint.value} if taint.value else {}
    return {"key": taint.key, **value, "effect": taint.effect}

"""A rollout against moto's AWS and a real API server: the calls are real, the nodes are not.

What this proves: machines are ended by the call that AWS has for it, one at a time; evictions go through the API server,
which asks budgets; what is written is what Kubernetes takes; whoever is killed goes on. What it does not: that AWS keeps
its word on capacity, hooks and protection, which moto does not have.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from nodeworthy.collect.node.recording import as_text, load
from tests.node.recordings import INCIDENT, MENDED
from tests.real.cloud_bridge import Bridge, settle
from tests.real.kube_client import KubeClient
from tests.real.moto_server import MotoServer
from tests.real.stand_in_kubelet import NODES, Goes, Object, StandInKubelet, Went, ended, hangs
from tests.real.stand_ins.moto_actions import Said, added_to_moto
from tests.run import Ran, run

REGION, GROUP = "us-east-2", "t4"
IMAGE = "ami-12c6146b"  # one of hundreds that moto has, of which a list takes it seconds
SCRIPT = "#!/bin/bash\nset -euo pipefail\nmkdir -p /etc/modprobe.d\n{option}dnf install -y nvidia-open-580.105.08\n"
PROFILING = "NVreg_RestrictProfilingToAdminUsers=0"
OPTION = f"echo 'options nvidia {PROFILING}' > /etc/modprobe.d/nvidia-profiling.conf\n"
FIT, UNFIT = (as_text(load(each)).encode() for each in (MENDED, INCIDENT))
LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"
MERGE = "application/merge-patch+json"
LIVE = ("--yes", "--yes-may-lose-capacity", "--accept", "none", "--image", "registry.example/nodeworthy:1")
DEDICATED = "gpu.monitoring/profiling-dedicated"


@dataclass
class Stage:
    moto: MotoServer
    said: Said
    bridge: Bridge
    client: KubeClient
    template: str

    @property
    def scaling(self) -> Any:
        return self.moto.aws.client("autoscaling")

    @property
    def url(self) -> str:
        return str(self.moto.aws.client("sts").meta.endpoint_url)

    def words(self, *more: str) -> list[str]:
        return ["rollout", "--asg", GROUP, "--region", REGION, "--endpoint-url", self.url, *more]

    def go(self, *more: str) -> Ran:
        return run(*self.words(*LIVE, *more))

    def mend(self) -> None:
        """The template has a newer version, with the option."""
        data = template_data(SCRIPT.format(option=OPTION))
        self.moto.aws.client("ec2").create_launch_template_version(
            LaunchTemplateId=self.template, LaunchTemplateData=data
        )

    def group(self) -> dict[str, Any]:
        [found] = self.scaling.describe_auto_scaling_groups(AutoScalingGroupNames=[GROUP])["AutoScalingGroups"]
        data: dict[str, Any] = found
        return data

    def named(self) -> str:
        return str(self.group()["LaunchTemplate"]["Version"])

    def names(self, version: str) -> None:
        template = {"LaunchTemplateId": self.template, "Version": version}
        self.scaling.update_auto_scaling_group(AutoScalingGroupName=GROUP, LaunchTemplate=template)

    def versions(self) -> list[str]:
        return sorted(each["LaunchTemplate"]["Version"] for each in self.group()["Instances"])

    def nodes(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.client.get(NODES)["items"]
        return found


def template_data(script: str) -> dict[str, Any]:
    return {
        "ImageId": IMAGE,
        "InstanceType": "g4dn.12xlarge",
        "UserData": base64.b64encode(script.encode()).decode(),
    }


def make_group(moto: MotoServer, size: int, name: str = GROUP) -> str:
    ec2 = moto.aws.client("ec2")
    made = ec2.create_launch_template(
        LaunchTemplateName=name, LaunchTemplateData=template_data(SCRIPT.format(option=""))
    )
    template = str(made["LaunchTemplate"]["LaunchTemplateId"])
    moto.aws.client("autoscaling").create_auto_scaling_group(
        AutoScalingGroupName=name,
        MinSize=size,
        MaxSize=size,
        DesiredCapacity=size,
        LaunchTemplate={"LaunchTemplateId": template, "Version": "$Latest"},
        VPCZoneIdentifier=ec2.describe_subnets()["Subnets"][0]["SubnetId"],
        Tags=[
            {"Key": "kubernetes.io/cluster/gpu-dev", "Value": "owned", "PropagateAtLaunch": True},
            {"Key": "nodeworthy/pool", "Value": name, "PropagateAtLaunch": True},
        ],
    )
    return template


def goes(pod: Object) -> Went:
    """The suite says that the node is fit; whatever else is there works on."""
    return hangs(pod) if pod["metadata"]["namespace"] == "default" else ended(0, FIT)


@contextmanager
def staged(kubelets: StandInKubelet, bridge: type[Bridge] = Bridge, works: Goes = goes) -> Iterator[Stage]:
    said = Said()
    with added_to_moto(said), MotoServer(REGION) as moto, kubelets:
        template = make_group(moto, 2)
        with bridge(moto.aws.client("autoscaling"), kubelets, GROUP, works) as bridged:
            settle(bridged)
            yield Stage(moto, said, bridged, kubelets.client, template)

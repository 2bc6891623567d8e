"""Several pools at once."""

from __future__ import annotations

import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.real.cloud_bridge import Bridge, settle
from tests.real.control_plane import ControlPlane
from tests.real.moto_server import MotoServer
from tests.real.rollout.stage import LIVE, OPTION, REGION, SCRIPT, goes, make_group, template_data
from tests.real.stand_in_kubelet import NODES, StandInKubelet
from tests.real.stand_ins.moto_actions import Said, added_to_moto
from tests.run import run

POOLS = ("a10g", "l4", "t4")


@pytest.mark.night
@pytest.mark.usefixtures("reachable")
def test_three_pools_of_four_at_once_and_nobody_else_is_touched(plane: ControlPlane, tmp_path: Path) -> None:
    """From one folder, in one second: each with a file, a Lease and a bound of its own."""
    with added_to_moto(Said()), MotoServer(REGION) as moto, StandInKubelet(plane) as kubelets, ExitStack() as bridges:
        scaling, ec2 = moto.aws.client("autoscaling"), moto.aws.client("ec2")
        templates = {name: make_group(moto, 4, name) for name in POOLS}
        made = {name: bridges.enter_context(Bridge(scaling, kubelets, name, goes, size=4)) for name in POOLS}
        for name, bridge in made.items():
            settle(bridge)
            protected = bridge.machines()[0]["InstanceId"]
            scaling.set_instance_protection(
                AutoScalingGroupName=name, InstanceIds=[protected], ProtectedFromScaleIn=True
            )
            data = template_data(SCRIPT.format(option=OPTION))
            ec2.create_launch_template_version(LaunchTemplateId=templates[name], LaunchTemplateData=data)
        kubelets.add("bystander", goes)
        url = str(moto.aws.client("sts").meta.endpoint_url)
        where = ("--region", REGION, "--endpoint-url", url, *LIVE)
        commands = [[sys.executable, "-m", "nodeworthy", "rollout", "--pool", name, *where] for name in POOLS]
        running = [subprocess.Popen(each, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) for each in commands]
        told = [each.communicate(timeout=1800)[0].decode() for each in running]
        assert [each.returncode for each in running] == [0, 0, 0], "\n".join(told)
        assert len(list(tmp_path.glob("nodeworthy-rollout-*.json"))) == len(POOLS)
        for name, bridge in made.items():
            [group] = scaling.describe_auto_scaling_groups(AutoScalingGroupNames=[name])["AutoScalingGroups"]
            assert [each["LaunchTemplate"]["Version"] for each in group["Instances"]] == ["2"] * 4
            assert [each["ProtectedFromScaleIn"] for each in group["Instances"]].count(True) == 1
            assert (group["MinSize"], group["MaxSize"], group["DesiredCapacity"]) == (4, 4, 4)
            assert (group["SuspendedProcesses"], bridge.most_away) == ([], 1)
        bystander = plane.client.get(f"{NODES}/bystander")
        assert not bystander["spec"].get("unschedulable")
        assert not any(each.startswith("nodeworthy/") for each in bystander["metadata"].get("annotations", {}))
        assert "nodeworthy/unverified" in {each["key"] for each in bystander["spec"]["taints"]}  # as it has joined
        again = run("rollout", "--pool", "l4", "--region", REGION, "--endpoint-url", url, "--dry-run")
        assert (again.code, "nothing to do" in again.out) == (0, True)
        plane.client.request("DELETE", f"{NODES}/bystander")

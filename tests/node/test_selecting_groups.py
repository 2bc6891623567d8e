"""`--asg`: the instances of an Auto Scaling Group, as moto has one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import boto3
import pytest

from nodeworthy.collect.node import selecting
from nodeworthy.collect.node.reach import Reach, _client
from nodeworthy.errors import CouldNotLook, InputError
from tests.run import run, run_json

REGION = "us-east-2"
IMAGE = "ami-12c6146b"  # one of hundreds that moto has, of which a list takes it seconds
REACH = Reach(region=REGION)


@pytest.fixture
def group(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Of two instances. What makes it, to change it."""
    from moto import mock_aws  # a second, and most runs leave these tests out

    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    with mock_aws():
        _client.cache_clear()
        groups = boto3.client("autoscaling", REGION)
        groups.create_launch_configuration(LaunchConfigurationName="lc", ImageId=IMAGE, InstanceType="g5.xlarge")
        sizes = {"MinSize": 0, "MaxSize": 4, "DesiredCapacity": 2}
        zones = [f"{REGION}a"]
        groups.create_auto_scaling_group(
            AutoScalingGroupName="gpu-dev-h100", LaunchConfigurationName="lc", AvailabilityZones=zones, **sizes
        )
        yield groups
    _client.cache_clear()


def instances(group: Any) -> list[str]:
    found = group.describe_auto_scaling_groups(AutoScalingGroupNames=["gpu-dev-h100"])["AutoScalingGroups"]
    return sorted(each["InstanceId"] for each in found[0]["Instances"])


def test_each_of_them_is_a_host_of_ssm(group: Any) -> None:
    selected = selecting.select_by_group("gpu-dev-h100", "ssm", REACH)
    assert selected.specs == tuple(f"ssm://{each}" for each in instances(group))
    assert selected.told == "the Auto Scaling Group gpu-dev-h100 has 2 instances"


def test_or_of_ssh_by_its_private_address(group: Any) -> None:
    told = boto3.client("ec2", REGION).describe_instances()["Reservations"]
    addresses = {each["PrivateIpAddress"] for one in told for each in one["Instances"]}
    assert set(selecting.select_by_group("gpu-dev-h100", "ssh", REACH).specs) == {f"ssh://{each}" for each in addresses}


def test_one_that_is_on_its_way_out_is_left_out(group: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    found = group.describe_auto_scaling_groups(AutoScalingGroupNames=["gpu-dev-h100"])
    found["AutoScalingGroups"][0]["Instances"][0]["LifecycleState"] = "Terminating:Wait"

    class Leaving:
        def describe_auto_scaling_groups(self, **_: Any) -> Any:
            return found

    monkeypatch.setattr(selecting, "client", lambda *_: Leaving())
    selected = selecting.select_by_group("gpu-dev-h100", "ssm", REACH)
    assert len(selected.specs) == 1
    assert selected.told.endswith("has 1 instances, and 1 that are on their way out are left out")


def test_a_group_without_instances_proves_nothing_and_is_told(group: Any) -> None:
    group.set_desired_capacity(AutoScalingGroupName="gpu-dev-h100", DesiredCapacity=0)
    ran = run_json("node", "--asg", "gpu-dev-h100", "--region", REGION)
    assert ran.code == 3
    assert ran.findings[0]["message"] == "the Auto Scaling Group gpu-dev-h100 has 0 instances"


def test_a_group_that_is_not_there(group: Any) -> None:
    with pytest.raises(InputError, match="no Auto Scaling Group 'gone'"):
        selecting.select_by_group("gone", "ssm", REACH)
    assert run("node", "--asg", "gone", "--region", REGION).code == 2


def test_an_account_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    with pytest.raises(CouldNotLook, match="does not tell the instances of gpu-dev-h100"):
        selecting.select_by_group("gpu-dev-h100", "ssm", Reach(region=REGION, endpoint_url="http://127.0.0.1:1"))

"""Groups that start several types, or from a launch configuration, and machines to which a network plugin added interfaces:
as AWS prints them of fleets that others made."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.cloud.recordings import change, edit, stock
from tests.run import Ran, run_json

GROUPS = ("autoscaling", "DescribeAutoScalingGroups")
SIZES = {"g4dn.12xlarge": (48, 30), "g4dn.xlarge": (4, 10), "p4d.24xlarge": (96, 50)}
QUOTAS = (
    "Running On-Demand G and VT instances",
    "Running On-Demand P instances",
    "All G and VT Spot Instance Requests",
)


def mixed(recording: Path, *types: str, **distribution: Any) -> None:
    """The group takes what it can get of these."""

    def said(page: dict[str, Any]) -> None:
        group = page["AutoScalingGroups"][0]
        template = {
            "LaunchTemplateSpecification": group.pop("LaunchTemplate"),
            "Overrides": [{"InstanceType": each} for each in types],
        }
        group["MixedInstancesPolicy"] = {"LaunchTemplate": template, "InstancesDistribution": distribution}

    edit(recording, *GROUPS, said)
    calls = [
        {"arguments": {"InstanceTypes": [each]}, "pages": [{"InstanceTypes": [described(each)]}]} for each in types
    ]
    change(recording, "ec2", "DescribeInstanceTypes", calls)


def described(kind: str) -> Mapping[str, Any]:
    vcpus, addresses = SIZES[kind]
    return {
        "InstanceType": kind,
        "VCpuInfo": {"DefaultVCpus": vcpus},
        "NetworkInfo": {"Ipv4AddressesPerInterface": addresses},
    }


def quotas(recording: Path, *values: float) -> None:
    page = {
        "Quotas": [
            {"QuotaName": name, "QuotaArn": f"arn:aws:servicequotas:us-east-2:111122223333:ec2/{at}", "Value": value}
            for at, (name, value) in enumerate(zip(QUOTAS, values, strict=False))
        ]
    }
    change(recording, "service-quotas", "ListServiceQuotas", [{"arguments": {}, "pages": [page]}])


def audit(folder: Path, rule: str) -> Ran:
    return run_json("audit", "--from", "aws", "--rule", rule, "--strict", cwd=folder)


@pytest.mark.parametrize(("quota", "found"), [(100.0, []), (99.0, ["at least 100 (4 for one node)"])])
def test_the_smallest_type_has_to_fit(quota: float, found: list[str], tmp_path: Path) -> None:
    recording = stock(tmp_path)
    mixed(recording, "g4dn.12xlarge", "g4dn.xlarge")
    quotas(recording, quota)
    ran = audit(tmp_path, "quota-suffices")
    assert [each["should"] for each in ran.findings] == found
    assert ran.code == bool(found)


@pytest.mark.parametrize(("of_p", "code"), [(96.0, 0), (95.0, 1)])
def test_where_a_quota_is_full_and_another_has_room_a_node_can_be_started(
    of_p: float, code: int, tmp_path: Path
) -> None:
    recording = stock(tmp_path)
    mixed(recording, "g4dn.12xlarge", "p4d.24xlarge")
    quotas(recording, 96.0, of_p)
    assert audit(tmp_path, "quota-suffices").code == code


@pytest.mark.parametrize(
    ("distribution", "on_demand", "spot", "code"),
    [
        ({"OnDemandPercentageAboveBaseCapacity": 0}, 96.0, 48.0, 0),
        ({"OnDemandPercentageAboveBaseCapacity": 0}, 144.0, 47.0, 1),
        ({"OnDemandPercentageAboveBaseCapacity": 0, "OnDemandBaseCapacity": 1}, 144.0, 47.0, 0),
        ({"OnDemandPercentageAboveBaseCapacity": 50}, 96.0, 48.0, 0),
        ({"OnDemandPercentageAboveBaseCapacity": 50}, 144.0, 47.0, 0),
        ({"OnDemandPercentageAboveBaseCapacity": 100}, 96.0, 48.0, 1),
        ({}, 96.0, 48.0, 1),
    ],
)
def test_spot_has_quotas_of_its_own(
    distribution: dict[str, Any], on_demand: float, spot: float, code: int, tmp_path: Path
) -> None:
    recording = stock(tmp_path)
    mixed(recording, "g4dn.12xlarge", **distribution)
    quotas(recording, on_demand, 0.0, spot)
    assert audit(tmp_path, "quota-suffices").code == code


def test_a_type_of_which_nothing_is_told_leaves_it_unknown(tmp_path: Path) -> None:
    recording = stock(tmp_path)
    mixed(recording, "g4dn.12xlarge", "g4dn.xlarge")
    change(recording, "ec2", "DescribeInstanceTypes", [])
    quotas(recording, 128.0)
    assert {each["verdict"] for each in audit(tmp_path, "quota-suffices").findings} == {"unknown"}


@pytest.mark.parametrize(("free", "verdicts"), [(30, []), (29, ["unknown"]), (10, ["unknown"]), (9, ["fail"])])
def test_addresses_for_any_of_its_types(free: int, verdicts: list[str], tmp_path: Path) -> None:
    recording = stock(tmp_path)
    mixed(recording, "g4dn.12xlarge", "g4dn.xlarge")

    def said(page: dict[str, Any]) -> None:
        for each in page["Subnets"]:
            each["AvailableIpAddressCount"] = free

    edit(recording, "ec2", "DescribeSubnets", said)
    assert [each["verdict"] for each in audit(tmp_path, "addresses-left").findings] == verdicts


def test_two_groups_of_one_quota_each_have_their_room(tmp_path: Path) -> None:
    """Of nodes of one size it is told once, for both."""
    recording = stock(tmp_path)

    def said(page: dict[str, Any]) -> None:
        [group] = page["AutoScalingGroups"]
        arn = group["AutoScalingGroupARN"].replace("gpu-dev-t4", "gpu-dev-more")
        page["AutoScalingGroups"].append(
            {**group, "AutoScalingGroupName": "gpu-dev-more", "AutoScalingGroupARN": arn, "Instances": []}
        )

    edit(recording, *GROUPS, said)
    quotas(recording, 100.0)
    [found] = audit(tmp_path, "quota-suffices").findings
    assert "one node more of Group 'gpu-dev-t4' and Group 'gpu-dev-more'" in found["message"]


@pytest.mark.parametrize(
    ("description", "code"), [("aws-K8S-i-0a100000000000001", 0), ("Cilium-CNI (i-0a100000000000001)", 0), ("", 1)]
)
def test_interfaces_of_pods_have_doors_of_their_own(description: str, code: int, tmp_path: Path) -> None:
    """EKS' custom networking gives them other security groups than the machine was started with."""
    interface = {"Description": description, "Groups": [{"GroupId": "sg-0123456789abcdef0", "GroupName": "pods"}]}

    def said(page: dict[str, Any]) -> None:
        for each in page["Reservations"][0]["Instances"]:
            each["NetworkInterfaces"] = [interface]

    edit(stock(tmp_path), "ec2", "DescribeInstances", said)
    assert audit(tmp_path, "nodes-current").code == code


def by_a_launch_configuration(recording: Path, **other: Any) -> None:
    data: dict[str, Any] = {}

    def kept(page: dict[str, Any]) -> None:
        data.update(page["LaunchTemplateVersions"][0]["LaunchTemplateData"])

    def said(page: dict[str, Any]) -> None:
        group = page["AutoScalingGroups"][0]
        for each in (group, *group["Instances"]):
            del each["LaunchTemplate"]
            each["LaunchConfigurationName"] = "gpu-dev-t4"

    edit(recording, "ec2", "DescribeLaunchTemplateVersions", kept)
    edit(recording, *GROUPS, said)
    same = ("ImageId", "InstanceType", "UserData", "BlockDeviceMappings", "MetadataOptions")
    configuration = {
        "LaunchConfigurationName": "gpu-dev-t4",
        "LaunchConfigurationARN": "arn:aws:autoscaling:us-east-2:111122223333:launchConfiguration:1",
        "SecurityGroups": data["SecurityGroupIds"],
        "IamInstanceProfile": data["IamInstanceProfile"]["Name"],
        **{name: data[name] for name in same},
        **other,
    }
    pages = [{"LaunchConfigurations": [configuration]}]
    change(recording, "autoscaling", "DescribeLaunchConfigurations", [{"arguments": {}, "pages": pages}])


def test_the_root_disk_of_a_launch_configuration(tmp_path: Path) -> None:
    by_a_launch_configuration(stock(tmp_path))
    ran = audit(tmp_path, "disks-encrypted")
    assert (ran.code, ran.findings, ran.report["summary"]["pass"]) == (0, [], 1)


PROFILE = "arn:aws:iam::111122223333:instance-profile/gpu-dev-node"


@pytest.mark.parametrize(
    ("other", "is_"),
    [
        ({}, []),
        ({"IamInstanceProfile": PROFILE}, []),
        ({"ImageId": "ami-0f90e80d70c60b50a"}, ["image ami-0a10b20c30d40e50f"]),
        ({"IamInstanceProfile": f"{PROFILE}s"}, ["instance profile gpu-dev-node"]),
    ],
)
def test_what_a_launch_configuration_would_start_now(other: dict[str, Any], is_: list[str], tmp_path: Path) -> None:
    by_a_launch_configuration(stock(tmp_path), **other)
    assert [each["is"] for each in audit(tmp_path, "nodes-current").findings] == is_

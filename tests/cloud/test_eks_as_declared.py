"""`cloud-matches-plan` of a cluster of EKS and its managed node group: what a plan declares, laid beside what EKS says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cloud.recordings import edit, managed_by_eks, stock
from tests.cloud.test_terraform_program import a_plan, audit, resource, written
from tests.source.terraform_plans import block

CLUSTER, GROUP = "aws_eks_cluster.dev", "aws_eks_node_group.t4"


def declared(recording: Path) -> dict[str, Any]:
    """A cluster and a group as Terraform has them, with what the provider works out."""
    cluster = {
        "id": "gpu-dev",
        "name": "gpu-dev",
        "version": "1.34",
        "arn": "arn:aws:eks:us-east-2:111122223333:cluster/gpu-dev",
        "vpc_config": [{"endpoint_public_access": True, "endpoint_private_access": True, "vpc_id": "vpc-1"}],
    }
    group = {
        "id": "gpu-dev:t4",
        "arn": "arn:aws:eks:us-east-2:111122223333:nodegroup/gpu-dev/t4/aec9d1f2",
        "cluster_name": "gpu-dev",
        "node_group_name": "t4",
        "instance_types": ["g4dn.12xlarge"],
        "capacity_type": "ON_DEMAND",
        "ami_type": "AL2023_x86_64_NVIDIA",
        "disk_size": 200,
        "version": "1.34",
        "subnet_ids": ["subnet-0f1e2d3c4b5a69788"],
        "labels": {"nodeworthy/pool": "t4"},
        "scaling_config": [{"min_size": 2, "max_size": 2, "desired_size": 2}],
    }
    made = a_plan(recording)
    made["resource_changes"] = [resource(CLUSTER, cluster), resource(GROUP, group)]
    made["configuration"]["root_module"]["resources"] = [_cluster(cluster), _group(group)]
    return made


def _cluster(said: dict[str, Any]) -> Any:
    names = ("endpoint_public_access", "endpoint_private_access")
    config = [{each: written(said["vpc_config"][0][each]) for each in names}]
    return block(CLUSTER, name=written("gpu-dev"), version=written("1.34"), vpc_config=config)


def _group(said: dict[str, Any]) -> Any:
    own = ("cluster_name", "node_group_name", "instance_types", "capacity_type", "ami_type", "disk_size", "labels")
    config = [{name: written(value) for name, value in said["scaling_config"][0].items()}]
    named = {each: written(said[each]) for each in (*own, "subnet_ids")}
    return block(GROUP, **named, scaling_config=config)


def labelled(recording: Path) -> None:
    managed_by_eks(recording)
    edit(recording, "eks", "DescribeNodegroup", lambda page: page["nodegroup"].update(labels={"nodeworthy/pool": "t4"}))


def of_cluster(**said: Any) -> Callable[[Path], None]:
    return lambda recording: edit(recording, "eks", "DescribeCluster", lambda page: page["cluster"].update(said))


def of_group(**said: Any) -> Callable[[Path], None]:
    return lambda recording: edit(recording, "eks", "DescribeNodegroup", lambda page: page["nodegroup"].update(said))


def closed(recording: Path) -> None:
    def said(page: dict[str, Any]) -> None:
        page["cluster"]["resourcesVpcConfig"]["endpointPublicAccess"] = False

    edit(recording, "eks", "DescribeCluster", said)


def test_what_eks_has_as_declared(tmp_path: Path) -> None:
    recording = stock(tmp_path)
    labelled(recording)
    ran = audit(tmp_path, declared(recording))
    assert (ran.code, ran.findings, ran.report["summary"]["pass"]) == (0, [], 2)


SIZES = {"minSize": 2, "maxSize": 2, "desiredSize": 2}
HANDS: dict[str, tuple[Callable[[Path], None], str, str, str]] = {
    "a newer version": (of_cluster(version="1.35"), "version", "1.35", "1.34"),
    "no public endpoint": (closed, "vpcConfig.endpointPublicAccess", "false", "true"),
    "a size": (of_group(scalingConfig={**SIZES, "maxSize": 4}), "scalingConfig.maxSize", "4", "2"),
    "a type": (of_group(instanceTypes=["g4dn.xlarge"]), "instanceTypes", "g4dn.xlarge", "g4dn.12xlarge"),
    "spot": (of_group(capacityType="SPOT"), "capacityType", "SPOT", "ON_DEMAND"),
    "an image": (of_group(amiType="AL2_x86_64_GPU"), "amiType", "AL2_x86_64_GPU", "AL2023_x86_64_NVIDIA"),
    "a smaller disk": (of_group(diskSize=20), "diskSize", "20", "200"),
    "a label": (of_group(labels={"nodeworthy/pool": "a10g"}), "labels.nodeworthy/pool", "a10g", "t4"),
    "a subnet": (
        of_group(subnets=["subnet-0123456789abcdef0"]),
        "subnetIds",
        "subnet-0123456789abcdef0",
        "subnet-0f1e2d3c4b5a69788",
    ),
}


@pytest.mark.parametrize(("change", "path", "is_", "should"), HANDS.values(), ids=HANDS)
def test_one_change_by_hand_is_one_finding(
    change: Callable[[Path], None], path: str, is_: str, should: str, tmp_path: Path
) -> None:
    recording = stock(tmp_path)
    labelled(recording)
    change(recording)
    [found] = audit(tmp_path, declared(recording)).findings
    assert (found["verdict"], found["is"], found["should"]) == ("fail", is_, should)
    assert found["message"].startswith(f"{path} of ")


def test_a_cluster_that_is_there_no_more(tmp_path: Path) -> None:
    """The plan says by its id which it is."""
    recording = stock(tmp_path)
    labelled(recording)
    made = declared(recording)
    made["resource_changes"][0]["change"]["after"]["id"] = "gpu-old"
    made["resource_changes"][0]["change"]["after"]["arn"] = "arn:aws:eks:us-east-2:111122223333:cluster/gpu-old"
    [found] = audit(tmp_path, made).findings
    assert found["message"] == "Cluster 'aws_eks_cluster.dev' is declared, and AWS has no such thing"

"""The cluster: who may do what in AWS, who reaches Kubernetes, and what EKS installs when."""

from __future__ import annotations

import json
from typing import Any

import pytest

from nodeworthy.collect.plan.plan import PreviewedPlan
from tests.infra.plans import GROUP, all_of, inputs, of_fleet, of_stack

ADDON = "aws:eks/addon:Addon"
CLUSTER = "aws:eks/cluster:Cluster"
CPU = "pools:\n  cpu: {instanceType: c7i.4xlarge}\n"


def statements(plan: PreviewedPlan) -> list[dict[str, Any]]:
    policies = inputs(plan, "aws:iam/rolePolicy:RolePolicy").values()
    return [each for told in policies for each in json.loads(told["policy"])["Statement"]]


def test_nobody_may_do_more_than_look_at_everything() -> None:
    found = statements(of_stack("prod"))
    assert len(found) >= 4
    for each in found:
        actions = [each["Action"]] if isinstance(each["Action"], str) else each["Action"]
        assert not [action for action in actions if "*" in action]
        if each["Resource"] == "*":
            assert all(action.split(":")[1].startswith("Describe") for action in actions)


def test_nodes_have_no_rights_that_only_some_pods_need() -> None:
    attached = inputs(of_stack("prod"), "aws:iam/rolePolicyAttachment:RolePolicyAttachment")
    of_nodes = {name.removeprefix("gpu-prod-node-") for name in attached if name.startswith("gpu-prod-node-")}
    assert of_nodes == {
        "AmazonEKSWorkerNodePolicy",
        "AmazonEC2ContainerRegistryPullOnly",
        "AmazonSSMManagedInstanceCore",
    }
    arns = {told["policyArn"] for told in attached.values()}
    assert "arn:aws:iam::aws:policy/service-role/AmazonEBSCSIDriverPolicy" in arns


def test_secrets_are_encrypted_and_the_control_plane_keeps_a_log() -> None:
    told = inputs(of_stack("prod"), CLUSTER)["gpu-prod"]
    assert told["encryptionConfig"]["resources"] == ["secrets"]
    assert {"api", "audit", "authenticator"} <= set(told["enabledClusterLogTypes"])
    assert told["accessConfig"]["authenticationMode"] == "API"
    [key] = inputs(of_stack("prod"), "aws:kms/key:Key").values()
    assert key["enableKeyRotation"] is True
    [entry] = inputs(of_stack("prod"), "aws:eks/accessEntry:AccessEntry").values()
    assert entry["type"] == "EC2_LINUX"


@pytest.mark.parametrize(
    ("ranges", "public"),
    [("[10.0.0.0/8]", None), ("[10.0.0.0/8, 203.0.112.0/22]", ["203.0.112.0/22"])],
    ids=["private", "public"],
)
def test_kubernetes_is_reached_by_those_who_reach_node_ports(ranges: str, public: list[str] | None) -> None:
    plan = of_fleet(f"network: {{nodePortsFrom: {ranges}}}\n{CPU}")
    doors = inputs(plan, CLUSTER)["made"]["vpcConfig"]
    assert doors["endpointPrivateAccess"] is True
    assert doors["endpointPublicAccess"] is (public is not None)
    assert doors.get("publicAccessCidrs") == public


def test_subnets_say_what_eks_wants_to_know() -> None:
    subnets = inputs(of_stack("prod"), "aws:ec2/subnet:Subnet")
    assert {told["availabilityZone"] for told in subnets.values()} == {"us-east-2a", "us-east-2b"}
    for name, told in subnets.items():
        role = "elb" if name.endswith("public") else "internal-elb"
        assert told["tags"][f"kubernetes.io/role/{role}"] == "1"
        assert told["tags"]["kubernetes.io/cluster/gpu-prod"] == "shared"


def test_a_node_finds_its_network_and_dns_finds_a_node() -> None:
    plan = of_stack("prod")
    addons = {told["addonName"]: name for name, told in inputs(plan, ADDON).items()}
    assert set(addons) == {
        "eks-pod-identity-agent",
        "kube-proxy",
        "vpc-cni",
        "coredns",
        "aws-ebs-csi-driver",
        "aws-efs-csi-driver",
    }
    urns = {each.name: each.urn for each in all_of(plan, ADDON).values()}
    groups = all_of(plan, GROUP).values()
    for group in groups:
        assert urns[addons["vpc-cni"]] in group.dependencies
    waits = all_of(plan, ADDON)[addons["coredns"]].dependencies
    assert {group.urn for group in groups} <= set(waits)


def test_only_what_the_fleet_needs_is_installed() -> None:
    names = {told["addonName"] for told in inputs(of_fleet(CPU), ADDON).values()}
    assert names == {"eks-pod-identity-agent", "kube-proxy", "vpc-cni", "coredns"}


def test_where_every_node_has_gpus_dns_does_not_wait_for_a_checked_one() -> None:
    plan = of_fleet("pools:\n  t4: {instanceType: g4dn.12xlarge}\n")
    told = {each["addonName"]: each.get("configurationValues", "") for each in inputs(plan, ADDON).values()}
    assert json.loads(told["coredns"])["tolerations"][0]["key"] == "nodeworthy/unverified"

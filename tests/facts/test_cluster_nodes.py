"""What is a node of a cluster, and what only stands beside one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from nodeworthy.facts.aws.node_group import MANAGED, SCALING_GROUP, TEMPLATE, NodeGroup, node_groups
from nodeworthy.facts.aws.node_sides import is_cluster_node, is_something_else, pods_are_in_its_network
from nodeworthy.facts.aws.security_group import CLUSTER, security_groups
from nodeworthy.facts.aws.stack import AwsResource
from tests.facts.stacks import of, resource, stack

GUARD = "aws:ec2/securityGroup:SecurityGroup"
BASTION = resource("aws:ec2/instance:Instance", "bastion", {"instanceType": "t3.micro"})
BOX = resource("aws:ec2/instance:Instance", "box", {"instanceType": "g5.xlarge"})
WORKERS = resource(TEMPLATE, "workers", {"instanceType": "c6i.2xlarge"})
EKS = resource(CLUSTER, "eks", {"name": "eks"})


def only(*resources: AwsResource, joins: frozenset[str] | None = None) -> NodeGroup:
    (nodes,) = node_groups(stack(*resources))
    return replace(nodes, joins=joins)


@pytest.mark.parametrize(
    ("resources", "joins", "is_one", "is_else"),
    [
        ([BASTION, EKS], None, False, True),
        ([BASTION], frozenset({"k3s"}), True, False),
        ([BOX], None, False, False),
        ([WORKERS], None, False, False),
        ([WORKERS], frozenset(), False, True),
        ([WORKERS, EKS], None, True, False),
        ([WORKERS, EKS], frozenset(), False, True),
        ([resource(MANAGED, "default", {})], None, True, False),
    ],
)
def test_who_is_a_node(resources: list[AwsResource], joins: Any, is_one: bool, is_else: bool) -> None:
    nodes = only(*resources, joins=joins)
    assert (is_cluster_node(nodes), is_something_else(nodes)) == (is_one, is_else)


@pytest.mark.parametrize(
    "tags", [{"kubernetes.io/cluster/dev": "owned"}, [{"key": "kubernetes.io/cluster/dev", "value": "owned"}]]
)
def test_a_tag_of_the_cluster_says_so(tags: Any) -> None:
    group = resource(SCALING_GROUP, "workers-nodes", {"launchTemplate": {"id": of("workers")}, "tags": tags})
    assert is_cluster_node(only(WORKERS, group, joins=frozenset()))
    assert not is_cluster_node(only(WORKERS, joins=frozenset()))


def test_only_pods_of_eks_are_in_the_network() -> None:
    assert pods_are_in_its_network(only(WORKERS, joins=frozenset({"nodeadm"})))
    assert not pods_are_in_its_network(only(WORKERS, joins=frozenset({"k3s"})))


def test_a_group_that_only_guards_a_bastion_guards_no_nodes() -> None:
    guard = resource(GUARD, "bastion", {})
    bastion = resource(
        BASTION.type, "bastion-box", {"vpcSecurityGroupIds": [of("bastion")]}, vpcSecurityGroupIds=["bastion"]
    )
    assert next(security_groups(stack(guard, bastion))).is_of_nodes
    assert next(security_groups(stack(guard, bastion), frozenset({bastion.urn}))).is_of_nodes is False

"""Who may talk to whom: the groups of the control plane and of the nodes.

Every rule is a resource of its own, and none stands inside a group: groups that name each other could not be made
otherwise, a rule changes without its neighbours, and each says what it is for.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from typing import Any

import pulumi_aws as aws
from network import Network

from nodeworthy.fleet.model import Fleet
from nodeworthy.verdict import need

EVERYTHING = "-1"
WORLD = "0.0.0.0/0"
KUBERNETES = 443
KUBELET = 10250
DNS = 53
NODE_PORTS = (30000, 32767)
# On which pods answer the control plane: admission webhooks and metrics.
WEBHOOKS = (443, 4443, 8443, 9443)
# What EC2 refuses in a description.
_NOT_TAKEN = re.compile(r"[^A-Za-z0-9 ._:/()#,@\[\]+=&;{}!$*-]")


@dataclass(frozen=True)
class Groups:
    control_plane: aws.ec2.SecurityGroup
    nodes: aws.ec2.SecurityGroup


def build(fleet: Fleet, network: Network) -> Groups:
    name = need(fleet.cluster.name)
    groups = Groups(
        group(f"{name}-control-plane", network, "The doors of the control plane into the network"),
        group(f"{name}-nodes", network, "Every node, and the pods on it"),
    )
    _of_control_plane(name, fleet, groups)
    _of_nodes(name, fleet, groups)
    return groups


def group(name: str, network: Network, description: str) -> aws.ec2.SecurityGroup:
    return aws.ec2.SecurityGroup(name, vpc_id=network.vpc.id, description=description, tags={"Name": name})


def _of_control_plane(name: str, fleet: Fleet, groups: Groups) -> None:
    plane, nodes = groups.control_plane, groups.nodes
    _let_in(f"{name}-kubernetes", plane, nodes, KUBERNETES, why="Kubernetes, from nodes and pods")
    for each in who_may_ask(fleet):
        if ipaddress.ip_network(each).is_private:
            _let_in(f"{name}-kubernetes-{each}", plane, each, KUBERNETES, why="Kubernetes, from who reaches NodePorts")
    for port in (KUBELET, *WEBHOOKS):
        _let_out(f"{name}-control-plane-{port}", plane, nodes, port)


def _of_nodes(name: str, fleet: Fleet, groups: Groups) -> None:
    plane, nodes = groups.control_plane, groups.nodes
    _let_in(f"{name}-kubelet", nodes, plane, KUBELET, why="kubelet, from the control plane")
    for port in WEBHOOKS:
        _let_in(f"{name}-webhook-{port}", nodes, plane, port, why="webhooks and metrics, from the control plane")
    for protocol in ("tcp", "udp"):
        _let_in(f"{name}-dns-{protocol}", nodes, nodes, DNS, why="DNS of the cluster", protocol=protocol)
    # Pods have addresses of the network, and listen where they like.
    _let_in(f"{name}-pods", nodes, nodes, None, why="between nodes, and between pods", protocol=EVERYTHING)
    for each in who_may_ask(fleet):
        _let_in(f"{name}-node-ports-{each}", nodes, each, NODE_PORTS, why="NodePorts")
    for opened in fleet.network.open_to_the_world:
        _let_in(f"{name}-world-{opened.port}", nodes, WORLD, opened.port, why=opened.why)
    _let_out(f"{name}-out", nodes, WORLD, None, EVERYTHING)


def who_may_ask(fleet: Fleet) -> list[str]:
    """Whom Kubernetes answers from outside: those who reach its NodePorts, and nobody else."""
    return list(dict.fromkeys(need(each) for each in fleet.network.node_ports_from))


Ports = int | tuple[int, int] | None


def _let_in(
    name: str,
    group: aws.ec2.SecurityGroup,
    source: aws.ec2.SecurityGroup | str,
    ports: Ports,
    *,
    why: str,
    protocol: str = "tcp",
) -> None:
    described = _NOT_TAKEN.sub(" ", why)[:255]
    aws.vpc.SecurityGroupIngressRule(name, description=described, **_opening(group, source, ports, protocol))


def _let_out(
    name: str, group: aws.ec2.SecurityGroup, to: aws.ec2.SecurityGroup | str, ports: Ports, protocol: str = "tcp"
) -> None:
    aws.vpc.SecurityGroupEgressRule(name, **_opening(group, to, ports, protocol))


def _opening(
    group: aws.ec2.SecurityGroup, other: aws.ec2.SecurityGroup | str, ports: Ports, protocol: str
) -> dict[str, Any]:
    first, last = ports if isinstance(ports, tuple) else (ports, ports)
    return {
        "security_group_id": group.id,
        "ip_protocol": protocol,
        "from_port": first,
        "to_port": last,
        **(_block(other) if isinstance(other, str) else {"referenced_security_group_id": other.id}),
    }


def _block(block: str) -> dict[str, str]:
    return {"cidr_ipv6" if ipaddress.ip_network(block).version == 6 else "cidr_ipv4": block}

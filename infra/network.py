"""The network: one VPC, private subnets for nodes in the GPU pools' zone and beside it, one way out."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

from nodeworthy.fleet.model import Fleet
from nodeworthy.verdict import need

Block = ipaddress.IPv4Network | ipaddress.IPv6Network


@dataclass(frozen=True)
class Network:
    vpc: aws.ec2.Vpc
    # In the zone of the GPU pools: EFA and capacity blocks know one zone.
    nodes: aws.ec2.Subnet
    # EKS wants its control plane in two zones.
    beside: aws.ec2.Subnet


def build(fleet: Fleet) -> Network:
    name = need(fleet.cluster.name)
    block = ipaddress.ip_network(need(fleet.network.vpc_cidr))
    # Nodes and their pods take the first half; the rest is for what is small.
    nodes, rest = block.subnets(prefixlen_diff=1)
    beside, public, *_ = rest.subnets(prefixlen_diff=2)
    zone = need(fleet.network.zone)

    vpc = aws.ec2.Vpc(
        name,
        cidr_block=str(block),
        enable_dns_hostnames=True,
        enable_dns_support=True,
        tags={"Name": name},
    )
    outside = _subnet(name, "public", vpc, public, zone, role="elb")
    way_out = _nat(name, vpc, outside)
    inside = [
        _private(name, "nodes", vpc, nodes, zone, way_out=way_out),
        _private(name, "beside", vpc, beside, _neighbour(zone), way_out=way_out),
    ]
    return Network(vpc, *inside)


def _neighbour(zone: str | None) -> str | None:
    """The zone beside this one: every region has an `a` and a `b`, and which one it is matters to nobody."""
    if zone is None:
        return None
    return zone[:-1] + ("b" if zone.endswith("a") else "a")


def _subnet(cluster: str, which: str, vpc: aws.ec2.Vpc, block: Block, zone: str | None, *, role: str) -> aws.ec2.Subnet:
    """Its tags say whose it is, and which load balancers may stand in it."""
    name = f"{cluster}-{which}"
    return aws.ec2.Subnet(
        name,
        vpc_id=vpc.id,
        cidr_block=str(block),
        availability_zone=zone,
        tags={"Name": name, f"kubernetes.io/cluster/{cluster}": "shared", f"kubernetes.io/role/{role}": "1"},
    )


def _nat(name: str, vpc: aws.ec2.Vpc, public: aws.ec2.Subnet) -> aws.ec2.NatGateway:
    gateway = aws.ec2.InternetGateway(name, vpc_id=vpc.id, tags={"Name": name})
    _routed(f"{name}-public", vpc, public, {"cidr_block": "0.0.0.0/0", "gateway_id": gateway.id})
    address = aws.ec2.Eip(name, domain="vpc", tags={"Name": name})
    return aws.ec2.NatGateway(
        name,
        allocation_id=address.id,
        subnet_id=public.id,
        tags={"Name": name},
        opts=pulumi.ResourceOptions(depends_on=[gateway]),
    )


def _private(
    cluster: str, which: str, vpc: aws.ec2.Vpc, block: Block, zone: str | None, *, way_out: aws.ec2.NatGateway
) -> aws.ec2.Subnet:
    subnet = _subnet(cluster, which, vpc, block, zone, role="internal-elb")
    _routed(f"{cluster}-{which}", vpc, subnet, {"cidr_block": "0.0.0.0/0", "nat_gateway_id": way_out.id})
    return subnet


def _routed(name: str, vpc: aws.ec2.Vpc, subnet: aws.ec2.Subnet, route: aws.ec2.RouteTableRouteArgsDict) -> None:
    table = aws.ec2.RouteTable(name, vpc_id=vpc.id, routes=[route], tags={"Name": name})
    aws.ec2.RouteTableAssociation(name, subnet_id=subnet.id, route_table_id=table.id)

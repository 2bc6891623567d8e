"""EFA: a group that is open to itself, and the interfaces with which nodes of a type reach it."""

from __future__ import annotations

import pulumi_aws as aws
import security
from network import Network

from nodeworthy.fleet.model import Fleet, Pool
from nodeworthy.known import instances
from nodeworthy.verdict import need

Interface = aws.ec2.LaunchTemplateNetworkInterfaceArgsDict


def interfaces_of(pool: Pool) -> int:
    """How many the pool's instance type has."""
    has = instances.gpus_of(need(pool.instance_type)) if pool.instance_type is not None else None
    return (has.efa or 0) if has is not None else 0


def build(fleet: Fleet, network: Network) -> aws.ec2.SecurityGroup | None:
    """Open both ways to itself and to nobody else: EFA passes by what looks at ports."""
    if not any(pool.provision and interfaces_of(pool) for pool in fleet.pools):
        return None
    name = f"{need(fleet.cluster.name)}-fabric"
    fabric = security.group(name, network, "EFA between nodes")
    for way, rule in (("in", aws.vpc.SecurityGroupIngressRule), ("out", aws.vpc.SecurityGroupEgressRule)):
        rule(
            f"{name}-{way}",
            security_group_id=fabric.id,
            referenced_security_group_id=fabric.id,
            ip_protocol=security.EVERYTHING,
            description="EFA between nodes",
        )
    return fabric


def interfaces(pool: Pool, groups: list[aws.ec2.SecurityGroup]) -> list[Interface]:
    """One for each network card. The first carries the node's own address; the others speak EFA alone and need none."""
    return [_interface(card, groups) for card in range(interfaces_of(pool))]


def _interface(card: int, groups: list[aws.ec2.SecurityGroup]) -> Interface:
    return {
        "network_card_index": card,
        "device_index": 0 if card == 0 else 1,
        "interface_type": "efa" if card == 0 else "efa-only",
        "security_groups": [group.id for group in groups],
        "delete_on_termination": "true",
    }

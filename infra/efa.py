"""EFA: a group that is open to itself, and the interfaces with which nodes of a type reach it."""

from __future__ import annotations

import pulumi_aws as aws
import security
from network import Network

from nodeworthy.fleet.model import Fleet, Pool
from nodeworthy.known.efa import Efa, efa_of
from nodeworthy.verdict import need

Interface = aws.ec2.LaunchTemplateNetworkInterfaceArgsDict


def efa_of_pool(pool: Pool) -> Efa:
    """What the pool's instance type has."""
    has = efa_of(need(pool.instance_type)) if pool.instance_type is not None else None
    return has if has is not None else Efa(0)


def interfaces_of(pool: Pool) -> int:
    return efa_of_pool(pool).interfaces


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
    has = efa_of_pool(pool)
    return [_interface(card, has, groups) for card in range(has.first_card + has.interfaces if has.interfaces else 0)]


def _interface(card: int, has: Efa, groups: list[aws.ec2.SecurityGroup]) -> Interface:
    return {
        "network_card_index": card,
        "device_index": 0 if card == 0 else 1,
        "interface_type": _kind(card, has),
        "security_groups": [group.id for group in groups],
        "delete_on_termination": "true",
    }


def _kind(card: int, has: Efa) -> str:
    """Some types have a first card that takes no EFA."""
    if card < has.first_card:
        return "interface"
    return "efa" if card == 0 else "efa-only"

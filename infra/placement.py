"""Where a pool's nodes come from, and how near to each other they stand."""

from __future__ import annotations

import efa
import pulumi_aws as aws

from nodeworthy.fleet.model import CapacityKind, Pool


def build(name: str, pool: Pool) -> aws.ec2.PlacementGroup | None:
    """Nodes that speak EFA stand together. A block stands together by itself and takes no group; a reservation has
    the group that it was made in, or none."""
    if pool.capacity.kind is not CapacityKind.ON_DEMAND or not efa.interfaces_of(pool):
        return None
    return aws.ec2.PlacementGroup(name, name=name, strategy="cluster", tags={"Name": name})


def reservation(pool: Pool) -> aws.ec2.LaunchTemplateCapacityReservationSpecificationArgs | None:
    if pool.capacity.kind is CapacityKind.ON_DEMAND:
        return None
    target = aws.ec2.LaunchTemplateCapacityReservationSpecificationCapacityReservationTargetArgs(
        capacity_reservation_id=pool.capacity.id
    )
    return aws.ec2.LaunchTemplateCapacityReservationSpecificationArgs(capacity_reservation_target=target)


def market(pool: Pool) -> aws.ec2.LaunchTemplateInstanceMarketOptionsArgs | None:
    if pool.capacity.kind is not CapacityKind.BLOCK:
        return None
    return aws.ec2.LaunchTemplateInstanceMarketOptionsArgs(market_type="capacity-block")

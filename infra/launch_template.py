"""The launch template of a part of a pool: what one of its nodes is before it boots, and what it boots with."""

from __future__ import annotations

import base64
from collections.abc import Sequence

import efa
import images
import placement
import pulumi
import pulumi_aws as aws
from cluster import Cluster
from parts import Part

from nodeworthy.fleet.model import Fleet
from nodeworthy.verdict import need
from userdata import boot_script
from userdata.plan import Told, plan
from userdata.registration import POOL

# Bottlerocket keeps its own system on a disk apart.
SYSTEM_DEVICE = {"bottlerocket": "/dev/xvda"}
# GiB. The images of machine learning are large.
ROOM = 200
SYSTEM_ROOM = 4


def build(
    name: str,
    fleet: Fleet,
    part: Part,
    cluster: Cluster,
    *,
    fabric: aws.ec2.SecurityGroup | None,
    near: aws.ec2.PlacementGroup | None,
    told: pulumi.Output[Told],
) -> aws.ec2.LaunchTemplate:
    pool = part.pool
    tags = {"Name": name, POOL: pool.name}
    interfaces = efa.interfaces(pool, [cluster.groups.nodes, *([fabric] if fabric is not None else [])])
    return aws.ec2.LaunchTemplate(
        name,
        image_id=images.image(pool, need(fleet.cluster.version)),
        instance_type=need(pool.instance_type) if pool.instance_type is not None else None,
        user_data=told.apply(lambda told: _user_data(fleet, part, told)),
        iam_instance_profile={"arn": cluster.instance_profile.arn},
        # Where interfaces are laid out, each has its groups.
        network_interfaces=interfaces or None,
        vpc_security_group_ids=None if interfaces else [cluster.groups.nodes.id],
        # Pods reach the metadata service through one more hop than the node does; nobody needs a third.
        metadata_options={"http_endpoint": "enabled", "http_tokens": "required", "http_put_response_hop_limit": 2},
        block_device_mappings=_disks(need(pool.os)),
        placement={"group_name": near.name} if near is not None else None,
        capacity_reservation_specification=placement.reservation(pool),
        instance_market_options=placement.market(pool),
        tag_specifications=[{"resource_type": "volume", "tags": tags}],
        tags=tags,
        update_default_version=True,
    )


def _disks(os: str) -> Sequence[aws.ec2.LaunchTemplateBlockDeviceMappingArgsDict]:
    disks = {boot_script.ROOT_DEVICE[os]: ROOM}
    if os in SYSTEM_DEVICE:
        disks[SYSTEM_DEVICE[os]] = SYSTEM_ROOM
    return [
        {"device_name": device, "ebs": {"volume_size": room, "volume_type": "gp3", "encrypted": "true"}}
        for device, room in disks.items()
    ]


def _user_data(fleet: Fleet, part: Part, told: Told) -> str:
    script = boot_script.of(plan(fleet, part.pool, told, profiling=part.profiling))
    return base64.b64encode(script.encode()).decode()

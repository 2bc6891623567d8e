"""The pools: for each one a launch template and an auto scaling group that starts its nodes from it."""

from __future__ import annotations

import base64

import images
import pulumi
import pulumi_aws as aws
from cluster import Cluster
from network import Network

from nodeworthy.fleet.model import CapacityKind, Fleet, Pool
from nodeworthy.verdict import Known, need
from userdata import boot_script, made_up
from userdata.plan import CannotWrite, Told, plan
from userdata.registration import POOL


def build(
    fleet: Fleet, network: Network, cluster: Cluster, storage: aws.efs.MountTarget | None
) -> list[aws.autoscaling.Group]:
    built = [pool for pool in fleet.pools if _is_built(pool)]
    for pool in built:
        _refuse_what_has_no_boot_script(fleet, pool)
    told = _told(cluster, storage)
    return [_group(fleet, pool, network, cluster, told) for pool in built]


def _is_built(pool: Pool) -> bool:
    """Nodes of other distributions join clusters that are not built here; they are checked and not made."""
    distribution, os = pool.distribution.state, pool.os.state
    if not pool.provision or pool.instance_type is None or not isinstance(os, Known):
        return False
    on_eks = isinstance(distribution, Known) and distribution.value in boot_script.DISTRIBUTIONS
    if not on_eks or os.value not in images.PARAMETERS:
        pulumi.log.warn(f"pool '{pool.name}' is not built: {pool.distribution.shown()} is not a distribution of EKS")
        return False
    return True


def _refuse_what_has_no_boot_script(fleet: Fleet, pool: Pool) -> None:
    """Now, and not when the cluster is there and tells what its nodes must know."""
    try:
        boot_script.of(plan(fleet, pool, made_up.told(fleet)))
    except CannotWrite as problem:
        raise pulumi.RunError(str(problem)) from None


def _group(
    fleet: Fleet, pool: Pool, network: Network, cluster: Cluster, told: pulumi.Output[Told]
) -> aws.autoscaling.Group:
    name = f"{need(fleet.cluster.name)}-{pool.name}"
    template = _template(name, fleet, pool, cluster, told)
    tags = {"Name": name, POOL: pool.name, f"kubernetes.io/cluster/{need(fleet.cluster.name)}": "owned"}
    return aws.autoscaling.Group(
        name,
        min_size=pool.min,
        max_size=pool.max,
        desired_capacity=pool.nodes,
        vpc_zone_identifiers=[network.nodes.id],
        launch_template={"id": template.id, "version": template.latest_version.apply(str)},
        tags=[{"key": key, "value": value, "propagate_at_launch": True} for key, value in tags.items()],
    )


def _template(
    name: str, fleet: Fleet, pool: Pool, cluster: Cluster, told: pulumi.Output[Told]
) -> aws.ec2.LaunchTemplate:
    return aws.ec2.LaunchTemplate(
        name,
        image_id=images.image(pool, need(fleet.cluster.version)),
        instance_type=need(pool.instance_type) if pool.instance_type is not None else None,
        user_data=told.apply(lambda told: _user_data(fleet, pool, told)),
        iam_instance_profile={"arn": cluster.instance_profile.arn},
        vpc_security_group_ids=[cluster.control_plane.vpc_config.cluster_security_group_id],
        # Pods reach the metadata service through one more hop than the node does; nobody needs a third.
        metadata_options={"http_tokens": "required", "http_put_response_hop_limit": 2},
        block_device_mappings=[_disk(boot_script.ROOT_DEVICE[need(pool.os)])],
        tags={POOL: pool.name},
        capacity_reservation_specification=_reservation(pool),
        instance_market_options=_market(pool),
    )


def _disk(device: str) -> aws.ec2.LaunchTemplateBlockDeviceMappingArgs:
    """Room for the images of machine learning, which are large."""
    return aws.ec2.LaunchTemplateBlockDeviceMappingArgs(
        device_name=device,
        ebs=aws.ec2.LaunchTemplateBlockDeviceMappingEbsArgs(volume_size=200, volume_type="gp3", encrypted="true"),
    )


def _reservation(pool: Pool) -> aws.ec2.LaunchTemplateCapacityReservationSpecificationArgs | None:
    """Where the pool's machines come from, if they are reserved."""
    if pool.capacity.kind is CapacityKind.ON_DEMAND:
        return None
    target = aws.ec2.LaunchTemplateCapacityReservationSpecificationCapacityReservationTargetArgs(
        capacity_reservation_id=pool.capacity.id
    )
    return aws.ec2.LaunchTemplateCapacityReservationSpecificationArgs(capacity_reservation_target=target)


def _market(pool: Pool) -> aws.ec2.LaunchTemplateInstanceMarketOptionsArgs | None:
    if pool.capacity.kind is not CapacityKind.BLOCK:
        return None
    return aws.ec2.LaunchTemplateInstanceMarketOptionsArgs(market_type="capacity-block")


def _told(cluster: Cluster, storage: aws.efs.MountTarget | None) -> pulumi.Output[Told]:
    """What boot scripts need to know of what the program makes."""
    plane = cluster.control_plane
    return pulumi.Output.all(
        plane.name,
        plane.endpoint,
        plane.certificate_authority.data,
        plane.kubernetes_network_config.service_ipv4_cidr,
        storage.dns_name if storage is not None else None,
    ).apply(lambda outputs: Told(*outputs))


def _user_data(fleet: Fleet, pool: Pool, told: Told) -> str:
    return base64.b64encode(boot_script.of(plan(fleet, pool, told)).encode()).decode()

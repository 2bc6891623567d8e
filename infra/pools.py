"""The pools: for each part of one a launch template and an auto scaling group that starts its nodes from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import efa
import images
import launch_template
import placement
import pulumi
import pulumi_aws as aws
import rollout
from cluster import Cluster
from network import Network
from parts import Part, parts

from nodeworthy.fleet.model import Fleet, Pool
from nodeworthy.verdict import Known, need
from userdata import boot_script, made_up
from userdata.plan import CannotWrite, Told, plan
from userdata.registration import POOL


def built(fleet: Fleet) -> list[Pool]:
    """Those that are built here; of any other kind the nodes are there already, or are made by somebody else."""
    return [pool for pool in fleet.pools if _is_built(pool)]


def build(
    fleet: Fleet,
    network: Network,
    cluster: Cluster,
    storage: aws.efs.MountTarget | None,
    after: Sequence[pulumi.Resource],
) -> dict[str, aws.autoscaling.Group]:
    for pool in built(fleet):
        _refuse_what_has_no_boot_script(fleet, pool)
    around = _Around(fleet, network, cluster, efa.build(fleet, network), _told(cluster, storage), after)
    return {name: group for pool in built(fleet) for name, group in _groups(pool, around)}


def say_what_is_not_built(fleet: Fleet) -> None:
    made = {pool.name for pool in built(fleet)}
    for pool in fleet.pools:
        if pool.name in made:
            continue
        if pool.provision:
            kind = pool.distribution.shown()
            pulumi.log.warn(f"pool '{pool.name}' is not built: {kind} is not a distribution of EKS")
        else:
            pulumi.log.info(f"pool '{pool.name}' is not built: its nodes are there, and are checked")


def _is_built(pool: Pool) -> bool:
    distribution, os = pool.distribution.state, pool.os.state
    if not pool.provision or pool.instance_type is None or not isinstance(os, Known):
        return False
    on_eks = isinstance(distribution, Known) and distribution.value in boot_script.DISTRIBUTIONS
    return on_eks and os.value in images.PARAMETERS


def _refuse_what_has_no_boot_script(fleet: Fleet, pool: Pool) -> None:
    """Now, and not when the cluster is there and tells what its nodes must know."""
    try:
        for part in parts(pool):
            boot_script.of(plan(fleet, pool, made_up.told(fleet), profiling=part.profiling))
    except CannotWrite as problem:
        raise pulumi.RunError(str(problem)) from None


@dataclass(frozen=True)
class _Around:
    """What every pool is built into."""

    fleet: Fleet
    network: Network
    cluster: Cluster
    fabric: aws.ec2.SecurityGroup | None
    told: pulumi.Output[Told]
    after: Sequence[pulumi.Resource]

    def name(self, of: Pool | Part) -> str:
        return f"{need(self.fleet.cluster.name)}-{of.name}"


def _groups(pool: Pool, around: _Around) -> list[tuple[str, aws.autoscaling.Group]]:
    near = placement.build(around.name(pool), pool)
    return [(around.name(part), _group(part, around, near)) for part in parts(pool)]


def _group(part: Part, around: _Around, near: aws.ec2.PlacementGroup | None) -> aws.autoscaling.Group:
    name = around.name(part)
    cluster = around.cluster
    template = launch_template.build(
        name, around.fleet, part, cluster, fabric=around.fabric, near=near, told=around.told
    )
    tags = {
        "Name": name,
        POOL: part.pool.name,
        f"kubernetes.io/cluster/{need(around.fleet.cluster.name)}": "owned",
        rollout.MANAGED: "true",
    }
    return aws.autoscaling.Group(
        name,
        min_size=part.min,
        max_size=part.max,
        desired_capacity=part.nodes,
        vpc_zone_identifiers=[around.network.nodes.id],
        launch_template={"id": template.id, "version": template.latest_version.apply(str)},
        instance_refresh=rollout.refresh(part),
        tags=[{"key": key, "value": value, "propagate_at_launch": True} for key, value in tags.items()],
        opts=pulumi.ResourceOptions(depends_on=around.after),
    )


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

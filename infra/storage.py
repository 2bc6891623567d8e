"""Shared storage: a file system that every node mounts, by its door into the zone of the nodes."""

from __future__ import annotations

import pulumi_aws as aws
from cluster import Cluster
from network import Network

from nodeworthy.fleet.model import Fleet
from nodeworthy.verdict import need

NFS = 2049


def build(fleet: Fleet, network: Network, cluster: Cluster) -> aws.efs.MountTarget | None:
    if fleet.storage is None:
        return None
    name = need(fleet.cluster.name)
    file_system = aws.efs.FileSystem(name, encrypted=True, throughput_mode="elastic", tags={"Name": name})
    nodes = cluster.control_plane.vpc_config.cluster_security_group_id
    reached = aws.ec2.SecurityGroup(
        f"{name}-storage",
        vpc_id=network.vpc.id,
        description="NFS from the nodes",
        ingress=[{"protocol": "tcp", "from_port": NFS, "to_port": NFS, "security_groups": [nodes]}],
    )
    return aws.efs.MountTarget(
        name, file_system_id=file_system.id, subnet_id=network.nodes.id, security_groups=[reached.id]
    )

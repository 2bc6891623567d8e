"""Storage: a file system that every node mounts, by its doors, and encrypted disks for what runs in pods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as kubernetes
from cluster import Cluster
from network import Network

from nodeworthy.fleet.model import Fleet
from nodeworthy.verdict import need

NFS = 2049
# A class of our own: which one is the default, if any, differs from cluster to cluster.
ENCRYPTED = "gp3-encrypted"


def build(fleet: Fleet, network: Network, cluster: Cluster) -> aws.efs.MountTarget | None:
    """The door in the nodes' zone, whose name is that of the file system."""
    if fleet.storage is None:
        return None
    name = need(fleet.cluster.name)
    file_system = aws.efs.FileSystem(name, encrypted=True, throughput_mode="elastic", tags={"Name": name})
    nodes = cluster.groups.nodes.id
    reached = aws.ec2.SecurityGroup(
        f"{name}-storage",
        vpc_id=network.vpc.id,
        description="NFS from the nodes",
        ingress=[{"protocol": "tcp", "from_port": NFS, "to_port": NFS, "security_groups": [nodes]}],
        tags={"Name": f"{name}-storage"},
    )
    doors = [
        aws.efs.MountTarget(door, file_system_id=file_system.id, subnet_id=subnet.id, security_groups=[reached.id])
        for door, subnet in ((name, network.nodes), (f"{name}-beside", network.beside))
    ]
    return doors[0]


@dataclass(frozen=True)
class Disks:
    """Encrypted EBS volumes, made where the pod that asks for one is scheduled."""

    storage_class: kubernetes.storage.v1.StorageClass

    @property
    def name(self) -> pulumi.Output[str]:
        return self.storage_class.metadata.name

    def asked(self, size: str) -> kubernetes.core.v1.PersistentVolumeClaimSpecArgsDict:
        return {
            "storage_class_name": self.name,
            "access_modes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": size}},
        }

    def claim(
        self, name: str, metadata: kubernetes.meta.v1.ObjectMetaArgs, size: str, opts: pulumi.ResourceOptions
    ) -> kubernetes.core.v1.PersistentVolumeClaim:
        return kubernetes.core.v1.PersistentVolumeClaim(name, metadata=metadata, spec=self.asked(size), opts=opts)


def disks(cluster: Cluster, after: Sequence[pulumi.Resource]) -> Disks:
    """`after`: what makes the volumes, and the nodes that it and all who ask for one run on."""
    return Disks(
        kubernetes.storage.v1.StorageClass(
            ENCRYPTED,
            metadata={"name": ENCRYPTED},
            provisioner="ebs.csi.aws.com",
            parameters={"type": "gp3", "encrypted": "true"},
            volume_binding_mode="WaitForFirstConsumer",
            allow_volume_expansion=True,
            # What is in a database outlives the claim that somebody deleted by mistake.
            reclaim_policy="Retain",
            opts=pulumi.ResourceOptions(provider=cluster.kubernetes, depends_on=after),
        )
    )

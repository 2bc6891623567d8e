"""What EKS installs and keeps current: the network of pods, their identities, DNS, disks."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import pulumi
import pulumi_aws as aws
import roles
from cluster import Cluster

from nodeworthy.fleet.model import Fleet
from nodeworthy.rules import registry_resolvable
from nodeworthy.verdict import need
from userdata.registration import UNVERIFIED


def on_every_node(fleet: Fleet, cluster: Cluster) -> list[aws.eks.Addon]:
    """No node is ready without them: they come before the first one."""
    identities = _addon(cluster, fleet, "eks-pod-identity-agent")
    return [
        identities,
        _addon(cluster, fleet, "kube-proxy"),
        _addon(cluster, fleet, "vpc-cni", acts=("aws-node", "AmazonEKS_CNI_Policy"), after=[identities]),
    ]


def on_some_node(fleet: Fleet, cluster: Cluster, nodes: Sequence[pulumi.Resource]) -> list[aws.eks.Addon]:
    """EKS waits until they run: they come after the first node."""
    added = [_addon(cluster, fleet, "coredns", configuration=placed(fleet), after=nodes)]
    controller = {"controller": placed(fleet)} if placed(fleet) else {}
    if keeps_disks(fleet):
        acts = ("ebs-csi-controller-sa", "service-role/AmazonEBSCSIDriverPolicy")
        added.append(_addon(cluster, fleet, "aws-ebs-csi-driver", acts=acts, configuration=controller, after=nodes))
    if fleet.storage is not None:
        acts = ("efs-csi-controller-sa", "service-role/AmazonEFSCSIDriverPolicy")
        added.append(_addon(cluster, fleet, "aws-efs-csi-driver", acts=acts, configuration=controller, after=nodes))
    return added


def keeps_disks(fleet: Fleet) -> bool:
    """Whether something in the cluster wants a disk of its own."""
    caches = any(registry_resolvable.is_in_cluster(need(each.host)) for each in fleet.registries)
    return caches or fleet.monitoring is not None or fleet.queue is not None


def placed(fleet: Fleet) -> dict[str, object]:
    """Where every node has GPUs, what the cluster lives by can't wait until one has been checked."""
    if any(pool.provision and not pool.is_gpu for pool in fleet.pools):
        return {}
    return {"tolerations": [{"key": UNVERIFIED, "operator": "Exists"}]}


def _addon(
    cluster: Cluster,
    fleet: Fleet,
    addon: str,
    *,
    acts: tuple[str, str] | None = None,
    configuration: Mapping[str, object] | None = None,
    after: Sequence[pulumi.Resource] = (),
) -> aws.eks.Addon:
    """`acts`: the service account that does something in AWS, and the policy that allows it."""
    name = f"{need(fleet.cluster.name)}-{addon}"
    identities: list[aws.eks.AddonPodIdentityAssociationArgsDict] = []
    if acts is not None:
        account, policy = acts
        role, attached = roles.role(name, roles.POD, [policy])
        identities = [{"role_arn": role.arn, "service_account": account}]
        after = [*after, *attached]
    return aws.eks.Addon(
        name,
        cluster_name=cluster.control_plane.name,
        addon_name=addon,
        configuration_values=json.dumps(configuration) if configuration else None,
        pod_identity_associations=identities or None,
        resolve_conflicts_on_create="OVERWRITE",
        resolve_conflicts_on_update="OVERWRITE",
        opts=pulumi.ResourceOptions(depends_on=after),
    )

"""The people who administer the cluster, besides the one who made it: roles or users of IAM, from the stack's config.

pulumi config set --path 'nodeworthy:admins[0]' arn:aws:iam::111122223333:role/Platform
"""

from __future__ import annotations

import re

import pulumi
import pulumi_aws as aws
from cluster import Cluster

from nodeworthy.fleet.model import Fleet
from nodeworthy.verdict import need

KEY = "admins"
ADMIN = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy"
_PRINCIPAL = re.compile(r"arn:aws:iam::[0-9]{12}:(?:role|user)/[\w+=,.@/-]+")


def build(fleet: Fleet, cluster: Cluster) -> None:
    for principal in dict.fromkeys(_principals()):
        # The account, and what it is there: `111122223333:role/Platform`.
        name = f"{need(fleet.cluster.name)}-{principal.split(':', 4)[4]}"
        within = cluster.control_plane.name
        entry = aws.eks.AccessEntry(name, cluster_name=within, principal_arn=principal)
        aws.eks.AccessPolicyAssociation(
            name,
            cluster_name=within,
            principal_arn=entry.principal_arn,
            policy_arn=ADMIN,
            access_scope={"type": "cluster"},
        )


def _principals() -> list[str]:
    given = pulumi.Config("nodeworthy").get_object(KEY) or []
    if not isinstance(given, list):
        raise pulumi.RunError(f"nodeworthy:{KEY} must be a list of roles or users of IAM")
    for each in given:
        if not isinstance(each, str) or not _PRINCIPAL.fullmatch(each):
            raise pulumi.RunError(
                f"nodeworthy:{KEY} has {each!r}, and must have roles or users of IAM such as "
                "arn:aws:iam::111122223333:role/Platform"
            )
    return given

"""Every call that an audit makes of AWS. There is no other way to make one, and each of them only reads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import field
from typing import Any, Final

from nodeworthy.records import dataclass

# Where a right is spelt otherwise than the service of the API.
_PREFIXES: Final = {"efs": "elasticfilesystem", "service-quotas": "servicequotas"}


@dataclass(frozen=True)
class Call:
    # As boto3 has it.
    service: str
    # As AWS has it.
    operation: str
    # Where in the answer what was asked for stands.
    key: str
    # What of it AWS gives on one page where that is less than it could; 0 where it decides.
    page: int = 0
    fixed: Mapping[str, Any] = field(default_factory=dict)

    @property
    def action(self) -> str:
        """The right that it takes."""
        return f"{_PREFIXES.get(self.service, self.service)}:{self.operation}"


def _running() -> Mapping[str, Any]:
    return {"Filters": [{"Name": "instance-state-name", "Values": ["pending", "running", "stopping", "shutting-down"]}]}


IDENTITY = Call("sts", "GetCallerIdentity", "Account")

SCALING_GROUPS = Call("autoscaling", "DescribeAutoScalingGroups", "AutoScalingGroups", 100)
CONFIGURATIONS = Call("autoscaling", "DescribeLaunchConfigurations", "LaunchConfigurations", 100)
ACTIVITIES = Call("autoscaling", "DescribeScalingActivities", "Activities", 100)
REFRESHES = Call("autoscaling", "DescribeInstanceRefreshes", "InstanceRefreshes")
HOOKS = Call("autoscaling", "DescribeLifecycleHooks", "LifecycleHooks")
POLICIES = Call("autoscaling", "DescribePolicies", "ScalingPolicies", 100)
SCHEDULES = Call("autoscaling", "DescribeScheduledActions", "ScheduledUpdateGroupActions", 100)

INSTANCES = Call("ec2", "DescribeInstances", "Reservations", 1000, _running())
USER_DATA = Call("ec2", "DescribeInstanceAttribute", "UserData", fixed={"Attribute": "userData"})
TEMPLATE_VERSIONS = Call("ec2", "DescribeLaunchTemplateVersions", "LaunchTemplateVersions")
SECURITY_GROUPS = Call("ec2", "DescribeSecurityGroups", "SecurityGroups", 1000)
SUBNETS = Call("ec2", "DescribeSubnets", "Subnets", 1000)
NETWORKS = Call("ec2", "DescribeVpcs", "Vpcs", 1000)
PLACEMENT_GROUPS = Call("ec2", "DescribePlacementGroups", "PlacementGroups")
VOLUMES = Call("ec2", "DescribeVolumes", "Volumes", 500)
IMAGES = Call("ec2", "DescribeImages", "Images", fixed={"IncludeDeprecated": True})
STATUSES = Call("ec2", "DescribeInstanceStatus", "InstanceStatuses", 1000)
RESERVATIONS = Call("ec2", "DescribeCapacityReservations", "CapacityReservations", 1000)
TYPES = Call("ec2", "DescribeInstanceTypes", "InstanceTypes")
ENCRYPTION = Call("ec2", "GetEbsEncryptionByDefault", "EbsEncryptionByDefault")

CLUSTERS = Call("eks", "ListClusters", "clusters", 100)
CLUSTER = Call("eks", "DescribeCluster", "cluster")
NODE_GROUPS = Call("eks", "ListNodegroups", "nodegroups", 100)
NODE_GROUP = Call("eks", "DescribeNodegroup", "nodegroup")
CLUSTER_VERSIONS = Call("eks", "DescribeClusterVersions", "clusterVersions")
INSIGHTS = Call("eks", "ListInsights", "insights", 100)

EVENT_RULES = Call("events", "ListRules", "Rules")
EVENT_TARGETS = Call("events", "ListTargetsByRule", "Targets")
FILE_SYSTEMS = Call("efs", "DescribeFileSystems", "FileSystems")
QUOTAS = Call("service-quotas", "ListServiceQuotas", "Quotas", 100, {"ServiceCode": "ec2"})
PARAMETER = Call("ssm", "GetParameter", "Parameter")

EVERY: Final[tuple[Call, ...]] = tuple(each for each in dict(globals()).values() if isinstance(each, Call))


def policy() -> str:
    """The least that whoever runs an audit must be allowed, as IAM reads it."""
    statement = {
        "Sid": "NodeworthyAudit",
        "Effect": "Allow",
        "Action": sorted(each.action for each in EVERY),
        "Resource": "*",
    }
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]}, indent=2) + "\n"

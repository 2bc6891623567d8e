"""How nodes are replaced: as few at a time as the pool can spare, each cordoned and drained before it goes.

Auto scaling waits at a hook before it ends an instance. AWS tells a queue, the termination handler reads it there,
drains the node and lets auto scaling go on.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import addons
import pulumi
import pulumi_aws as aws
import roles
from cluster import Cluster
from parts import Part
from pulumi_kubernetes.helm.v3 import Release, ReleaseArgs

from nodeworthy.fleet.model import Fleet
from nodeworthy.verdict import need

HANDLER = "aws-node-termination-handler"
CHART = f"oci://public.ecr.aws/aws-ec2/helm/{HANDLER}"
VERSION = "0.27.0"
NAMESPACE = "kube-system"
# The handler leaves alone what does not carry this.
MANAGED = f"{HANDLER}/managed"
# Seconds: until a booted node counts, between the first new node and the others, and for work to end before it is cut.
WARMUP, LOOK, DRAIN = 600, 1800, 3600
EVENTS = {
    "terminate": ("aws.autoscaling", "EC2 Instance-terminate Lifecycle Action"),
    "maintenance": ("aws.health", "AWS Health Event"),
}


def refresh(part: Part) -> aws.autoscaling.GroupInstanceRefreshArgsDict:
    """A fixed part has no machine to spare: one node goes, then its successor comes. Others grow by one first."""
    nodes = max(part.nodes, 1)
    one = -(-100 // nodes)
    preferences: aws.autoscaling.GroupInstanceRefreshPreferencesArgsDict = {
        "min_healthy_percentage": 100 * (nodes - 1) // nodes if part.is_fixed else 100,
        "max_healthy_percentage": 100 if part.is_fixed else 100 + one,
        "instance_warmup": str(WARMUP),
        "skip_matching": True,
        "scale_in_protected_instances": "Wait",
    }
    if nodes > 1:
        # The first new node shows what the others would be.
        preferences["checkpoint_percentages"] = [one, 100]
        preferences["checkpoint_delay"] = str(LOOK)
    return {"strategy": "Rolling", "preferences": preferences}


def build(
    fleet: Fleet, cluster: Cluster, groups: Mapping[str, aws.autoscaling.Group], after: Sequence[pulumi.Resource]
) -> Release:
    name = f"{need(fleet.cluster.name)}-rollout"
    queue = _queue(name, need(fleet.cluster.name))
    handler = _handler(name, fleet, cluster, queue, after)
    for each, group in groups.items():
        # Gone before its group is, so that nobody waits for a handler that is gone, too.
        aws.autoscaling.LifecycleHook(
            f"{each}-drain",
            autoscaling_group_name=group.name,
            lifecycle_transition="autoscaling:EC2_INSTANCE_TERMINATING",
            heartbeat_timeout=DRAIN,
            default_result="CONTINUE",
        )
    return handler


def _queue(name: str, cluster: str) -> aws.sqs.Queue:
    queue = aws.sqs.Queue(name, message_retention_seconds=DRAIN, sqs_managed_sse_enabled=True, tags={"Name": name})
    rules = [_tells(f"{name}-{event}", cluster, *told, queue) for event, told in EVENTS.items()]
    allowed = roles.document(
        {
            "Principal": {"Service": "events.amazonaws.com"},
            "Action": "sqs:SendMessage",
            "Resource": queue.arn,
            "Condition": {"ArnEquals": {"aws:SourceArn": [rule.arn for rule in rules]}},
        }
    )
    aws.sqs.QueuePolicy(name, queue_url=queue.url, policy=pulumi.Output.json_dumps(allowed))
    return queue


def _tells(name: str, cluster: str, source: str, kind: str, queue: aws.sqs.Queue) -> aws.cloudwatch.EventRule:
    pattern: dict[str, object] = {"source": [source], "detail-type": [kind]}
    if source == "aws.autoscaling":
        pattern["detail"] = {"AutoScalingGroupName": [{"prefix": f"{cluster}-"}]}
    rule = aws.cloudwatch.EventRule(name, event_pattern=json.dumps(pattern))
    aws.cloudwatch.EventTarget(name, rule=rule.name, arn=queue.arn)
    return rule


def _handler(
    name: str, fleet: Fleet, cluster: Cluster, queue: aws.sqs.Queue, after: Sequence[pulumi.Resource]
) -> Release:
    role, _ = roles.role(name, roles.POD, [])
    groups = f"arn:aws:autoscaling:*:*:autoScalingGroup:*:autoScalingGroupName/{need(fleet.cluster.name)}-*"
    looks = ["autoscaling:DescribeAutoScalingInstances", "autoscaling:DescribeTags", "ec2:DescribeInstances"]
    may = roles.may(
        name,
        role,
        {"Action": ["sqs:ReceiveMessage", "sqs:DeleteMessage"], "Resource": queue.arn},
        {"Action": "autoscaling:CompleteLifecycleAction", "Resource": groups},
        {"Action": looks, "Resource": "*"},
    )
    acts = aws.eks.PodIdentityAssociation(
        name,
        cluster_name=cluster.control_plane.name,
        namespace=NAMESPACE,
        service_account=HANDLER,
        role_arn=role.arn,
    )
    values = {
        "enableSqsTerminationDraining": True,
        "queueURL": queue.url,
        "managedTag": MANAGED,
        "checkTagBeforeDraining": True,
        "serviceAccount": {"name": HANDLER},
        **({"awsRegion": fleet.region} if fleet.region else {}),
        **addons.placed(fleet),
    }
    return Release(
        HANDLER,
        ReleaseArgs(chart=CHART, version=VERSION, namespace=NAMESPACE, values=values),
        opts=pulumi.ResourceOptions(provider=cluster.kubernetes, depends_on=[*after, may, acts]),
    )

"""Hosts by what they belong to: a label of the cluster's nodes, an Auto Scaling Group."""

from __future__ import annotations

import shlex
from typing import Any

from nodeworthy.collect.node import deadline
from nodeworthy.collect.node.reach import Reach, client, need_boto3, problems
from nodeworthy.errors import CouldNotLook, InputError
from nodeworthy.records import dataclass

KUBECTL_SECONDS = 30
# An instance that is on its way out is no fresh node.
LEAVING = ("Terminating", "Terminated", "Detach")


@dataclass(frozen=True)
class Selected:
    """What was found, as host specs, and what is told of it."""

    specs: tuple[str, ...]
    told: str


def select_by_label(selector: str, reach: Reach) -> Selected:
    """Raises CouldNotLook with kubectl's own words."""
    context = [f"--context={reach.context}"] if reach.context else []
    command = ["kubectl", *context, "get", "nodes", f"--selector={selector}", "-o", "name"]
    try:
        done = deadline.run(shlex.join(command).encode(), KUBECTL_SECONDS)
    except deadline.TooLate as late:
        raise CouldNotLook(f"kubectl does not tell the nodes of {selector}: {late}") from None
    if done.code != 0:
        said = done.stderr.decode(errors="replace").strip().splitlines() or [f"it ended with {done.code}"]
        raise CouldNotLook(f"kubectl does not tell the nodes of {selector}: {said[-1]}")
    names = sorted(line.removeprefix("node/") for line in done.stdout.decode().split())
    return Selected(tuple(f"node://{each}" for each in names), f"{len(names)} nodes have the label {selector}")


def select_by_group(name: str, via: str, reach: Reach) -> Selected:
    """Raises InputError where there is no such group, CouldNotLook where AWS does not say."""
    need_boto3("--asg")
    try:
        return _by_group(name, via, reach)
    except problems() as problem:
        raise CouldNotLook(f"AWS does not tell the instances of {name}: {problem}") from None


def _by_group(name: str, via: str, reach: Reach) -> Selected:
    found = client(reach, "autoscaling").describe_auto_scaling_groups(AutoScalingGroupNames=[name])
    groups = found["AutoScalingGroups"]
    if not groups:
        raise InputError(f"there is no Auto Scaling Group {name!r} in this account and region")
    instances = [each for group in groups for each in group["Instances"]]
    staying = sorted(each["InstanceId"] for each in instances if not each["LifecycleState"].startswith(LEAVING))
    leaving = len(instances) - len(staying)
    gone = f", and {leaving} that are on their way out are left out" if leaving else ""
    told = f"the Auto Scaling Group {name} has {len(staying)} instances{gone}"
    if via == "ssm":
        return Selected(tuple(f"ssm://{each}" for each in staying), told)
    addresses = _addresses(staying, reach)
    without = sorted(set(staying) - set(addresses))
    if without:
        raise CouldNotLook(f"no private address is known of {', '.join(without)}: it is too early, or look by ssm://")
    return Selected(tuple(f"ssh://{addresses[each]}" for each in staying), told)


def _addresses(instances: list[str], reach: Reach) -> dict[str, str]:
    ec2 = client(reach, "ec2")
    told: list[dict[str, Any]] = []
    for some in _in_hundreds(instances):
        pages = ec2.get_paginator("describe_instances").paginate(InstanceIds=some)
        told += [each for page in pages for one in page["Reservations"] for each in one["Instances"]]
    return {each["InstanceId"]: each["PrivateIpAddress"] for each in told if each.get("PrivateIpAddress")}


def _in_hundreds(instances: list[str]) -> list[list[str]]:
    return [instances[at : at + 100] for at in range(0, len(instances), 100)]

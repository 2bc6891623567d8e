"""The rights that a rollout needs, and nothing beyond them."""

from __future__ import annotations

import json
from typing import Final

from nodeworthy.collect.cloud.calls import EVERY
from nodeworthy.rollout.cloud import WRITES

# AWS asks for these where a group is told another version of its template.
_OF_A_TEMPLATE: Final = ("ec2:RunInstances", "ec2:CreateTags", "iam:PassRole")


def actions() -> list[str]:
    return sorted(f"autoscaling:{each}" for each in WRITES)


def policy() -> str:
    """What changes, beside what an audit reads, as IAM reads it."""
    reads = {
        "Sid": "NodeworthyAudit",
        "Effect": "Allow",
        "Action": sorted(each.action for each in EVERY),
        "Resource": "*",
    }
    writes = {"Sid": "NodeworthyRollout", "Effect": "Allow", "Action": actions(), "Resource": "*"}
    pins = {
        "Sid": "NodeworthyRolloutSetsTheVersion",
        "Effect": "Allow",
        "Action": sorted(_OF_A_TEMPLATE),
        "Resource": "*",
    }
    return json.dumps({"Version": "2012-10-17", "Statement": [reads, writes, pins]}, indent=2) + "\n"

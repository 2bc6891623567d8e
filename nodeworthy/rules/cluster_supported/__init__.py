"""The cluster's version of Kubernetes is supported, and EKS finds nothing that keeps it from the next one.

When standard support ends, EKS takes the price of extended support, and when that ends, it upgrades the cluster by
itself, at an hour of its own choice. What EKS' insights call an error would break in that upgrade: their words are told
as they are.

Of what is written (a fleet, a plan, Terraform, CloudFormation, eksctl's file or flags) only that is told which is
certain on any day: a version whose extended support has ended. EKS refuses to make such a cluster, and one that there
was has another version by now, which is not to be taken back.
"""

from __future__ import annotations

from nodeworthy.rule import Rule
from nodeworthy.verdict import Severity

RULE = Rule(
    "cluster-supported",
    severity=Severity.WARNING,
    title="The cluster's version is supported, and the next one is not barred",
    remedy="aws eks update-cluster-version --name CLUSTER --kubernetes-version NEXT, then the nodes",
)

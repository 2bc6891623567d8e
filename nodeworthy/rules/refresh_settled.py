"""No instance refresh failed, was cancelled, or is stuck.

A refresh that ends in the middle leaves a pool of two kinds: some nodes are of the new template, some of the old one,
and nothing in AWS says so afterwards. One that makes no progress waits for something that nobody is doing: a hook that
nobody completes, a machine that is protected or in standby, a node that never becomes healthy. It is stuck where for
half an hour beyond its warm-up nothing was started.
"""

from __future__ import annotations

from datetime import timedelta

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.aws.settling import InstanceRefreshes
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Severity, fail, need, skip

RULE = Rule(
    "refresh-settled",
    severity=Severity.ERROR,
    incident="D",
    title="No instance refresh is stuck or failed",
    remedy="see what it waited for: aws autoscaling describe-instance-refreshes --auto-scaling-group-name GROUP; then "
    "start it anew, or roll it back",
)

PATIENCE = timedelta(minutes=30)
_ENDED_BADLY = ("Failed", "Cancelled", "RollbackFailed", "RollbackSuccessful")
_GOING_ON = ("Pending", "InProgress", "Cancelling", "RollbackInProgress", "Baking")
_CAUSE = "some of its nodes are of the new template, some of the old one, and nothing tells them apart"


@RULE.check
def the_last_one_came_to_its_end(refreshes: InstanceRefreshes) -> Findings:
    last = need(refreshes.last)
    if last is None:
        skip(f"AWS knows of no instance refresh of {refreshes.nodes.title}")
    status = need(last.get("Status").located())
    if status in _ENDED_BADLY:
        yield fail(
            last,
            f"the last instance refresh of {refreshes.nodes.title} {_words(status)}",
            is_=f"{status}: {_reason(last)}",
            should="Successful",
            related=refreshes.nodes.declared,
            cause=_CAUSE,
        )
    elif status in _GOING_ON and refreshes.idle_for(last) > _warmup(last) + PATIENCE:
        minutes = int(refreshes.idle_for(last).total_seconds() // 60)
        yield fail(
            last,
            f"the instance refresh of {refreshes.nodes.title} is stuck: nothing was started for {minutes} minutes",
            is_=f"{status}, {need(last.get('PercentageComplete').located()) or 0} %: {_reason(last)}",
            should="a machine that is replaced within its warm-up and half an hour",
            related=refreshes.nodes.declared,
            cause="it waits for something that nobody is doing",
        )


def _words(status: str) -> str:
    return {
        "Failed": "failed",
        "Cancelled": "was cancelled",
        "RollbackFailed": "failed, and so did its rollback",
        "RollbackSuccessful": "failed, and was rolled back",
    }[status]


def _reason(last: Tree) -> str:
    return last.get("StatusReason").text or "AWS says no reason"


def _warmup(last: Tree) -> timedelta:
    said = last.get("Preferences", "InstanceWarmup").value
    return timedelta(seconds=said if isinstance(said, int) and said > 0 else 0)

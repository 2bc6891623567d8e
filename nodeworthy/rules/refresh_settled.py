"""No instance refresh failed, was cancelled, or is stuck.

A refresh that ends in the middle leaves a pool of two kinds: some nodes are of the new template, some of the old one,
and nothing in AWS says so afterwards. One that makes no progress waits for something that nobody is doing: a hook that
nobody completes, a machine that is protected or in standby, a node that never becomes healthy. It is stuck where for
half an hour beyond its warm-up, its checkpoints' and its baking's time nothing was started. One that ended badly is
settled once each machine is younger than its end.
"""

from __future__ import annotations

from datetime import timedelta

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.aws.settling import InstanceRefreshes
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Severity, fail, need, skip, unknown

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
# What AWS waits at a checkpoint where nobody says how long.
_AT_A_CHECKPOINT = 3600
_CAUSE = "some of its nodes are of the new template, some of the old one, and nothing tells them apart"


@RULE.check
def the_last_one_came_to_its_end(refreshes: InstanceRefreshes) -> Findings:
    last = need(refreshes.last)
    if last is None:
        skip(f"AWS knows of no instance refresh of {refreshes.nodes.title}")
    status = need(last.get("Status").located())
    if status in _ENDED_BADLY and not refreshes.is_outlived_by_none(last):
        yield fail(
            last,
            f"the last instance refresh of {refreshes.nodes.title} {_words(status)}",
            is_=f"{status}: {_reason(last)}",
            should="Successful",
            related=refreshes.nodes.declared,
            cause=_CAUSE,
        )
    elif status in _GOING_ON:
        yield from _is_stuck(refreshes, last, status)


def _is_stuck(refreshes: InstanceRefreshes, last: Tree, status: str) -> Findings:
    idle = refreshes.idle_for(last)
    if idle is None:
        yield unknown(last, f"the instance refresh of {refreshes.nodes.title} is {status}: AWS does not say since when")
    elif idle > _may_wait(last, status) + PATIENCE:
        yield fail(
            last,
            f"the instance refresh of {refreshes.nodes.title} is stuck: nothing was started for "
            f"{int(idle.total_seconds() // 60)} minutes",
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


def _may_wait(last: Tree, status: str) -> timedelta:
    """How long a refresh may wait: for a machine to warm up, at a checkpoint, and after the last one."""
    seconds = _seconds(last, "InstanceWarmup")
    if last.get("Preferences", "CheckpointPercentages").sequence:
        seconds += _seconds(last, "CheckpointDelay") or _AT_A_CHECKPOINT
    if status == "Baking":
        seconds += _seconds(last, "BakeTime")
    return timedelta(seconds=seconds)


def _seconds(last: Tree, name: str) -> int:
    said = last.get("Preferences", name).value
    return said if isinstance(said, int) and said > 0 else 0

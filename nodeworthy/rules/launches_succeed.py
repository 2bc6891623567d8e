"""Auto scaling starts what a group asks for: no launch failed, all machines are in service, nothing stays suspended.

A group that can't start a machine says nothing by itself: it tries again and again, and the pool is one node short.
Why stands in its activities, in AWS' words. A launch that failed and went well afterwards is told as a warning. A group
whose machines are fewer than it wants, and in which nothing changed for a quarter of an hour, has given up or waits.

A process that somebody suspended (Launch, Terminate, ReplaceUnhealthy, HealthCheck) and forgot keeps a group from
healing itself. AZRebalance is another matter: EKS and the cluster autoscaler suspend it on purpose.
"""

from __future__ import annotations

from datetime import timedelta

from nodeworthy.facts.aws.settling import FailedLaunch, Launches
from nodeworthy.known.launch_failures import LaunchFailure, failure_of
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Severity, fail, need

RULE = Rule(
    "launches-succeed",
    severity=Severity.ERROR,
    incident="D",
    title="No launch failed, no process stayed suspended",
    remedy="aws autoscaling describe-scaling-activities --auto-scaling-group-name GROUP says why",
)

PATIENCE = timedelta(minutes=15)
_NEEDED = {
    "Launch": "no machine is started, whatever the group wants",
    "Terminate": "no machine is ended, and none is replaced",
    "ReplaceUnhealthy": "a machine that broke stays",
    "HealthCheck": "nobody notices that a machine broke",
}


@RULE.check
def no_launch_failed(launches: Launches) -> Findings:
    by_reason: dict[str, list[FailedLaunch]] = {}
    for each in need(launches.failed):
        by_reason.setdefault(_reason(each).named, []).append(each)
    for some in by_reason.values():
        last, reason = max(some, key=lambda each: each.at), _reason(some[0])
        went_well = launches.last_good is not None and launches.last_good > last.at
        times = f"{len(some)} launches" if len(some) > 1 else "a launch"
        yield fail(
            last.place,
            f"{times} of {launches.nodes.title} failed within a day: {reason.named}",
            is_=last.why,
            should="Successful",
            related=launches.nodes.declared,
            cause="a later one went well" if went_well else reason.means,
            remedy=reason.remedy,
            severity=Severity.WARNING if went_well else Severity.ERROR,
        )


def _reason(launch: FailedLaunch) -> LaunchFailure:
    return failure_of(launch.why)


@RULE.check
def all_are_in_service(launches: Launches) -> Findings:
    if launches.in_service >= launches.wanted or need(launches.failed):
        return
    if launches.changed is not None and launches.seen_at - launches.changed <= PATIENCE:
        return
    yield fail(
        launches,
        f"{launches.nodes.title} has fewer machines than it wants, and nothing changed for a quarter of an hour",
        is_=f"{launches.in_service} in service",
        should=f"{launches.wanted}, as its desired capacity says",
        related=launches.nodes.declared,
        cause="what should run on them waits",
    )


@RULE.check
def nothing_is_suspended(launches: Launches) -> Findings:
    for each in launches.suspended:
        name = need(each)
        if name in _NEEDED:
            yield fail(
                each,
                f"auto scaling does not run {name} for {launches.nodes.title}: somebody suspended it",
                should=f"{name} runs",
                related=launches.nodes.declared,
                cause=_NEEDED[name],
                remedy=f"aws autoscaling resume-processes --auto-scaling-group-name GROUP --scaling-processes {name}",
            )

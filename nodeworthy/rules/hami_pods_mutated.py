"""A pod that asks HAMi for a share of a GPU goes through HAMi's webhook.

The webhook gives such a pod HAMi's scheduler, and without it the scheduler of the cluster counts GPUs as if nobody
shared them: nothing is assigned, and the device plugin refuses the pod or the container runs without any limit. The
webhook leaves a pod alone that names another scheduler, that carries `hami.io/webhook: ignore` (or whose namespace
does), and it refuses one that is pinned to a node or has a privileged container. A pod that names no scheduler asks for
the default one, which the webhook replaces unless `scheduler.forceOverwriteDefaultScheduler` is false. Its failure
policy is `Ignore`: where it is down, or its service has no endpoints, pods pass it by in silence.

In a cluster a pod is judged by the scheduler that it got, and the reason is looked for in the webhook's own
configuration, its service and the namespace.
"""

from __future__ import annotations

from nodeworthy.facts.hami.fault import UnmutatedPods
from nodeworthy.facts.hami.pod import HamiPod
from nodeworthy.facts.hami.setup import HamiSetup
from nodeworthy.facts.hami.webhook import WayAround, ways_around
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Severity, fail, need, skip, unknown

RULE = Rule(
    "hami-pods-mutated",
    severity=Severity.ERROR,
    incident="C",
    title="A pod that asks for a share of a GPU goes through HAMi's webhook",
    remedy="let the webhook have the pod: no scheduler of its own, no label hami.io/webhook=ignore, nothing privileged",
)


@RULE.check
def the_webhook_takes_it(pod: HamiPod, setup: HamiSetup) -> Findings:
    if not pod.asking:
        skip("it asks for no GPU")
    if pod.mutated:
        return
    if pod.pod.live is not None:
        skip("HAMi does not have it, which is told for all such pods at once")
    if not pod.sharing and not setup.has_all_gpus:
        skip("nothing says that its GPUs are HAMi's")
    for way in ways_around(pod, setup):
        yield from _told(way, pod)


def _told(way: WayAround, pod: HamiPod) -> Findings:
    need(way.where)
    yield fail(
        way.where,
        f"{pod.title} {way.says}",
        is_=way.is_,
        should=way.should,
        related=way.related,
        cause=way.cause,
        remedy=way.remedy,
    )


@RULE.check
def it_was_mutated(pods: UnmutatedPods) -> Findings:
    if pods.why_unknown is not None:
        yield unknown(pods, pods.message, cause=pods.why_unknown, victims=pods.victims)
        return
    yield fail(
        pods,
        pods.message,
        is_=pods.is_,
        should=pods.should,
        related=pods.related,
        cause=pods.cause,
        remedy=pods.remedy,
        victims=pods.victims,
    )

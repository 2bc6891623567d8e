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

from collections.abc import Iterable
from typing import Any

from nodeworthy.documents.settled import settle
from nodeworthy.facts.hami.fault import UnmutatedPods
from nodeworthy.facts.hami.pod import HamiPod
from nodeworthy.facts.hami.setup import HamiSetup
from nodeworthy.facts.hami.unmutated import DEFAULT_SCHEDULER
from nodeworthy.known.hami import labels
from nodeworthy.rule import Rule
from nodeworthy.verdict import (
    Draft,
    Findings,
    Known,
    Located,
    Related,
    Severity,
    Unknown,
    fail,
    need,
    skip,
    value_if_known,
)

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
    yield from _ways_around(pod, setup)


@RULE.check
def it_was_mutated(pods: UnmutatedPods) -> Findings:
    yield pods.fault


_PAST = "the webhook leaves it alone: no GPU is assigned to it, and its shares hold for nobody"
_REFUSED = "the webhook refuses such a pod, or in older releases leaves it without its share"


def _ways_around(pod: HamiPod, setup: HamiSetup) -> Findings:
    """Each is a fault, and what is unknown of one is unknown of the pod."""
    yield from _refused(pod)
    named, hamis = settle(pod.pod.spec.get("schedulerName")).state, setup.scheduler.state
    if isinstance(named, Known) and named == hamis:
        return  # who asks for HAMi's scheduler needs no webhook for it
    yield from _opted_out(pod)
    yield from _by_scheduler(pod, setup)
    yield from _by_namespace(pod, setup)


def _opted_out(pod: HamiPod) -> Findings:
    """A pod that asks for whole GPUs alone may opt out on purpose: they can be another plugin's."""
    # What a template adds to labels is no opt-out: nobody writes that for every pod of a chart.
    if labels().webhook not in pod.labels or not pod.sharing:
        return
    where = settle(pod.labels[labels().webhook])
    if isinstance(where.state, Unknown) or where.state.value == labels().webhook_off:
        remedy = f"remove the label {labels().webhook}, or ask for whole GPUs alone"
        yield _draft_of_pod(
            pod,
            where,
            "asks for a share of a GPU and opts out of HAMi's webhook",
            "no such label",
            cause=_PAST,
            remedy=remedy,
        )


def _by_scheduler(pod: HamiPod, setup: HamiSetup) -> Findings:
    named = settle(pod.pod.spec.get("schedulerName"))
    asked, hamis = need(named) or DEFAULT_SCHEDULER, str(need(setup.scheduler))
    if asked != DEFAULT_SCHEDULER:
        said = f"names a scheduler that is not HAMi's: {asked}"
        yield _draft_of_pod(pod, named, said, hamis, cause=_PAST, remedy="remove schedulerName: the webhook sets it")
    else:
        yield from _by_default(pod, named, setup, hamis)


def _by_default(pod: HamiPod, named: Located[Any], setup: HamiSetup, hamis: str) -> Findings:
    """A pod for the default scheduler, if only because it names none."""
    forced, webhook = setup.forces_its_scheduler, setup.has_webhook
    for switch in (webhook, forced):
        need(switch)
    off = next((each for each in (webhook, forced) if each.state == Known(False)), None)
    if off is not None:
        said = f"is left to {DEFAULT_SCHEDULER}, for HAMi's settings keep the webhook from it"
        related = (Related(off.place, f"{off.place.subject} is false"),)
        remedy = f"set schedulerName: {hamis} on the pod, or {off.place.subject}: true in HAMi's values"
        shown = str(value_if_known(named) or "no schedulerName")
        yield _draft_of_pod(pod, named, said, hamis, cause=_PAST, remedy=remedy, is_=shown, related=related)


def _refused(pod: HamiPod) -> Findings:
    pinned = settle(pod.pod.spec.get("nodeName"))
    if isinstance(pinned.state, Unknown) or pinned.state.value:
        cause = "a pod with a node is past every scheduler: HAMi's webhook refuses it (pod has node assigned)"
        remedy = "choose the node by nodeSelector: kubernetes.io/hostname"
        yield _draft_of_pod(
            pod, pinned, "asks for a share of a GPU and is pinned to a node", "no nodeName", cause=cause, remedy=remedy
        )
    for container in pod.pod.containers:
        privileged = settle(container.tree.get("securityContext", "privileged"))
        if isinstance(privileged.state, Unknown) or privileged.state.value is True:
            said = f"asks for a share of a GPU, and its container {container.name} is privileged"
            remedy = "run it without privileges, or give it whole GPUs of another plugin's nodes"
            yield _draft_of_pod(pod, privileged, said, "false", cause=_REFUSED, remedy=remedy)


def _by_namespace(pod: HamiPod, setup: HamiSetup) -> Findings:
    namespace = pod.pod.namespace
    for each in setup.not_applied_to():
        if namespace and each.state == Known(namespace):
            said = f"stands in namespace {namespace}, which HAMi's webhook is told to leave alone"
            where = settle(pod.pod.document.get("metadata", "namespace"))
            related = (Related(each.place, "whitelistNamespaces names the namespaces without the webhook"),)
            remedy = "take the namespace off whitelistNamespaces, or run the pod in another"
            yield _draft_of_pod(
                pod, where, said, "a namespace that the webhook sees", cause=_PAST, remedy=remedy, related=related
            )
    for out in setup.opted_out if pod.sharing else ():
        if namespace == out.name:
            said = f"asks for a share of a GPU in namespace {namespace}, which opts out of HAMi's webhook"
            where = settle(pod.pod.document.get("metadata", "namespace"))
            related = (
                Related(out.label.place, f"the namespace has the label {labels().webhook}: {out.label.shown()}"),
            )
            remedy = f"remove the label {labels().webhook} from the namespace, or run the pod in another"
            yield _draft_of_pod(
                pod, where, said, "a namespace that the webhook sees", cause=_PAST, remedy=remedy, related=related
            )


def _draft_of_pod(
    pod: HamiPod,
    where: Located[Any],
    says: str,
    should: str,
    *,
    cause: str,
    remedy: str,
    is_: str | None = None,
    related: Iterable[Related] = (),
) -> Draft:
    """What is unknown of one is unknown of the pod."""
    need(where)
    return fail(where, f"{pod.title} {says}", is_=is_, should=should, related=related, cause=cause, remedy=remedy)

"""Why pods of a cluster that ask for shares of GPUs did not go through HAMi's webhook."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from nodeworthy.documents.settled import settle
from nodeworthy.facts.hami.cluster import HamiCluster, Webhook
from nodeworthy.facts.hami.fault import UnmutatedPods
from nodeworthy.facts.hami.pod import HamiPod
from nodeworthy.known.hami import labels
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import NOWHERE, Draft, Known, Place, Related, fail, unknown

DEFAULT_SCHEDULER = "default-scheduler"
_WEBHOOKS = "mutatingwebhookconfigurations"
_LEFT = "nothing assigned them a GPU: the device plugin refuses them, or they run without any limit"


@dataclass(frozen=True)
class PastWebhook:
    """One pod template that was left alone, as far as the cluster knows it."""

    pod: HamiPod
    labels: Mapping[str, str]
    created: str

    @property
    def namespace(self) -> str:
        return self.pod.pod.namespace

    @property
    def scheduler(self) -> str:
        return self.pod.pod.spec.get("schedulerName").text or DEFAULT_SCHEDULER


def unmutated_pods(past: Iterable[PastWebhook], cluster: HamiCluster) -> Iterator[UnmutatedPods]:
    """Together where they have one reason."""
    together: dict[Draft, list[PastWebhook]] = defaultdict(list)
    for each in past:
        together[_reason(each, cluster)].append(each)
    for reason, pods in together.items():
        victims = tuple(name for each in pods for name in each.pod.victims)
        place = pods[0].pod.place if reason.where == NOWHERE else reason.where
        yield UnmutatedPods(replace(reason, where=place, victims=victims))


def left_in_silence(pod: PastWebhook, cluster: HamiCluster) -> bool:
    """Whether nothing of its own kept the webhook from it: a webhook that can't be reached is then the cause."""
    if pod.scheduler != DEFAULT_SCHEDULER or not cluster.forces_its_scheduler:
        return False
    base = fail(NOWHERE, "")
    return _kept_away(pod, cluster, base) is None


def _reason(pod: PastWebhook, cluster: HamiCluster) -> Draft:
    hamis = " or ".join(sorted(cluster.scheduler_names))
    says = "pods that ask for a share of a GPU did not get HAMi's scheduler"
    base = fail(NOWHERE, says, is_=pod.scheduler, should=hamis)
    if pod.scheduler != DEFAULT_SCHEDULER:
        cause = f"they name the scheduler {pod.scheduler} themselves, and the webhook leaves that as it is; {_LEFT}"
        return replace(base, cause=cause, remedy="remove schedulerName from the pods: the webhook sets it")
    return _kept_away(pod, cluster, base) or _in_general(pod, cluster, base)


def _kept_away(pod: PastWebhook, cluster: HamiCluster, base: Draft) -> Draft | None:
    """What of the pod itself, or of its namespace, keeps the webhook from it."""
    return _opted_out(pod, cluster, base) or _not_chosen(pod, cluster, base) or _privileged(pod, base)


def _privileged(pod: PastWebhook, base: Draft) -> Draft | None:
    """The webhook passes over a privileged container, and looks no further where no other one asks for GPUs."""
    asking = pod.pod.asking
    contexts = [settle(each.tree.get("securityContext", "privileged")) for each in asking]
    if not contexts or not all(each.state == Known(True) for each in contexts):
        return None
    names = ", ".join(each.name for each in asking)
    return replace(
        base,
        is_=f"{pod.scheduler}; privileged: true on {names}",
        cause=f"HAMi's webhook passes over privileged containers, and no other one of theirs asks for GPUs; {_LEFT}",
        remedy="run them without privileges, or on nodes whose GPUs another device plugin gives out whole",
    )


def _opted_out(pod: PastWebhook, cluster: HamiCluster, base: Draft) -> Draft | None:
    label = f"{labels().webhook}={labels().webhook_off}"
    if pod.labels.get(labels().webhook) == labels().webhook_off:
        cause = f"their label {label} keeps the webhook away; {_LEFT}"
        return replace(base, is_=label, should="no such label", cause=cause, remedy=f"remove the label {label}")
    if cluster.namespaces.get(pod.namespace, {}).get(labels().webhook) == labels().webhook_off:
        return replace(
            base,
            message=f"namespace {pod.namespace} opts out of HAMi's webhook, and its pods ask for shares of GPUs",
            is_=label,
            should="no such label",
            cause=f"the webhook does not see the namespace; {_LEFT}",
            remedy=f"kubectl label namespace {pod.namespace} {labels().webhook}-",
            where=Place(object=f"Namespace/{pod.namespace}"),
        )
    return None


def _not_chosen(pod: PastWebhook, cluster: HamiCluster, base: Draft) -> Draft | None:
    """The selector of the webhook that leaves the pod out, where it asks for more than the chart's own does."""
    if not cluster.webhooks:
        return None
    if "namespaces" not in cluster.unseen:
        own = cluster.labels_of_namespace(pod.namespace)
        if not any(each.chooses_namespace(own) for each in cluster.webhooks):
            what = f"namespace {pod.namespace}", f"kubectl label namespace {pod.namespace}"
            return _selector(cluster.webhooks[0], what, "namespaceSelector", own, base)
    if not any(each.chooses_object(pod.labels) for each in cluster.webhooks):
        return _selector(cluster.webhooks[0], ("these pods", ""), "objectSelector", pod.labels, base)
    return None


def _selector(webhook: Webhook, what: tuple[str, str], name: str, labels: Mapping[str, str], base: Draft) -> Draft:
    """`what` is whose labels they are, and the command that changes them, where there is one."""
    asked = webhook.asks_of(name, labels)
    wants = " and ".join(each.wants for each in asked)
    has = [f"{each.label}={labels[each.label]}" if each.label in labels else f"no label {each.label}" for each in asked]
    changes = " ".join(each.change for each in asked)
    change = f"{what[1]} {changes}" if what[1] else f"give their template the labels ({changes})"
    return replace(
        base,
        is_=f"{what[0]}: {', '.join(has)}",
        should=wants,
        cause=f"the webhook's {name} wants {wants}, and leaves them out; {_LEFT}",
        remedy=f"{change}; or widen scheduler.admissionWebhook.{name} in HAMi's values",
        related=(Related(webhook.place, f"its {name} decides whom it sees"),),
    )


def _in_general(pod: PastWebhook, cluster: HamiCluster, base: Draft) -> Draft:
    if not cluster.forces_its_scheduler:
        return replace(
            base,
            cause=f"HAMi's scheduler is started with --force-overwrite-default-scheduler=false, and a pod that names "
            f"none asks for {DEFAULT_SCHEDULER}; {_LEFT}",
            remedy="set schedulerName on the pods, or scheduler.forceOverwriteDefaultScheduler: true in HAMi's values",
        )
    unseen = cluster.unseen.get(_WEBHOOKS)
    if unseen is not None and _WEBHOOKS in cluster.refused:
        return unknown(NOWHERE, base.message, cause=unseen)
    if unseen is not None:
        remedy = f"kubectl get {_WEBHOOKS} -o json, beside the rest, tells why"
        return replace(base, cause=f"why is not known: {unseen}; {_LEFT}", remedy=remedy)
    since = min((each.created for each in cluster.webhooks if each.created), default="")
    if since and pod.created and pod.created < since:
        return replace(
            base,
            cause=f"they were made before HAMi's webhook was registered ({since}); {_LEFT}",
            remedy="make them anew: kubectl rollout restart, or delete them where a controller makes others",
        )
    policy = cluster.webhooks[0].failure_policy if cluster.webhooks else "Ignore"
    cause = f"the webhook did not answer when they were made, and its failure policy is {policy}; {_LEFT}"
    remedy = "make them anew now that it answers; set scheduler.admissionWebhook.failurePolicy: Fail to be told"
    return replace(base, cause=cause, remedy=remedy)

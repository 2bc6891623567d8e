"""How a pod gets around HAMi's webhook, or is refused by it, as its own manifest says it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nodeworthy.documents.settled import settled
from nodeworthy.facts.hami.pod import HamiPod
from nodeworthy.facts.hami.setup import HamiSetup
from nodeworthy.known.hami import labels
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located, Related, Unknown

DEFAULT_SCHEDULER = "default-scheduler"
_PAST = "the webhook leaves it alone: no GPU is assigned to it, and its shares hold for nobody"
_REFUSED = "the webhook refuses such a pod, or in older releases leaves it without its share"


@dataclass(frozen=True)
class WayAround:
    where: Located[Any]
    says: str
    should: str
    cause: str
    remedy: str
    is_: str | None = None
    related: tuple[Related, ...] = ()


def ways_around(pod: HamiPod, setup: HamiSetup) -> Iterator[WayAround]:
    """Each is a fault, and what is unknown of one is unknown of the pod."""
    yield from _refused(pod)
    named, hamis = settled(pod.pod.spec.get("schedulerName")).state, setup.scheduler.state
    if isinstance(named, Known) and named == hamis:
        return  # who asks for HAMi's scheduler needs no webhook for it
    yield from _opted_out(pod)
    yield from _by_scheduler(pod, setup)
    yield from _by_namespace(pod, setup)


def _opted_out(pod: HamiPod) -> Iterator[WayAround]:
    """Who asks for whole GPUs alone may mean it: they can be another plugin's."""
    # What a template adds to labels is no opt-out: nobody writes that for every pod of a chart.
    if labels().webhook not in pod.labels or not pod.sharing:
        return
    where = settled(pod.labels[labels().webhook])
    if isinstance(where.state, Unknown) or where.state.value == labels().webhook_off:
        remedy = f"remove the label {labels().webhook}, or ask for whole GPUs alone"
        yield WayAround(
            where, "asks for a share of a GPU and opts out of HAMi's webhook", "no such label", _PAST, remedy
        )


def _by_scheduler(pod: HamiPod, setup: HamiSetup) -> Iterator[WayAround]:
    named = settled(pod.pod.spec.get("schedulerName"))
    hamis = setup.scheduler
    if isinstance(named.state, Unknown):
        yield WayAround(named, "", "", "", "")
        return
    asked = named.state.value or DEFAULT_SCHEDULER
    if isinstance(hamis.state, Unknown):
        yield WayAround(hamis, "", "", "", "")
    elif asked != DEFAULT_SCHEDULER:
        said = f"names a scheduler that is not HAMi's: {asked}"
        yield WayAround(named, said, str(hamis.state.value), _PAST, "remove schedulerName: the webhook sets it")
    else:
        yield from _by_default(named, setup, str(hamis.state.value))


def _by_default(named: Located[Any], setup: HamiSetup, hamis: str) -> Iterator[WayAround]:
    """It asks for the default scheduler, if only because it says nothing."""
    forced, webhook = setup.forces_its_scheduler, setup.has_webhook
    for switch in (webhook, forced):
        if isinstance(switch.state, Unknown):
            yield WayAround(switch, "", "", "", "")
            return
    off = next((each for each in (webhook, forced) if each.state == Known(False)), None)
    if off is not None:
        said = f"is left to {DEFAULT_SCHEDULER}, for HAMi's settings keep the webhook from it"
        related = (Related(off.place, f"{off.place.subject} is false"),)
        remedy = f"set schedulerName: {hamis} on the pod, or {off.place.subject}: true in HAMi's values"
        shown = str(named.state.value if isinstance(named.state, Known) and named.state.value else "no schedulerName")
        yield WayAround(named, said, hamis, _PAST, remedy, is_=shown, related=related)


def _refused(pod: HamiPod) -> Iterator[WayAround]:
    pinned = settled(pod.pod.spec.get("nodeName"))
    if isinstance(pinned.state, Unknown) or pinned.state.value:
        cause = "a pod with a node is past every scheduler: HAMi's webhook refuses it (pod has node assigned)"
        remedy = "choose the node by nodeSelector: kubernetes.io/hostname"
        yield WayAround(pinned, "asks for a share of a GPU and is pinned to a node", "no nodeName", cause, remedy)
    for container in pod.pod.containers:
        privileged = settled(container.tree.get("securityContext", "privileged"))
        if isinstance(privileged.state, Unknown) or privileged.state.value is True:
            said = f"asks for a share of a GPU, and its container {container.name} is privileged"
            remedy = "run it without privileges, or give it whole GPUs of another plugin's nodes"
            yield WayAround(privileged, said, "false", _REFUSED, remedy)


def _by_namespace(pod: HamiPod, setup: HamiSetup) -> Iterator[WayAround]:
    namespace = pod.pod.namespace
    for each in setup.not_applied_to():
        if namespace and each.state == Known(namespace):
            said = f"stands in namespace {namespace}, which HAMi's webhook is told to leave alone"
            where = settled(pod.pod.document.get("metadata", "namespace"))
            related = (Related(each.place, "whitelistNamespaces names the namespaces without the webhook"),)
            remedy = "take the namespace off whitelistNamespaces, or run the pod in another"
            yield WayAround(where, said, "a namespace that the webhook sees", _PAST, remedy, related=related)
    for out in setup.opted_out if pod.sharing else ():
        if namespace == out.name:
            said = f"asks for a share of a GPU in namespace {namespace}, which opts out of HAMi's webhook"
            where = settled(pod.pod.document.get("metadata", "namespace"))
            related = (
                Related(out.label.place, f"the namespace has the label {labels().webhook}: {out.label.shown()}"),
            )
            remedy = f"remove the label {labels().webhook} from the namespace, or run the pod in another"
            yield WayAround(where, said, "a namespace that the webhook sees", _PAST, remedy, related=related)

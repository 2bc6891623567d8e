"""What is wrong with HAMi's parts in a cluster: its scheduler, device plugin, monitor and webhook."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from nodeworthy.documents.plain import number_at
from nodeworthy.facts.hami.cluster import HamiCluster, HamiPart, Installation, Role, Webhook
from nodeworthy.known.evidence import in_text
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import NO_LINK, Draft, Place, fail

_NO_LIBRARY = "nvml-library-not-found"
# Who asks for the driver before a container starts, and for what.
_TOOLKIT, _LIBRARY = "nvidia-container-cli", "libnvidia-ml.so.1: cannot open shared object file"
_WITHOUT_SCHEDULER = "no pod that asks for a share of a GPU can be placed"
_WITHOUT_PLUGIN = "kubelet is offered no GPUs on these nodes, and HAMi's scheduler forgets them"
_POLICIES = {
    "Ignore": "pods pass it by in silence and are left to the default scheduler, without a share",
    "Fail": "the API server refuses every pod that the webhook should see",
}


@dataclass(frozen=True, eq=False)
class HamiComponents:
    """The parts of one installation."""

    called: ClassVar[str] = "an installation of HAMi"

    place: Place
    faults: tuple[Draft, ...]
    # Why not all of them could be looked at.
    unseen: str | None = None


Words = Mapping[str, str]


@dataclass(frozen=True)
class Waiting:
    """Pods that wait for its parts: those that its webhook should have seen, and those on no node yet."""

    past_webhook: tuple[str, ...] = ()
    for_scheduler: tuple[str, ...] = ()
    for_plugin: tuple[str, ...] = ()


def part_faults(one: Installation, words: Words, waiting: Waiting, *, has_gpus: bool) -> Iterator[Draft]:
    """`words` is how the logs of its pods end."""
    kept = dict.fromkeys((*waiting.past_webhook, *waiting.for_scheduler))
    for fault in _scheduler(one, words):
        yield replace(fault, victims=(*fault.victims, *kept))
    on_none = not any(each.pod.ready for each in one.of(Role.DEVICE_PLUGIN))
    for fault in _device_plugin(one, words, has_gpus=has_gpus):
        yield replace(fault, victims=(*fault.victims, *waiting.for_plugin)) if on_none else fault
    yield from (replace(fault, link=NO_LINK) for fault in _monitor(one, words))


def silences_its_webhook(one: Installation) -> bool:
    """Whether pods pass the webhook by because the scheduler, which answers it, does not run."""
    return any(True for _ in _scheduler(one, {}))


def _scheduler(one: Installation, words: Words) -> Iterator[Draft]:
    pods = [each for each in one.of(Role.SCHEDULER) if not each.pod.is_over]
    if any(each.pod.ready for each in pods):
        return
    if pods:
        yield _down(pods, "HAMi's scheduler does not run", _WITHOUT_SCHEDULER, words)
        return
    makers = one.makers_of(Role.SCHEDULER)
    if not makers:
        says = "HAMi's device plugin is there without its scheduler"
        where = one.place
        yield fail(
            where, says, is_="no scheduler", should="one that runs", cause=_WITHOUT_SCHEDULER, remedy=_reinstall(one)
        )
        return
    (kind, name), maker = next(iter(makers.items()))
    where = Place(object=f"{kind}/{one.namespace}/{name}")
    wanted = number_at(maker, "spec", "replicas")
    remedy = f"kubectl -n {one.namespace} scale deployment {name} --replicas=1"
    if wanted != 0:
        remedy = f"kubectl -n {one.namespace} describe {kind.lower()} {name}"
    is_ = "scaled to 0" if wanted == 0 else "no pods"
    yield fail(
        where, "HAMi's scheduler has no pods", is_=is_, should="1 replica", cause=_WITHOUT_SCHEDULER, remedy=remedy
    )


def _device_plugin(one: Installation, words: Words, *, has_gpus: bool) -> Iterator[Draft]:
    if not one.has(Role.DEVICE_PLUGIN):
        if has_gpus:
            says = "HAMi's scheduler is there without its device plugin"
            remedy = f"helm upgrade {one.release or 'hami'} with devicePlugin.enabled: true"
            yield fail(
                one.place, says, is_="no device plugin", should="one a node", cause=_WITHOUT_PLUGIN, remedy=remedy
            )
        return
    together: dict[str, list[HamiPart]] = defaultdict(list)
    for each in one.of(Role.DEVICE_PLUGIN):
        if not each.pod.is_over and not each.pod.ready and not (each.monitor_fault and each.plugin_is_well):
            together[each.pod.fault].append(each)
    for pods in together.values():
        yield _down(pods, "HAMi's device plugin does not run", _WITHOUT_PLUGIN, words)


def _monitor(one: Installation, words: Words) -> Iterator[Draft]:
    """A container beside the device plugin; in older releases pods of its own."""
    beside = [each for each in one.of(Role.DEVICE_PLUGIN) if each.monitor_fault and each.plugin_is_well]
    alone = [each for each in one.of(Role.MONITOR) if not each.pod.ready and not each.pod.is_over]
    if beside or alone:
        yield _down(
            [*beside, *alone], "HAMi's vGPU monitor does not run", "shares hold, and nobody measures them", words
        )


def _down(pods: Sequence[HamiPart], message: str, effect: str, words: Words) -> Draft:
    first = pods[0]
    fault = (first.monitor_fault if first.plugin_is_well else None) or first.pod.fault or "not ready"
    last = first.pod.last_words or words.get(first.pod.object, "")
    said = f", and said: {last}" if last else ""
    why, remedy = _known_cause(first, last)
    return fail(
        first.pod.place,
        message,
        is_=fault,
        should="running and ready",
        cause=f"{why}it is {fault} on {first.pod.node or 'no node'}{said}; {effect}",
        remedy=remedy
        or f"kubectl logs -n {first.pod.namespace} {first.pod.name} --all-containers --previous --tail=50",
        victims=tuple(each.pod.object for each in pods),
    )


def _known_cause(part: HamiPart, last: str) -> tuple[str, str]:
    """What its last words mean, and what mends it; both empty where that is not known."""
    told = [each.evidence for each in in_text(last)]
    # A symptom says more than nothing.
    known = [each for each in told if not each.is_symptom] or told
    if not any(each.id == _NO_LIBRARY for each in known):
        return _of_its_runtime(part, last) or next(((f"{each.why}; ", each.mending) for each in known), ("", ""))
    if part.pod.runtime_class:
        named = f"its RuntimeClass is {part.pod.runtime_class}"
        remedy = f"look at nvidia-smi on {part.pod.node or 'its node'}, and at what the runtime's handler is there"
        return f"no driver library is in its container, though {named}; ", remedy
    why = "it names no RuntimeClass, and nvidia is not the default runtime of its node: no driver is in its container; "
    return (
        why,
        "set devicePlugin.runtimeClassName: nvidia in HAMi's values, or make nvidia containerd's default runtime",
    )


def _of_its_runtime(part: HamiPart, last: str) -> tuple[str, str] | None:
    """NVIDIA's runtime starts parts that need no GPU only where it is their node's default."""
    if part.role is not Role.SCHEDULER or _TOOLKIT not in last or _LIBRARY not in last:
        return None
    node = part.pod.node or "its node"
    return (
        f"NVIDIA's runtime starts it, as the default one of {node}, and finds no driver there; this part needs none; ",
        f"make runc the default runtime of {node} where that has no GPU, or keep the pod on nodes with a driver "
        "(scheduler.nodeSelector in HAMi's values); to be sure, on the node: nvidia-smi; docker info | grep -i "
        "runtime, or containerd config dump | grep default_runtime_name",
    )


def _reinstall(one: Installation) -> str:
    return f"helm upgrade --install {one.release or 'hami'} hami-charts/hami -n {one.namespace}"


def webhook_faults(cluster: HamiCluster, one: Installation, victims: tuple[str, ...]) -> Iterator[Draft]:
    """What keeps pods from it. A scheduler that does not run is the cause of its own silence."""
    if "mutatingwebhookconfigurations" in cluster.unseen or not one.has(Role.SCHEDULER):
        return
    if not cluster.webhooks:
        # Who names HAMi's scheduler on every pod can do without.
        if victims:
            cause = "no pod gets HAMi's scheduler, unless it names it"
            is_, should = "no MutatingWebhookConfiguration", "one for vgpu.hami.io"
            where, says = one.place, "HAMi's webhook is not registered"
            yield fail(where, says, is_=is_, should=should, cause=cause, remedy=_reinstall(one), victims=victims)
        return
    for each in cluster.webhooks:
        yield from _unreachable(each, cluster, victims)


def _unreachable(webhook: Webhook, cluster: HamiCluster, victims: tuple[str, ...]) -> Iterator[Draft]:
    policy = f"its failure policy is {webhook.failure_policy}: {_POLICIES.get(webhook.failure_policy, '')}"
    service = webhook.service
    runs = any(part.pod.ready for one in cluster.found for part in one.of(Role.SCHEDULER))
    if service is not None and not cluster.has_service(service):
        named = "/".join(service)
        says, remedy = "HAMi's webhook calls a service that is not there", "helm upgrade HAMi, which makes the service"
        yield fail(
            webhook.place, says, is_=named, should="HAMi's own service", cause=policy, remedy=remedy, victims=victims
        )
    elif service is not None and cluster.answers(service) is False and runs:
        named = "/".join(service)
        says = "no pod answers HAMi's webhook: its service has no endpoints"
        remedy = f"compare the selector of service {named} with the labels of HAMi's scheduler"
        yield fail(
            webhook.place,
            says,
            is_=f"{named} without endpoints",
            should="a ready pod behind it",
            cause=policy,
            remedy=remedy,
            victims=victims,
        )
    elif not webhook.has_authority:
        says = "HAMi's webhook has no caBundle, so that the API server can't trust it"
        remedy = "see why the job hami-admission-patch (or cert-manager) did not fill it in: kubectl get jobs -A"
        yield fail(
            webhook.place,
            says,
            is_="no caBundle",
            should="the CA of its certificate",
            cause=policy,
            remedy=remedy,
            victims=victims,
        )

"""What asks a Service behind which nobody is: webhooks that the API server has to ask, and what it serves of others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from nodeworthy.documents.plain import at, mapping_at, mappings_at, strings_at, text_at
from nodeworthy.facts.cluster.elapsed import has_lasted
from nodeworthy.facts.cluster.pod import ClusterPod
from nodeworthy.facts.cluster.sandbox_failure import moment
from nodeworthy.facts.cluster.selector import selects
from nodeworthy.facts.cluster.services_of_nobody import ServiceOfNobody
from nodeworthy.known.work_resources import work_resources
from nodeworthy.records import dataclass, field
from nodeworthy.verdict import Place

Key = tuple[str, str]
# How long one may take to start.
_STARTS = timedelta(minutes=10)
_WANTS = ("In", "Exists")


@dataclass(frozen=True)
class Asker:
    """What asks a Service: a webhook of a configuration, or an APIService."""

    kind: str
    name: str
    service: Key
    # The webhook's own name, and what it is asked about.
    hook: str = ""
    about: tuple[str, ...] = ()
    # It is asked only about what is in chosen namespaces, or is chosen itself.
    chooses: tuple[Mapping[str, Any], ...] = ()
    # What an APIService says of why it is not available, and since when.
    says: str = ""
    since: str = ""

    @property
    def place(self) -> Place:
        return Place(object=f"{self.kind}/{self.name}")


@dataclass(frozen=True)
class Unanswered:
    """The askers of one Service, which gets no answer."""

    askers: tuple[Asker, ...]
    is_there: bool
    # The pods that should be behind it, and what is wrong with them.
    pods: tuple[tuple[str, str], ...]
    # Whom the API server refused for it.
    victims: tuple[str, ...]

    @property
    def first(self) -> Asker:
        return self.askers[0]

    @property
    def place(self) -> Place:
        return self.first.place


@dataclass(frozen=True)
class UnansweredServices:
    found: tuple[Unanswered, ...] = ()
    of_nobody: tuple[ServiceOfNobody, ...] = ()
    looked_for: int = 0


@dataclass
class AskersSeen:
    by_id: dict[tuple[str, str], tuple[Asker, ...]] = field(default_factory=dict)

    def add(self, kind: str, name: str, data: Mapping[str, Any]) -> None:
        found = _api_services(kind, name, data) if kind == "APIService" else _webhooks(kind, name, data)
        self.by_id[kind, name] = tuple(found)

    @property
    def askers(self) -> Sequence[Asker]:
        return [each for some in self.by_id.values() for each in some]


def _webhooks(kind: str, name: str, data: Mapping[str, Any]) -> Iterator[Asker]:
    """Those without whose answer the API server refuses what would make pods."""
    for each in mappings_at(data, "webhooks"):
        service = mapping_at(each, "clientConfig", "service")
        is_needed = text_at(each, "failurePolicy") != "Ignore" and not at(each, "matchConditions")
        asked = [what for rule in mappings_at(each, "rules") for what in _texts(rule, "resources")]
        about = tuple(what for what in dict.fromkeys(asked) if what in work_resources())
        if service and is_needed and about:
            chooses = (mapping_at(each, "namespaceSelector"), mapping_at(each, "objectSelector"))
            yield Asker(kind, name, _key(service), text_at(each, "name"), about, chooses)


def _api_services(kind: str, name: str, data: Mapping[str, Any]) -> Iterator[Asker]:
    service = mapping_at(data, "spec", "service")
    for each in mappings_at(data, "status", "conditions"):
        if service and text_at(each, "type") == "Available" and text_at(each, "status") == "False":
            says = ": ".join(filter(None, (text_at(each, "reason"), text_at(each, "message"))))
            yield Asker(kind, name, _key(service), says=says, since=text_at(each, "lastTransitionTime"))


def _key(service: Mapping[str, Any]) -> Key:
    return text_at(service, "namespace"), text_at(service, "name")


def _texts(data: Mapping[str, Any], name: str) -> list[str]:
    found = data.get(name)
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []


@dataclass(frozen=True)
class ServicesAround:
    services: Mapping[Key, Mapping[str, Any]]
    # How many are ready behind each of which that is known.
    ready: Mapping[Key, int]
    pods: Sequence[ClusterPod]
    # The labels of each namespace, and what the API server said of whom it refused, by who makes it.
    namespaces: Mapping[str, Mapping[str, str]]
    refused: Mapping[str, str]
    now: datetime | None
    # The namespaces of which all Services, and all that tells who is behind them, were read.
    listed: frozenset[str]


def unanswered_services(askers: Sequence[Asker], around: ServicesAround) -> UnansweredServices:
    by_service: dict[Key, list[Asker]] = {}
    for each in askers:
        if _gets_no_answer(each, around):
            by_service.setdefault(each.service, []).append(each)
    return UnansweredServices(tuple(_unanswered(some, around) for some in by_service.values()))


def _gets_no_answer(asker: Asker, around: ServicesAround) -> bool:
    if asker.says:
        return has_lasted(moment(asker.since), around.now, _STARTS)
    is_down = asker.service not in around.services or around.ready.get(asker.service) == 0
    return asker.service[0] in around.listed and is_down and _is_asked(asker, around) and not _starts(asker, around)


def _is_asked(asker: Asker, around: ServicesAround) -> bool:
    """Whether anything that is there would go through it. Whom labels of pods choose, nobody knows before they come."""
    namespaces, objects = asker.chooses
    if _has_wants(objects):
        return False
    return not _has_wants(namespaces) or any(selects(namespaces, labels) for labels in around.namespaces.values())


def _has_wants(selector: Mapping[str, Any]) -> bool:
    wants = (text_at(each, "operator") in _WANTS for each in mappings_at(selector, "matchExpressions"))
    return bool(strings_at(selector, "matchLabels")) or any(wants)


def _starts(asker: Asker, around: ServicesAround) -> bool:
    """Whether one behind it is about to be ready."""
    behind = _behind(asker.service, around)
    return any(not pod.fault and not has_lasted(moment(pod.since), around.now, _STARTS) for pod in behind)


def _behind(service: Key, around: ServicesAround) -> list[ClusterPod]:
    selector = strings_at(around.services.get(service, {}), "spec", "selector")
    if not selector:
        return []
    chosen = (pod for pod in around.pods if pod.namespace == service[0] and not pod.is_over)
    return [pod for pod in chosen if selects({"matchLabels": selector}, pod.labels)]


def _unanswered(askers: Sequence[Asker], around: ServicesAround) -> Unanswered:
    service = askers[0].service
    pods = tuple((pod.object, _fares(pod)) for pod in _behind(service, around) if not pod.ready)
    named = (f"{service[1]}.{service[0]}.svc", f'service "{service[1]}"', *(each.hook for each in askers if each.hook))
    victims = sorted(maker for maker, words in around.refused.items() if any(each in words for each in named))
    return Unanswered(tuple(askers), service in around.services, pods, tuple(victims))


def _fares(pod: ClusterPod) -> str:
    restarts = f" after {pod.restarts} restarts" if pod.restarts else ""
    return f"{'in ' + pod.fault if pod.fault else 'not ready' if pod.node else 'on no node'}{restarts}"

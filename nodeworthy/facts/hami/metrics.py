"""Whether anybody measures HAMi: its services with metrics, and the ServiceMonitors that would have them scraped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from nodeworthy.documents.plain import at, mappings_at, strings_at, text_at
from nodeworthy.facts.hami.cluster import Installation, Role, role_of
from nodeworthy.facts.services.monitoring_stack import Scraping, chooses, leads_to
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# The names and numbers under which the chart exposes metrics: of the scheduler, of the monitor.
_PORTS = {Role.SCHEDULER: ("monitor", 31993, 9395), Role.DEVICE_PLUGIN: ("monitorport", 31992, 9394)}
_SCRAPE = "prometheus.io/scrape"


@dataclass(frozen=True)
class MetricsSource:
    role: Role
    # None where no service exposes it.
    service: Mapping[str, Any] | None
    # The labels of the ServiceMonitors that choose it.
    monitored_by: tuple[Mapping[str, str], ...] = ()

    @property
    def name(self) -> str:
        data = self.service
        return f"{text_at(data, 'metadata', 'namespace')}/{text_at(data, 'metadata', 'name')}" if data else ""

    @property
    def is_annotated(self) -> bool:
        return strings_at(self.service, "metadata", "annotations").get(_SCRAPE) == "true"


@dataclass(frozen=True, eq=False)
class HamiMetrics:
    called: ClassVar[str] = "an installation of HAMi"

    place: Place
    sources: tuple[MetricsSource, ...]
    scraping: Scraping | None = None
    # Why it can't be told.
    unseen: str | None = None


def sources(
    one: Installation, services: Iterable[Mapping[str, Any]], monitors: Iterable[Mapping[str, Any]]
) -> Iterator[MetricsSource]:
    own = [each for each in services if text_at(each, "metadata", "namespace") == one.namespace]
    known = list(monitors)
    for role in filter(one.has, _PORTS):
        service = next((each for each in own if _exposes(each, role, one)), None)
        chosen = [each for each in known if service is not None and chooses(each, service)]
        yield MetricsSource(role, service, tuple(strings_at(each, "metadata", "labels") for each in chosen))


def _exposes(service: Mapping[str, Any], role: Role, one: Installation) -> bool:
    """Whether the service exposes this role: its own name and labels say so, else the pods that it leads to."""
    named = role_of(text_at(service, "metadata", "name"), strings_at(service, "metadata", "labels"))
    leads = any(leads_to(service, part.pod) for part in one.of(role))
    if named is not role and not (named is None and leads):
        return False
    wanted = _PORTS[role]
    ports = mappings_at(service, "spec", "ports")
    said = (at(port, name) for port in ports for name in ("name", "port", "targetPort"))
    return any(each in wanted for each in said if isinstance(each, (str, int)))

"""An endpoint of a ServiceMonitor or PodMonitor that a dash too many splits in two."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import ClassVar

from nodeworthy.documents.tree import Tree
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# Where each kind keeps its endpoints, and what says which port one of them is.
_KEPT = {"ServiceMonitor": "endpoints", "PodMonitor": "podMetricsEndpoints"}
_PORTS = frozenset(("port", "targetPort", "portNumber"))
# How a port is scraped, which means nothing without one.
_HOW = frozenset(
    "interval scrapeTimeout scheme path honorLabels honorTimestamps relabelings metricRelabelings params "
    "tlsConfig bearerTokenFile bearerTokenSecret basicAuth".split()
)


@dataclass(frozen=True, eq=False)
class SplitEndpoint:
    called: ClassVar[str] = "an endpoint of a monitor"

    kind: str
    # The entry that has the port, and the one that says how it is scraped.
    port: Tree
    how: Tree

    @property
    def place(self) -> Place:
        return self.how.place

    @property
    def says(self) -> str:
        return next(iter(self.how.mapping))


def split_endpoints(document: Tree) -> Iterator[SplitEndpoint]:
    kind = document.get("kind").text or ""
    if kind not in _KEPT or not (document.get("apiVersion").text or "").startswith("monitoring.coreos.com/"):
        return
    for one, other in pairwise(document.get("spec", _KEPT[kind]).sequence):
        has_a_port = not _PORTS.isdisjoint(one.mapping)
        if has_a_port and other.mapping and _HOW.issuperset(other.mapping) and _HOW.isdisjoint(one.mapping):
            yield SplitEndpoint(kind, one, other)

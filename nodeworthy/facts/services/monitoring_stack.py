"""A Prometheus as it was asked for: values of kube-prometheus-stack, or the operator's own resource."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar

from nodeworthy.derive import derive
from nodeworthy.documents.plain import at, mapping_at, strings_at, text_at
from nodeworthy.documents.settled import settle
from nodeworthy.documents.tree import Tree, absent
from nodeworthy.facts.cluster.pod import ClusterPod
from nodeworthy.facts.cluster.selector import selects
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.facts.pod.containers import NotAQuantity, quantity
from nodeworthy.known.monitoring import CALLED, FITS, LEVELS, READ_AT, RETENTION
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import Known, Located, Place, Unknown, value_if_known

DAY = 86_400


@dataclass(frozen=True, eq=False)
class MonitoringStack:
    called: ClassVar[str] = "a Prometheus"
    whole_stack: ClassVar[bool] = True

    place: Place
    # Where it was kept, in a reader's words.
    origin: str
    # The chart's prometheus.prometheusSpec, or a Prometheus' spec, which mostly has the same names.
    spec: Tree
    # Why settings may also come from somewhere that was not read; None if they can't.
    elsewhere: str | None = None
    # The chart's values around it; None for the resource itself.
    values: Tree | None = None
    # The name of the release, which its ServiceMonitors are chosen by.
    release: str | None = None

    @property
    def is_chart(self) -> bool:
        return self.values is not None

    @cached_property
    def is_off(self) -> bool:
        return self.values is not None and self.values.get("prometheus", "enabled").value is False

    @property
    def unread(self) -> Iterator[tuple[Tree, tuple[str, ...], tuple[str, ...]]]:
        """Settings that stand only where the chart reads none of their name: where that is, and where it reads them."""
        values = self.values or absent(self.place)
        for name, right in READ_AT.items():
            if _is_given(values.get(*right, name)) or values.get(*right, name).is_unknown:
                continue
            for level in LEVELS:
                found = values.get(*level, name)
                if _is_given(found):
                    yield found, (*level, name), (*right, name)
        for path, right in CALLED.items():
            if _is_given(values.get(*path)) and not _is_given(values.get(*right)):
                yield values.get(*path), path, right

    def said(self, *names: str) -> Located[Any]:
        """A setting; None where nobody says it, unknown where somebody else may."""
        tree = self.spec.get(*names)
        if tree.says_nothing and self.elsewhere is not None:
            return Located.unknown(f"{names[-1]} is not known: {self.elsewhere}", tree.place)
        return settle(tree)

    @cached_property
    def retention(self) -> Located[str | None]:
        """How long metrics are kept; where nobody says it, the chart does."""
        said = self.said("retention")
        if said.state == Known(None) and self.is_chart:
            return Located(Known(RETENTION), said.place, written=False)
        return said

    @cached_property
    def promises(self) -> bool:
        """Whether somebody wrote down how long metrics are kept."""
        tree = self.spec.get("retention")
        return not tree.says_nothing

    @cached_property
    def promises_of_its_own(self) -> bool:
        """Whether that is another time than the chart's: who copies all its values wants nothing by each of them; who
        keeps them for a day looks at what is, and at nothing that was."""
        written = value_if_known(self.retention)
        kept = seconds(written) if written is not None else None
        is_short = kept is not None and kept <= DAY
        return self.promises and not is_short and not (self.is_chart and written == RETENTION)

    @cached_property
    def retention_size(self) -> Located[str | None]:
        said = self.said("retentionSize")
        return Located(Known(None), said.place, written=False) if said.state == Known("") else said

    @cached_property
    def storage(self) -> Tree:
        return self.spec.get("storageSpec" if self.is_chart else "storage")

    @cached_property
    def has_volume(self) -> Located[bool]:
        """Whether metrics outlive their pod."""
        storage = self.storage
        if isinstance(settle(storage).state, Unknown):
            return settle(storage)
        claimed = storage.get("volumeClaimTemplate")
        if not storage.mapping and self.elsewhere is not None:
            return Located.unknown(f"{storage.place.subject} is not known: {self.elsewhere}", storage.place)
        return Located(Known(not claimed.says_nothing), storage.heading)

    @cached_property
    def volume(self) -> Located[Any]:
        return settle(self.storage.get("volumeClaimTemplate", "spec", "resources", "requests", "storage"))

    @cached_property
    def scrapes_in_other_ways(self) -> bool:
        """Whether it scrapes by a list of its own, which may name any exporter."""
        names = ("additionalScrapeConfigs", "additionalScrapeConfigsSecret", "scrapeConfigSelector")
        return any(self.spec.get(name).mapping or self.spec.get(name).sequence for name in names)

    @cached_property
    def chosen_by(self) -> Located[dict[str, str] | None]:
        """The labels that a ServiceMonitor must have to be scraped; None where any will do."""
        selector = self.spec.get("serviceMonitorSelector")
        if isinstance(settle(selector).state, Unknown):
            return settle(selector)
        if selector.mapping:
            return self._selected(selector)
        if not self.is_chart:
            # An empty selector chooses all of them, none at all none of them.
            chosen = None if selector.is_mapping else {"(no ServiceMonitor is chosen)": ""}
            return Located(Known(chosen), selector.place)
        return self._by_release()

    def _selected(self, selector: Tree) -> Located[dict[str, str] | None]:
        if selector.get("matchExpressions").sequence:
            return Located.unknown("which ServiceMonitors matchExpressions choose is not looked into", selector.place)
        wanted = {name: str(tree.value) for name, tree in selector.get("matchLabels").mapping.items()}
        return Located(Known(wanted), selector.place)

    def _by_release(self) -> Located[dict[str, str] | None]:
        said = self.said("serviceMonitorSelectorNilUsesHelmValues")
        if isinstance(said.state, Unknown):
            return said
        if said.state.value is False:
            return Located(Known(None), said.place)
        return Located(Known({"release": self.release or ""}), said.place, written=said.written)


def _is_given(tree: Tree) -> bool:
    if tree.is_mapping or tree.is_sequence:
        return bool(tree.value)
    return not (tree.says_nothing or tree.is_unknown or tree.text == "")


@dataclass(frozen=True)
class Scraping:
    """All that scrapes in one cluster."""

    called: ClassVar[str] = "a Prometheus"

    place: Place
    stacks: tuple[MonitoringStack, ...]
    # Some settings of the operator give its exporter a ServiceMonitor.
    has_monitor: bool = False
    # The labels of the ServiceMonitors that choose a service of an exporter, or why they are not known.
    monitored_by: tuple[Mapping[str, str], ...] = ()
    unseen: str | None = None
    # They were refused, or their rule was asked for.
    was_looked_for: bool = False

    def beside(self, place: Place) -> Scraping | None:
        """The stacks of one file or folder with this place. What lies apart may be of another cluster."""
        if place.path is None:
            return self
        folder = posixpath.dirname(place.path)
        near = tuple(
            each for each in self.stacks if each.place.path is None or posixpath.dirname(each.place.path) == folder
        )
        return replace(self, place=near[0].place, stacks=near) if near else None

    def wants_besides(self, labels: Mapping[str, str]) -> Located[dict[str, str] | None]:
        """The labels that the first of them wants of a ServiceMonitor; None where one of them takes it as it is."""
        chosen = [each.chosen_by for each in self.stacks]
        known = [each.state.value for each in chosen if isinstance(each.state, Known)]
        if any(_takes(wanted, labels) for wanted in known):
            return Located(Known(None), self.place)
        return next((each for each in chosen if isinstance(each.state, Unknown)), chosen[0])


def _takes(wanted: Mapping[str, str] | None, labels: Mapping[str, str]) -> bool:
    """Whether a selector takes these labels. If a value is not known, the label's name is enough."""
    if wanted is None:
        return True
    return all(labels.get(name) == value or (not value and name in labels) for name, value in wanted.items())


@dataclass(frozen=True, eq=False)
class ExporterMonitor:
    """A ServiceMonitor or PodMonitor that somebody wrote for the GPUs' exporter."""

    called: ClassVar[str] = "a monitor of the GPUs' exporter"

    place: Place
    labels: Mapping[str, str]


def exporter_monitors(document: Tree) -> Iterator[ExporterMonitor]:
    metadata, chosen = document.get("metadata"), document.get("spec", "selector", "matchLabels")
    if any(
        "dcgm" in said for said in (metadata.get("name").string, *(each.string for each in chosen.mapping.values()))
    ):
        labels = {name: each.string for name, each in metadata.get("labels").mapping.items()}
        yield ExporterMonitor(document.place, labels)


@derive
def scraping(
    stacks: Sequence[MonitoringStack],
    operators: Sequence[OperatorValues] | None = None,
    monitors: Sequence[ExporterMonitor] | None = None,
) -> Iterator[Scraping]:
    """What all of one scene scrape together; nothing where there is none."""
    if stacks:
        trees = (each.tree for each in operators or ())
        monitored = any(tree.get("dcgmExporter", "serviceMonitor", "enabled").value is True for tree in trees)
        labels = tuple(each.labels for each in monitors or ())
        yield Scraping(stacks[0].place, tuple(stacks), monitored, labels)


# How long and how much, as Prometheus writes it: `15d`, `2w`, `45GB` (which are powers of 1024 there).

_SECONDS = {"y": 31_536_000, "w": 604_800, "d": 86_400, "h": 3_600, "m": 60, "s": 1, "ms": 0.001}
_DURATION = pattern(r"(?:(\d+)(y|w|d|h|ms|m|s))")
_SIZE = pattern(r"(\d+(?:\.\d+)?|\.\d+)(?:([KMGTPE])i?)?B")
_POWERS = "KMGTPE"


def seconds(written: Any) -> float | None:
    """None for what is no duration."""
    if not isinstance(written, str) or not written or _DURATION.sub("", written):
        return None
    return sum(int(count) * _SECONDS[unit] for count, unit in _DURATION.findall(written))


# The schema of a Prometheus asks for its units from the largest to the smallest, each once.
_TIME = pattern(r"0|(?=.)(?:\d+y)?(?:\d+w)?(?:\d+d)?(?:\d+h)?(?:\d+m)?(?:\d+s)?(?:\d+ms)?")


def is_time(written: Any) -> bool:
    return isinstance(written, str) and _TIME.fullmatch(written) is not None


def size(written: Any) -> float | None:
    """The size in bytes; None for what is no size."""
    found = _SIZE.fullmatch(written) if isinstance(written, str) else None
    if found is None:
        return None
    number, unit = found.groups()
    return float(number) * (1024 ** (_POWERS.index(unit) + 1) if unit else 1)


def room_of(written: Any) -> int | None:
    """A volume's size in bytes; None for what is no size."""
    try:
        amount = quantity(written)
    except NotAQuantity:
        return None
    return int(amount) or None


def fitting(room: int) -> str:
    """The largest retentionSize that leaves room on such a volume."""
    return f"{room * FITS // 100 >> 20}MB"


# What leads from a ServiceMonitor to the pods that are scraped: the services that it chooses, the pods behind them.


def leads_to(service: Mapping[str, Any], pod: ClusterPod) -> bool:
    chosen = strings_at(service, "spec", "selector").items()
    return text_at(service, "metadata", "namespace") == pod.namespace and bool(chosen) and chosen <= pod.labels.items()


def chooses(monitor: Mapping[str, Any], service: Mapping[str, Any]) -> bool:
    where = text_at(service, "metadata", "namespace")
    spec = mapping_at(monitor, "spec")
    written = at(spec, "namespaceSelector", "matchNames")
    named = written if isinstance(written, list) else []
    anywhere = at(spec, "namespaceSelector", "any") is True
    if not anywhere and where not in (named or [text_at(monitor, "metadata", "namespace")]):
        return False
    return selects(mapping_at(spec, "selector"), strings_at(service, "metadata", "labels"))


# An endpoint of a ServiceMonitor or PodMonitor that a dash too many splits in two.

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
    kind = document.get("kind").string
    if kind not in _KEPT or not document.get("apiVersion").string.startswith("monitoring.coreos.com/"):
        return
    for one, other in pairwise(document.get("spec", _KEPT[kind]).sequence):
        has_a_port = not _PORTS.isdisjoint(one.mapping)
        if has_a_port and other.mapping and _HOW.issuperset(other.mapping) and _HOW.isdisjoint(one.mapping):
            yield SplitEndpoint(kind, one, other)


# Where Prometheus' operator serves it; its kinds of other makers (rhobs, Azure) have groups of their own, with a dot.
SERVED = "monitoring.coreos.com/v1"
_ITS_GROUP = SERVED.partition("/")[0]


@dataclass(frozen=True, eq=False)
class MisplacedMonitor:
    """One that is asked for where nothing serves its kind."""

    called: ClassVar[str] = "a monitor that nothing serves"

    kind: str
    name: str
    version: Tree

    @property
    def place(self) -> Place:
        return self.version.place


def misplaced_monitors(document: Tree) -> Iterator[MisplacedMonitor]:
    version = document.get("apiVersion")
    group = (version.text or ".").rpartition("/")[0]
    if version.text == SERVED or ("." in group and group != _ITS_GROUP) or version.text is None:
        return
    yield MisplacedMonitor(document.get("kind").string, document.get("metadata", "name").string, version)

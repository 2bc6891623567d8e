"""What is asked of the metrics of NVIDIA's DCGM exporter: by alerts, dashboards, autoscalers, and its own list."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from nodeworthy.documents.tree import Tree
from nodeworthy.documents.yaml import NotYaml, read_all_inside
from nodeworthy.known.dcgm_fields import BEGINS
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import Place

# Where a query stands: rules of Prometheus, panels of Grafana, triggers of KEDA, Prometheus' adapter.
ASKS = frozenset({"expr", "query", "seriesquery", "metricsquery", "definition", "promql"})
# `DCGM_FI_DEV_$metric`, `DCGM_FI_.*` and what a rule records under such a name are none.
_NAME = pattern(r"(?<![\w:])DCGM_FI_[A-Z0-9_]*[A-Z0-9](?![\w:$.\\])", words=(BEGINS,))
# A line of the exporter's list: `FIELD, gauge, help`.
_COLLECTED = pattern(
    r"(?m)^[ \t]*(DCGM_FI_[A-Z0-9_]+)[ \t]*,[ \t]*(?:gauge|counter|label|histogram|summary)[ \t]*,", words=(BEGINS,)
)
# Among such lines every one that begins so is meant for one.
_ROW = pattern(r"(?m)^[ \t]*(DCGM_FI_[A-Z0-9_]+)[ \t]*,[^\n]*", words=(BEGINS,))
# One metric, with what surrounds it of functions, and what it is compared with: nothing scales it.
_COMPARED = pattern(r"(?P<what>[^<>=!*/+-]{1,400})(?P<how>>=?|<=?)\s*(?P<number>[0-9]+(?:\.[0-9]+)?)")
_SELECTOR = pattern(r"\{[^{}]*\}|\[[^\[\]]*\]|\b(?:by|without|on)\b\s*\([^()]*\)")
_KEEPS = frozenset("avg max min avg_over_time max_over_time min_over_time last_over_time".split())


@dataclass(frozen=True, slots=True)
class Compared:
    """`DCGM_FI_DEV_GPU_UTIL < 0.1`."""

    name: str
    how: str
    number: float
    written: str


@dataclass(frozen=True)
class GpuQuery:
    """One expression, and the metrics of DCGM's that it names."""

    called: ClassVar[str] = "a query of GPU metrics"

    place: Place
    names: tuple[str, ...]
    compared: Compared | None = None


@dataclass(frozen=True)
class CollectedGpuMetric:
    """A line of the list by which the exporter collects."""

    called: ClassVar[str] = "a line of the DCGM exporter's list"

    place: Place
    name: str
    # The line as it stands there.
    row: str = ""


def asks_of_gpus(document: Tree) -> Iterator[GpuQuery | CollectedGpuMetric]:
    """The queries of a document, wherever they stand in it, also in a text that is a document itself."""
    recorded = frozenset(each.string for name, each in leaves(document) if name == "record")
    for name, leaf in leaves(document):
        text = leaf.string
        if BEGINS not in text:
            continue
        if name in ASKS:
            yield from _of_query(leaf, recorded)
        elif "expr" in text:
            yield from _within(leaf)
        else:
            for metric in collected_metrics(text, leaf.inside or leaf.place):
                # Of a string in quotes all that can be said is where it begins.
                yield metric if leaf.inside else replace(metric, place=leaf.place)


def collected_metrics(text: str, place: Place) -> Iterator[CollectedGpuMetric]:
    for found in _ROW.finditer(text) if _is_list(text) else ():
        line = (place.line or 1) + text.count("\n", 0, found.start(1))
        column = found.start(1) - text.rfind("\n", 0, found.start(1))
        yield CollectedGpuMetric(Place(place.path, line, column), found[1], found[0].strip())


def _is_list(text: str) -> bool:
    """Whether most of it are such lines: a page of a manual, or an index to search it by, may hold some."""
    if not _COLLECTED.search(text):
        return False
    lines = [each for each in text.splitlines() if each.strip() and not each.lstrip().startswith("#")]
    return 2 * sum(1 for each in lines if _ROW.match(each)) > len(lines)


def _within(leaf: Tree) -> Iterator[GpuQuery | CollectedGpuMetric]:
    """A dashboard, or a file of rules, that a ConfigMap holds."""
    try:
        documents = read_all_inside(leaf)
    except (NotYaml, ValueError):
        return
    for document in documents:
        if not document.text:
            yield from asks_of_gpus(document)


def _of_query(leaf: Tree, recorded: frozenset[str]) -> Iterator[GpuQuery]:
    text = leaf.string
    names = tuple(dict.fromkeys(each for each in _NAME.findall(text) if each not in recorded))
    if names:
        yield GpuQuery(leaf.place, names, comparison_of(text, names))


def comparison_of(text: str, names: tuple[str, ...]) -> Compared | None:
    found = _COMPARED.fullmatch(_SELECTOR.sub(" ", text).strip()) if len(names) == 1 else None
    if found is None or not set(re.findall(r"[A-Za-z_:][\w:]*", found["what"])) <= {names[0], *_KEEPS}:
        return None
    return Compared(names[0], found["how"], float(found["number"]), " ".join(text.split()))


def leaves(tree: Tree, name: str = "") -> Iterator[tuple[str, Tree]]:
    """Each scalar with the key that leads to it, in their order."""
    if tree.is_mapping:
        for key, each in tree.mapping.items():
            yield from leaves(each, key.lower())
    elif tree.is_sequence:
        for each in tree.sequence:
            yield from leaves(each, name)
    else:
        yield name, tree

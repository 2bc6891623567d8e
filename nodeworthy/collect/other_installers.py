"""Releases as fewer people ask for them: Rancher's Fleet, k0s, Sveltos, Crossplane's provider, KubeVela."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from nodeworthy.collect.releases import release_of, some, with_set
from nodeworthy.documents.release import Release, document_inside
from nodeworthy.documents.tree import Tree, absent
from nodeworthy.records import replace
from nodeworthy.verdict import Unknown

_FLEET: Final = "Fleet bundle"
# By which a bundle names what else holds values.
_FILES: Final = ("valuesFiles", "valuesFrom")
_OF_THE_BUNDLE: Final = "what else the bundle says may hold it"
_FROM_ELSEWHERE: Final = Unknown("its set takes it from elsewhere")
_ELSEWHERE: Final = "{} may hold it, which is not in this file"


def asked_for_by_others(document: Tree) -> Iterator[Release]:
    group, kind = document.get("apiVersion").string.split("/")[0], document.get("kind").text
    read = _READERS.get(group)
    if read is not None:
        yield from read(document)
    elif not group and not kind and (document.get("helm").is_mapping or some(document.get("targetCustomizations"))):
        yield from _fleet(document)


def _fleet(document: Tree) -> Iterator[Release]:
    """A bundle's chart, and what some kinds of clusters are given over it. Where both say something, either is a part
    of what a cluster gets."""
    helm, targets = document.get("helm"), document.get("targetCustomizations").sequence
    more = [each for target in targets if (each := target.get("helm")).is_mapping and some(each.get("values"))]
    is_part = bool(more) and some(helm.get("values"))
    if some(helm.get("values")) or not more:
        yield from _of_bundle(document, helm, helm, is_part=is_part)
    for each in more:
        yield from _of_bundle(document, helm, each, is_part=is_part)


def _of_bundle(document: Tree, helm: Tree, told: Tree, *, is_part: bool) -> Iterator[Release]:
    values = told.get("values")
    chart = told.get("chart") if told.get("chart").text else helm.get("chart")
    said = (each.get("version") for each in (told, helm))
    version = next((each for each in said if each.text), absent(document.place))
    if not (chart.text or some(values)):
        return
    named = next((name for name in _FILES for each in (told, helm) if some(each.get(name))), None)
    elsewhere = _ELSEWHERE.format(named) if named is not None else _OF_THE_BUNDLE if is_part else None
    name = next((each.text for each in (told.get("releaseName"), helm.get("releaseName")) if each.text), None)
    made = release_of(_FLEET, document, chart, version, values, elsewhere=elsewhere)
    yield replace(made, name=name, title=f"{_FLEET} '{name or chart.text or 'fleet.yaml'}'")


def _k0s(document: Tree) -> Iterator[Release]:
    config = document if document.get("kind").text == "ClusterConfig" else document.get("spec", "k0s", "config")
    for each in config.get("spec", "extensions", "helm", "charts").sequence:
        values = document_inside(each.get("values"))
        made = release_of("k0s' chart", document, each.get("chartname"), each.get("version"), values)
        yield _with_name(made, each.get("name").text, each.get("namespace").string)


def _chart_of_k0s(document: Tree) -> Iterator[Release]:
    """The object that k0s itself makes of an entry of its config."""
    spec = document.get("spec")
    values = document_inside(spec.get("values"))
    yield release_of("k0s' chart", document, spec.get("chartName"), spec.get("version"), values)


def _sveltos(document: Tree) -> Iterator[Release]:
    for each in document.get("spec", "helmCharts").sequence:
        if each.get("helmChartAction").text == "Uninstall":
            continue
        values = document_inside(each.get("values"))
        elsewhere = _ELSEWHERE.format("valuesFrom") if some(each.get("valuesFrom")) else None
        if values.is_unknown:
            elsewhere = "its values are filled in for each cluster"
        chart, version = each.get("chartName"), each.get("chartVersion")
        made = release_of("Sveltos profile", document, chart, version, values, elsewhere=elsewhere)
        yield _with_name(made, each.get("releaseName").text, each.get("releaseNamespace").string)


def _crossplane(document: Tree) -> Iterator[Release]:
    asked = document.get("spec", "forProvider")
    chart, values = asked.get("chart"), asked.get("values")
    elsewhere = _ELSEWHERE.format("valuesFrom") if some(asked.get("valuesFrom")) else None
    for each in asked.get("set").sequence:
        name, value = each.get("name").text, each.get("value")
        if name is not None:
            known = value if value.text is not None else replace(value, value=_FROM_ELSEWHERE)
            values = with_set(values, name, known)
    made = release_of(
        "Crossplane Release", document, chart.get("name"), chart.get("version"), values, elsewhere=elsewhere
    )
    yield replace(made, namespace=asked.get("namespace").string)


def _vela(document: Tree) -> Iterator[Release]:
    for each in document.get("spec", "components").sequence:
        said = each.get("properties")
        if each.get("type").text == "helm":
            made = release_of("KubeVela's helm", document, said.get("chart"), said.get("version"), said.get("values"))
            yield _with_name(
                made, said.get("releaseName").text or each.get("name").text, said.get("targetNamespace").string
            )


def _with_name(made: Release, name: str | None, namespace: str) -> Release:
    titled = f"{made.origin} '{name or made.chart.text}'"
    return replace(made, name=name, title=titled, namespace="" if "{" in namespace else namespace)


_READERS: dict[str, Callable[[Tree], Iterator[Release]]] = {
    "k0s.k0sproject.io": _k0s,
    "k0sctl.k0sproject.io": _k0s,
    "helm.k0sproject.io": _chart_of_k0s,
    "config.projectsveltos.io": _sveltos,
    "helm.crossplane.io": _crossplane,
    "helm.m.crossplane.io": _crossplane,
    "core.oam.dev": _vela,
}

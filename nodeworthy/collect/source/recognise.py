"""Recognises what a document is, by its content, and makes facts of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from nodeworthy.collect.patches import holds_patches, merged
from nodeworthy.collect.source.loose_values import is_stack_config, loose_values
from nodeworthy.collect.source.releases import OF_A_PATCH, Release, releases
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.operator.recognition import (
    chart_version,
    is_another_chart,
    is_cluster_policy,
    is_operator_chart,
    of_cluster_policy,
    values_within,
)
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.verdict import Known, Located


def objects(document: Tree) -> Iterator[Tree]:
    """The document, or what a list of Kubernetes objects holds, also a bare one, as Jsonnet writes it."""
    if document.is_sequence and document.sequence and all(_is_object(each) for each in document.sequence):
        for each in document.sequence:
            yield from objects(each)
        return
    kind = document.get("kind").text or ""
    items = document.get("items")
    if not (kind.endswith("List") and items.is_sequence):
        yield document
        return
    for item in items.sequence:
        yield from objects(_typed(item, document, kind.removesuffix("List")))


def _is_object(tree: Tree) -> bool:
    return tree.is_mapping and bool(tree.get("apiVersion").text and tree.get("kind").text)


def _typed(item: Tree, document: Tree, kind: str) -> Tree:
    """The API server's own lists say once for all items what they are."""
    if not kind or not item.is_mapping or not item.get("kind").is_absent:
        return item
    told = {"apiVersion": document.get("apiVersion"), "kind": replace(document.get("kind"), value=kind)}
    return replace(item, value={**item.mapping, **told})


def operator_values(document: Tree) -> Iterator[OperatorValues]:
    """The GPU operator's settings in a document, wherever it keeps them."""
    if is_cluster_policy(document):
        yield of_cluster_policy(document)
        return
    found = list(releases(document))
    for release in found:
        yield from _of_release(release)
    if not found:
        yield from _of_values(document)
    if holds_patches(document):
        yield from _of_patches(document)


def _of_patches(document: Tree) -> Iterator[OperatorValues]:
    for part in merged(document):
        for release in releases(part):
            yield from _of_release(replace(release, elsewhere=release.elsewhere or OF_A_PATCH))


def _of_values(document: Tree) -> Iterator[OperatorValues]:
    origin = "stack config" if is_stack_config(document) else "Helm values"
    for loose in loose_values(document):
        for tree in values_within(loose):
            yield _values(tree, origin, None)


def _of_release(release: Release) -> Iterator[OperatorValues]:
    if is_operator_chart(release.chart):
        values = release.values
        if values.is_absent or values.is_null:
            values = Tree({}, values.place, values.key)
        yield _values(values, release.origin, release)
        return
    if is_another_chart(release.chart):
        return
    # A chart that has the operator as a subchart, or a copy of it under another name, with values of its own.
    around = replace(release, elsewhere=release.elsewhere or "the values of its chart may hold it")
    for tree in values_within(release.values):
        yield _values(tree, release.origin, around)


def _values(tree: Tree, origin: str, release: Release | None) -> OperatorValues:
    return OperatorValues(
        place=tree.place if release is None else release.document.place,
        tree=tree,
        origin=origin,
        release=chart_version(release.version) if release else Located(Known(None), tree.place, written=False),
        elsewhere=release.elsewhere if release else None,
        asked_release=str(release.version.value) if release and release.version.text else "",
    )

"""What a document or a Kubernetes object brings, wherever it was found: in a file, in a plan, in a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from nodeworthy.collect.source.recognise import operator_values
from nodeworthy.collect.source.releases import Release, releases
from nodeworthy.documents.tree import Tree, absent
from nodeworthy.facts.operator.recognition import misshapen_parts
from nodeworthy.scene import Fact


def pods(document: Tree) -> Iterator[Fact]:
    """What makes pods. Imported only where there is an object: most files of a repository hold none."""
    if document.is_mapping and not document.get("kind").is_absent:
        from nodeworthy.facts.pod.recognition import misshapen, pod_templates

        yield from pod_templates(document)
        yield from misshapen(document)
    if document.is_sequence:
        yield from _of_operations(document)
    if document.is_mapping and not document.get("metadata").is_mapping:
        yield from _of_patches(document)
        yield from _of_values(document)
    if document.is_mapping:
        yield from _of_releases(document)


def _of_releases(document: Tree) -> Iterator[Fact]:
    for release in releases(document):
        yield from _of_values(release.values, release)


def _of_values(values: Tree, release: Release | None = None) -> Iterator[Fact]:
    """A chart's values, where they ask for GPUs."""
    if not values.is_mapping or not values.get("apiVersion").is_absent or not values.get("kind").is_absent:
        return
    from nodeworthy.facts.pod.app_template import (
        has_its_shape,
        is_app_template,
        pod_of_one_container,
        pods_of_controllers,
    )
    from nodeworthy.facts.pod.chart_resources import templates_of_values

    named = release.document.get("metadata") if release is not None else absent(values.place)
    elsewhere = release.elsewhere if release is not None else None
    if has_its_shape(values):
        yield from pods_of_controllers(values, named, elsewhere)
    elif release is not None and is_app_template(release.chart) and not values.get("image").is_absent:
        yield from pod_of_one_container(values, named, elsewhere)
    else:
        yield from templates_of_values(values)


def classes(document: Tree) -> Iterator[Fact]:
    """The classes that pods name."""
    if document.is_mapping and document.get("kind").text in ("RuntimeClass", "PriorityClass"):
        from nodeworthy.facts.cluster.classes import class_of

        yield from class_of(document)


def _of_patches(document: Tree) -> Iterator[Fact]:
    """A Kustomization, which often does not say that it is one."""
    from nodeworthy.collect.patches import holds_patches, patched

    if holds_patches(document):
        for part in patched(document):
            yield from pods(part)


def _of_operations(document: Tree) -> Iterator[Fact]:
    """A patch in a file of its own: what it makes pods of is seen by its shape."""
    from nodeworthy.collect.patches import is_patch, patch_alone

    if is_patch(document):
        from nodeworthy.facts.pod.recognition import pod_templates

        yield from pod_templates(patch_alone(document))


def gpu_daemonsets(document: Tree) -> Iterator[Fact]:
    """What looks at GPUs or hands them out, as a manifest or as a release of a chart."""
    if document.is_mapping:
        from nodeworthy.collect.source import gpu_daemonsets

        yield from gpu_daemonsets.gpu_daemonsets(document)


def sharing(document: Tree) -> Iterator[Fact]:
    """What lets pods share GPUs, as the device plugin is told it."""
    if document.is_mapping:
        from nodeworthy.collect.source.sharing import sharing_configs

        yield from sharing_configs(document)


def platform(document: Tree) -> Iterator[Fact]:
    """What measures the cluster, and what keeps its queue."""
    if document.is_mapping:
        from nodeworthy.collect.source.monitoring import monitoring_stacks
        from nodeworthy.facts.services.database_server import init_texts, servers_of_cloud_native
        from nodeworthy.facts.services.split_endpoint import split_endpoints

        yield from monitoring_stacks(document)
        yield from split_endpoints(document)
        yield from servers_of_cloud_native(document)
        yield from init_texts(document)


def hami(document: Tree) -> Iterator[Fact]:
    """What shares the GPUs."""
    if document.is_mapping:
        from nodeworthy.collect.source.hami import hami_settings

        yield from hami_settings(document)
    if document.is_mapping and document.get("kind").text == "Namespace":
        from nodeworthy.facts.hami.opted_out_namespace import opted_out_namespaces

        yield from opted_out_namespaces(document)


def operator(document: Tree) -> Iterator[Fact]:
    """The GPU operator's settings, and parts of them that no chart takes."""
    for each in operator_values(document):
        yield each
        yield from misshapen_parts(each.tree)


def asked_nodes(document: Tree) -> Iterator[Fact]:
    """The nodes that Karpenter or eksctl is asked for."""
    api = document.get("apiVersion").text or "" if document.is_mapping else ""
    if "karpenter" in api:
        from nodeworthy.facts.fleet.karpenter import karpenter

        yield from karpenter(document)
    elif api.startswith("eksctl.io/"):
        from nodeworthy.facts.fleet.eksctl import nodes_of_eksctl

        yield from nodes_of_eksctl(document)


# Each looks at one object (lists are taken apart before) and yields the facts that it knows in it.
RECOGNISERS: tuple[Callable[[Tree], Iterator[Fact]], ...] = (
    operator,
    pods,
    classes,
    gpu_daemonsets,
    sharing,
    platform,
    hami,
    asked_nodes,
)


def facts_of(document: Tree) -> Iterator[Fact]:
    for recognise in RECOGNISERS:
        yield from recognise(document)

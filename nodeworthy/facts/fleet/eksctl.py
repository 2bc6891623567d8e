"""The GPU nodes of an eksctl ClusterConfig."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.fleet.asked_nodes import AskedNodes
from nodeworthy.known.ami_families import of_eksctl
from nodeworthy.known.instances import gpus_of

_GROUPS = ("managedNodeGroups", "nodeGroups")


def is_cluster_config(document: Tree) -> bool:
    return document.get("kind").text == "ClusterConfig" and (document.get("apiVersion").text or "").startswith(
        "eksctl.io/"
    )


def nodes_of_eksctl(document: Tree) -> Iterator[AskedNodes]:
    if not is_cluster_config(document):
        return
    version = document.get("metadata", "version")
    kubernetes = version.located() if version.text is not None else None
    for group in (each for name in _GROUPS for each in document.get(name).sequence):
        named = group.get("amiFamily")
        family = of_eksctl(named.text) if named.text is not None or named.is_absent else None
        name = group.get("name").text
        if family is None or name is None or not any(gpus_of(each) for each in _types(group)):
            continue
        types = ", ".join(_types(group))
        said = named.text or f"no amiFamily, and eksctl takes its {family.eksctl[0]} for {types}"
        place = named.place if named.text else group.place
        own = not group.get("ami").is_absent
        yield AskedNodes(name, "node group", group.place, family, place, said, own, kubernetes)


def _types(group: Tree) -> list[str]:
    several = (group.get("instanceTypes"), group.get("instancesDistribution", "instanceTypes"))
    every = (group.get("instanceType"), *(each for types in several for each in types.sequence))
    return [each.text for each in every if each.text is not None]

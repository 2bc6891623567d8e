"""Clusters that are made whole, with their nodes: by k0sctl, and by Rancher."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.fleet.asked_nodes import AskedNodes
from nodeworthy.facts.fleet.machines import text_of
from nodeworthy.verdict import Located

_K0SCTL, _RANCHER = "k0sctl.k0sproject.io/", "provisioning.cattle.io/"
# As their versions of Kubernetes end: v1.33.4+rke2r1.
_OF_RANCHER = {"+rke2": "rke2", "+k3s": "k3s"}


def made_clusters(document: Tree) -> Iterator[AskedNodes]:
    name, api = document.get("metadata", "name"), document.get("apiVersion").text or ""
    if name.text is None or document.get("kind").text != "Cluster":
        return
    if api.startswith(_K0SCTL):
        yield _cluster(document, "k0s", document.get("spec", "k0s", "version"), "k0sctl makes it")
    elif api.startswith(_RANCHER):
        version = document.get("spec", "kubernetesVersion")
        found = next((each for sign, each in _OF_RANCHER.items() if sign in (version.text or "")), None)
        if found is not None:
            yield _cluster(document, found, version, f"kubernetesVersion {version.text}")


def _cluster(document: Tree, distribution: str, version: Tree, said: str) -> AskedNodes:
    name = document.get("metadata", "name")
    where = version.place if version.text is not None else document.place
    return AskedNodes(
        name.text or "",
        "cluster",
        document.place,
        Located.known(distribution, where),
        said,
        kubernetes=text_of(version),
        cluster=text_of(name),
    )

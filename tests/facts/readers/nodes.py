"""What manifests ask for: GPU nodes, what they are of, and what they run when they boot."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from nodeworthy.boot.unpack import unpack
from nodeworthy.collect.objects import facts_of
from nodeworthy.documents.yaml import read_all
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.fleet.asked_by_commands import asked_by_commands
from nodeworthy.facts.fleet.asked_nodes import AskedNodes
from nodeworthy.facts.fleet.cluster_api import nodes_of_cluster_api
from nodeworthy.facts.fleet.eksctl import nodes_of_eksctl
from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.facts.fleet.karpenter_choice import nodes_of_karpenter, pools_of_any_image
from nodeworthy.facts.fleet.karpenter_objects import karpenter
from nodeworthy.facts.fleet.made_clusters import (
    cluster_of_k3d,
    groups_of_kops,
    machines_of_eks_anywhere,
    machines_of_openshift,
    made_clusters,
    nodes_of_ansible,
    workers_of_gardener,
)
from nodeworthy.facts.fleet.managed_groups import groups_of_eks
from nodeworthy.facts.fleet.pools_by_evidence import pools_together
from nodeworthy.facts.fleet.talos import clusters_of_talos, nodes_of_talos
from nodeworthy.verdict import Place
from tests.facts.readers.files import lay_out
from tests.facts.shown import shown
from tests.run import run

OF_A_DOCUMENT = (
    *(nodes_of_eksctl, nodes_of_cluster_api, nodes_of_talos, groups_of_eks, made_clusters, cluster_of_k3d),
    *(groups_of_kops, machines_of_eks_anywhere, machines_of_openshift, workers_of_gardener),
)


def _nodes(given: str) -> Iterator[str]:
    documents = read_all(given, Place("nodes.yaml"))
    asked = [nodes for each in documents for of in OF_A_DOCUMENT for nodes in of(each)]
    found = [fact for each in documents for fact in karpenter(each)]
    yield from (shown(each) for each in found)
    for nodes in (*asked, *nodes_of_karpenter(found)):
        yield from _told(nodes)
    clusters = [each for document in documents for each in clusters_of_talos(document)]
    yield from map(shown, clusters)
    yield from (f"{each.name} of any image: {shown(each.distribution)}" for each in pools_of_any_image(found))
    yield from map(_pool, pools_together([*asked, *found, *clusters]))


def _pool(pool: GpuPool) -> str:
    known = {"Kubernetes": pool.kubernetes, "services": pool.services, "pods": pool.pods}
    said = (f", {name} {each.shown()}" for name, each in known.items() if each is not None)
    return f"pool {pool.title} of {pool.distribution.shown()}{''.join(said)}"


def _told(nodes: AskedNodes) -> Iterator[str]:
    yield shown(replace(nodes, scripts=()))
    pool = nodes.pool
    yield f"{pool.title}: {shown(pool.driver)} {shown(pool.driver_said)} by {shown(pool.runtime.place)}"
    for script in nodes.scripts:
        yield from (f"runs {shown(each.place)} {each.command!r}" for each in script.timeline.effects)


def _by_commands(given: str) -> Iterator[str]:
    """As a script asks a cloud for them; what is said of the cluster as well."""
    place = Place("up.sh")
    script = BootScript(place, unpack(given.encode(), place, name="up.sh"))
    yield from (shown(each) for each in asked_by_commands(script, facts_of))


def _by_variables(given: str) -> Iterator[str]:
    """Of Ansible's."""
    for document in read_all(given, Place("all.yml")):
        yield from (line for nodes in nodes_of_ansible(document) for line in _told(nodes))


def _inferred(given: str) -> Iterator[str]:
    """Files as they lie in a repository, and the fleet that is written of them."""
    with tempfile.TemporaryDirectory() as folder:
        lay_out(given, Path(folder))
        ran = run("fleet", "infer", ".", cwd=Path(folder))
    yield from (line for line in f"{ran.out}{ran.err}".splitlines() if line.strip())


READERS = {
    "nodes_asked_for": _nodes,
    "nodes_by_commands": _by_commands,
    "nodes_by_variables": _by_variables,
    "fleets_inferred": _inferred,
}

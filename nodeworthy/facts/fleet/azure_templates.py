"""Clusters of AKS and their pools as Bicep and ARM's templates say them: in the words of Azure's own API, which are
those of its service operator's objects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.documents.bicep import Declared
from nodeworthy.documents.tree import Tree
from nodeworthy.records import replace

_CLUSTER, _POOL = "microsoft.containerservice/managedclusters", "microsoft.containerservice/managedclusters/agentpools"
# The module of Azure's own collection that makes one, whose parameters are called a little otherwise.
_MODULE = "avm/res/container-service/managed-cluster"
_POOLS_OF_MODULE = ("primaryAgentPoolProfiles", "primaryAgentPoolProfile", "agentPools")
_RANGES = ("serviceCidr", "podCidr")
_API = "containerservice.azure.com/v1"


def objects_of_azure(declared: Sequence[Declared]) -> Iterator[Tree]:
    """Each as the service operator has it."""
    names = {each.symbol: each.body.get("name") for each in declared if each.symbol}
    for each in declared:
        kind, body = each.type.lower(), each.body
        if kind == _CLUSTER:
            yield _object("ManagedCluster", body, body.get("name"), body.get("properties"))
        elif kind == _POOL:
            yield _pool(body, names)
        elif _MODULE in kind:
            given = body.get("params")
            yield _object("ManagedCluster", body, given.get("name"), _as_resource(given))


def _pool(body: Tree, names: dict[str, Tree]) -> Tree:
    """The pool; its cluster is its parent, or the first half of its name."""
    name = body.get("name")
    cluster, slash, own = name.string.rpartition("/")
    owner = replace(name, value=cluster) if slash else next(iter(names.values()), body.get("parent"))
    named = replace(name, value=own) if slash else name
    spec = {**body.get("properties").mapping, "owner": Tree({"name": owner}, body.place)}
    return _object("ManagedClustersAgentPool", body, named, Tree(spec, body.place))


def _as_resource(given: Tree) -> Tree:
    pools = [pool for name in _POOLS_OF_MODULE for pool in given.get(name).sequence]
    network = {name: given.get(name) for name in _RANGES if not given.get(name).is_absent}
    said = {**given.mapping, "agentPoolProfiles": Tree(pools, given.place)}
    return Tree({**said, "networkProfile": Tree(network, given.place)}, given.place)


def _object(kind: str, body: Tree, name: Tree, spec: Tree) -> Tree:
    """A name that is put together when the template is deployed is none."""
    told = name if name.text is not None else Tree("${name}", name.place)
    metadata = Tree({"name": told}, name.place)
    at = body.place
    return Tree({"apiVersion": Tree(_API, at), "kind": Tree(kind, at), "metadata": metadata, "spec": spec}, at)

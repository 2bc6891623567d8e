"""The rights that a rollout needs in the cluster, as manifests to apply: its own, and those of its gates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from nodeworthy.collect.in_cluster import role as in_cluster
from nodeworthy.collect.in_cluster.role import HOME
from nodeworthy.collect.workload.live import role as acceptance
from nodeworthy.repair.lease import NAMESPACE

NAME: Final = "nodeworthy-rollout"
_RBAC: Final = "rbac.authorization.k8s.io"
_HEADING: Final = f"""\
# What `nodeworthy rollout` needs in the cluster: it reads and marks nodes, evicts pods by the Eviction API, holds a
# Lease in {NAMESPACE}, and asks the node suite and accept, whose rights stand here, too. Of AWS: --print-policy.
#   nodeworthy rollout --print-role | kubectl apply -f -
#   kubectl create token {NAME} -n {HOME}     a token for whoever runs it with this account
"""
Manifest = Mapping[str, Any]


def manifests() -> str:
    import yaml

    from nodeworthy.documents.manifest import as_manifest

    gates = (in_cluster.manifests(None, taints=False), acceptance.manifests(None, taints=False))
    every = [*(each for text in gates for each in yaml.safe_load_all(text)), *_own()]
    written = (as_manifest(each) for each in _first_of_each(every))
    return _HEADING + "---\n".join(written)


def _first_of_each(every: Iterable[Manifest]) -> Iterable[Manifest]:
    """The gates share a namespace and a priority, which stand here once."""
    named: dict[tuple[str, str, str], Manifest] = {}
    for each in every:
        metadata = each["metadata"]
        named.setdefault((each["kind"], metadata["name"], metadata.get("namespace", "")), each)
    return named.values()


def _own() -> Iterator[Manifest]:
    yield {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": NAME, "namespace": HOME}}
    yield _role("ClusterRole", None, _CLUSTER_WIDE)
    yield _role("Role", NAMESPACE, [_rule("coordination.k8s.io", "leases", "get", "create", "update", "delete")])
    yield _binding("ClusterRole", NAME)
    yield _binding("Role", NAME, NAMESPACE)
    for each in (in_cluster.NAME, acceptance.NAME):
        yield _binding("ClusterRole", each)
        yield _binding("Role", each, HOME)


def _role(kind: str, namespace: str | None, rules: list[Manifest]) -> Manifest:
    return {"apiVersion": f"{_RBAC}/v1", "kind": kind, "metadata": _metadata(NAME, namespace), "rules": rules}


def _binding(kind: str, role: str, namespace: str | None = None) -> Manifest:
    """Binds our account to a role, which may be a gate's own."""
    name = NAME if role == NAME else f"{NAME}-{role.removeprefix('nodeworthy-')}"
    return {
        "apiVersion": f"{_RBAC}/v1",
        "kind": f"{kind}Binding",
        "metadata": _metadata(name, namespace),
        "roleRef": {"apiGroup": _RBAC, "kind": kind, "name": role},
        "subjects": [{"kind": "ServiceAccount", "name": NAME, "namespace": HOME}],
    }


def _metadata(name: str, namespace: str | None) -> Manifest:
    return {"name": name, **({"namespace": namespace} if namespace else {})}


def _rule(group: str, resource: str, *verbs: str) -> Manifest:
    return {"apiGroups": [group], "resources": [resource], "verbs": list(verbs)}


_CLUSTER_WIDE: Final = [
    # cordons, taints, what people had set by hand
    _rule("", "nodes", "get", "list", "patch"),
    # who is on them, and what of it would be lost
    _rule("", "pods", "list"),
    _rule("", "persistentvolumes", "list"),
    _rule("storage.k8s.io", "volumeattachments", "list"),
    _rule("policy", "poddisruptionbudgets", "list"),
    _rule("", "pods/eviction", "create"),
]

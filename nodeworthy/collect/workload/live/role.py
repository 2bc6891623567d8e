"""The rights that a run of real work needs on Kubernetes, as manifests to apply, and the priority of its pods."""

from __future__ import annotations

from typing import Any

from nodeworthy.collect.in_cluster.job import PRIORITY
from nodeworthy.collect.in_cluster.role import HOME, check_name, home_manifest
from nodeworthy.collect.workload.jobs import priority_class

NAME = "nodeworthy-accept"
_RBAC = "rbac.authorization.k8s.io"


def manifests(namespace: str | None, *, taints: bool) -> str:
    """The manifests of the roles; with `taints` also what --taint needs. Pods of a run need nothing that the strictest
    standard forbids."""
    import yaml

    from nodeworthy.documents.manifest import as_manifest

    home = check_name(namespace or HOME)
    made: list[dict[str, Any]] = [] if namespace else [yaml.safe_load(home_manifest())]
    made += [priority_class(), _account(home), _cluster_role(taints=taints), _binding("ClusterRole", home)]
    made += [_role(home), _binding("Role", home)]
    written = "---\n".join(as_manifest(each) for each in made)
    return _heading(namespace, home, taints=taints) + written


def _heading(namespace: str | None, home: str, *, taints: bool) -> str:
    options = (" --taint" if taints else "") + (f" --namespace {namespace}" if namespace else "")
    return f"""\
# What `nodeworthy accept --on kubernetes{options}` needs: it reads nodes and pods, makes Jobs with GPUs in one
# namespace, and removes them. Its pods are not privileged, see nothing of the node, and give way to any; the namespace
# allows more, for it is that of `nodeworthy node --in-cluster`, too.
#   nodeworthy accept{options} --print-role | kubectl apply -f -
#   kubectl create token {NAME} -n {home}     a token for whoever runs it with this account
"""


def _account(home: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": NAME, "namespace": home}}


def _cluster_role(*, taints: bool) -> dict[str, Any]:
    rules = [
        # which nodes there are, who opts out, and with --taint their marks
        _rule("", "nodes", "get", "list", *(["patch"] if taints else [])),
        # who holds which GPUs, before a run and after it
        _rule("", "pods", "list"),
        {**_rule("scheduling.k8s.io", "priorityclasses", "get"), "resourceNames": [PRIORITY]},
    ]
    return {"apiVersion": f"{_RBAC}/v1", "kind": "ClusterRole", "metadata": {"name": NAME}, "rules": rules}


def _role(home: str) -> dict[str, Any]:
    rules = [
        _rule("batch", "jobs", "create", "list", "delete"),
        _rule("", "configmaps", "create", "list", "delete"),
        _rule("", "services", "create", "list", "delete"),
        # what a pod printed, and why a Job has none
        _rule("", "pods/log", "get"),
        _rule("", "events", "list"),
        # whose turn it is
        _rule("coordination.k8s.io", "leases", "get", "list", "create", "update", "delete"),
    ]
    metadata = {"name": NAME, "namespace": home}
    return {"apiVersion": f"{_RBAC}/v1", "kind": "Role", "metadata": metadata, "rules": rules}


def _rule(group: str, resource: str, *verbs: str) -> dict[str, Any]:
    return {"apiGroups": [group], "resources": [resource], "verbs": list(verbs)}


def _binding(kind: str, home: str) -> dict[str, Any]:
    return {
        "apiVersion": f"{_RBAC}/v1",
        "kind": f"{kind}Binding",
        "metadata": {"name": NAME, **({"namespace": home} if kind == "Role" else {})},
        "roleRef": {"apiGroup": _RBAC, "kind": kind, "name": NAME},
        "subjects": [{"kind": "ServiceAccount", "name": NAME, "namespace": home}],
    }

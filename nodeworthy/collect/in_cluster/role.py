"""The rights that a look by Jobs needs, as manifests to apply, and the priority that its pods have."""

from __future__ import annotations

from nodeworthy.collect.in_cluster.job import PRIORITY, PRIORITY_VALUE
from nodeworthy.errors import InputError
from nodeworthy.patterns import pattern

NAME = "nodeworthy-in-cluster"
# Where Jobs are made, unless somebody names another namespace.
HOME = "nodeworthy"
_GROUP = "rbac.authorization.k8s.io"
_NAMESPACE = pattern(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")


def check_name(namespace: str) -> str:
    if not _NAMESPACE.fullmatch(namespace):
        raise InputError(f"{namespace!r} is no name of a namespace")
    return namespace


def manifests(namespace: str | None, *, taints: bool) -> str:
    """The manifests of the roles; with `taints` also what --taint needs."""
    home = check_name(namespace or HOME)
    documents = [_priority(), _account(home), _cluster_role(taints=taints), _binding("Cluster", "", home)]
    documents += [_role(home), _binding("", home, home)]
    return _heading(namespace, taints=taints) + "---\n".join(documents if namespace else [home_manifest(), *documents])


def _heading(namespace: str | None, *, taints: bool) -> str:
    options = (" --taint" if taints else "") + (f" --namespace {namespace}" if namespace else "")
    home = namespace or HOME
    return f"""\
# What `nodeworthy node --in-cluster{options}` needs: it reads nodes, makes Jobs in one namespace, and removes them.
# Its pods are privileged, which this namespace has to allow, and are preempted by any other work.
#   nodeworthy node --in-cluster{options} --print-role | kubectl apply -f -
#   kubectl create token {NAME} -n {home}     a token for whoever looks with this account
"""


def home_manifest() -> str:
    """One text for all who print it: of two that differ, who applies the later one takes the other's labels away."""
    return f"""\
apiVersion: v1
kind: Namespace
metadata:
  name: {HOME}
  labels:
    pod-security.kubernetes.io/enforce: privileged
"""


def _priority() -> str:
    return f"""\
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata:
  name: {PRIORITY}
value: {PRIORITY_VALUE}
preemptionPolicy: Never
globalDefault: false
description: Proves nodes fit for work, and gives way to any.
"""


def _account(home: str) -> str:
    return f"apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: {NAME}\n  namespace: {home}\n"


def _cluster_role(*, taints: bool) -> str:
    marks = f"\n  # --taint\n{_rule('', 'nodes', 'patch')}" if taints else ""
    return f"""\
apiVersion: {_GROUP}/v1
kind: ClusterRole
metadata:
  name: {NAME}
rules:
  # which nodes there are, who has opted out, who still answers
{_rule("", "nodes", "get, list")}
  # whether its pods give way
  - apiGroups: [scheduling.k8s.io]
    resources: [priorityclasses]
    resourceNames: [{PRIORITY}]
    verbs: [get]{marks}
"""


def _role(home: str) -> str:
    return f"""\
apiVersion: {_GROUP}/v1
kind: Role
metadata:
  name: {NAME}
  namespace: {home}
rules:
{_rule("batch", "jobs", "create, get, list, delete")}
{_rule("", "pods", "list")}
  # what they say
{_rule("", "pods/log", "get")}
  # why a Job has no pod
{_rule("", "events", "list")}
"""


def _rule(group: str, resource: str, verbs: str) -> str:
    return f'  - apiGroups: ["{group}"]\n    resources: [{resource}]\n    verbs: [{verbs}]'


def _binding(scope: str, namespace: str, home: str) -> str:
    where = f"  namespace: {namespace}\n" if namespace else ""
    return f"""\
apiVersion: {_GROUP}/v1
kind: {scope}RoleBinding
metadata:
  name: {NAME}
{where}roleRef:
  apiGroup: {_GROUP}
  kind: {scope}Role
  name: {NAME}
subjects:
  - kind: ServiceAccount
    name: {NAME}
    namespace: {home}
"""

"""The rights that a diagnosis needs, as manifests to apply: it reads, and could not write if it would."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.collect.cluster.kinds import ASKED_FOR, ObjectKind
from nodeworthy.errors import InputError
from nodeworthy.patterns import pattern

NAME = "nodeworthy-diagnose"
# Of the account that may look into every namespace.
HOME = "nodeworthy"
_API_GROUP = "rbac.authorization.k8s.io"
_LOGS = (
    "  # why the toolkit, HAMi's parts and what runs on shared GPUs do not run: the ends of their logs, and no others",
    '  - apiGroups: [""]',
    "    resources: [pods/log]",
    "    verbs: [get]",
)
_NAMESPACE = pattern(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")


def manifests(namespace: str | None, *, logs: bool) -> str:
    """The manifests for the whole cluster, or for what belongs to one namespace."""
    if namespace is not None and not _NAMESPACE.fullmatch(namespace):
        raise InputError(f"{namespace!r} is no name of a namespace")
    home, within = namespace or HOME, namespace is not None
    kinds = [kind for kind in ASKED_FOR if kind.namespaced or not within]
    documents = [_account(home), _role(kinds, namespace, logs=logs), _binding(home, within=within)]
    return _heading(home, within=within, logs=logs) + "---\n".join(documents if within else [_home(), *documents])


def _heading(home: str, *, within: bool, logs: bool) -> str:
    where = f"of namespace {home}" if within else "of a cluster"
    option = f" --namespace {home}" if within else ""
    kind = "role" if within else "clusterrole"
    bind = f"kubectl create {kind}binding NAME --{kind}={NAME} --user=WHO" + (f" -n {home}" if within else "")
    which = "" if logs else ", no logs of containers"
    return f"""\
# What `nodeworthy diagnose{option}` reads {where}: no secrets{which}, and nothing is ever written.
#   nodeworthy diagnose --print-role{option} | kubectl apply -f -
#   kubectl create token {NAME} -n {home}     a token for whoever looks with this account
#   {bind}     the same rights for a user
"""


def _home() -> str:
    return f"apiVersion: v1\nkind: Namespace\nmetadata:\n  name: {HOME}\n"


def _account(home: str) -> str:
    return f"apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: {NAME}\n  namespace: {home}\n"


def _role(kinds: list[ObjectKind], namespace: str | None, *, logs: bool) -> str:
    lines = [f"apiVersion: {_API_GROUP}/v1", f"kind: {_kind(namespace is not None)}", "metadata:", f"  name: {NAME}"]
    if namespace is not None:
        lines.append(f"  namespace: {namespace}")
    rules = [line for kind in kinds for line in _rule(kind)]
    return "\n".join([*lines, "rules:", *rules, *(_LOGS if logs else ())]) + "\n"


def _kind(within: bool) -> str:
    return "Role" if within else "ClusterRole"


def _rule(kind: ObjectKind) -> Iterator[str]:
    yield f"  # {kind.what_for}" if kind.what_for else f"  # every {kind.kind}"
    if kind.labelled:
        yield f"  # only these are asked for, which no role can say: {kind.labelled}"
    groups = ", ".join(f'"{group}"' for group in kind.groups)
    yield f"  - apiGroups: [{groups}]"
    yield f"    resources: [{kind.plural}]"
    yield "    verbs: [get, list, watch]"


def _binding(home: str, *, within: bool) -> str:
    return f"""\
apiVersion: {_API_GROUP}/v1
kind: {_kind(within)}Binding
metadata:
  name: {NAME}
{f"  namespace: {home}{chr(10)}" if within else ""}roleRef:
  apiGroup: {_API_GROUP}
  kind: {_kind(within)}
  name: {NAME}
subjects:
  - kind: ServiceAccount
    name: {NAME}
    namespace: {home}
"""

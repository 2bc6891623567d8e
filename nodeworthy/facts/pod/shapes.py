"""Parts of a pod that are of another type than the API takes: what stands in them is read by nobody, us included."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.not_seen import UnreadableInput

# What is to stand somewhere: a mapping with these parts, or a list of that. What is not named may be anything.
_ANY_LIST: Sequence[Any] = (None,)
_CONTAINER = {
    "resources": {"limits": {}, "requests": {}},
    "env": ({},),
    "securityContext": {"capabilities": {"add": _ANY_LIST}},
    "volumeMounts": ({},),
    "command": _ANY_LIST,
    "args": _ANY_LIST,
}
_POD = {
    **dict.fromkeys(("containers", "initContainers"), (_CONTAINER,)),
    "nodeSelector": {},
    "affinity": {},
    "securityContext": {},
    **dict.fromkeys(("tolerations", "volumes"), ({},)),
}
_MADE_OF_A_TEMPLATE = {"spec": {"template": {"metadata": {}, "spec": _POD}}}
_KINDS: Mapping[str, Mapping[str, Any]] = {
    "Pod": {"spec": _POD},
    **dict.fromkeys(
        ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "ReplicationController", "Job"), _MADE_OF_A_TEMPLATE
    ),
    "CronJob": {"spec": {"jobTemplate": _MADE_OF_A_TEMPLATE}},
}
_GROUPS = ("v1", "apps/", "batch/")


def misshapen(document: Tree) -> Iterator[UnreadableInput]:
    """Of the kinds that Kubernetes itself has: what another one may hold, its maker decides."""
    shape = _KINDS.get(document.get("kind").text or "")
    version = document.get("apiVersion").text or ""
    if shape is not None and version.startswith(_GROUPS):
        yield from _unlike(document, shape, "")


def _unlike(tree: Tree, shape: Any, path: str) -> Iterator[UnreadableInput]:
    if shape is None or tree.is_null or tree.is_absent or tree.is_unknown:
        return
    wanted, is_so = ("a mapping", tree.is_mapping) if isinstance(shape, Mapping) else ("a list", tree.is_sequence)
    if not is_so:
        name = path.rpartition(".")[2] or "this"
        why = f"{name} is {tree.kind()}, and must be {wanted}: Kubernetes refuses it, and nothing in it was judged"
        yield UnreadableInput((tree.place if tree.place.line else tree.key or tree.place).about(path), why)
    elif isinstance(shape, Mapping):
        for name, inner in shape.items():
            yield from _unlike(tree.get(name), inner, f"{path}.{name}" if path else name)
    else:
        for index, each in enumerate(tree.sequence):
            yield from _unlike(each, shape[0], f"{path}[{index}]")

"""What `kubectl get` printed of a cluster, and what is found in it."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from nodeworthy.collect.cluster.dump import look
from nodeworthy.collect.cluster.kinds import KINDS
from nodeworthy.collect.cluster.scenes import scenes
from nodeworthy.rules import rule
from tests.facts.readers.files import told

# Every list is of this moment at most: what has no time of its own was made at its beginning.
MADE = "2026-03-01T08:00:00Z"


def _cluster(given: str) -> Iterator[str]:
    """Its first line names rules, and facts by their types; then come the objects, a YAML list. `none: [events]` is a list
    without one; a kind of which there is nothing was not asked for."""
    asked, _, objects = given.partition("\n")
    lists: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for each in yaml.safe_load(objects):
        for name in each.get("none", ()):
            lists[name]
        if "none" not in each:
            made = _object(each)
            lists[PLURALS[made["kind"]]].append(made)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name, items in lists.items():
            written = {"apiVersion": "v1", "kind": "List", "items": items}
            Path(f"{name}.json").write_text(json.dumps(written), encoding="utf-8")
        seen = look(".", None)
    rules = [rule(each) for each in asked.split() if each[0].islower()]
    kinds = frozenset(check.subject for each in rules for check in each.checks if check.unless is None)
    yield from told(scenes(seen, None, kinds, frozenset()), asked.split())


PLURALS = {each.kind: each.plural for each in KINDS}
VERSIONS = {each.kind: each.api_version for each in KINDS}


def _object(given: Mapping[str, Any]) -> dict[str, Any]:
    """One that begins with its kind in small letters is written in few words: see below."""
    (first, name), *_ = given.items()
    short = SHORT.get(first)
    if short is not None:
        return short(name, {key: each for key, each in given.items() if key != first})
    return {"apiVersion": VERSIONS[given["kind"]], **given}


def _metadata(name: str, more: dict[str, Any]) -> dict[str, Any]:
    namespace, _, own = name.rpartition("/")
    metadata = {"name": own, "creationTimestamp": MADE, **more.pop("metadata", {})}
    return {**metadata, "namespace": namespace} if namespace else metadata


def _node(name: str, more: dict[str, Any]) -> dict[str, Any]:
    """`gpus` is how many it has, `offers` what of them pods may have; `has` and `gives` say so of other resources."""
    gpus, labels = more.pop("gpus", 0), more.pop("labels", {})
    has = {"cpu": "96", **({"nvidia.com/gpu": str(gpus)} if gpus else {}), **more.pop("has", {})}
    gives = {**has, **more.pop("gives", {})}
    ready = more.pop("ready", {"status": "True", "lastTransitionTime": MADE})
    conditions = [*([{"type": "Ready", **ready}] if ready else []), *more.pop("conditions", [])]
    taints = [_taint(each) for each in more.pop("taints", [])]
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {**_metadata(name, more), "labels": {"kubernetes.io/hostname": name, **labels}},
        "spec": {**({"taints": taints} if taints else {}), **more.pop("spec", {})},
        "status": {"capacity": has, "allocatable": gives, "conditions": conditions, **more},
    }


def _taint(written: str) -> dict[str, str]:
    """As kubectl writes it: key=value:effect."""
    words, _, effect = written.rpartition(":")
    key, _, value = words.partition("=")
    return {"key": key, "effect": effect, **({"value": value} if value else {})}


def _pod(name: str, more: dict[str, Any]) -> dict[str, Any]:
    """`at` is its node, `asks` are its limits, `says` is why the scheduler does not place it."""
    metadata = {**_metadata(name, more), "labels": more.pop("labels", {})}
    kind, _, owner = more.pop("of", "").partition("/")
    if owner:
        metadata["ownerReferences"] = [{"kind": kind, "name": owner, "controller": True}]
    at, says, status = more.pop("at", ""), more.pop("says", None), more.pop("status", {})
    container = {"name": "main", "image": "registry.example/main", **more.pop("container", {})}
    container |= {"resources": {"limits": asks}} if (asks := more.pop("asks", {})) else {}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"containers": [container], **({"nodeName": at} if at else {}), **more},
        "status": {**(_running() if at else _waiting(says)), **status},
    }


def _running() -> dict[str, Any]:
    state = {"name": "main", "ready": True, "restartCount": 0, "state": {"running": {"startedAt": MADE}}}
    ready = {"type": "Ready", "status": "True", "lastTransitionTime": MADE}
    return {"phase": "Running", "startTime": MADE, "conditions": [ready], "containerStatuses": [state]}


def _waiting(says: str | None) -> dict[str, Any]:
    placed = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": says}
    return {"phase": "Pending", **({"conditions": [placed]} if says is not None else {})}


def _event(of: str, more: dict[str, Any]) -> dict[str, Any]:
    """`of` is a kind, a namespace and a name; `says` is the message, `when` its last time, `by` the component."""
    kind, _, rest = of.partition("/")
    namespace, _, name = rest.rpartition("/")
    about = {"kind": kind, "name": name, **({"namespace": namespace} if namespace else {})}
    moment = more.pop("when", MADE)
    own = f"{name}.{more.get('reason', 'other').lower()}-{moment[11:19].replace(':', '')}"
    metadata = {"name": own, "namespace": namespace or "default"}
    said = {"message": more.pop("says", ""), "source": {"component": more.pop("by", "kubelet")}}
    when = {"firstTimestamp": moment, "lastTimestamp": moment, "count": 1, "type": "Warning"}
    return {"apiVersion": "v1", "kind": "Event", "metadata": metadata, "involvedObject": about, **said, **when, **more}


SHORT: Mapping[str, Callable[[str, dict[str, Any]], dict[str, Any]]] = {"node": _node, "pod": _pod, "event": _event}
READERS = {"clusters": _cluster}

"""What is changed, as it is kept in a file that --undo reads: enough to make the change, and to put back what was."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from nodeworthy.collect.cluster.kinds import CLUSTER_POLICIES, PODS
from nodeworthy.collect.cluster.recording import keepable_part
from nodeworthy.collect.cluster.seen import ClusterObjects
from nodeworthy.documents.plain import at, number_at, text_at
from nodeworthy.documents.tree import plain
from nodeworthy.errors import CouldNotLook, InputError
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.repair.change import KINDS, Change, Target
from nodeworthy.repair.edit import ANNOTATIONS, LABELS, TAINTS, TOOLKIT_ENV, Edit, ValuePath

# A name that is more than one would lead to another place of the server.
_NAME = pattern(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?")
_EDITABLE = (LABELS, ANNOTATIONS, TAINTS, TOOLKIT_ENV)


@dataclass(frozen=True)
class HelmRevision:
    """A release of Helm, and its revisions before and after."""

    name: str
    namespace: str
    before: int
    after: int | None = None

    @property
    def title(self) -> str:
        return f"Helm's release {self.namespace}/{self.name}"


@dataclass(frozen=True)
class Record:
    target: Target
    uid: str
    edits: tuple[Edit, ...]
    # Lists that were not there before.
    made_lists: tuple[ValuePath, ...] = ()
    release: HelmRevision | None = None
    # The spec's generation when it was looked at; None where the server does not count.
    generation: int | None = None
    was: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def reversed(self) -> Record:
        return replace(self, edits=tuple(each.reversed for each in self.edits), generation=None)

    @property
    def title(self) -> str:
        return f"{self.target} ({self.release.title})" if self.release else str(self.target)

    def as_data(self) -> dict[str, Any]:
        release = self.release
        return {
            "object": {"kind": self.target.kind, "name": self.target.name, "uid": self.uid},
            "edits": [each.as_data() for each in self.edits],
            "madeLists": [list(each) for each in self.made_lists],
            **({"release": vars(release)} if release else {}),
            # For whoever wants to see it; only the edits are put back.
            "was": keepable_part(self.was),
        }


def record_of(change: Change, release: HelmRevision | None = None) -> Record:
    uid = text_at(change.was, "metadata", "uid")
    counted = number_at(change.was, "metadata", "generation") if change.target.kind == "ClusterPolicy" else None
    return Record(change.target, uid, change.edits, change.made_lists, release, counted, change.was)


def _record_from(data: Mapping[str, Any]) -> Record:
    """Raises InputError where it is none of ours."""
    kind, name, uid = (text_at(data, "object", each) for each in ("kind", "name", "uid"))
    edits = tuple(map(_edit, _whole_list(at(data, "edits"))))
    made = tuple(_path(each) for each in _lists(at(data, "madeLists")))
    if kind not in KINDS or not _NAME.fullmatch(name) or not edits:
        raise InputError("an entry names no object or no value that --fix could have changed")
    return Record(Target(kind, name), uid, edits, made, _release(data), None, at(data, "was") or {})


def _whole_list(written: Any) -> Sequence[Mapping[str, Any]]:
    """Raises InputError where anything in it would be passed over."""
    found = [each for each in written if isinstance(each, dict)] if isinstance(written, list) else []
    if not found or len(found) != len(written):
        raise InputError("an entry of what was changed is missing, or is nothing that --fix writes")
    return found


def _edit(data: Mapping[str, Any]) -> Edit:
    before, after, name = data.get("before"), data.get("after"), text_at(data, "name")
    if not name or not all(each is None or isinstance(each, str) for each in (before, after)):
        raise InputError("an entry has an edit without a name, or with a value that is no string")
    return Edit(_path(data.get("within")), name, before, after)


def _lists(written: Any) -> Sequence[Any]:
    if not isinstance(written, list | None):
        raise InputError("an entry does not list the lists that --fix has made")
    return written or ()


def _path(written: Any) -> ValuePath:
    path = tuple(written) if isinstance(written, list) else ()
    if path not in _EDITABLE:
        raise InputError("an entry has an edit of what --fix never changes")
    return path


def _release(data: Mapping[str, Any]) -> HelmRevision | None:
    if at(data, "release") is None:
        return None
    name, namespace = text_at(data, "release", "name"), text_at(data, "release", "namespace")
    before, after = number_at(data, "release", "before"), number_at(data, "release", "after")
    if not name or not namespace or before is None or name.startswith("-") or namespace.startswith("-"):
        raise InputError("an entry has a release of Helm without its name or its revision")
    return HelmRevision(name, namespace, before, after)


_KIND, _VERSION = "Repair", "nodeworthy/v1"
APPLYING, APPLIED, PUT_BACK = "applying", "applied", "put back"


@dataclass
class StateFile:
    path: Path
    server: str
    records: list[Record]
    when: str = field(default_factory=lambda: f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}")

    def write(self, state: str) -> None:
        written = {
            "apiVersion": _VERSION,
            "kind": _KIND,
            "when": self.when,
            "server": self.server,
            "state": state,
            "changes": [each.as_data() for each in self.records],
        }
        write_durably(self.path, json.dumps(written, indent=1) + "\n")


def new_state_path() -> Path:
    """One that is not there yet: two repairs within a second keep two files."""
    stem = f"nodeworthy-fix-{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    names = (Path(f"{stem}{f'-{number}' if number else ''}.json") for number in range(1000))
    return next(name for name in names if not name.exists())


def read_state(path: Path) -> tuple[str, Sequence[Record]]:
    """What state it tells, and what was changed. Raises InputError."""
    data = _data(path)
    try:
        return text_at(data, "state"), [_record_from(each) for each in _whole_list(at(data, "changes"))]
    except InputError as problem:
        raise InputError(f"{path}: {problem}") from None


def server_of(path: Path) -> str:
    """Where it was changed; empty where the file does not say. Raises InputError."""
    return text_at(_data(path), "server")


def _data(path: Path) -> Mapping[str, Any]:
    try:
        data: Any = json.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise InputError(f"{path}: it can't be read: {problem.strerror}") from None
    except (ValueError, RecursionError):
        raise InputError(f"{path}: this is no file that --fix has kept: it is not JSON") from None
    if not isinstance(data, Mapping) or text_at(data, "kind") != _KIND or text_at(data, "apiVersion") != _VERSION:
        raise InputError(f"{path}: this is no file that --fix has kept")
    return data


def write_durably(path: Path, text: str) -> None:
    """Whole, on disk, and for its owner alone."""
    try:
        # Such a file is for its owner alone.
        handle, half = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as problem:
        raise InputError(f"the previous state can't be kept in {path}: {problem.strerror}") from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(half, path)
    except OSError as problem:
        Path(half).unlink(missing_ok=True)
        raise InputError(f"the previous state can't be kept in {path}: {problem.strerror}") from None


# A recording as a cluster to plan by: of each object, the values that a change may be about.


@dataclass(frozen=True)
class RecordedWorld:
    seen: ClusterObjects

    def object(self, target: Target) -> Mapping[str, Any] | None:
        if target.kind == "Node":
            return self._node(target.name)
        if target.kind == "Namespace":
            labels = self.seen.hami.namespaces.get(target.name)
            return None if labels is None else {"metadata": {"name": target.name, "labels": labels}}
        policy = self.seen.documents[CLUSTER_POLICIES].get(("", target.name))
        return None if policy is None else plain(policy)

    def _node(self, name: str) -> Mapping[str, Any] | None:
        node, counted = self.seen.nodes.get(("", name)), self.seen.capacity.nodes.get(name)
        if node is None:
            return None
        taints = (
            [{"key": each.key, "value": each.value, "effect": each.effect} for each in counted.taints]
            if counted
            else []
        )
        metadata = {"name": name, "labels": dict(node.labels), "annotations": dict(node.annotations)}
        return {"metadata": metadata, "spec": {"taints": taints} if taints else {}}

    def phase_of_pod(self, namespace: str, name: str) -> str | None:
        if not self.seen.has(PODS):
            raise CouldNotLook("whether a pod is there is not known: no pods are in what was read")
        pod = self.seen.pods.get((namespace, name))
        return None if pod is None else pod.phase

"""Reads what `kubectl describe` prints of nodes, pods and other objects: people paste that, and not JSON.

It is cut into descriptions by their first line. A node and a pod have a form of their own; whatever says its API
version and kind is an object printed by its fields, whose names are as in YAML but for spaces and capitals. Of ages the
time is told by what else has one. A pod's affinity is printed nowhere.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

from nodeworthy.collect.cluster.dump_text import whole_text
from nodeworthy.documents.json_objects import Item, Whole
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field
from nodeworthy.verdict import Place

# More than anybody pastes.
LARGEST = 16 * 1024 * 1024
_FIRST = pattern(r"(?m)^(?P<indent>[ \t]*)Name:[ \t]+\S")
_TYPICAL = pattern(r"(?m)^[ \t]*(?:Namespace|Labels|Roles|Priority|API Version|Annotations):")
_ENTRY = pattern(r"(?P<name>[^\s:][^:]*|[^\s:]+):(?:[ \t]+(?P<value>\S.*))?")
_COLUMNS = pattern(r" {2,}|\t+")
_AGE = pattern(r"(?P<last>\S+?)(?: \(x(?P<times>\d+) over (?P<first>\S+)\))?")
_PARTS_OF_AGE = pattern(r"(\d+)(d|h|m|s|y)")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "y": 31536000}
_TAINT = pattern(r"(?P<key>[^=:\s]+)(?:=(?P<value>[^:\s]*))?:(?P<effect>NoSchedule|NoExecute|PreferNoSchedule)")
_SINCE = pattern(r"for \d+s")
_OF_NODES = pattern(r"\d+/(?P<all>\d+) nodes are available")
_OF_YAML = pattern(r"(?m)^[ \t]*(?:- )?apiVersion:")
_NOTHING = ("<none>", "<unset>", "<unknown>", "")
_EPOCH = datetime.min.replace(tzinfo=UTC)
# Lists of what has fields; of one with a single entry nothing else shows that it is a list.
_LISTS = frozenset(
    "conditions podSets containers initContainers admissionChecks nodes taints workerGroupSpecs replicatedJobs "
    "requirements ownerReferences".split()
)
# No object has fields within fields so deep.
_DEEPEST = 40
# A name of a pod that brings GPUs to a node, where no more than its name is told.
_OF_THE_STACK = ("nvidia", "gpu-operator", "device-plugin", "dcgm", "gpu-feature")


def is_described(text: str) -> bool:
    """Whether the text begins as `kubectl describe` does: such a beginning is no line of YAML."""
    found = _FIRST.search(text)
    return found is not None and _TYPICAL.search(text, found.end()) is not None and _OF_YAML.search(text) is None


@dataclass
class Descriptions:
    """What is described, and what it tells of all that is not."""

    # Objects of which no more than the names are told, and whether a node says that its GPUs are held.
    names_only: set[tuple[str, str]] = field(default_factory=set)
    gpus_are_held: bool = False
    nodes: set[str] = field(default_factory=set)
    pods: set[tuple[str, str]] = field(default_factory=set)
    # How many nodes the scheduler says there are.
    counted: set[int] = field(default_factory=set)

    def read(self, pieces: Iterable[str], _place: Place) -> Iterator[Item | Whole]:
        text = whole_text(
            pieces, LARGEST, f"as a description it is larger than {LARGEST >> 20} MiB, the most that is read of one"
        )
        begin = list(_FIRST.finditer(text))
        starts = [each.start() for each in begin if each["indent"] == begin[0]["indent"]]
        for begins, ends in zip(starts, [*starts[1:], len(text)], strict=True):
            yield from self._described(_entries(textwrap.dedent(text[begins:ends]).splitlines()))

    @property
    def nodes_are_all(self) -> bool:
        return bool(self.nodes) and self.counted == {len(self.nodes)}

    @property
    def holders_are_all(self) -> bool:
        """Whether no GPU is held, and nothing that offers them runs, that is not described."""
        return not self.gpus_are_held and not any(
            any(word in name for word in _OF_THE_STACK) for _, name in self.names_only - self.pods
        )

    def _described(self, entries: Sequence[_Entry]) -> Iterator[Whole]:
        by_name = {each.name: each for each in entries}
        if "API Version" in by_name and "Kind" in by_name:
            data = _object(entries)
        elif "Allocatable" in by_name and ("Taints" in by_name or "Roles" in by_name):
            data = self._node(by_name)
        elif "Containers" in by_name and "Status" in by_name and "Node" in by_name:
            data = self._pod(by_name)
        else:
            return
        told = list(self._events(by_name.get("Events"), data, entries))
        yield Whole(data, has_items=False)
        yield from (Whole(each, has_items=False) for each in told)

    # Nodes and pods

    def _node(self, by_name: dict[str, _Entry]) -> dict[str, Any]:
        name = by_name["Name"].value
        self.nodes.add(name)
        rows = by_name["Non-terminated Pods"].rows if "Non-terminated Pods" in by_name else []
        self.names_only |= {(row[0], row[1]) for row in rows if len(row) > 2}
        allocated = by_name["Allocated resources"].rows if "Allocated resources" in by_name else []
        self.gpus_are_held |= any("nvidia.com/" in row[0] and row[1].split()[0] != "0" for row in allocated if row[1:])
        return {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": _metadata(by_name, _time(_value(by_name, "CreationTimestamp"))),
            "spec": {
                "taints": list(_taints(by_name.get("Taints"))),
                "unschedulable": _value(by_name, "Unschedulable") == "true",
            },
            "status": {
                "capacity": _amounts(by_name.get("Capacity")),
                "allocatable": _amounts(by_name.get("Allocatable")),
                "conditions": list(_conditions(by_name.get("Conditions"))),
                "nodeInfo": {_camel(key): value for key, value in _amounts(by_name.get("System Info")).items()},
            },
        }

    def _pod(self, by_name: dict[str, _Entry]) -> dict[str, Any]:
        namespace, name = _value(by_name, "Namespace") or "default", by_name["Name"].value
        self.pods.add((namespace, name))
        node, started = _value(by_name, "Node").partition("/")[0], _time(_value(by_name, "Start Time"))
        owner_kind, _, owner = _value(by_name, "Controlled By").partition("/")
        main, first = (list(_containers(by_name.get(name))) for name in ("Containers", "Init Containers"))
        return {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                **_metadata(by_name, started),
                "namespace": namespace,
                "ownerReferences": [{"kind": owner_kind, "name": owner, "controller": True}] if owner else [],
            },
            "spec": {
                "nodeName": node,
                "nodeSelector": _labels(by_name.get("Node-Selectors")),
                "tolerations": list(_tolerations(by_name.get("Tolerations"))),
                "runtimeClassName": _value(by_name, "Runtime Class Name"),
                "containers": [spec for spec, _ in main],
                "initContainers": [spec for spec, _ in first],
                "priority": _count(_value(by_name, "Priority")),
            },
            "status": {
                "phase": _value(by_name, "Status").split(" ")[0],
                "reason": _value(by_name, "Reason"),
                "message": _value(by_name, "Message"),
                "startTime": started,
                "conditions": [
                    {**each, "lastTransitionTime": started} for each in _conditions(by_name.get("Conditions"))
                ],
                "containerStatuses": [status for _, status in main if status["state"]],
                "initContainerStatuses": [status for _, status in first if status["state"]],
            },
        }

    # Events

    def _events(
        self, entry: _Entry | None, data: dict[str, Any], entries: Sequence[_Entry]
    ) -> Iterator[dict[str, Any]]:
        rows = [row for row in entry.rows if len(row) >= 5 and row[0] in ("Normal", "Warning")] if entry else []
        ages = [(row, *_ages(row[2])) for row in rows]
        printed = _printed(data, ages, entries)
        metadata = data["metadata"]
        about = {"apiVersion": data["apiVersion"], "kind": data["kind"], "name": metadata["name"]}
        about["namespace"] = metadata.get("namespace", "")
        for at, (row, last, first, times) in enumerate(ages):
            self.counted |= {int(each["all"]) for each in _OF_NODES.finditer(row[4])}
            yield {
                "apiVersion": "v1",
                "kind": "Event",
                "metadata": {"name": f"{metadata['name']}.{at}", "namespace": about["namespace"] or "default"},
                "involvedObject": about,
                "type": row[0],
                "reason": row[1],
                "message": row[4],
                "source": {"component": row[3].partition(",")[0]},
                "firstTimestamp": time_before(printed, first),
                "lastTimestamp": time_before(printed, last),
                "count": times,
            }


@dataclass(frozen=True)
class _Entry:
    """A name at the left, what stands behind it, and the lines that are its own."""

    name: str
    value: str
    below: tuple[str, ...] = ()

    @property
    def values(self) -> list[str]:
        """One a line, as labels and taints are printed."""
        found = [self.value, *(each.strip() for each in self.below)]
        return [each for each in found if each not in _NOTHING]

    @property
    def rows(self) -> list[list[str]]:
        return [_COLUMNS.split(each.strip(), 4) for each in self.below]

    @property
    def entries(self) -> list[_Entry]:
        return _entries(textwrap.dedent("\n".join(self.below)).splitlines())


def _entries(lines: Iterable[str]) -> list[_Entry]:
    """The entries of a block whose names stand at its left edge. What people write between two descriptions has no such
    form."""
    found: list[tuple[str, str, list[str]]] = []
    for line in lines:
        named = _ENTRY.fullmatch(line.rstrip()) if line and not line[0].isspace() else None
        if named is not None:
            found.append((named["name"], named["value"] or "", []))
        elif found and line[:1].isspace() and line.strip():
            found[-1][2].append(line)
    return [_Entry(name, value.strip(), tuple(below)) for name, value, below in found]


def _value(by_name: dict[str, _Entry], name: str) -> str:
    value = by_name[name].value if name in by_name else ""
    return "" if value in _NOTHING else value


def _metadata(by_name: dict[str, _Entry], made: str) -> dict[str, Any]:
    return {
        "name": by_name["Name"].value,
        "labels": _labels(by_name.get("Labels")),
        "annotations": _annotations(by_name.get("Annotations")),
        "creationTimestamp": made,
    }


def _labels(entry: _Entry | None) -> dict[str, str]:
    pairs = (each.partition("=") for each in entry.values) if entry is not None else ()
    return {key: value for key, equals, value in pairs if equals}


def _annotations(entry: _Entry | None) -> dict[str, str]:
    pairs = (each.partition(": ") for each in entry.values) if entry is not None else ()
    return {key: value.strip() for key, colon, value in pairs if colon}


def _amounts(entry: _Entry | None) -> dict[str, str]:
    return {each.name: each.value for each in entry.entries} if entry is not None else {}


def _taints(entry: _Entry | None) -> Iterator[dict[str, str]]:
    for each in entry.values if entry is not None else ():
        found = _TAINT.fullmatch(each)
        if found is not None:
            yield {"key": found["key"], "value": found["value"] or "", "effect": found["effect"]}


def _tolerations(entry: _Entry | None) -> Iterator[dict[str, str]]:
    """`key=value:NoSchedule`, `key:NoExecute op=Exists for 300s`, `op=Exists` for whatever there is."""
    for each in entry.values if entry is not None else ():
        exists = "op=Exists" in each
        which = _SINCE.sub("", each.replace("op=Exists", "").replace("op=Equal", "")).strip()
        key_value, _, effect = which.partition(":")
        key, equals, value = key_value.partition("=")
        found = {"operator": "Exists" if exists or not equals else "Equal", "key": key, "value": value}
        yield {name: told for name, told in {**found, "effect": effect}.items() if told}


def _conditions(entry: _Entry | None) -> Iterator[dict[str, str]]:
    """A node's have six columns, a pod's two."""
    for line in entry.below if entry is not None else ():
        row = [*_COLUMNS.split(line.strip(), 5), "", "", "", ""]
        if row[0] != "Type" and not row[0].startswith("-") and row[1]:
            yield {
                "type": row[0],
                "status": row[1],
                "lastHeartbeatTime": _time(row[2]),
                "lastTransitionTime": _time(row[3]),
                "reason": row[4],
                "message": row[5],
            }


def _containers(entry: _Entry | None) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    for each in entry.entries if entry is not None else ():
        told = {one.name: one for one in each.entries}
        restarts = _value(told, "Restart Count")
        limits, requests = _amounts(told.get("Limits")), _amounts(told.get("Requests"))
        image = _value(told, "Image")
        yield (
            {"name": each.name, "image": image, "resources": {"limits": limits, "requests": requests}},
            {
                "name": each.name,
                "image": image,
                "ready": _value(told, "Ready") == "True",
                "restartCount": _count(restarts),
                "state": _state(told.get("State")),
                "lastState": _state(told.get("Last State")),
            },
        )


def _count(written: str) -> int:
    return int(written) if written.isdecimal() and len(written) < 10 else 0


def _state(entry: _Entry | None) -> dict[str, Any]:
    if entry is None or entry.value not in ("Running", "Waiting", "Terminated"):
        return {}
    told = {each.name: each.value for each in entry.entries}
    code = told.get("Exit Code", "")
    found: dict[str, Any] = {"reason": told.get("Reason", ""), "message": told.get("Message", "")}
    if entry.value == "Running":
        found = {"startedAt": _time(told.get("Started", ""))}
    if code.isdecimal():
        found |= {"exitCode": _count(code), "finishedAt": _time(told.get("Finished", ""))}
    return {entry.value.lower(): {name: value for name, value in found.items() if value not in ("", None)}}


# Times


def _time(written: str) -> str:
    """`Mon, 03 Jun 2024 10:12:01 +0200` in the form of the API server."""
    try:
        found = parsedate_to_datetime(written)
        return _iso_time(found.astimezone(UTC)) if found.tzinfo is not None else ""
    except (TypeError, ValueError, IndexError, OverflowError):
        return ""


def _iso_time(when: datetime) -> str:
    return when.strftime("%Y-%m-%dT%H:%M:%SZ")


def time_before(when: datetime, age: timedelta) -> str:
    return _iso_time(when - age) if when - _EPOCH > age else ""


def _ages(written: str) -> tuple[timedelta, timedelta, int]:
    """How long ago the last time was, how long ago the first, and how often."""
    found = _AGE.fullmatch(written)
    if found is None:
        return timedelta(), timedelta(), 1
    last = age_of(found["last"])
    return last, age_of(found["first"]) if found["first"] else last, _count(found["times"] or "1")


def age_of(written: str) -> timedelta:
    parts = _PARTS_OF_AGE.findall(written)
    return timedelta(seconds=sum(int(amount[:5]) * _SECONDS[unit] for amount, unit in parts))


# Nobody pastes what has not been so for a while: where kubelet has complained again and again, starting up is over.
_AGAIN, _WAITED = 3, timedelta(minutes=20)


def _printed(
    data: dict[str, Any], ages: Sequence[tuple[list[str], timedelta, timedelta, int]], entries: Sequence[_Entry]
) -> datetime:
    """When it was printed: the newest time in it, or the age of its first event behind its start."""
    beats = (each.get("lastHeartbeatTime", "") for each in data.get("status", {}).get("conditions", ()))
    renewed = (_time(each.value) for entry in entries if entry.name == "Lease" for each in entry.entries)
    told = max(map(_moment, (*beats, *renewed)), default=_EPOCH)
    started = _moment(data["metadata"].get("creationTimestamp", ""))
    if data["kind"] == "Node" or started == _EPOCH:
        return told
    lasts = max((first for _, _, first, _ in ages), default=timedelta())
    again = any(row[0] == "Warning" and times >= _AGAIN for row, _, _, times in ages)
    return max(told, started + max(lasts, _WAITED if again else timedelta()))


def _moment(written: Any) -> datetime:
    """The time in the form of the API server."""
    try:
        found = datetime.fromisoformat(written)
    except (TypeError, ValueError):
        return _EPOCH
    return found if found.tzinfo is not None else _EPOCH


# Any other object: its fields


def _object(entries: Sequence[_Entry]) -> dict[str, Any]:
    data = _fields(
        each for each in entries if each.name not in ("Name", "Namespace", "Labels", "Annotations", "Events")
    )
    by_name = {each.name: each for each in entries}
    metadata = data.get("metadata") if isinstance(data.get("metadata"), dict) else {}
    data["metadata"] = {
        **(metadata or {}),
        "name": by_name["Name"].value,
        "namespace": _value(by_name, "Namespace"),
        "labels": _labels(by_name.get("Labels")),
    }
    return data


def _fields(entries: Iterable[_Entry], depth: int = 0) -> dict[str, Any]:
    return {_camel(each.name): _field(each, depth) for each in entries}


def _field(entry: _Entry, depth: int) -> Any:
    if not entry.below or depth > _DEEPEST:
        return "" if entry.value in _NOTHING else entry.value
    inner = entry.entries
    if not inner:
        return [each.strip() for each in entry.below]
    if _camel(entry.name) not in _LISTS:
        return _fields(inner, depth + 1)
    items: list[dict[str, _Entry]] = [{}]
    for each in inner:
        if each.name in items[-1]:
            items.append({})
        items[-1][each.name] = each
    return [_fields(item.values(), depth + 1) for item in items]


def _camel(name: str) -> str:
    """`Last Transition Time` as it is written in YAML; what is no field's name stays as it is."""
    words = name.split(" ")
    if not all(word[:1].isupper() for word in words):
        return name
    first = words[0].lower() if words[0].isupper() else words[0][:1].lower() + words[0][1:]
    return first + "".join(words[1:])

"""The nodes of the cluster that an audit lays beside AWS: asked of its API server, or read from a recording."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from nodeworthy.collect.cloud.recording import read_file, write_file
from nodeworthy.documents.plain import mapping_at, mappings_at, strings_at, text_at
from nodeworthy.errors import CouldNotLook, InputError
from nodeworthy.facts.aws.joined import JoinedNode
from nodeworthy.facts.pod.containers import holds_a_gpu
from nodeworthy.facts.pod.effective_requests import effective_requests
from nodeworthy.known.verification import VERIFIED, VERIFIED_BOOT
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field

_FILE, _SCHEMA = "kubernetes.json", "nodeworthy/audit-nodes/v1"
_ON_A_PAGE = "500"
_OVER = ("Succeeded", "Failed")
# aws:///us-east-2a/i-0a1b2c3d4e5f60718; those of Fargate and of hybrid nodes are no machines of an account.
_MACHINE = pattern(r"aws:///(?P<zone>[a-z0-9-]+)/(?P<machine>i-[0-9a-f]+)")


@dataclass(frozen=True)
class ClusterNodes:
    # The API server's URL.
    server: str
    # As it said them, less what nobody asks of them.
    data: Mapping[str, Any] = field(default_factory=dict)
    # Why they are not known.
    refused: str = ""

    @property
    def nodes(self) -> Sequence[JoinedNode]:
        works = self._works() if "pods" in self.data else None
        return [found for each in mappings_at(self.data, "nodes") if (found := _node(each, works)) is not None]

    def _works(self) -> Mapping[str, Sequence[str]]:
        found: dict[str, list[str]] = {}
        for each in mappings_at(self.data, "pods"):
            named = f"{text_at(each, 'metadata', 'namespace')}/{text_at(each, 'metadata', 'name')}"
            found.setdefault(text_at(each, "spec", "nodeName"), []).append(named)
        return found

    def write(self, folder: Path) -> None:
        write_file(
            folder / _FILE, {"schema": _SCHEMA, "server": self.server, "refused": self.refused, **dict(self.data)}
        )


def ask_nodes(context: str) -> ClusterNodes:
    """Raises InputError where there is no such context."""
    from nodeworthy.collect.cluster.connection import Connection

    try:
        connection = Connection(context)
    except CouldNotLook as problem:
        return ClusterNodes("", refused=str(problem))
    try:
        nodes = [_less(each) for each in _every(connection, "/api/v1/nodes")]
    except CouldNotLook as problem:
        return ClusterNodes(connection.server, refused=str(problem))
    with suppress(CouldNotLook):  # who works on a node is told beside it, and decides nothing
        pods = [_less_of_pod(each) for each in _every(connection, "/api/v1/pods") if _works_on_gpus(each)]
        return ClusterNodes(connection.server, {"nodes": nodes, "pods": pods})
    return ClusterNodes(connection.server, {"nodes": nodes})


def recorded_nodes(folder: Path) -> ClusterNodes | None:
    """Raises InputError for a file that is none of ours; None where none was recorded."""
    path = folder / _FILE
    if not path.exists():
        return None
    said = read_file(path)
    if text_at(said, "schema") != _SCHEMA:
        raise InputError(f"{path} is of no recording that this version reads ({_SCHEMA})")
    return ClusterNodes(text_at(said, "server"), said, text_at(said, "refused"))


def _every(connection: Any, path: str) -> Iterator[Mapping[str, Any]]:
    query = {"limit": _ON_A_PAGE}
    while True:
        answer = connection.get(path, query)
        if answer.status != 200:
            said = text_at(answer.body, "message") or f"the server answered {answer.status}"
            raise CouldNotLook(f"{connection.server} does not list its {path.rpartition('/')[2]}: {said}")
        yield from mappings_at(answer.body, "items")
        more = text_at(answer.body, "metadata", "continue")
        if not more:
            return
        query = {"limit": _ON_A_PAGE, "continue": more}


def _less(node: Mapping[str, Any]) -> Mapping[str, Any]:
    marks = {
        "labels": {name: value for name, value in strings_at(node, "metadata", "labels").items() if name == VERIFIED},
        "annotations": {
            name: value for name, value in strings_at(node, "metadata", "annotations").items() if name == VERIFIED_BOOT
        },
    }
    return {
        "metadata": {"name": text_at(node, "metadata", "name"), **marks},
        "spec": {"providerID": text_at(node, "spec", "providerID")},
        "status": {"nodeInfo": {"bootID": text_at(node, "status", "nodeInfo", "bootID")}},
    }


def _works_on_gpus(pod: Mapping[str, Any]) -> bool:
    if not text_at(pod, "spec", "nodeName") or text_at(pod, "status", "phase") in _OVER:
        return False
    return any(amount and holds_a_gpu(name) for name, amount in effective_requests(mapping_at(pod, "spec")).items())


def _less_of_pod(pod: Mapping[str, Any]) -> Mapping[str, Any]:
    named = {name: text_at(pod, "metadata", name) for name in ("namespace", "name")}
    return {"metadata": named, "spec": {"nodeName": text_at(pod, "spec", "nodeName")}}


def _node(data: Mapping[str, Any], works: Mapping[str, Sequence[str]] | None) -> JoinedNode | None:
    """None for one that is no machine of AWS."""
    said = _MACHINE.fullmatch(text_at(data, "spec", "providerID"))
    if said is None:
        return None
    name = text_at(data, "metadata", "name")
    return JoinedNode(
        name,
        said["machine"],
        said["zone"],
        text_at(data, "status", "nodeInfo", "bootID"),
        strings_at(data, "metadata", "labels").get(VERIFIED, ""),
        strings_at(data, "metadata", "annotations").get(VERIFIED_BOOT, ""),
        works.get(name, ()) if works is not None else None,
    )

"""Which Node of the cluster a host is: its name, or the only one that its own name or its identifier fits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nodeworthy.documents.plain import mapping_at, mappings_at, text_at
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

NODE = "node://"
_NAME = pattern(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?")
_ADDRESS = pattern(r"[0-9.]+|[0-9a-fA-F:]*:[0-9a-fA-F:.]*")


@dataclass(frozen=True)
class Host:
    """A host as a look at it knows it; what it did not say is empty."""

    name: str
    hostname: str = ""
    boot: str = ""

    @property
    def node(self) -> str | None:
        """Of `node://NAME`."""
        return self.name.removeprefix(NODE) if self.name.startswith(NODE) else None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(filter(None, (self.hostname, _without_port(self.name.partition("://")[2]))))


def is_name(text: str) -> bool:
    return _NAME.fullmatch(text) is not None


def node_of(host: Host, nodes: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | str:
    """The node, or why it is not known which one."""
    found = [each for each in nodes if _is_named(each, host.names)]
    if len(found) != 1:
        named = ", ".join(sorted(text_at(each, "metadata", "name") for each in found)[:3])
        there = (
            f"{len(found)} nodes fit it ({named})" if found else "no node has its name, its address or its identifier"
        )
        return f"{there}: name it as {NODE}NAME"
    return another_boot(host, found[0]) or found[0]


def another_boot(host: Host, node: Mapping[str, Any]) -> str | None:
    """A node of the same name may be another machine: in another cluster, or made since."""
    now = text_at(node, "status", "nodeInfo", "bootID")
    if not now or not host.boot or now == host.boot:
        return None
    name = text_at(node, "metadata", "name")
    return f"node {name} runs another boot ({now}) than the machine that was looked at ({host.boot}): look again"


def _is_named(node: Mapping[str, Any], names: Sequence[str]) -> bool:
    own = set(_names(node))
    short = {each.partition(".")[0] for each in own if not _ADDRESS.fullmatch(each)}
    return any(each in own or each in short for each in names)


def _names(node: Mapping[str, Any]) -> Iterator[str]:
    yield text_at(node, "metadata", "name")
    yield from filter(None, [mapping_at(node, "metadata", "labels").get("kubernetes.io/hostname")])
    yield from (text_at(each, "address") for each in mappings_at(node, "status", "addresses"))
    identifier = text_at(node, "spec", "providerID").rpartition("/")[2]
    yield from [identifier] if identifier else []


def _without_port(host: str) -> str:
    if host.startswith("["):
        return host[1:].partition("]")[0]
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdecimal() and ":" not in name else host

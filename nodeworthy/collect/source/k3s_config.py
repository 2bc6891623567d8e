"""What k3s and RKE2 read as config.yaml: also where YAML can't read it, for whoever has the file reads the token in it
all the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath
from typing import TYPE_CHECKING

from nodeworthy.documents.yaml import NotYaml, read_all
from nodeworthy.facts.not_seen import UnreadableInput
from nodeworthy.facts.secrets.plain_text import PlainText
from nodeworthy.patterns import pattern
from nodeworthy.scene import Fact
from nodeworthy.verdict import Located, Place

if TYPE_CHECKING:
    from nodeworthy.facts.fleet.asked_nodes import AskedNodes

_REMEDY = (
    "let whatever builds the node fetch it from a store and write it there (token-file names a file with it alone); "
    "then change it, for it has been seen: k3s token rotate, rke2 token rotate"
)
_KEY = pattern(r"[a-z][a-z0-9-]*[ \t]*:[ \t]")
_RKE2 = "rke2"
_RANGES = ("service-cidr", "cluster-cidr")
_FILLED_IN = (b"{{", b"{%", b"${", b"%{")


def facts_in(data: bytes, called: str, text: str, place: Place) -> Iterator[Fact]:
    broken = fault(data, text, place)
    yield PlainText(place, text if broken is None else own_lines(text), called, _REMEDY)
    yield _nodes(data, called, place)
    if broken is not None:
        yield UnreadableInput(*broken)


def _nodes(data: bytes, called: str, place: Place) -> AskedNodes:
    """The nodes that read it: RKE2's name or its port decides, where k3s is not named it is only likely."""
    from nodeworthy.facts.fleet.asked_nodes import AskedNodes

    services, pods = _ranges(data, place)
    distribution = _RKE2 if called.startswith("RKE2") else "k3s"
    is_likely = distribution == "k3s" and b"k3s" not in data and "k3s" not in place.file
    name = PurePath(place.file).name or "config"
    return AskedNodes(
        name,
        "the node configured by",
        place,
        Located.known(distribution, place),
        called,
        services=services,
        pods=pods,
        is_likely=is_likely,
    )


def _ranges(data: bytes, place: Place) -> tuple[Located[str] | None, Located[str] | None]:
    """The ranges of services and of pods, where a server's config chooses them. Of two families the first counts."""
    if b"-cidr" not in data:
        return None, None
    try:
        documents = read_all(data.decode("utf-8", "replace"), place)
    except NotYaml:
        return None, None
    found = [next((each.get(key) for each in documents if each.get(key).text), None) for key in _RANGES]
    services, pods = (
        Located.known(each.string.split(",")[0].strip(), each.place) if each is not None else None for each in found
    )
    return services, pods


def own_lines(text: str) -> str:
    """The lines of a config that YAML can't read. What else stands there (notes, commands) is left out."""
    return "\n".join(row if _KEY.match(row) else "" for row in text.split("\n"))


def fault(data: bytes, text: str, place: Place) -> tuple[Place, str] | None:
    """Where it can't be read, and why; of a template that is not known."""
    if any(mark in data for mark in _FILLED_IN):
        return None
    try:
        read_all(text, place)
    except NotYaml as problem:
        return problem.place, problem.why
    return None

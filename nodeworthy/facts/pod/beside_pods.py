"""What is applied with pods and makes none: an Ingress, a budget, an autoscaler, in a version of the API that is
gone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from nodeworthy.documents.settled import why_incomplete
from nodeworthy.documents.tree import Tree
from nodeworthy.known.gone_apis import GoneApi, gone_api
from nodeworthy.records import dataclass
from nodeworthy.verdict import Located, Place

# Another rule knows what comes of it.
_TOLD_ELSEWHERE = frozenset(("RuntimeClass",))


@dataclass(frozen=True)
class ObjectOfGoneApi:
    called: ClassVar[str] = "an object of a version of the API that is gone"

    place: Place
    version: Located[str]
    kind: str
    name: str
    gone: GoneApi


def objects_of_gone_apis(document: Tree) -> Iterator[ObjectOfGoneApi]:
    version, kind = document.get("apiVersion"), document.get("kind").string
    gone = gone_api(version.string, kind)
    if gone is None or kind in _TOLD_ELSEWHERE or why_incomplete(document):
        return
    yield ObjectOfGoneApi(document.place, version.located(), kind, document.get("metadata", "name").string, gone)

"""A namespace whose pods HAMi's webhook leaves alone, for a label says so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from nodeworthy.documents.settled import settled
from nodeworthy.documents.tree import Tree
from nodeworthy.known.hami import labels
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located, Place


@dataclass(frozen=True, eq=False)
class OptedOutNamespace:
    called: ClassVar[str] = "a namespace without HAMi's webhook"
    origin: ClassVar[str] = "a manifest"

    place: Place
    name: str
    label: Located[Any]


def opted_out_namespaces(document: Tree) -> Iterator[OptedOutNamespace]:
    name = document.get("metadata", "name").text
    label = settled(document.get("metadata", "labels", labels().webhook))
    if document.get("kind").text == "Namespace" and name and label.state == Known(labels().webhook_off):
        yield OptedOutNamespace(document.place, name, label)

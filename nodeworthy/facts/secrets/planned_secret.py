"""What a program gives Kubernetes in plain words: a password among a chart's values, a token in a pod's environment."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.secrets.plain_text import scalars
from nodeworthy.facts.secrets.secret_manifest import SecretManifest
from nodeworthy.known.secret_names import is_default
from nodeworthy.known.secrets import what_is
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# What they hold is encrypted, kept elsewhere, or says what a password looks like.
_HOLD_NONE = frozenset({"SealedSecret", "ExternalSecret", "ClusterExternalSecret", "CustomResourceDefinition"})


@dataclass(frozen=True, eq=False)
class PlannedSecret:
    """Only what is one: that an object holds none says nothing about what the program makes."""

    called: ClassVar[str] = "an object that a program makes"

    name: str
    tree: Tree
    what: str
    # Of which object or release it is.
    origin: str
    # Not where nobody says whether the program keeps it as a secret.
    is_sure: bool = True

    @property
    def place(self) -> Place:
        return self.tree.place


def in_plain_sight(document: Tree, origin: str) -> Iterator[PlannedSecret]:
    """What the program marks as a secret is encrypted in its state, and is none."""
    kind = document.get("kind").text
    if kind in _HOLD_NONE or document.get("sops").is_mapping:
        return
    for name, tree, text in _packed(document) if kind == "Secret" else _texts(document):
        what = None if tree.secret or is_default(text) else what_is(name, text)
        if what is not None:
            yield PlannedSecret(name, tree, what, origin)


def perhaps_in_plain_sight(values: Tree, origin: str) -> Iterator[PlannedSecret]:
    """Of a chart that is handed over as one text, in which what the program keeps secret looks like all else."""
    for name, tree in scalars(values):
        what = what_is(name, tree.text or "") if tree.secret else None
        if what is not None:
            yield PlannedSecret(name, tree, what, origin, is_sure=False)


def _texts(tree: Tree) -> Iterator[tuple[str, Tree, str]]:
    return ((name, each, each.text or "") for name, each in scalars(tree))


def _packed(secret: Tree) -> Iterator[tuple[str, Tree, str]]:
    yield from SecretManifest(secret).packed()
    yield from _texts(secret.get("stringData"))
    yield from _texts(secret.get("metadata"))

"""What a program gives Kubernetes in plain words: a password among a chart's values, a token in a pod's environment."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.secrets.plain_text import scalars
from nodeworthy.facts.secrets.secret_manifest import SecretManifest
from nodeworthy.known.secret_names import holds, is_default
from nodeworthy.known.secrets import what_is
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# What they hold is encrypted, kept elsewhere, or says what a password looks like.
_HOLD_NONE = frozenset({"SealedSecret", "ExternalSecret", "ClusterExternalSecret", "CustomResourceDefinition"})


@dataclass(frozen=True, eq=False)
class PlannedSecret:
    """A secret that an object holds in plain words, or may hold."""

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


@dataclass(frozen=True, eq=False)
class PlannedObject:
    """An object in which no secret was found in plain words."""

    called: ClassVar[str] = "an object that a program makes"

    tree: Tree
    origin: str
    # What of it is called like a secret, and is not known yet.
    to_come: tuple[str, ...]

    @property
    def place(self) -> Place:
        return self.tree.place


def in_plain_sight(document: Tree, origin: str) -> Iterator[PlannedSecret | PlannedObject]:
    """What the program marks as a secret is encrypted in its state, and is none."""
    kind = document.get("kind").text
    if kind in _HOLD_NONE or document.get("sops").is_mapping:
        return
    found = list(_in_plain_sight(document, origin))
    yield from found
    if not found:
        yield PlannedObject(document, origin, tuple(_to_come(document)))


def _in_plain_sight(document: Tree, origin: str) -> Iterator[PlannedSecret]:
    for name, tree, text in _packed(document) if document.get("kind").text == "Secret" else _texts(document):
        what = None if tree.secret or is_default(text) else what_is(name, text)
        if what is not None:
            yield PlannedSecret(name, tree, what, origin)


def _to_come(tree: Tree, name: str = "") -> Iterator[str]:
    """What is called like a secret and is not known yet, by the names that `scalars` gives."""
    if tree.is_unknown:
        yield from () if tree.secret or holds(name) is None else (name,)
        return
    for child in tree.sequence:
        yield from _to_come(child, name)
    beside = tree.get("name").text if tree.is_mapping else None
    for key, child in tree.mapping.items():
        yield from _to_come(child, beside if key == "value" and beside else key)


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

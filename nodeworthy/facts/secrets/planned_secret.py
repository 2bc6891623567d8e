"""What a program gives Kubernetes in plain words: a password among a chart's values, a token in a pod's environment."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Sequence
from typing import ClassVar

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.secrets.plain_text import scalars
from nodeworthy.known.secret_names import holds, is_default
from nodeworthy.known.secrets import what_is
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# A Kubernetes Secret as a manifest, and what anybody can read in it: base64 hides nothing.

# Kinds that hand a chart its values.
_INSTALL = frozenset(("HelmRelease", "HelmChart", "HelmChartConfig", "Application"))
# What kubeadm is given with `--config`.
_KUBEADMS = "kubeadm.k8s.io/"


@dataclass(frozen=True, eq=False)
class SecretManifest:
    called: ClassVar[str] = "a Secret"
    origin: ClassVar[str] = "a manifest"

    tree: Tree

    @property
    def place(self) -> Place:
        return self.tree.place

    def packed(self) -> Iterator[tuple[str, Tree, str]]:
        """What stands in it in base64: its key, where it stands, and what it says."""
        for name, child in self.tree.get("data").mapping.items():
            text = _unpacked(child.string)
            if text:
                yield name, child, text


def secret_manifests(objects: Sequence[Tree]) -> Iterator[SecretManifest]:
    for each in objects:
        if is_readable_secret(each) and any(SecretManifest(each).packed()):
            yield SecretManifest(each)


def is_readable_secret(tree: Tree) -> bool:
    is_secret = tree.is_mapping and tree.get("kind").text == "Secret" and not tree.get("sops").is_mapping
    return is_secret and bool(tree.get("data").mapping or tree.get("stringData").mapping)


def is_telling_config_map(tree: Tree) -> bool:
    """Whether a ConfigMap holds what belongs in a Secret; most hold nothing of ours."""
    if not tree.is_mapping or tree.get("kind").text != "ConfigMap" or tree.get("sops").is_mapping:
        return False
    return any(what_is(name, child.text) is not None for name, child in tree.get("data").mapping.items() if child.text)


def is_kubeadms(tree: Tree) -> bool:
    return tree.is_mapping and tree.get("apiVersion").string.startswith(_KUBEADMS)


def installs(tree: Tree) -> bool:
    """Whether it installs a chart with the values that stand in it, as they stand there."""
    return tree.is_mapping and tree.get("kind").text in _INSTALL


def without_packed(text: str, secrets: Sequence[SecretManifest]) -> str:
    """The text with blank lines for what stands in base64 in a Secret, and is looked at unpacked."""
    packed = {child.place.line: child.string for each in secrets for _, child, _ in each.packed()}
    if not packed:
        return text
    plain = {child.place.line for each in secrets for child in each.tree.get("stringData").mapping.values()}
    lines = text.split("\n")
    for line, value in packed.items():
        if line is None or line in plain or line > len(lines):
            continue
        lines[line - 1] = ""
        parts = value.split()
        for at in range(line, min(line + len(parts), len(lines))):  # `ca.key: |`: it stands below
            if lines[at].strip() in parts:
                lines[at] = ""
    return "\n".join(lines)


def _unpacked(text: str) -> str:
    try:
        return base64.b64decode("".join(text.split()), validate=True).decode("utf-8")
    except (binascii.Error, ValueError):
        return ""


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
    """An object of a plan in which no secret stands in plain words."""

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
    """The possible secrets in a chart that is handed over as one text, in which what the program keeps secret looks
    like everything else."""
    for name, tree in scalars(values):
        what = what_is(name, tree.string) if tree.secret else None
        if what is not None:
            yield PlannedSecret(name, tree, what, origin, is_sure=False)


def _texts(tree: Tree) -> Iterator[tuple[str, Tree, str]]:
    return ((name, each, each.string) for name, each in scalars(tree))


def _packed(secret: Tree) -> Iterator[tuple[str, Tree, str]]:
    yield from SecretManifest(secret).packed()
    yield from _texts(secret.get("stringData"))
    yield from _texts(secret.get("metadata"))


# What a stack tells whoever may read it: the outputs that its program exports.


@dataclass(frozen=True, eq=False)
class StackOutput:
    """An output that holds a secret in plain sight, or may when it is known."""

    called: ClassVar[str] = "an output of a stack"

    name: str
    tree: Tree
    # "a password"; None where its name says that it is a secret, and its value is not known yet.
    what: str | None

    @property
    def place(self) -> Place:
        return self.tree.place


def outputs_in_plain_sight(outputs: Tree) -> list[StackOutput]:
    """The outputs with a secret in them. That there are none says nothing about what the program makes."""
    return [found for top, tree in outputs.mapping.items() for found in _within(top, tree)]


def _within(top: str, tree: Tree) -> list[StackOutput]:
    if tree.secret:
        return []
    if tree.is_unknown:
        return [StackOutput(top, tree, None)] if holds(top) is not None else []
    told = [(each, what_is(name, each.string)) for name, each in scalars(tree, top) if _is_said(each)]
    return [StackOutput(each.place.subject or top, each, what) for each, what in told if what is not None]


def _is_said(tree: Tree) -> bool:
    return not tree.secret and not is_default(tree.string)


# What stands in a repository.


@dataclass(frozen=True, eq=False)
class ParameterDefault:
    """The default of a template's parameter, where it is a secret."""

    called: ClassVar[str] = "a parameter's default"

    place: Place
    name: str
    what: str


def default_secret(name: str, value: str) -> str | None:
    """What it is, where it is one; None for what waits for somebody to fill it in."""
    return what_is(name, value) if not is_default(value) else None


@dataclass(frozen=True, eq=False)
class CommittedPlan:
    """A plan of Terraform in JSON that git keeps: there what is sensitive stands in plain words."""

    called: ClassVar[str] = "a plan of Terraform in the repository"

    place: Place
    # What is sensitive, by its name; of its value nothing is kept.
    names: Sequence[str]

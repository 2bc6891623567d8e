"""A Kubernetes Secret as a manifest, and what anybody can read in it: base64 hides nothing."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Sequence
from typing import ClassVar

from nodeworthy.documents.tree import Tree
from nodeworthy.known.secrets import what_is
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# Kinds that hand a chart its values, or make Secrets of what stands in them.
_HAND_OVER = frozenset(("HelmRelease", "HelmChart", "HelmChartConfig", "Application", "Kustomization"))


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
            text = _unpacked(child.text or "")
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


def hands_over(tree: Tree) -> bool:
    """Whether it installs a chart, or generates a Secret: what stands in it in plain words may belong in one."""
    return tree.is_mapping and tree.get("kind").text in _HAND_OVER and not tree.get("sops").is_mapping


def without_packed(text: str, secrets: Sequence[SecretManifest]) -> str:
    """The text with blank lines for what stands in base64 in a Secret, and is looked at unpacked."""
    places = [child.place.line for each in secrets for _, child, _ in each.packed()]
    if not places:
        return text
    plain = {child.place.line for each in secrets for child in each.tree.get("stringData").mapping.values()}
    lines = text.split("\n")
    for line in places:
        if line is not None and line not in plain and line <= len(lines):
            lines[line - 1] = ""
    return "\n".join(lines)


def _unpacked(text: str) -> str:
    try:
        return base64.b64decode("".join(text.split()), validate=True).decode("utf-8")
    except (binascii.Error, ValueError):
        return ""

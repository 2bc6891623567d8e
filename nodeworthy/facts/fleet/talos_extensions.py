"""NVIDIA's extensions that one image of Talos is made with: the modules, the toolkit with the driver's libraries, and
fabric manager. Each is published of two branches of the driver, which differ in their version."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from nodeworthy.documents.tree import Tree
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# siderolabs/extensions: nvidia-gpu/, since Talos 1.8; 2026-08.
_OF_NVIDIA = pattern(
    r"(?:[^@]*/)?(?P<kind>nonfree-kmod-nvidia|nvidia-open-gpu-kernel-modules|nvidia-container-toolkit|nvidia-fabricmanager)"
    r"-(?P<branch>lts|production)(?:[:@].*)?"
)
_MODULES = ("nonfree-kmod-nvidia", "nvidia-open-gpu-kernel-modules")


@dataclass(frozen=True)
class Extension:
    tree: Tree
    kind: str
    branch: str

    @property
    def holds_modules(self) -> bool:
        return self.kind in _MODULES


@dataclass(frozen=True)
class NvidiaExtensions:
    called: ClassVar[str] = "NVIDIA's extensions of an image of Talos"

    place: Place
    every: tuple[Extension, ...]

    @property
    def modules(self) -> Extension | None:
        return next((each for each in self.every if each.holds_modules), None)


def extensions_of_talos(document: Tree) -> Iterator[NvidiaExtensions]:
    """Those of a schematic, of each node of a talconfig that says its own, of a machine config, of a part of Omni's
    template: one list is one image."""
    for listed in _lists(document):
        yield from extensions_together(listed)


def extensions_together(listed: Sequence[Tree]) -> Iterator[NvidiaExtensions]:
    found = tuple(filter(None, map(_extension, listed)))
    if found:
        yield NvidiaExtensions(found[0].tree.place, found)


def _lists(document: Tree) -> Iterator[Sequence[Tree]]:
    official = ("customization", "systemExtensions", "officialExtensions")
    yield document.get(*official).sequence
    holders = (document, document.get("controlPlane"), document.get("worker"), *document.get("nodes").sequence)
    yield from (each.get("schematic", *official).sequence for each in holders)
    yield [each.get("image") for each in document.get("machine", "install", "extensions").sequence]
    yield document.get("systemExtensions").sequence


def _extension(named: Tree) -> Extension | None:
    found = _OF_NVIDIA.fullmatch(named.string)
    return Extension(named, found["kind"], found["branch"]) if found is not None else None

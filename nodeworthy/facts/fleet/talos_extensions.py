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
_OFFICIAL = ("customization", "systemExtensions", "officialExtensions")
_INSTALLED = ("machine", "install", "extensions")
# A file in which some of them are named.
HOLDS_MODULES = pattern(
    rb"\b(?:nonfree-kmod-nvidia|nvidia-open-gpu-kernel-modules)-", words=(b"kmod-nvidia", b"kernel-modules")
)
TOOLKIT = "nvidia-container-toolkit"
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
    # It is all that the image has beside Talos itself; others are added to what stands elsewhere.
    is_whole: bool = False

    @property
    def has_toolkit(self) -> bool:
        return any(each.kind == TOOLKIT for each in self.every)

    @property
    def modules(self) -> Extension | None:
        return next((each for each in self.every if each.holds_modules), None)


def extensions_of_talos(document: Tree) -> Iterator[NvidiaExtensions]:
    """Those of a schematic, of each node of a talconfig that says its own, of a machine config, of a part of Omni's
    template: one list is one image."""
    for listed in _schematics(document):
        yield from extensions_together(listed, is_whole=True)
    yield from extensions_together([each.get("image") for each in document.get(*_INSTALLED).sequence])
    yield from extensions_together(document.get("systemExtensions").sequence)


def extensions_together(listed: Sequence[Tree], *, is_whole: bool = False) -> Iterator[NvidiaExtensions]:
    found = tuple(filter(None, map(_extension, listed)))
    if found:
        yield NvidiaExtensions(found[0].tree.place, found, is_whole and not any(map(_is_made_later, listed)))


def _schematics(document: Tree) -> Iterator[Sequence[Tree]]:
    yield document.get(*_OFFICIAL).sequence
    holders = (document, document.get("controlPlane"), document.get("worker"), *document.get("nodes").sequence)
    yield from (each.get("schematic", *_OFFICIAL).sequence for each in holders)


def _is_made_later(named: Tree) -> bool:
    return named.text is None or "{" in named.text


def _extension(named: Tree) -> Extension | None:
    found = _OF_NVIDIA.fullmatch(named.string)
    return Extension(named, found["kind"], found["branch"]) if found is not None else None

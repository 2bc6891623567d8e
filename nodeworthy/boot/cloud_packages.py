"""Packages, drivers and repositories of cloud-config."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.boot.cloud_files import is_true
from nodeworthy.boot.cloud_merge import Steps
from nodeworthy.boot.cloud_steps import PackageInstall, Repository
from nodeworthy.boot.effects import Stage
from nodeworthy.boot.scalars import Document
from nodeworthy.boot.text import Text
from nodeworthy.documents.tree import Tree


def repositories(steps: Steps) -> None:
    for piece in steps.pieces.get("apt", ()):
        for name, entry in piece.tree.get("sources").mapping.items():
            _repository(steps, piece.document, name, entry.get("source"), "apt")
    for entry, document in steps.entries("apt_sources"):
        _repository(steps, document, "cloud_init_source", entry.get("source"), "apt")
    for piece in steps.pieces.get("yum_repos", ()):
        for name, entry in piece.tree.mapping.items():
            _repository(steps, piece.document, name, entry.get("baseurl"), "yum")


def _repository(steps: Steps, document: Document, name: str, source: Tree, kind: str) -> None:
    called = document.fillings.text(name)
    text = Text() if source.is_absent else document.scalar(source)
    place, guard = document.place(source), document.guard(source)
    steps.steps.append(Repository(place=place, stage=Stage.PACKAGES, guard=guard, kind=kind, name=called, source=text))


def packages(steps: Steps) -> None:
    """Drivers come before the distribution's packages; both before any script."""
    for piece in steps.pieces.get("drivers", ()):
        accepted = piece.tree.get("nvidia", "license-accepted")
        if is_true(accepted):
            driver = (Text.of("nvidia-driver"),)
            place, guard = piece.document.place(accepted), piece.document.guard(accepted)
            stage, manager = Stage.PACKAGES, "ubuntu-drivers"
            install = PackageInstall(place=place, stage=stage, guard=guard, manager=manager, packages=driver)
            steps.steps.append(install)
    for key in ("package_upgrade", "apt_upgrade"):
        for piece in steps.pieces.get(key, ()):
            if is_true(piece.tree):
                place, guard = piece.place, piece.guard
                steps.steps.append(PackageInstall(place=place, stage=Stage.PACKAGES, guard=guard, upgrades=True))
    for entry, document in steps.entries("packages"):
        steps.steps += _packages(entry, document)


def _packages(entry: Tree, document: Document) -> Iterator[PackageInstall]:
    """A name, a name with a version, or names by their manager."""
    if not entry.is_mapping:
        yield _package(entry, document, "")
    for manager, named in entry.mapping.items():
        for each in named.sequence:
            yield _package(each, document, manager)


def _package(entry: Tree, document: Document, manager: str) -> PackageInstall:
    names = [document.scalar(word) for word in (entry.sequence or [entry])]
    package = names[0] + Text.of("=") + names[1] if len(names) > 1 else names[0]
    place, guard = document.place(entry), document.guard(entry)
    return PackageInstall(place=place, stage=Stage.PACKAGES, guard=guard, manager=manager, packages=(package,))

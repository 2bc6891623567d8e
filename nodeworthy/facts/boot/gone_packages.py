"""Packages that a script installs from a repository that is not there any more."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.boot.effects import AddsRepository, How, Installs, Writes
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.kubelet_starts import package_name
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.known.repositories import GoneRepository, gone_repositories
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

_LISTS = ("/etc/apt/sources.list", "/etc/yum.repos.d/", "/etc/zypp/repos.d/")
_MANAGERS = ("apt", "apt-get", "aptitude", "dnf", "yum", "microdnf", "zypper", "cloud-init")


@dataclass(frozen=True)
class Gone:
    repository: GoneRepository
    named: str
    place: Place
    installs: Installs
    packages: tuple[str, ...]


def packages_gone(script: BootScript) -> Gone | None:
    said = "\n".join(part.text for part in script.userdata.parts)
    for repository in gone_repositories():
        if not any(each in said for each in repository.urls) or repository.has_another(_without_comments(said)):
            continue
        added = next(_added(script.timeline, repository), None)
        wanted = next(_wanted(script.timeline, repository), None)
        if added is not None and wanted is not None:
            return Gone(repository, *added, *wanted)
    return None


def _without_comments(text: str) -> str:
    return "\n".join(row for row in text.splitlines() if not row.lstrip().startswith("#"))


def _added(timeline: Timeline, repository: GoneRepository) -> Iterator[tuple[str, Place]]:
    for each in timeline.effects:
        if isinstance(each, AddsRepository) and repository.named_in(each.repository.shown()):
            yield repository.named_in(each.repository.shown()), each.place
        elif isinstance(each, Writes) and each.how is not How.DELETE and each.path.shown().startswith(_LISTS):
            for line in each.content.lines if each.content is not None else ():
                named = repository.named_in(line.text.shown())
                if named and not line.text.shown().lstrip().startswith("#"):
                    yield named, line.place


def _wanted(timeline: Timeline, repository: GoneRepository) -> Iterator[tuple[Installs, tuple[str, ...]]]:
    for each in timeline.of(Installs):
        if each.manager in _MANAGERS and not each.removes:
            bare = (package_name(package.shown()) for package in each.packages)
            named = tuple(name for name in bare if name in repository.packages)
            if named:
                yield each, named

"""Packages that a script installs from a repository that is not there any more, or that never had them so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.boot.effects import AddsRepository, How, Installs, Runs, Writes
from nodeworthy.boot.timeline import Timeline
from nodeworthy.boot.userdata import PartKind
from nodeworthy.facts.boot.kubelet_starts import package_name
from nodeworthy.facts.boot.made_ready import is_one_in_all_but_name, is_swapoff
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.known.kubelet import kubelet_packages, runtimes
from nodeworthy.known.repositories import GoneRepository, gone_repositories
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

_LISTS = ("/etc/apt/sources.list", "/etc/yum.repos.d/", "/etc/zypp/repos.d/")
# How kubelet's packages are numbered in the archive that was switched off, and in the one that is there: `1.30.2-00`,
# `1.30.2-1.1`. Mirrors kept the old ones.
_NEW_ARCHIVE, _OLD_REVISION = "pkgs.k8s.io/core:", "-00"
_KEPT_THE_OLD = pattern(r"mirror|aliyun|tuna|ustc|nexus|artifactory|apt\.kubernetes\.io|packages\.cloud\.google")
# Whose folder or file is called so sets up whoever asks a cluster, and no node of it.
_OF_A_CLIENT = pattern(r"(?i)kubectl|client|workstation|laptop|desktop|bastion|jump|runner|jenkins|dev-?container")
_OF_APT = ("apt", "apt-get", "aptitude", "nala")
_MANAGERS = ("apt", "apt-get", "aptitude", "dnf", "yum", "microdnf", "zypper", "cloud-init")


@dataclass(frozen=True)
class Gone:
    repository: GoneRepository
    named: str
    place: Place
    packages: tuple[str, ...]
    # None where another file asks for them, or by names that nobody wrote here.
    installs: Installs | None = None


def packages_gone(script: BootScript) -> Gone | None:
    said = script.userdata.text
    for repository in gone_repositories():
        if not any(each in said for each in repository.urls) or repository.has_another(without_comments(said)):
            continue
        added = next(_added(script.timeline, repository), None)
        if added is None:
            continue
        wanted = next(_wanted(script.timeline, repository), None)
        if wanted is not None:
            installs, packages = wanted
            return Gone(repository, *added, packages, installs)
        if _leaves_it_to_others(script):
            return Gone(repository, *added, repository.packages)
    return None


def _leaves_it_to_others(script: BootScript) -> bool:
    """Whether what comes from there is installed by somebody else, or by names that are not known: of whoever wants a
    client of the cluster alone nothing is said."""
    if is_of_a_client(script.place.file):
        return False
    every = [each for each in script.timeline.of(Installs) if not each.removes]
    names = [package_name(package.shown()) for each in every for package in each.packages]
    if any(name.startswith("kubectl") for name in names):
        return False
    is_open = any("{{" in name or "$" in name for name in names)
    return is_open or script.userdata.has(PartKind.PLAYBOOK) or _makes_ready(script.timeline, names)


def is_of_a_client(path: str) -> bool:
    """Whether what lies there sets up whoever asks a cluster, by how it is called."""
    return _OF_A_CLIENT.search(path) is not None


def _makes_ready(timeline: Timeline, names: Sequence[str]) -> bool:
    brings_a_runtime = any(name in runtime.packages for name in names for runtime in runtimes())
    return brings_a_runtime or is_one_in_all_but_name(timeline) or any(map(is_swapoff, timeline.of(Runs)))


@dataclass(frozen=True)
class Misnumbered:
    """A package that apt is asked for by a number of the archive before."""

    installs: Installs
    written: str


def old_number_asked_for(script: BootScript) -> Misnumbered | None:
    said = without_comments(script.userdata.text)
    if _NEW_ARCHIVE not in said or _KEPT_THE_OLD.search(said):
        return None
    for each in script.timeline.of(Installs):
        for package in each.packages if each.manager in _OF_APT and not each.removes else ():
            name, equals, number = package.shown().partition("=")
            if equals and name in kubelet_packages() and number.endswith(_OLD_REVISION):
                return Misnumbered(each, package.shown())
    return None


def without_comments(text: str) -> str:
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

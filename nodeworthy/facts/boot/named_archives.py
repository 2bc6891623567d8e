"""Archives of packages that have been switched off, in files that name one and install nothing themselves: the lists of
apt and dnf, and variables of Ansible. Who installs from there is another file's matter; there is nothing to be had."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.boot.gone_packages import is_of_a_client, without_comments
from nodeworthy.known.repositories import GoneRepository, gone_repositories
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# A line of apt's list and a key of dnf's that say where packages are; a key's address beside them says nothing.
_OF_A_LIST = pattern(r"(?i)[ \t]*(?:deb\b|deb822\b|baseurl[ \t]*=|URIs[ \t]*:)")
_TURNED_OFF = pattern(r"(?im)^[ \t]*enabled[ \t]*[=:][ \t]*(?:0|no|false)\b")
# apt is told the suite apart from the address where a variable holds the address alone.
_ADDRESS_ALONE = pattern(r"https?://packages\.cloud\.google\.com/apt/?")
_OF_KUBERNETES = pattern(r"(?i)kube|k8s")
_OF_ANOTHER = pattern(r"(?i)kubectl|client|gpg|key")
# What holds commands is read as commands.
_MOST_DEEP = 6
_MOST_VALUES = 5000


@dataclass(frozen=True)
class NamedArchive:
    called: ClassVar[str] = "an archive of packages that a file names"

    place: Place
    repository: GoneRepository
    # Its address as it stands there.
    named: str


def archives_in_list(text: str, place: Place) -> Iterator[NamedArchive]:
    """The first one; none where another archive stands beside it, or where the list is turned off."""
    bare = without_comments(text)
    if _TURNED_OFF.search(bare) or is_of_a_client(place.file):
        return
    for repository in gone_repositories():
        if repository.has_another(bare):
            continue
        for number, row in enumerate(text.split("\n"), 1):
            named = repository.named_in(row) if _OF_A_LIST.match(row) else ""
            if named:
                yield NamedArchive(Place(place.path, number), repository, named)
                return


def archives_in_variables(document: Tree, text: str) -> Iterator[NamedArchive]:
    """The first one that a variable holds as its whole value."""
    if not document.is_mapping or not document.get("kind").is_absent or is_of_a_client(document.place.file):
        return
    for repository in gone_repositories():
        if repository.has_another(without_comments(text)):
            continue
        for name, value in _values(document):
            named = _named_by(repository, name, value.string)
            if named:
                yield NamedArchive(value.place, repository, named)
                return


def _named_by(repository: GoneRepository, name: str, value: str) -> str:
    if "\n" in value or _OF_ANOTHER.search(name):
        return ""
    alone = _ADDRESS_ALONE.fullmatch(value) if _OF_KUBERNETES.search(name) else None
    return alone[0].partition("//")[2] if alone is not None else repository.named_in(value)


def _values(document: Tree) -> Iterator[tuple[str, Tree]]:
    """Every text of it, with the names on the way there; what is deep or long is not a table of variables."""
    pending, seen = [("", document, 0)], 0
    while pending and seen < _MOST_VALUES:
        name, tree, depth = pending.pop(0)
        seen += 1
        if tree.text is not None:
            yield name, tree
        elif depth < _MOST_DEEP:
            pending += [(f"{name}.{key}", each, depth + 1) for key, each in tree.mapping.items()]
            pending += [(name, each, depth + 1) for each in tree.sequence]

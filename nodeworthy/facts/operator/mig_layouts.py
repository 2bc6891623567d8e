"""The configurations of mig-parted (the operator's MIG manager): into which slices which GPUs of a node are cut."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from nodeworthy.documents.release import Release, document_inside
from nodeworthy.documents.settled import settle_all
from nodeworthy.documents.tree import Tree
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place, Unknown

_KEY = "mig-configs"
MIG_CONFIGS = f"{_KEY}:"
# The map that the operator brings by itself: assets/state-mig-manager. It has these among some twenty.
OPERATORS_OWN = "default-mig-parted-config"
_ITS_LAYOUTS = frozenset(("all-disabled", "all-enabled", "all-balanced"))
# The one that the operator's chart reads, of migManager: its templates/mig_config.yaml.
READ = ("migManager", "config", "data")
_PATHS = (("config", "data"), ("config",), ("data",))


@dataclass(frozen=True)
class MigEntry:
    """One entry of a configuration: for which GPUs, and what they are cut into."""

    tree: Tree

    @property
    def devices(self) -> Tree:
        return self.tree.get("devices")

    @property
    def slices(self) -> Tree:
        return self.tree.get("mig-devices")

    @property
    def is_off(self) -> bool:
        return self.tree.get("mig-enabled").value is False

    @property
    def numbers(self) -> tuple[tuple[int, Tree], ...]:
        """The GPUs that it names one by one; `all` names none."""
        found = ((each.value, each) for each in self.devices.sequence)
        return tuple((value, tree) for value, tree in found if isinstance(value, int) and not isinstance(value, bool))


@dataclass(frozen=True)
class MigLayout:
    """One configuration, under the name by which a node's label nvidia.com/mig.config chooses it."""

    name: str
    tree: Tree

    @property
    def entries(self) -> tuple[MigEntry, ...]:
        return tuple(MigEntry(each) for each in self.tree.sequence if each.is_mapping)

    @property
    def cuts_unlike(self) -> bool:
        """Whether one GPU is cut into slices of several sizes."""
        counts = [[each.value for each in entry.slices.mapping.values()] for entry in self.entries]
        return any(sum(isinstance(each, int) and each > 0 for each in one) > 1 for one in counts)


@dataclass(frozen=True)
class MigLayouts:
    called: ClassVar[str] = "configurations of mig-parted"

    place: Place
    tree: Tree
    # The ConfigMap that holds them; empty where they stand in a file or in values.
    config_map: str = ""
    # All that it has.
    keys: tuple[str, ...] = ()
    # A cluster gave it out: it is what was there, and nothing that anybody keeps.
    is_of_a_cluster: bool = False

    @property
    def title(self) -> str:
        return "the MIG configuration"

    @property
    def why_unread(self) -> str | None:
        return self.tree.value.why if isinstance(self.tree.value, Unknown) else None

    @property
    def layouts(self) -> tuple[MigLayout, ...]:
        return tuple(MigLayout(name, tree) for name, tree in self.tree.get(_KEY).mapping.items())

    @property
    def is_nvidias(self) -> bool:
        """Whether it is the map that the operator brings, as it brings it."""
        return self.config_map == OPERATORS_OWN and {each.name for each in self.layouts} >= _ITS_LAYOUTS


def layouts_in_object(document: Tree) -> Iterator[MigLayouts]:
    """The layouts in a ConfigMap, or in a file of their own."""
    if document.get("kind").text == "ConfigMap":
        metadata = document.get("metadata")
        is_of_a_cluster = not (metadata.get("uid").is_absent and metadata.get("ownerReferences").is_absent)
        yield from _in_texts(document.get("data"), metadata.get("name").string, is_of_a_cluster=is_of_a_cluster)
    elif document.get("kind").is_absent and document.get(_KEY).is_mapping:
        yield MigLayouts(document.place, document)


def layouts_in_values(release: Release) -> Iterator[MigLayouts]:
    """The layouts in values of the operator's chart, which makes a ConfigMap of `migManager.config.data`, and in values
    meant for it."""
    values = release.values
    for holder in (values, *(each for each in values.mapping.values() if each.is_mapping)):
        for _, data in layouts_by_path(holder):
            yield from _in_texts(data)


def layouts_by_path(values: Tree) -> Iterator[tuple[tuple[str, ...], Tree]]:
    """Where values hold such configurations below what is called after MIG."""
    for name, part in values.mapping.items():
        for path in _PATHS if name.startswith("mig") else ():
            data = part.get(*path)
            if any(_is_layout(each) for key, each in data.mapping.items() if key != READ[-1]):
                yield (name, *path), data


def _is_layout(written: Tree) -> bool:
    return MIG_CONFIGS in written.string


def _in_texts(data: Tree, config_map: str = "", *, is_of_a_cluster: bool = False) -> Iterator[MigLayouts]:
    for written in data.mapping.values():
        if _is_layout(written):
            tree = settle_all(document_inside(written))
            place = tree.place if tree.is_mapping else written.place
            yield MigLayouts(place, tree, config_map, tuple(data.mapping), is_of_a_cluster)

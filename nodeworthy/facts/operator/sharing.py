"""Configurations of NVIDIA's device plugin: how many pods share a GPU, and by which means."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from nodeworthy.documents.release import Release, document_inside
from nodeworthy.documents.tree import Tree
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import Place, Unknown

TIME_SLICING, MPS = "timeSlicing", "mps"
MEANS = (TIME_SLICING, MPS)
# Keys of one of the means, which people write beside them or elsewhere.
OF_THE_MEANS = ("renameByDefault", "failRequestsGreaterThanOne")
LEAST = 2
# Of one GPU, from Volta on: k8s-device-plugin, cmd/mps-control-daemon/mps/device.go (16 before).
MOST_BY_MPS = 48
MIG_STRATEGY = "migStrategy"
# Where people write it among the values of the operator's chart, whose templates read mig.strategy and, of
# devicePlugin.config, name, default, create and data: templates/clusterpolicy.yaml and plugin_config.yaml; 2026-08.
UNREAD: tuple[tuple[str, ...], ...] = (
    *(
        (*above, name)
        for above in ((), ("devicePlugin",), ("devicePlugin", "config"))
        for name in (TIME_SLICING, "sharing", MIG_STRATEGY)
    ),
    ("devicePlugin", "config", "map"),
)
# The parts whose `config.data` the chart makes a ConfigMap of, with `config.create: true` (its plugin_config.yaml and
# mig_config.yaml); and what comes of it where a part waits for one.
MAKERS = {
    "devicePlugin": "the node offers no GPU",
    "migManager": "no GPU is cut into slices",
}
# Parts that the device plugin's own chart has not, which reads `migStrategy` and `config.map`.
OPERATORS = frozenset(("driver", "toolkit", "operator", "dcgm", "dcgmExporter", "migManager", "mig"))
_ADVERTISED = pattern(r"(?:nvidia\.com/)?(?:gpu|mig-\d+g\.\d+gb(?:\.me|\.gfx|\.me\.all|-me|\.all)*)")
_MEANS = frozenset(each.lower() for each in ("timeSlicing", "mps"))
# What a text must hold to be one.
# Also as yamlencode and jsonencode write it: with quotes around each name.
_VERSION, _SHARING = pattern(r"\bversion[\"']?\s*:"), pattern(r"\bsharing[\"']?\s*:")
_SLICED = pattern(r"\btimeSlicing[\"']?\s*:")
_MEANT = pattern(r"timeSlicing|\b(?:mps|replicas)[\"']?\s*:")


@dataclass(frozen=True)
class SharedResource:
    """One entry of `resources`: what is shared, and by how many."""

    tree: Tree
    means: str
    # All that is said of these means, also of how a shared resource is called.
    said: Tree

    @property
    def name(self) -> Tree:
        return self.tree.get("name")

    @property
    def replicas(self) -> Tree:
        return self.tree.get("replicas")


@dataclass(frozen=True)
class SharingConfig:
    """One configuration: of a ConfigMap that has several, each under a name by which a node chooses it."""

    called: ClassVar[str] = "a configuration of the device plugin that shares GPUs"

    place: Place
    tree: Tree
    # Its key, and the ConfigMap that holds it, where these are known.
    key: str = ""
    map: str = ""
    # Where that lies, where it says so itself.
    namespace: str = ""
    # All that the ConfigMap holds, also what shares nothing.
    keys: tuple[str, ...] = ()
    # What the plugin's own chart names as the one of them by which nodes go; of one of them, to be judged once.
    default: Tree | None = None
    # Kustomize lays it over another ConfigMap, which may hold more.
    is_patch: bool = False
    # A ConfigMap holds texts; what stands there as a mapping it does not take.
    is_text: bool = True

    @property
    def title(self) -> str:
        return f"the device plugin's configuration '{self.key}'" if self.key else "the device plugin's configuration"

    @property
    def sharing(self) -> Tree:
        return self.tree.get("sharing")

    @property
    def why_unread(self) -> str | None:
        return self.tree.value.why if isinstance(self.tree.value, Unknown) else None

    @property
    def mig_strategy(self) -> Tree:
        return self.tree.get("flags", "migStrategy")

    def of(self, means: str) -> Tree | None:
        """What it says of one of the means; Go reads keys of JSON in any case. None where it says nothing."""
        found = next((tree for key, tree in self.sharing.mapping.items() if key.lower() == means.lower()), None)
        return None if found is None or found.is_null else found

    @property
    def misplaced(self) -> Iterator[tuple[str, Tree]]:
        """Means that do not stand below `sharing`, where there is nothing else."""
        if self.sharing.is_absent:
            yield from ((key, tree) for key, tree in self.tree.mapping.items() if key.lower() in _MEANS)

    def misspelt(self) -> Iterator[tuple[str, Tree]]:
        known = {each.lower() for each in (*MEANS, *OF_THE_MEANS)}
        yield from ((key, tree) for key, tree in self.sharing.mapping.items() if key.lower() not in known)

    def resources(self) -> Iterator[SharedResource]:
        for means in MEANS:
            said = self.of(means)
            if said is not None:
                yield from (SharedResource(each, means, said) for each in said.get("resources").sequence)

    def renaming(self, name: str) -> Tree | None:
        """What says that pods find a shared resource under another name."""
        shared = (each for each in self.resources() if each.name.text == name)
        said = (each.said.get("renameByDefault") for each in shared)
        return next((each for each in said if each.value is True), None)


def is_advertised(name: str) -> bool:
    return _ADVERTISED.fullmatch(name) is not None


def sharing_in_object(document: Tree) -> Iterator[SharingConfig]:
    """The sharing in a ConfigMap, or in a file of its own."""
    if document.get("kind").text == "ConfigMap":
        metadata = document.get("metadata")
        for each in _in_texts(document.get("data"), metadata.get("name").string):
            yield replace(each, namespace=metadata.get("namespace").string)
    elif document.get("kind").is_absent and document.get("sharing").is_mapping and document.get("version").text == "v1":
        yield SharingConfig(document.place, document)


def sharing_in_values(release: Release) -> Iterator[SharingConfig]:
    """The sharing in the values of the operator's chart, which makes a ConfigMap of `data`, and of the device plugin's
    chart, which has `map`."""
    values = release.values
    for holder in (values, *(each for each in values.mapping.values() if each.is_mapping)):
        config = holder.get("devicePlugin", "config")
        yield from _in_texts(config.get("data"), config.get("name").string)
        yield from _of_the_plugins_chart(holder.get("config"))


def _of_the_plugins_chart(config: Tree) -> Iterator[SharingConfig]:
    for index, each in enumerate(_in_texts(config.get("map"), "")):
        yield replace(each, default=config.get("default")) if index == 0 else each


def _in_texts(data: Tree, name: str) -> Iterator[SharingConfig]:
    for key, written in data.mapping.items():
        text = written.string
        if written.is_mapping and written.get("sharing").is_mapping:
            yield SharingConfig(written.place, written, key, name, keys=tuple(data.mapping), is_text=False)
        elif _VERSION.search(text) and (_SLICED.search(text) or (_SHARING.search(text) and _MEANT.search(text))):
            tree = document_inside(written)
            place = tree.place if tree.is_mapping else written.place
            yield SharingConfig(place, tree, key, name, keys=tuple(data.mapping))

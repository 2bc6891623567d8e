"""What kubeadm is given with `--config`: how it takes the arguments of what it starts.

Up to v1beta3 they are a mapping of names to texts, from v1beta4 on a list of `name` and `value`; the other shape ends
kubeadm before it has done anything. So does a version of the config that the kubeadm of this Kubernetes has no more, or
not yet: kubeadm is of the version that it installs, or one newer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from nodeworthy.boot.content import Line
from nodeworthy.boot.effects import Writes
from nodeworthy.documents.tree import Tree
from nodeworthy.documents.yaml import NotYaml, read_all
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.boot.written_text import content_of
from nodeworthy.facts.secrets.planned_secret import is_kubeadms
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import Place

_MARK = "kubeadm.k8s.io/"
_OF_KUBELET = "kubeletExtraArgs"
_OF_NODES = (("nodeRegistration", _OF_KUBELET),)
_BY_KIND: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "InitConfiguration": _OF_NODES,
    "JoinConfiguration": _OF_NODES,
    "ClusterConfiguration": (
        *((each, "extraArgs") for each in ("apiServer", "controllerManager", "scheduler")),
        ("etcd", "local", "extraArgs"),
    ),
}
_OF_MAPPINGS = ("v1beta1", "v1beta2", "v1beta3")
# The first minor version of kubeadm that refuses it (kubernetes.io, kubeadm Configuration, "Migration from old kubeadm
# config versions"), and the first that knows it.
_REFUSED_SINCE = {"v1alpha3": 15, "v1beta1": 22, "v1beta2": 27}
_KNOWN_SINCE = {"v1beta3": 22, "v1beta4": 31}
_MINOR = pattern(r"v?1\.(\d+)(?:\.|$)")


@dataclass(frozen=True)
class Arguments:
    """The arguments of one component, as its configuration has them."""

    version: str
    path: str
    tree: Tree
    place: Place
    # Those of the script, where it is one that writes them.
    lines: Sequence[Line] | None = None

    @property
    def takes_a_mapping(self) -> bool:
        return self.version in _OF_MAPPINGS

    @property
    def options(self) -> Iterator[tuple[str, str, Place]]:
        for name, value in self.tree.mapping.items():
            yield name, value.string, self.place_of(value.heading)
        for each in self.tree.sequence:
            yield each.get("name").string, each.get("value").string, self.place_of(each.get("name").place)

    def place_of(self, place: Place) -> Place:
        """Where it stands in the script that writes it."""
        return place if self.lines is None else _line(self.lines, place)

    @property
    def is_refused(self) -> bool:
        return self.tree.is_sequence if self.takes_a_mapping else self.tree.is_mapping


@dataclass(frozen=True)
class OfAnotherTime:
    """A version of the config that the kubeadm of this Kubernetes does not take."""

    place: Place
    version: str
    kubernetes: str
    # The version of kubeadm by which that changed.
    since: str
    is_gone: bool


@dataclass(frozen=True, eq=False)
class KubeadmConfig:
    """One document of kubeadm's config."""

    called: ClassVar[str] = "kubeadm's config"
    origin: ClassVar[str] = "kubeadm's config"

    place: Place
    arguments: tuple[Arguments, ...]
    of_another_time: OfAnotherTime | None = None
    # The minor version of the Kubernetes that it is for, where it says one.
    minor: int | None = None

    @property
    def refused(self) -> list[Arguments]:
        return [each for each in self.arguments if each.is_refused]

    @property
    def told_to_kubelet(self) -> Iterator[tuple[str, str, str, Place]]:
        """Kubelet's options in the shape that kubeadm takes: the path of all, and name, value and place of each."""
        for each in self.arguments:
            if each.path.endswith(_OF_KUBELET) and not each.is_refused:
                yield from ((each.path, *option) for option in each.options)


def kubeadm_configs(document: Tree) -> Iterator[KubeadmConfig]:
    found, old = tuple(_arguments(document)), _of_another_time(document)
    minor = _MINOR.match(document.get("kubernetesVersion").string) if is_kubeadms(document) else None
    if found or minor is not None:
        yield KubeadmConfig(document.place, found, old, int(minor[1]) if minor is not None else None)


def _of_another_time(document: Tree) -> OfAnotherTime | None:
    told = document.get("kubernetesVersion") if is_kubeadms(document) else None
    minor = _MINOR.match(told.string) if told is not None else None
    if told is None or minor is None:
        return None
    version, kubernetes = document.get("apiVersion").string.removeprefix(_MARK), told.string
    gone, known = _REFUSED_SINCE.get(version), _KNOWN_SINCE.get(version)
    place = document.get("apiVersion").place
    if gone is not None and int(minor[1]) >= gone:
        return OfAnotherTime(place, version, kubernetes, f"1.{gone}", is_gone=True)
    # It may be installed by a kubeadm that is one version newer.
    if known is not None and int(minor[1]) + 1 < known:
        return OfAnotherTime(place, version, kubernetes, f"1.{known}", is_gone=False)
    return None


def configs_written(script: BootScript) -> Iterator[KubeadmConfig]:
    """The files that a script writes for kubeadm, with what stands in them where the script says it."""
    for write in script.timeline.of(Writes):
        content = content_of(write)
        text = content.text.shown() if content is not None else ""
        for found in _in_text(text) if content is not None and _MARK in text else ():
            lines = content.lines if content is not None else ()
            yield KubeadmConfig(
                write.place,
                tuple(replace(each, place=_line(lines, each.place), lines=lines) for each in found.arguments),
                found.of_another_time
                and replace(found.of_another_time, place=_line(lines, found.of_another_time.place)),
                found.minor,
            )


def _line(lines: Sequence[Line], place: Place) -> Place:
    return lines[min((place.line or 1), len(lines)) - 1].place


def _in_text(text: str) -> Iterator[KubeadmConfig]:
    try:
        documents = read_all(text, Place())
    except NotYaml:
        return  # what is filled in later may make YAML of it
    for each in documents:
        yield from kubeadm_configs(each)


def _arguments(document: Tree) -> Iterator[Arguments]:
    if not is_kubeadms(document):
        return
    version = document.get("apiVersion").string.removeprefix(_MARK)
    for path in _BY_KIND.get(document.get("kind").string, ()) if version.startswith("v1beta") else ():
        tree = document.get(*path)
        if tree.is_mapping or tree.is_sequence:
            yield Arguments(version, ".".join(path), tree, tree.heading)

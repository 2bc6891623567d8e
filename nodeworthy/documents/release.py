"""A chart and the values that it is installed with: one shape, whoever installs it, at every moment."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from nodeworthy.documents.tree import Tree, absent
from nodeworthy.documents.yaml import NotYaml, read_inside
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field, replace
from nodeworthy.verdict import Place, Unknown

# The origin of values that belong to no release: whatever installs the chart names their file.
LOOSE = "Helm values"
STACK_CONFIG = "stack config"
# Of k3s and RKE2, whose own controller installs it.
HELM_CHART = "HelmChart"
# Of a command in a script, a recipe of make, a task of Ansible.
BY_COMMAND = "helm"
OF_ITS_CHART = "the values of its chart may hold it"
# A packed chart is named as its archive is.
_PACKED = pattern(r"-v?\d+\.\d+\.\d+[^/]*\.tgz$")
# How deep under parent charts' keys a product's values are looked for.
_DEPTH = 4


@dataclass(frozen=True)
class Release:
    # Who installs it, or what else its values are kept in, in a reader's words.
    origin: str
    # How a reader finds it among others of its origin.
    title: str
    place: Place
    chart: Tree
    version: Tree
    values: Tree
    # Why some of its values may stand elsewhere.
    elsewhere: str | None = None
    # What it is called in the cluster, and the metadata of the object that asks for it.
    name: str | None = None
    metadata: Tree = field(default_factory=lambda: absent(Place()))
    # The namespace that it is installed into; empty where nothing here says it.
    namespace: str = ""
    # How the cluster is called that it is installed into; empty where that is the one in which it lies.
    cluster: str = ""
    # Else nobody installs it here, and only its values tell of which chart they are.
    is_installed: bool = True


@dataclass(frozen=True)
class Chart:
    """How the values of one product's chart are known: by its name, by what is in them, by a parent chart's key."""

    is_named: Callable[[str], bool]
    looks_like: Callable[[Tree], bool]
    is_part: Callable[[str, Tree], bool]
    # Charts that share words with it, and never hold it.
    others: Collection[str] = ()

    def within(self, release: Release) -> Iterator[Release]:
        """The product as this release installs it: alone, or as a part of another chart, or of a copy of its own."""
        name = chart_name(release.chart)
        if self.is_named(name):
            yield replace(release, values=_mapping(release.values))
        elif name not in self.others:
            for tree in self._parts(release.values, _DEPTH):
                yield _part(release, tree)

    def _parts(self, tree: Tree, depth: int) -> Iterator[Tree]:
        if not tree.is_mapping:
            return
        if self.looks_like(tree):
            yield tree
            return
        for name, child in tree.mapping.items() if depth else ():
            if child.is_mapping and self.is_part(name, child):
                # The usual condition of a parent chart: a subchart that is off has no values to judge.
                if child.get("enabled").value is not False:
                    yield child
            else:
                yield from self._parts(child, depth - 1)


def names_within(values: Tree, depth: int = _DEPTH) -> Iterator[str]:
    """All keys that may be a part of a chart. A product whose keys are not among them need not be looked for."""
    for name, child in values.mapping.items():
        yield name
        if depth:
            yield from names_within(child, depth - 1)


def _mapping(values: Tree) -> Tree:
    return values if values.is_mapping or values.is_unknown else Tree({}, values.place, values.key)


def _part(release: Release, tree: Tree) -> Release:
    """A parent chart has values of its own, also for its parts; what nobody installs stands where it is written."""
    if release.is_installed:
        return replace(release, values=tree, elsewhere=release.elsewhere or OF_ITS_CHART)
    return replace(release, values=tree, place=tree.place, version=absent(tree.place))


def chart_name(chart: Tree) -> str:
    """`gpu-operator` of `nvidia/gpu-operator`, of `oci://…/gpu-operator`, of `./gpu-operator-v25.3.4.tgz`."""
    return _PACKED.sub("", chart.string.rstrip("/").rsplit("/", 1)[-1])


def document_inside(scalar: Tree) -> Tree:
    """The document in a string of values. What can't be read is unknown, at its place."""
    if scalar.text is None:
        return scalar
    if "{{" in scalar.text:
        return replace(scalar, value=Unknown("a template writes these values"))
    try:
        inside = read_inside(scalar)
    except NotYaml as problem:
        return replace(scalar, value=Unknown(f"the values in this string are {problem.why}"), place=problem.place)
    if inside is None:
        return absent(scalar.place)
    return replace(inside, key=scalar.key)

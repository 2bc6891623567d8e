"""NodeConfig: what nodeadm of an AL2023 node is told. Several documents are merged, the last one wins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from nodeworthy.boot.conditions import Guard
from nodeworthy.boot.content import Content
from nodeworthy.boot.effects import Effect, How, Joins, Stage, Writes
from nodeworthy.boot.fillings import Fillings
from nodeworthy.boot.hidden_labels import FLAG, TAINTS, hidden_labels
from nodeworthy.boot.scalars import Document, read_filled
from nodeworthy.boot.text import Text
from nodeworthy.boot.userdata import FaultKind, Part, UserDataFault
from nodeworthy.documents.tree import Tree
from nodeworthy.documents.yaml import NotYaml
from nodeworthy.known.containerd import defaults
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located, Place, Unknown

# The only version that there is, of EC2's nodeadm and of that for hybrid nodes.
_GROUP = "node.eks.aws/"
VERSION = f"{_GROUP}v1alpha1"
# What Terraform calls so where a module's own files are read, and nowhere else.
_MODULES = (".tf", ".tofu", ".tf.json", ".tofu.json", ".hcl")
_OF_A_MODULE = pattern(r"\$\{\s*(?:var|local|module|data|aws_\w+)\.\w")
# nodeadm-run generates it, with what the NodeConfig says merged over its own.
CONTAINERD = defaults().config


@dataclass(frozen=True)
class NodeConfig:
    """All documents of one user data, merged. What none of them says is None."""

    place: Place
    cluster: Located[str] | None = None
    endpoint: Located[str] | None = None
    authority: Located[str] | None = None
    cidr: Located[str] | None = None
    # Flags of all documents, one behind the other; kubelet takes the last of each.
    flags: tuple[Located[str], ...] = ()
    # kubelet's configuration by its outermost keys.
    kubelet: tuple[tuple[str, Located[Any]], ...] = ()
    # What is merged over nodeadm's own containerd configuration, in the order of the documents.
    containerd: tuple[Content, ...] = ()
    # Under which conditions of a template each of these is there, and all of it.
    guards: tuple[Guard, ...] = ()
    guard: Guard = ()
    # Where it says that this is a hybrid node, which knows its cluster by name and region only.
    hybrid: Place | None = None
    labels: tuple[tuple[str, str], ...] = ()
    hidden_labels: tuple[str, ...] = ()
    taints: tuple[str, ...] = ()
    faults: tuple[UserDataFault, ...] = ()


@dataclass(frozen=True)
class _Config:
    tree: Tree
    document: Document

    def value(self, *path: str) -> Located[Any] | None:
        tree = self.tree.get("spec", *path)
        if tree.says_nothing:
            return None
        place = self.document.place(tree)
        if tree.is_mapping or tree.is_sequence or tree.is_unknown:
            return Located(Unknown(f"{tree.kind()} stands where a value should"), place)
        if decided := self.document.decided_by(tree):
            return Located(Unknown(f"{decided} decides whether it is there"), place)
        if tree.text is None:
            return Located(Known(tree.value), place)
        return self.document.scalar(tree).located(place)


def read_node_config(parts: Sequence[Part], *, template: bool = False) -> NodeConfig | None:
    """The merged NodeConfig of these parts; None where there is none."""
    faults: list[UserDataFault] = []
    configs = [config for part in parts for config in _configs(part, faults, template)]
    if not configs:
        return NodeConfig(parts[0].place, faults=tuple(faults)) if parts else None
    told = list(_flags(configs))
    flags = tuple(text.located(place) for text, place in told)
    return NodeConfig(
        place=_cluster_place(configs),
        cluster=_last(configs, "cluster", "name"),
        endpoint=_last(configs, "cluster", "apiServerEndpoint"),
        authority=_last(configs, "cluster", "certificateAuthority"),
        cidr=_last(configs, "cluster", "cidr"),
        flags=flags,
        kubelet=tuple(_kubelet(configs)),
        containerd=tuple(content for content, _ in _containerd(configs)),
        guards=tuple(guard for _, guard in _containerd(configs)),
        guard=parts[0].guard if len(parts) == 1 else (),
        hybrid=next(
            (each.document.place(each.tree.get("spec", "hybrid")) for each in configs if _is_hybrid(each)), None
        ),
        labels=tuple(_labels(flags)),
        hidden_labels=hidden_labels(text for text, _ in told),
        taints=tuple(_listed(flags, TAINTS)),
        faults=tuple(faults),
    )


def joins_of(parts: Sequence[Part], *, template: bool = False) -> Sequence[Effect]:
    """What nodeadm does with it: it is told how to join, and nodeadm-run writes containerd's configuration."""
    config = read_node_config(parts, template=template)
    if config is None:
        return ()
    joins = Joins(
        place=config.place,
        stage=Stage.NODEADM_CONFIG,
        how="nodeadm",
        cluster=config.cluster,
        endpoint=config.endpoint,
        authority=config.authority,
        service_cidr=config.cidr,
        labels=config.labels,
        hidden_labels=config.hidden_labels,
        taints=config.taints,
        tells=True,
        conditions=config.guard,
    )
    writes = [
        Writes(
            place=content.lines[0].place,
            stage=Stage.NODEADM_RUN,
            path=Text.of(CONTAINERD),
            how=How.APPEND,
            content=content,
            conditions=guard,
        )
        for content, guard in zip(config.containerd, config.guards, strict=True)
        if content.lines
    ]
    return (joins, *writes)


def _configs(part: Part, faults: list[UserDataFault], template: bool) -> Iterator[_Config]:
    fillings = Fillings(jinja=part.jinja)
    try:
        read = read_filled(part.text, part.origin, fillings, template=template, given=part.guard)
    except NotYaml as problem:
        place = part.origin.at(problem.place.line or 1, problem.place.column or 1)
        what = f"the NodeConfig is {problem.why}: nodeadm fails, and the node does not join"
        faults.append(UserDataFault(FaultKind.NOT_READABLE, place, what, "mend the YAML", is_doubt=bool(fillings.raws)))
        return
    faults += [each.fault() for each in read.missing]
    document = read.document
    if not read.trees and not read.missing:
        what = "the part holds no NodeConfig: nodeadm fails to read it"
        faults.append(UserDataFault(FaultKind.WRONG_TYPE, part.place, what, f"begin it with apiVersion: {VERSION}"))
    for number, tree in enumerate(read.trees):
        wrong = _why_not_read(tree, document, number)
        if wrong is None:
            faults += _left_to_a_module(tree.get("spec", "cluster"), document)
            yield _Config(tree, document)
        else:
            faults.append(wrong)


def _why_not_read(tree: Tree, document: Document, number: int) -> UserDataFault | None:
    """Why nodeadm does not read a document. It takes the first document of a part, if that is one that it knows."""
    kind, version = tree.get("kind").text, tree.get("apiVersion").string
    if kind != "NodeConfig" or not version.startswith(_GROUP):
        what = f"a document of kind {kind or '(none)'}, {version or 'without an apiVersion'}, is no NodeConfig"
        is_its = version.startswith(_GROUP)
        remedy = "let its kind be NodeConfig" if is_its else f"write apiVersion: {VERSION}"
        return UserDataFault(FaultKind.WRONG_TYPE, document.place(tree), what, remedy)
    if version != VERSION and not document.scalar(tree.get("apiVersion")).holes:
        what = f"nodeadm knows no NodeConfig of {version}: it fails to read it, and the node does not join"
        return UserDataFault(
            FaultKind.WRONG_TYPE, document.place(tree.get("apiVersion")), what, f"write apiVersion: {VERSION}"
        )
    if number:
        what = "nodeadm reads only the first YAML document of a part: this one is passed over"
        remedy = "put it into a part of its own (application/node.eks.aws)"
        return UserDataFault(FaultKind.NOBODY_READS_IT, document.place(tree), what, remedy)
    return None


def _left_to_a_module(cluster: Tree, document: Document) -> Iterator[UserDataFault]:
    """`${module.eks.…}`: a template knows the names that templatefile gives it, and a file none. What stands in the
    module itself is filled in there, when it is known."""
    said = ((document.place(each), document.scalar(each).shown()) for each in cluster.mapping.values())
    values = [(place, text) for place, text in said if _OF_A_MODULE.match(text) and not place.file.endswith(_MODULES)]
    if values:
        first, *others = values
        what = f"{first[1]} is a name of a module's own, which nobody fills in here: nodeadm is told these letters"
        remedy = "give templatefile the values by names of their own (${cluster_endpoint}), and write those"
        yield UserDataFault(FaultKind.NOT_FILLED_IN, first[0], what, remedy, tuple(others))


def _last(configs: Sequence[_Config], *path: str) -> Located[Any] | None:
    """An empty string counts as nothing said, as it does for nodeadm."""
    said = [value for config in configs if (value := config.value(*path)) and value.state != Known("")]
    return said[-1] if said else None


def _cluster_place(configs: Sequence[_Config]) -> Place:
    for config in reversed(configs):
        cluster = config.tree.get("spec", "cluster")
        if not cluster.is_absent:
            key = cluster.key
            return config.document.origin.at(key.line or 1, key.column or 1) if key else config.document.place(cluster)
    return configs[0].document.place(configs[0].tree)


def _is_hybrid(config: _Config) -> bool:
    return not config.tree.get("spec", "hybrid").is_absent


def _flags(configs: Sequence[_Config]) -> Iterator[tuple[Text, Place]]:
    for config in configs:
        for flag in config.tree.get("spec", "kubelet", "flags").sequence:
            yield config.document.unless_decided(flag, config.document.scalar(flag)), config.document.place(flag)


def _kubelet(configs: Sequence[_Config]) -> Iterator[tuple[str, Located[Any]]]:
    for config in configs:
        for name, tree in config.tree.get("spec", "kubelet", "config").mapping.items():
            decided = config.document.decided_by(tree)
            state = Unknown(f"{decided} decides whether it is there") if decided else tree.located().state
            yield name, Located(state, config.document.place(tree))


def _containerd(configs: Sequence[_Config]) -> Iterator[tuple[Content, Guard]]:
    for config in configs:
        tree = config.tree.get("spec", "containerd", "config")
        if tree.text is not None:
            yield config.document.content(tree), config.document.guard(tree)


def _labels(flags: Sequence[Located[str]]) -> Iterator[tuple[str, str]]:
    for label in _listed(flags, FLAG):
        name, equals, value = label.partition("=")
        if equals:
            yield name, value


def _listed(flags: Sequence[Located[str]], name: str) -> Iterator[str]:
    """The entries of the flag of this name that are known."""
    for flag in flags:
        if isinstance(flag.state, Known) and flag.state.value.startswith(name):
            yield from flag.state.value.removeprefix(name).split(",")

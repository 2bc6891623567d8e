"""Servers of PostgreSQL as manifests make them: of a StatefulSet or a Deployment, or of a CloudNativePG Cluster."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, ClassVar

from nodeworthy.documents.settled import settle, why_incomplete
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field
from nodeworthy.verdict import Known, Located, Place, value_if_known

# What keeps pods on different nodes: required anti-affinity, or a spread that is not only a wish.

_HOST = "kubernetes.io/hostname"
# Different zones are different nodes.
_WIDE = frozenset((_HOST, "topology.kubernetes.io/zone", "topology.kubernetes.io/region"))


@dataclass(frozen=True)
class Selector:
    labels: Mapping[str, str]
    # What else it asks for, by `operator: In` and its like.
    expressions: tuple[tuple[str, str, tuple[str, ...]], ...] = ()

    def chooses(self, labels: Mapping[str, str]) -> bool:
        plain = all(labels.get(name) == value for name, value in self.labels.items())
        return plain and all(_holds(each, labels) for each in self.expressions)


def _holds(expression: tuple[str, str, tuple[str, ...]], labels: Mapping[str, str]) -> bool:
    key, operator, values = expression
    told = {"Exists": key in labels, "DoesNotExist": key not in labels, "NotIn": labels.get(key) not in values}
    return told.get(operator, labels.get(key) in values)


@dataclass(frozen=True)
class Apart:
    """Which pods this one never shares a node with, and where that is said."""

    place: Place
    never_with: tuple[Selector, ...] = ()
    # Among themselves, whatever their labels.
    always: bool = False
    # Only a wish is said.
    wishes: bool = False
    hidden: str | None = None

    def keeps(self, labels: Mapping[str, str]) -> bool:
        return self.always or any(each.chooses(labels) for each in self.never_with)


def apart_in_pod(spec: Tree) -> Apart:
    affinity = spec.get("affinity", "podAntiAffinity")
    hard = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    soft = affinity.get("preferredDuringSchedulingIgnoredDuringExecution")
    spread = spec.get("topologySpreadConstraints")
    never = [*_terms(hard), *_terms(spread, only="DoNotSchedule")]
    said = next((each for each in (hard, soft, spread) if each.sequence), spec.get("affinity"))
    hidden = next(filter(None, map(why_incomplete, (spec.get("affinity"), affinity, hard, spread))), None)
    wishes = not never and bool(soft.sequence or spread.sequence)
    return Apart(said.heading, tuple(never), wishes=wishes, hidden=hidden)


def _terms(terms: Tree, only: str | None = None) -> Iterator[Selector]:
    for term in terms.sequence:
        if only is not None and term.get("whenUnsatisfiable").text not in (only, None):
            continue
        if term.get("topologyKey").text in _WIDE and term.get("labelSelector").is_mapping:
            yield _selector(term.get("labelSelector"))


def _selector(tree: Tree) -> Selector:
    labels = {name: str(each.value) for name, each in tree.get("matchLabels").mapping.items()}
    expressions = tuple(
        (
            each.get("key").string,
            each.get("operator").string,
            tuple(value.string for value in each.get("values").sequence),
        )
        for each in tree.get("matchExpressions").sequence
    )
    return Selector(labels, expressions)


def apart_in_cloud_native(document: Tree) -> Apart:
    """CloudNativePG keeps them apart by itself; as a wish, where nobody says that it is required."""
    affinity = document.get("spec", "affinity")
    kind = affinity.get("podAntiAffinityType")
    place = (kind if not kind.is_absent else affinity).place
    on = affinity.get("enablePodAntiAffinity").value is not False
    hidden = why_incomplete(affinity) or why_incomplete(kind)
    return Apart(place, always=on and kind.text == "required", wishes=on and kind.text != "required", hidden=hidden)


# The last part of its name, without a tag: other programs are called after PGMQ, too.
_IMAGE = pattern(
    r"(?:pg\d+[-_])?pgmq(?:[-_](?:pg|postgres)\w*)?|(?:[\w.][\w.-]*[-_])?postgres(?:ql)?\d*(?:[-_][\w.-]*[\w.])?|spilo[-_\w]*"
    r"|timescaledb[-_\w]*|pgvector"
)
# Beside a server: what only looks at it, backs it up or shares its connections.
_BESIDE = pattern(r"exporter|backup|pgbouncer|pgadmin|pgpool|pgweb|client|dump|operator|migrat|consumer|worker")
# What puts PGMQ into a database: as an extension, or as the SQL that it is made of.
_CREATES = pattern(r"create\s+extension\s+(?:if\s+not\s+exists\s+)?\"?pgmq", re.IGNORECASE)
_LOADS = pattern(
    r"create\s+schema\s+(?:if\s+not\s+exists\s+)?\"?pgmq|"
    r"(?:-f|--file|\\i)[\s=]*+\S{0,300}?pgmq\S{0,300}?\.sql",
    re.IGNORECASE,
)
_COMMENT = pattern(r"^\s*(?:--|#).*$", re.MULTILINE)
_CLOUD_NATIVE = "postgresql.cnpg.io/"
_KINDS = frozenset(("StatefulSet", "Deployment", "ReplicaSet", "Pod"))
# By which one server is known to follow another.
_REPLICATES = pattern(
    r"pg_basebackup|primary_conninfo|standby\.signal|patroni|repmgr|stolon|spilo|pg_auto_failover"
    r"|POSTGRES(?:QL)?_(?:MASTER|PRIMARY|REPLICATION)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class InitText:
    """A ConfigMap that servers may be made by."""

    called: ClassVar[str] = "a ConfigMap with SQL"

    place: Place
    namespace: str
    name: str
    text: str


@dataclass(frozen=True, eq=False)
class DatabaseServer:
    called: ClassVar[str] = "a PostgreSQL server"

    document: Tree
    # None for a Cluster of CloudNativePG, which makes its pods itself.
    template: PodTemplate | None
    # What the ConfigMaps say that it mounts.
    scripts: str = ""
    # In a cluster: its pods, with the node of each.
    runs_on: Mapping[str, str] = field(default_factory=dict)

    @property
    def place(self) -> Place:
        return self.document.place

    @property
    def title(self) -> str:
        kind = "CloudNativePG Cluster" if self.template is None else self.document.get("kind").text
        return f"{kind} '{self.name}'"

    @property
    def name(self) -> str:
        return self.document.get("metadata", "name").string

    @property
    def namespace(self) -> str:
        return self.document.get("metadata", "namespace").string

    @cached_property
    def labels(self) -> Mapping[str, str]:
        tree = self.template.template if self.template is not None else self.document
        return {name: str(each.value) for name, each in tree.get("metadata", "labels").mapping.items()}

    @cached_property
    def copies(self) -> Located[Any]:
        tree = self.document.get("spec", "instances" if self.template is None else "replicas")
        return settle(tree) if not tree.is_absent else Located(Known(1), tree.place, written=False)

    @cached_property
    def image(self) -> Located[Any]:
        if self.template is None:
            return settle(self.document.get("spec", "imageName"))
        return next(_served_by(self.template))

    @cached_property
    def text(self) -> str:
        """All that is said of it."""
        return _COMMENT.sub("", "\n".join((*_texts(self.document), self.scripts)))

    @property
    def speaks_of_pgmq(self) -> bool:
        """Whether it is meant to hold it, by any word: the name of a script is one."""
        return "pgmq" in self.text.lower()

    @property
    def brings_pgmq(self) -> bool:
        """Whether it holds it, by its image or by what is run in it."""
        image = value_if_known(self.image)
        named = isinstance(image, str) and "pgmq" in _last_part(image)
        return named or self.creates_extension or _LOADS.search(self.text) is not None or self._extends_with_pgmq

    @property
    def _extends_with_pgmq(self) -> bool:
        """CloudNativePG mounts extensions from images of their own."""
        listed = self.document.get("spec", "postgresql", "extensions").sequence
        return any("pgmq" in each.get("name").string for each in listed)

    @property
    def creates_extension(self) -> bool:
        return _CREATES.search(self.text) is not None

    @property
    def is_called_queue(self) -> bool:
        return "queue" in re.split(r"[^a-z]+", self.name.lower())

    @property
    def replicates(self) -> bool:
        return self.template is None or _REPLICATES.search(self.text) is not None

    @cached_property
    def apart(self) -> Apart:
        return apart_in_cloud_native(self.document) if self.template is None else apart_in_pod(self.template.spec)

    @property
    def mounted(self) -> Iterator[str]:
        """The ConfigMaps that it can read."""
        spec = self.template.spec if self.template is not None else self.document.get("spec")
        for volume in spec.get("volumes").sequence:
            for source in (volume, *volume.get("projected", "sources").sequence):
                if named := source.get("configMap", "name").text:
                    yield named
        for each in spec.get("bootstrap", "initdb", "postInitApplicationSQLRefs", "configMapRefs").sequence:
            if named := each.get("name").text:
                yield named


def _texts(tree: Tree) -> Iterator[str]:
    if tree.text is not None:
        yield tree.text
    for child in tree.sequence:
        yield from _texts(child)
    for name, child in tree.mapping.items():
        yield name
        yield from _texts(child)


def is_server(image: Located[Any]) -> bool:
    name = value_if_known(image)
    if not isinstance(name, str) or _BESIDE.search(name):
        return False
    return _IMAGE.fullmatch(_last_part(name)) is not None


def _last_part(image: str) -> str:
    """The name of an image without its registry and its tag."""
    return re.split(r"[:@]", image.rsplit("/", 1)[-1])[0]


def server_of_template(template: PodTemplate) -> DatabaseServer | None:
    if template.kind not in _KINDS or template.path not in ("", "spec.template"):
        return None
    return DatabaseServer(template.document, template) if any(_served_by(template)) else None


def _served_by(template: PodTemplate) -> Iterator[Located[Any]]:
    """The images in it that are a server's."""
    return (each.image for each in template.containers if not each.is_init and is_server(each.image))


def servers_of_cloud_native(document: Tree) -> Iterator[DatabaseServer]:
    api = document.get("apiVersion").string
    if document.get("kind").text == "Cluster" and api.startswith(_CLOUD_NATIVE):
        yield DatabaseServer(document, None)


def init_texts(document: Tree) -> Iterator[InitText]:
    if document.get("kind").text != "ConfigMap":
        return
    text = "\n".join(_texts(document.get("data")))
    if "pgmq" in text.lower() or _REPLICATES.search(text):
        metadata = document.get("metadata")
        yield InitText(document.place, metadata.get("namespace").string, metadata.get("name").string, text)

"""The GPU nodes of an eksctl ClusterConfig, and the commands that they boot with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from nodeworthy.documents.settled import settle
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.boot.given_script import commands, given_script, script_of
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.fleet.asked_nodes import AskedNodes
from nodeworthy.facts.fleet.machines import Machines, Reserved, number_of, text_of, texts_of
from nodeworthy.facts.fleet.node_taint import NodeTaint, taints_by_key, taints_in
from nodeworthy.fleet.model import CapacityKind
from nodeworthy.known.instances import has_gpus
from nodeworthy.known.node_images import AmiFamily, family_of_eksctl
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import Located, Place, Unknown

# What its nodes are called here.
NODE_GROUP = "node group"
_MANAGED = "managedNodeGroups"
_GPU = pattern(r"(?:^|[-_.])gpus?(?:[-_.]|$)", re.IGNORECASE)
_UBUNTU = pattern(r"Ubuntu(?:Pro)?(\d\d)(\d\d)")
_GROUPS = (_MANAGED, "nodeGroups")
# What an instanceType says beside an instancesDistribution, in which the types stand.
MIXED = "mixed"
# By which eksctl tells the nodes of its groups apart.
OF_GROUP = "alpha.eksctl.io/nodegroup-name"


def is_cluster_config(document: Tree) -> bool:
    return document.get("kind").text == "ClusterConfig" and document.get("apiVersion").string.startswith("eksctl.io/")


def nodes_of_eksctl(document: Tree) -> Iterator[AskedNodes]:
    for group in groups_of_eksctl(document):
        if group.family is not None and group.has_gpus:
            yield group.asked(group.name, group.family)


def groups_of_eksctl(document: Tree) -> Iterator[EksctlGroup]:
    """The groups with GPUs whose system is judged here."""
    if not is_cluster_config(document):
        return
    for kind in _GROUPS:
        for each in document.get(kind).sequence:
            name = each.get("name").text
            group = EksctlGroup(name or "", each, document, is_managed=kind == _MANAGED)
            if name is not None and (group.has_gpus or group.is_called_so) and group.family is not None:
                yield group


def doors_of_eksctl(document: Tree) -> Iterator[LoginDoor]:
    """What the other groups of a cluster say of SSH: whoever comes in to one of its nodes is beside those with GPUs."""
    if not is_cluster_config(document):
        return
    judged = {each.place for each in groups_of_eksctl(document)}
    for kind in _GROUPS:
        for each in document.get(kind).sequence:
            name = each.get("name").text
            if name is not None and each.place not in judged and each.get("ssh").mapping:
                yield LoginDoor(name, each, is_managed=kind == _MANAGED)


@dataclass(frozen=True, eq=False)
class LoginDoor:
    """As eksctl writes it; groups that other tools make are brought into this form."""

    called: ClassVar[str] = "a node group that says who may log in"

    name: str
    tree: Tree
    is_managed: bool = True

    @property
    def place(self) -> Place:
        return self.tree.place


@dataclass(frozen=True, eq=False)
class EksctlGroup:
    called: ClassVar[str] = "a node group of eksctl's with GPUs"

    name: str
    tree: Tree
    document: Tree
    is_managed: bool = True

    @property
    def place(self) -> Place:
        return self.tree.place

    @property
    def family(self) -> AmiFamily | None:
        named = self.tree.get("amiFamily")
        return family_of_eksctl(named.text) if named.text is not None or named.is_absent else None

    @property
    def has_gpus(self) -> bool:
        return any(has_gpus(each.string) for each in self.types) or self._selected is not None

    @property
    def _selected(self) -> Located[int] | None:
        """How many GPUs a type must have that eksctl looks up by itself, where no type is named."""
        gpus = self.tree.get("instanceSelector", "gpus")
        asks = isinstance(gpus.value, int) and not isinstance(gpus.value, bool) and gpus.value > 0
        return number_of(gpus) if asks and not self.types else None

    @property
    def is_called_so(self) -> bool:
        """Whether it is named after GPUs and something else fills in its types."""
        told = self.types
        is_open = bool(told) and all(isinstance(settle(each).state, Unknown) for each in told)
        return is_open and _GPU.search(self.name) is not None

    @property
    def types(self) -> list[Tree]:
        several = (self.tree.get("instanceTypes"), self.tree.get("instancesDistribution", "instanceTypes"))
        every = (self.tree.get("instanceType"), *(each for types in several for each in types.sequence))
        return [each for each in every if each.text not in (None, MIXED)]

    @property
    def _machines(self) -> Machines:
        sizes = (number_of(self.tree.get(name)) for name in ("desiredCapacity", "minSize", "maxSize"))
        wanted, least, most = sizes
        types = tuple(each.located() for each in self.types)
        return Machines(
            types,
            gpus=self._selected,
            wanted=wanted,
            least=least,
            most=most,
            labels=self._labels,
            taints=self.taints,
            reserved=self._reserved,
        )

    @property
    def _labels(self) -> dict[str, Located[str]]:
        return {OF_GROUP: Located.known(self.name, self.place), **texts_of(self.tree.get("labels"))}

    @property
    def _reserved(self) -> Reserved | None:
        said = self.tree.get("capacityReservation", "capacityReservationTarget", "capacityReservationID")
        if said.text is None:
            return None
        is_block = self.tree.get("instanceMarketOptions", "marketType").text == "capacity-block"
        kind = CapacityKind.BLOCK if is_block else CapacityKind.RESERVATION
        return Reserved(Located.known(kind.value, said.place), said.located())

    @property
    def taints(self) -> tuple[NodeTaint, ...]:
        said = self.tree.get("taints")
        return (*taints_in(said.sequence), *taints_by_key(said))

    def asked(self, name: str, family: AmiFamily) -> AskedNodes:
        named = self.tree.get("amiFamily")
        types = ", ".join(each.string for each in self.types) or "what its instanceSelector finds"
        said = f"amiFamily {named.text}" if named.text else _by_default(family, types)
        metadata = self.document.get("metadata")
        nodes = AskedNodes(
            name,
            NODE_GROUP,
            self.tree.place,
            Located.known(family.distribution, named.place if named.text else self.tree.place),
            said,
            None if self._has_its_own_image else family.driver,
            text_of(metadata.get("version")),
            text_of(metadata.get("name")),
            text_of(self.document.get("kubernetesNetworkConfig", "serviceIPv4CIDR")),
            machines=self._machines,
            sets_own_plugin=not self.tree.get("bottlerocket", "settings", "kubelet-device-plugins").is_absent,
            os=_ubuntu(named.string),
        )
        # Of an image of somebody's own, what eksctl takes it for says nothing of what is on it.
        image = nodes.image if named.text or not self._has_its_own_image else None
        scripts = (replace(each, image=image, cluster=nodes.cluster) for each in self._scripts)
        return replace(nodes, scripts=tuple(scripts))

    @property
    def _has_its_own_image(self) -> bool:
        """`auto` and `auto-ssm` leave it to eksctl."""
        image = self.tree.get("ami")
        return not image.is_absent and not image.string.startswith("auto")

    @property
    def _scripts(self) -> Iterator[BootScript]:
        """eksctl runs them before the node joins; what overrides its own way of joining stands alone."""
        before = script_of(commands(self.tree.get("preBootstrapCommands")), on_ec2=True)
        override = given_script(self.tree.get("overrideBootstrapCommand"), "the overriding command")
        yield from (each for each in (before, override) if each is not None)


def _ubuntu(family: str) -> str:
    """`ubuntu-22.04` of Ubuntu2204 and UbuntuPro2204."""
    found = _UBUNTU.fullmatch(family)
    return f"ubuntu-{found[1]}.{found[2]}" if found is not None else ""


def _by_default(family: AmiFamily, types: str) -> str:
    return f"no amiFamily, and eksctl takes its {family.eksctl[0]} for {types}"

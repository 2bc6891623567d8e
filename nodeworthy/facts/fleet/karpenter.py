"""The GPU nodes that Karpenter starts: what a NodePool requires, and the image that its EC2NodeClass chooses. Those of
EKS Auto Mode have an image of AWS' own, whatever their NodeClass says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import ClassVar

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.fleet.asked_nodes import AskedNodes
from nodeworthy.facts.fleet.gpu_pool import NodeImage
from nodeworthy.facts.fleet.machines import NOTHING_SAID, Machines, Reserved
from nodeworthy.known.cloud_gpus import aks_distribution
from nodeworthy.known.node_images import family_of_karpenter, image_by_name, image_by_parameter, kubernetes_of
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import Located, Place, value_if_known

OF_POOL = "karpenter.sh/nodepool"
OWN_CLASS, _OWN_KEYS, AUTO_MODE = "EC2NodeClass", "karpenter.k8s.aws", "eks.amazonaws.com"
_AWS_OWN = "bottlerocket"
AZURE = "karpenter.azure.com"
_AMAZON = "amazon"
# Under which Bottlerocket is told how the device plugin of its image runs, and whether.
_OWN_PLUGIN = "kubelet-device-plugins"
_DISCOVERY, _OF_CLUSTER = "karpenter.sh/discovery", "kubernetes.io/cluster/"
_NAME = pattern(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")


@dataclass(frozen=True, eq=False)
class KarpenterPool:
    """A NodePool that asks for instances with GPUs."""

    called: ClassVar[str] = "a NodePool of Karpenter's with GPUs"

    name: str
    place: Place
    node_class: str
    tree: Tree
    machines: Machines = NOTHING_SAID
    # Where it names a class of Auto Mode's, or one of AKS'.
    auto_mode: Place | None = None
    azure: Place | None = None

    @property
    def title(self) -> str:
        return f"NodePool '{self.name}'"

    @property
    def requirements(self) -> Iterator[tuple[str, str, Sequence[Tree]]]:
        """What each is about, by which operator, and the values."""
        return map(parts_of_requirement, self.tree.get("spec", "template", "spec", "requirements").sequence)

    @property
    def keys_of_another(self) -> Sequence[Tree]:
        """The keys of Auto Mode in a pool whose nodes are Karpenter's own, and Karpenter's in one of Auto Mode's. Both
        have the same labels, under names of their own."""
        spec = self.tree.get("spec", "template", "spec")
        if spec.get("nodeClassRef", "kind").text == OWN_CLASS:
            others = AUTO_MODE
        elif self.auto_mode is not None:
            others = _OWN_KEYS
        else:
            return ()
        keys = (each.get("key") for each in spec.get("requirements").sequence)
        return [each for each in keys if each.string.startswith(f"{others}/instance-")]

    def taints(self, kind: str) -> Sequence[Tree]:
        """`taints` or `startupTaints` of its nodes."""
        return self.tree.get("spec", "template", "spec", kind).sequence

    @property
    def may_be_reserved(self) -> bool:
        """Whether its nodes may be reserved ones. Where it names no kind of capacity, Karpenter takes what is on
        demand."""
        kinds = (values for key, operator, values in self.requirements if key == _CAPACITY and operator == "In")
        return any(each.text == _RESERVED for values in kinds for each in values)

    @property
    def is_of_a_cloud(self) -> bool:
        """Whether no EC2NodeClass says what its nodes are."""
        return self.auto_mode is not None or self.azure is not None

    @property
    def of_aks(self) -> AskedNodes | None:
        if self.azure is None:
            return None
        distribution = Located.known(aks_distribution(), self.azure)
        said = "AKS makes its nodes by an AKSNodeClass, and installs the driver on those with GPUs"
        return AskedNodes(self.name, "NodePool", self.place, distribution, said, True, machines=self.machines)

    @property
    def of_auto_mode(self) -> AskedNodes | None:
        if self.auto_mode is None:
            return None
        distribution = Located.known(_AWS_OWN, self.auto_mode)
        said = "EKS Auto Mode, whose images AWS makes of Bottlerocket"
        return AskedNodes(self.name, "NodePool", self.place, distribution, said, True, machines=self.machines)


# Of which Karpenter hands the user data on as it stands.
_OWN_FAMILY = "Custom"


@dataclass(frozen=True)
class _Image:
    """What a term chooses, or an amiFamily."""

    distribution: str
    has_driver: bool | None
    said: str
    place: Place
    # Somebody's own may be called so, too.
    is_likely: bool = False


@dataclass(frozen=True, eq=False)
class KarpenterClass:
    """An EC2NodeClass."""

    called: ClassVar[str] = "an EC2NodeClass of Karpenter's"

    name: str
    place: Place
    tree: Tree

    def nodes(self, pool: KarpenterPool) -> AskedNodes | None:
        """The nodes of a pool that takes it; None where the image may be anybody's."""
        images = list(self._images())
        if not images:
            return None
        first, of_each = images[0], dict.fromkeys(each.distribution for each in images)
        drivers = {each.has_driver for each in images}
        distribution = Located.known(first.distribution, first.place)
        if len(of_each) > 1:
            told = " and ".join(f"{each.distribution} ({each.said})" for each in images)
            distribution = Located.unknown(f"{self.title} chooses images of {told}", first.place)
        has_driver = first.has_driver if len(drivers) == 1 else None
        return AskedNodes(
            pool.name,
            "NodePool",
            pool.place,
            distribution,
            first.said,
            has_driver,
            kubernetes_of_image=self._kubernetes,
            cluster=self._cluster,
            machines=replace(pool.machines, reserved=self._reserved if pool.may_be_reserved else None),
            is_likely=first.is_likely,
            scripts=self.scripts,
            sets_own_plugin=self._may_set_its_plugin,
        )

    @property
    def _may_set_its_plugin(self) -> bool:
        user_data = self.tree.get("spec", "userData")
        return user_data.is_unknown or _OWN_PLUGIN in user_data.string

    @property
    def _kubernetes(self) -> Located[str] | None:
        """The version of which all of its images are, by their parameters and names."""
        versions = {(kubernetes_of(each.said), each.place) for each in self._images()}
        named = {version for version, _ in versions}
        version, place = next(iter(versions), (None, self.place))
        return Located.known(version, place) if version is not None and len(named) == 1 else None

    def _images(self) -> Iterator[_Image]:
        """The images that its terms name. Of an image of one's own only the family is known, and no driver."""
        spec = self.tree.get("spec")
        terms = spec.get("amiSelectorTerms").sequence
        told = [image for each in terms if (image := _of_term(each)) is not None]
        family = spec.get("amiFamily")
        known = family_of_karpenter(family.text) if family.text is not None else None
        if told and (len(told) == len(terms) or known is None):
            yield from told
        elif known is not None:
            driver = None if terms else known.driver
            yield _Image(known.distribution, driver, f"amiFamily {family.text}", family.place)

    @property
    def by_alias(self) -> Located[str] | None:
        """What its nodes are, where Karpenter looks the image up by family and version; of an image by its name or
        id, nothing."""
        spec = self.tree.get("spec")
        aliases = [each.get("alias") for each in spec.get("amiSelectorTerms").sequence]
        found = list(self._images())
        if len(found) != 1 or any(each.text is None for each in aliases):
            return None
        return Located.known(found[0].distribution, found[0].place)

    @cached_property
    def _cluster(self) -> Located[str] | None:
        """The cluster by whose tag Karpenter finds subnets and security groups."""
        terms = (each for name in ("subnet", "securityGroup") for each in self._terms(name))
        found = {said.string: said for each in terms for said in _cluster_of(each)}
        return next(iter(found.values())).located() if len(found) == 1 else None

    @property
    def _reserved(self) -> Reserved | None:
        """The reservation that its only term names. Whether it is a block, Karpenter asks the account."""
        terms = self.tree.get("spec", "capacityReservationSelectorTerms").sequence
        named = terms[0].get("id") if len(terms) == 1 else None
        if named is None or named.text is None:
            return None
        why = "whether it is a block is asked of the account"
        return Reserved(Located.unknown(why, named.place), named.located())

    def _terms(self, name: str) -> Sequence[Tree]:
        return self.tree.get("spec", f"{name}SelectorTerms").sequence

    @property
    def title(self) -> str:
        return f"EC2NodeClass '{self.name}'"

    @property
    def _is_of_windows(self) -> bool:
        spec = self.tree.get("spec")
        named = (spec.get("amiFamily"), *(each.get("alias") for each in spec.get("amiSelectorTerms").sequence))
        return any(each.string.lower().startswith("windows") for each in named)

    @cached_property
    def script(self) -> BootScript | None:
        """What its nodes run before Karpenter has them join; those of Windows run no shell, and what is empty asks for
        nothing. What reads scripts is imported only where there is one."""
        said = self.tree.get("spec", "userData")
        if self._is_of_windows or (said.text is not None and not said.text.strip()):
            return None
        from nodeworthy.facts.boot.given_script import given_script

        script = given_script(said, "the user data")
        return replace(script, cluster=self._cluster_by_its_role) if script is not None and self._is_own else script

    @property
    def _is_own(self) -> bool:
        """Karpenter hands its user data on as it stands, and merges nothing over it."""
        return self.tree.get("spec", "amiFamily").text == _OWN_FAMILY

    @property
    def _cluster_by_its_role(self) -> Located[str] | None:
        """The cluster of its tags, where the role of its nodes is called after it, too: people tag by other names."""
        roles = [self.tree.get("spec", each).string for each in ("role", "instanceProfile")]
        named = value_if_known(self._cluster) if self._cluster is not None else None
        return self._cluster if named and any(each.endswith(named) for each in roles) else None

    @property
    def scripts(self) -> tuple[BootScript, ...]:
        """Karpenter adds where the cluster is, to all but what nodes of a family of one's own are given."""
        if self.script is None:
            return ()
        return (replace(self.script, image=self.image, is_completed=not self._is_own),)

    @cached_property
    def image(self) -> NodeImage | None:
        """The image of its nodes with GPUs. None where it may be of several kinds, or anybody's."""
        images = list(self._images())
        if len({each.distribution for each in images}) != 1:
            return None
        first = images[0]
        return NodeImage(first.place, first.said, first.has_driver, first.distribution)


def _of_term(term: Tree) -> _Image | None:
    alias, parameter, name = (term.get(each) for each in ("alias", "ssmParameter", "name"))
    if alias.text is not None:
        family = family_of_karpenter(alias.text)
        driver = family.driver if family is not None else None
        said = f"alias {alias.text}"
        return _Image(family.distribution, driver, said, alias.place) if family is not None else None
    sign = image_by_parameter(parameter.text) if parameter.text is not None else None
    named = parameter
    if sign is None and name.text is not None:
        # Without an owner Karpenter looks among the account's own and Amazon's.
        owner = term.get("owner")
        sign, named = image_by_name(name.text, {_AMAZON if owner.is_absent else owner.string}), name
    if sign is None or sign.distribution is None:
        return None
    is_likely = named is name and term.get("owner").is_absent
    return _Image(sign.distribution, sign.driver, named.string, named.place, is_likely)


def _cluster_of(term: Tree) -> Iterator[Tree]:
    for name, said in term.get("tags").mapping.items():
        if name == _DISCOVERY and _NAME.fullmatch(said.string):
            yield said
        elif name.startswith(_OF_CLUSTER) and _NAME.fullmatch(name.removeprefix(_OF_CLUSTER)):
            yield Tree(name.removeprefix(_OF_CLUSTER), said.heading)


# By its kind, where Karpenter's CRDs have an object, and Auto Mode's.
SERVED: Mapping[str, tuple[str, ...]] = {
    "NodePool": ("karpenter.sh/v1", "karpenter.sh/v1beta1"),
    OWN_CLASS: ("karpenter.k8s.aws/v1", "karpenter.k8s.aws/v1beta1"),
    "NodeClass": ("eks.amazonaws.com/v1",),
}


@dataclass(frozen=True, eq=False)
class MisplacedNodes:
    """A NodePool or a class of nodes that is asked for where nothing serves its kind."""

    called: ClassVar[str] = "an object of Karpenter's that nothing serves"

    kind: str
    version: Tree

    @property
    def place(self) -> Place:
        return self.version.place

    @property
    def should(self) -> str:
        if self.kind == "NodeClass":
            return f"apiVersion: {SERVED[OWN_CLASS][0]} and kind: {OWN_CLASS}"
        return f"apiVersion: {SERVED[self.kind][0]}"


def parts_of_requirement(requirement: Tree) -> tuple[str, str, Sequence[Tree]]:
    """What it is about, by which operator, and the values: Auto Mode calls the same by names of its own."""
    key = name_by_karpenter(requirement.get("key").string)
    values = [each for each in requirement.get("values").sequence if each.text is not None or each.is_unknown]
    return key, requirement.get("operator").string, values


def name_by_karpenter(key: str) -> str:
    return key.replace(f"{AUTO_MODE}/", f"{_OWN_KEYS}/")


def name_by_the_other(key: str) -> str:
    return name_by_karpenter(key) if key.startswith(AUTO_MODE) else key.replace(f"{_OWN_KEYS}/", f"{AUTO_MODE}/")


_CAPACITY, _RESERVED = "karpenter.sh/capacity-type", "reserved"

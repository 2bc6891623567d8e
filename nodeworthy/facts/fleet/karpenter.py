"""The GPU nodes that Karpenter starts: what a NodePool requires, and the image that its EC2NodeClass chooses. Those of
EKS Auto Mode have an image of AWS' own, whatever their NodeClass says."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import ClassVar, TypeVar

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.fleet.asked_nodes import AskedNodes
from nodeworthy.facts.fleet.gpu_pool import NodeImage
from nodeworthy.facts.fleet.machines import NOTHING_SAID, Machines, Reserved, number_of, texts_of
from nodeworthy.facts.fleet.node_taint import taints_in
from nodeworthy.known.cloud_gpus import MachineGpus, aks_distribution
from nodeworthy.known.instances import counts_of, gpu_of_family, has_gpus, is_gpu_family, most_gpus_of
from nodeworthy.known.node_images import family_of_karpenter, image_by_name, image_by_parameter, kubernetes_of
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import Located, Place

OF_POOL = "karpenter.sh/nodepool"
_CLASS_API, _POOL_API = "karpenter.k8s.aws/", "karpenter.sh/"
_OWN_CLASS, _OWN_KEYS, _AUTO_MODE = "EC2NodeClass", "karpenter.k8s.aws", "eks.amazonaws.com"
_AWS_OWN = "bottlerocket"
_AZURE = "karpenter.azure.com"
_AMAZON = "amazon"
# Under which Bottlerocket is told how the device plugin of its image runs, and whether.
_OWN_PLUGIN = "kubelet-device-plugins"
# Of the categories of EC2's types, those of which every current one has GPUs of NVIDIA or is asked for as if it had.
_GPU_CATEGORIES = frozenset({"g", "p"})
_DISCOVERY, _OF_CLUSTER = "karpenter.sh/discovery", "kubernetes.io/cluster/"
V = TypeVar("V")
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
        return map(_parts_of_requirement, self.tree.get("spec", "template", "spec", "requirements").sequence)

    @property
    def keys_of_auto_mode(self) -> Sequence[Tree]:
        """The keys of Auto Mode in a pool whose nodes are Karpenter's own. Karpenter has the same labels under other
        names."""
        spec = self.tree.get("spec", "template", "spec")
        if spec.get("nodeClassRef", "kind").text != _OWN_CLASS:
            return ()
        keys = (each.get("key") for each in spec.get("requirements").sequence)
        return [each for each in keys if each.string.startswith(f"{_AUTO_MODE}/instance-")]

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
            sets_own_plugin=_OWN_PLUGIN in self.tree.get("spec", "userData").string,
        )

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

        return given_script(said, "the user data")

    @property
    def scripts(self) -> tuple[BootScript, ...]:
        """Karpenter adds where the cluster is, to all but what nodes of a family of one's own are given."""
        if self.script is None:
            return ()
        is_own = self.tree.get("spec", "amiFamily").text == _OWN_FAMILY
        return (replace(self.script, image=self.image, is_completed=not is_own),)

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
_SERVED: Mapping[str, tuple[str, ...]] = {
    "NodePool": ("karpenter.sh/v1", "karpenter.sh/v1beta1"),
    _OWN_CLASS: ("karpenter.k8s.aws/v1", "karpenter.k8s.aws/v1beta1"),
    "NodeClass": ("eks.amazonaws.com/v1",),
}
_GROUPS = ("karpenter.sh/", "karpenter.k8s.aws/")


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
            return f"apiVersion: {_SERVED[_OWN_CLASS][0]} and kind: {_OWN_CLASS}"
        return f"apiVersion: {_SERVED[self.kind][0]}"


def karpenter(document: Tree) -> Iterator[KarpenterPool | KarpenterClass | MisplacedNodes]:
    api, kind = document.get("apiVersion").string, document.get("kind").string
    name = document.get("metadata", "name").string
    if api.startswith(_GROUPS) and api not in _SERVED.get(kind, (api,)):
        yield MisplacedNodes(kind, document.get("apiVersion"))
        return
    if kind == _OWN_CLASS and api.startswith(_CLASS_API) and name:
        yield KarpenterClass(name, document.place, document)
    elif kind == "NodePool" and api.startswith(_POOL_API) and name:
        spec = document.get("spec", "template", "spec")
        reference, requirements = spec.get("nodeClassRef"), spec.get("requirements").sequence
        if reference.get("name").text is not None and any(map(_asks_for_gpus, requirements)):
            auto = reference.get("group")
            auto_mode = auto.place if auto.text == _AUTO_MODE else None
            azure = auto.place if auto.text == _AZURE else None
            node_class = reference.get("name").string
            labels = texts_of(document.get("spec", "template", "metadata", "labels"))
            own = {OF_POOL: Located.known(name, document.place), **labels}
            # A pool of a fixed size; one that grows and shrinks has none.
            wanted = number_of(document.get("spec", "replicas"))
            taints = taints_in(spec.get("taints").sequence)
            machines = replace(_machines(requirements), wanted=wanted, labels=own, taints=taints)
            yield KarpenterPool(name, document.place, node_class, document, machines, auto_mode, azure)


def objects_of_data_on_eks(values: Tree) -> Iterator[Tree]:
    """The NodePool and its class that the chart karpenter-resources of data-on-eks makes of its values. Which family it
    takes where nobody says one differs between its versions."""
    at, name, pool = values.place, values.get("name"), values.get("nodePool")
    if name.text is None or not pool.is_mapping:
        return
    labels = {key: said for each in pool.get("labels").sequence for key, said in each.mapping.items()}
    reference = {"group": _CLASS_API.rstrip("/"), "kind": _OWN_CLASS, "name": name.text}
    spec = {
        "nodeClassRef": Tree({key: Tree(said, name.place) for key, said in reference.items()}, name.place),
        "requirements": pool.get("requirements"),
        "taints": pool.get("taints"),
    }
    metadata = Tree({"labels": Tree(labels, pool.get("labels").place)}, pool.place)
    template = Tree({"metadata": metadata, "spec": Tree(spec, pool.place)}, pool.place)
    yield _object_of("NodePool", name, Tree({"template": template}, pool.place), at)
    if values.get("ec2NodeClass", "amiFamily").text is not None:
        yield _object_of(_OWN_CLASS, name, values.get("ec2NodeClass"), at)


def _object_of(kind: str, name: Tree, spec: Tree, at: Place) -> Tree:
    head = {"apiVersion": Tree(_SERVED[kind][0], at), "kind": Tree(kind, at)}
    return Tree({**head, "metadata": Tree({"name": name}, name.place), "spec": spec}, at)


def may_have_gpus(pool: Tree) -> bool:
    """Whether nothing that a NodePool requires leaves nodes with GPUs out."""
    asked = map(_parts_of_requirement, pool.get("spec", "template", "spec", "requirements").sequence)
    limits = ((_MAY[key], values) for key, operator, values in asked if operator == "In" and key in _MAY)
    return all(any(may(each.string) for each in values) for may, values in limits)


def _parts_of_requirement(requirement: Tree) -> tuple[str, str, Sequence[Tree]]:
    """What it is about, by which operator, and the values: Auto Mode calls the same by names of its own."""
    key = name_by_karpenter(requirement.get("key").string)
    values = [each for each in requirement.get("values").sequence if each.text is not None]
    return key, requirement.get("operator").string, values


def name_by_karpenter(key: str) -> str:
    return key.replace(f"{_AUTO_MODE}/", f"{_OWN_KEYS}/")


def _asks_for_gpus(requirement: Tree) -> bool:
    key, operator, values = _parts_of_requirement(requirement)
    asks = _ASKS.get(key)
    return asks is not None and asks(operator, [each.string for each in values])


def _machines(requirements: Sequence[Tree]) -> Machines:
    from nodeworthy.known.gpus import gpu_named

    chosen = {key: values for key, operator, values in map(_parts_of_requirement, requirements) if operator == "In"}
    types = [each.located() for each in chosen.get(_TYPE, ()) if has_gpus(each.string)] or list(_only_type(chosen))
    if not {_SKU, _SKU_GPU, _SKU_COUNT}.isdisjoint(chosen) or _of_azure(chosen.get(_TYPE, ())):
        return _machines_of_azure(chosen)
    gpus = [each for each in chosen.get(_GPU_NAME, ()) if gpu_named(each.string) is not None]
    counts = [each for each in chosen.get(_GPU_COUNT, ()) if each.string.isdecimal()]
    gpu = gpus[0].located() if len(gpus) == 1 else _of_families(chosen, _gpu_of)
    count = Located.known(int(counts[0].string), counts[0].place) if len(counts) == 1 else None
    if not counts:
        sizes = [each.string for each in chosen.get(_SIZE, ())]
        count = _of_families(chosen, lambda family: counts_of(family, sizes))
    return Machines(tuple(types), gpu, count, min(_bounds(chosen), key=lambda each: each[0], default=(0, None))[1])


def _only_type(chosen: Mapping[str, Sequence[Tree]]) -> Iterator[Located[str]]:
    """Of one family and one size there is one."""
    families, sizes = chosen.get(_FAMILY, ()), chosen.get(_SIZE, ())
    if len(families) == len(sizes) == 1 and has_gpus(f"{families[0].string}.{sizes[0].string}"):
        yield Located.known(f"{families[0].string}.{sizes[0].string}", families[0].place)


def _of_azure(sizes: Sequence[Tree]) -> list[MachineGpus]:
    from nodeworthy.known.cloud_gpus import gpus_of_size

    return [found for each in sizes if (found := gpus_of_size(each.string)) is not None]


def _machines_of_azure(chosen: Mapping[str, Sequence[Tree]]) -> Machines:
    """What all sizes have that it chooses from, or what it says of them."""
    from nodeworthy.known.gpus import gpu_named

    sizes = [*chosen.get(_SKU, ()), *chosen.get(_TYPE, ())]
    told = [(found, each.place) for each in sizes for found in _of_azure([each])]
    gpus = {found.gpu: Located.known(found.gpu, place) for found, place in told if found.gpu is not None}
    counts = {found.count: Located.known(found.count, place) for found, place in told if found.count is not None}
    if not told:
        named = ((gpu_named(each.string), each.place) for each in chosen.get(_SKU_GPU, ()))
        gpus = {gpu.name: Located.known(gpu.name, place) for gpu, place in named if gpu is not None}
        whole = [each for each in chosen.get(_SKU_COUNT, ()) if each.string.isdecimal()]
        counts = {int(each.string): Located.known(int(each.string), each.place) for each in whole}
    is_one_gpu, is_one_count = len(gpus) == 1, len(counts) == 1 and len(told) in (0, len(sizes))
    return Machines(
        gpu=next(iter(gpus.values())) if is_one_gpu else None,
        gpus=next(iter(counts.values())) if is_one_count else None,
    )


def _of_families(chosen: Mapping[str, Sequence[Tree]], has: Callable[[str], frozenset[V]]) -> Located[V] | None:
    """What all types of the families have that it chooses from; None where they differ, or one is not known."""
    families = chosen.get(_FAMILY, ())
    told = [has(each.string) for each in families]
    every = frozenset[V]().union(*told)
    return Located.known(next(iter(every)), families[0].place) if len(every) == 1 and all(told) else None


def _gpu_of(family: str) -> frozenset[str]:
    gpu = gpu_of_family(family)
    return frozenset((gpu,) if gpu is not None else ())


def _bounds(chosen: Mapping[str, Sequence[Tree]]) -> Iterator[tuple[int, Located[int]]]:
    """How many GPUs no node has more than, each by one requirement: all of them hold."""
    for key, most in ((_GPU_COUNT, _counted_most), (_FAMILY, most_gpus_of)):
        told = [(most(each.string), each.place) for each in chosen.get(key, ())]
        known = [(count, place) for count, place in told if count is not None]
        if known and len(known) == len(told):
            count, place = max(known, key=lambda each: each[0])
            yield count, Located.known(count, place)


def _counted_most(text: str) -> int | None:
    return int(text) if text.isdecimal() else None


def _in(is_one: Callable[[str], bool]) -> Callable[[str, Sequence[str]], bool]:
    return lambda operator, values: operator == "In" and any(map(is_one, values))


def _asks_for_any(operator: str, values: Sequence[str]) -> bool:
    return operator == "Exists" or (operator == "In" and bool(values))


def _counted(operator: str, values: Sequence[str]) -> bool:
    return operator in ("Gt", "Exists") or (operator == "In" and any(each != "0" for each in values))


def _only_gpu_categories(operator: str, values: Sequence[str]) -> bool:
    """Whether only categories with GPUs are asked for, also where a family is written in their place (g5): its letter
    is meant."""
    return operator == "In" and bool(values) and all(each in _GPU_CATEGORIES or is_gpu_family(each) for each in values)


def _only_of_azures_gpus(operator: str, values: Sequence[str]) -> bool:
    return operator == "In" and bool(values) and all(each.upper().startswith("N") for each in values)


def _is_azures(size: str) -> bool:
    from nodeworthy.known.cloud_gpus import gpus_of_size

    return gpus_of_size(size) is not None


def _has_gpus_elsewhere(kind: str) -> bool:
    """A machine type of Google Cloud, or a size of Azure."""
    from nodeworthy.known.cloud_gpus import gpus_of_machine, gpus_of_size

    return gpus_of_machine(kind) is not None or gpus_of_size(kind) is not None


_CAPACITY, _RESERVED = "karpenter.sh/capacity-type", "reserved"
_TYPE = "node.kubernetes.io/instance-type"
_FAMILY = "karpenter.k8s.aws/instance-family"
_SIZE = "karpenter.k8s.aws/instance-size"
_GPU_NAME = "karpenter.k8s.aws/instance-gpu-name"
_GPU_COUNT = "karpenter.k8s.aws/instance-gpu-count"
_CATEGORY = "karpenter.k8s.aws/instance-category"
_SKU, _SKU_FAMILY = f"{_AZURE}/sku-name", f"{_AZURE}/sku-family"
_SKU_GPU, _SKU_COUNT = f"{_AZURE}/sku-gpu-name", f"{_AZURE}/sku-gpu-count"
_MAY: Mapping[str, Callable[[str], bool]] = {
    _TYPE: lambda kind: has_gpus(kind) or _has_gpus_elsewhere(kind),
    _FAMILY: is_gpu_family,
    _CATEGORY: lambda category: category in _GPU_CATEGORIES,
    _SKU_FAMILY: lambda family: family.upper().startswith("N"),
}
_ASKS: Mapping[str, Callable[[str, Sequence[str]], bool]] = {
    _TYPE: _in(lambda kind: has_gpus(kind) or _is_azures(kind)),
    _FAMILY: _in(lambda family: is_gpu_family(family.partition(".")[0])),
    _CATEGORY: _only_gpu_categories,
    _GPU_NAME: _asks_for_any,
    _GPU_COUNT: _counted,
    "karpenter.k8s.aws/instance-gpu-manufacturer": _in(lambda one: one.lower() == "nvidia"),
    _SKU: _in(_is_azures),
    _SKU_GPU: _asks_for_any,
    _SKU_COUNT: _counted,
    _SKU_FAMILY: _only_of_azures_gpus,
    f"{_AZURE}/sku-gpu-manufacturer": _in(lambda one: one.lower() == "nvidia"),
}

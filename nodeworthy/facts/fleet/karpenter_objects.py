"""What NodePools and EC2NodeClasses say as objects: which pools ask for GPUs, and for which machines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.fleet.karpenter import (
    AUTO_MODE,
    AZURE,
    OF_POOL,
    OWN_CLASS,
    SERVED,
    KarpenterClass,
    KarpenterPool,
    MisplacedNodes,
    parts_of_requirement,
)
from nodeworthy.facts.fleet.machines import Machines, number_of, texts_of
from nodeworthy.facts.fleet.node_taint import taints_in
from nodeworthy.known.cloud_gpus import MachineGpus
from nodeworthy.known.instances import counts_of, gpu_of_family, has_gpus, is_gpu_family, most_gpus_of
from nodeworthy.records import replace
from nodeworthy.verdict import Located, Place

_CLASS_API, _POOL_API = "karpenter.k8s.aws/", "karpenter.sh/"
# Of the categories of EC2's types, those of which every current one has GPUs of NVIDIA or is asked for as if it had.
_GPU_CATEGORIES = frozenset({"g", "p"})
V = TypeVar("V")
_GROUPS = (_POOL_API, _CLASS_API)


def karpenter(document: Tree) -> Iterator[KarpenterPool | KarpenterClass | MisplacedNodes]:
    api, kind = document.get("apiVersion").string, document.get("kind").string
    name = document.get("metadata", "name").string
    if api.startswith(_GROUPS) and api not in SERVED.get(kind, (api,)):
        yield MisplacedNodes(kind, document.get("apiVersion"))
        return
    if kind == OWN_CLASS and api.startswith(_CLASS_API) and name:
        yield KarpenterClass(name, document.place, document)
    elif kind == "NodePool" and api.startswith(_POOL_API) and name:
        spec = document.get("spec", "template", "spec")
        reference, requirements = spec.get("nodeClassRef"), spec.get("requirements").sequence
        named = reference.get("name")
        if (named.text is not None or named.is_unknown) and any(map(_asks_for_gpus, requirements)):
            auto = reference.get("group")
            auto_mode = auto.place if auto.text == AUTO_MODE else None
            azure = auto.place if auto.text == AZURE else None
            node_class = named.string
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
    reference = {"group": _CLASS_API.rstrip("/"), "kind": OWN_CLASS, "name": name.text}
    spec = {
        "nodeClassRef": Tree({key: Tree(said, name.place) for key, said in reference.items()}, name.place),
        "requirements": pool.get("requirements"),
        "taints": pool.get("taints"),
    }
    metadata = Tree({"labels": Tree(labels, pool.get("labels").place)}, pool.place)
    template = Tree({"metadata": metadata, "spec": Tree(spec, pool.place)}, pool.place)
    yield _object_of("NodePool", name, Tree({"template": template}, pool.place), at)
    if values.get("ec2NodeClass", "amiFamily").text is not None:
        yield _object_of(OWN_CLASS, name, values.get("ec2NodeClass"), at)


def _object_of(kind: str, name: Tree, spec: Tree, at: Place) -> Tree:
    head = {"apiVersion": Tree(SERVED[kind][0], at), "kind": Tree(kind, at)}
    return Tree({**head, "metadata": Tree({"name": name}, name.place), "spec": spec}, at)


def may_have_gpus(pool: Tree) -> bool:
    """Whether nothing that a NodePool requires leaves nodes with GPUs out."""
    asked = map(parts_of_requirement, pool.get("spec", "template", "spec", "requirements").sequence)
    limits = ((_MAY[key], values) for key, operator, values in asked if operator == "In" and key in _MAY)
    return all(any(may(each.string) for each in values) for may, values in limits)


def _asks_for_gpus(requirement: Tree) -> bool:
    key, operator, values = parts_of_requirement(requirement)
    asks = _ASKS.get(key)
    return asks is not None and asks(operator, [each.string for each in values])


def _machines(requirements: Sequence[Tree]) -> Machines:
    from nodeworthy.known.gpus import gpu_named

    chosen = {key: values for key, operator, values in map(parts_of_requirement, requirements) if operator == "In"}
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


_TYPE = "node.kubernetes.io/instance-type"
_FAMILY = "karpenter.k8s.aws/instance-family"
_SIZE = "karpenter.k8s.aws/instance-size"
_GPU_NAME = "karpenter.k8s.aws/instance-gpu-name"
_GPU_COUNT = "karpenter.k8s.aws/instance-gpu-count"
_CATEGORY = "karpenter.k8s.aws/instance-category"
_SKU, _SKU_FAMILY = f"{AZURE}/sku-name", f"{AZURE}/sku-family"
_SKU_GPU, _SKU_COUNT = f"{AZURE}/sku-gpu-name", f"{AZURE}/sku-gpu-count"
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
    f"{AZURE}/sku-gpu-manufacturer": _in(lambda one: one.lower() == "nvidia"),
}

"""Nodes that a root of Terraform's makes by what makes clusters elsewhere: Talos' machine configs, Rancher's clusters.

Each is read as the document of its own that it stands for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from nodeworthy.collect.objects import facts_of
from nodeworthy.documents.tree import Tree, merge
from nodeworthy.facts.fleet.asked_nodes import AskedNodes, SaidCluster
from nodeworthy.facts.fleet.said_cluster import minor_of
from nodeworthy.facts.fleet.talos import TALOS, machine_of_talos, names_driver, nodes_by_extension
from nodeworthy.hcl.instances import Instance
from nodeworthy.hcl.trees import document, tree
from nodeworthy.hcl.values import Hole, Refusal, Seq, Value, Waits
from nodeworthy.scene import Fact

_CONFIGURATION, _APPLIED = "talos_machine_configuration", "talos_machine_configuration_apply"
_SCHEMATIC, _EXTENSIONS = "talos_image_factory_schematic", "talos_image_factory_extensions_versions"
_CLUSTER, _MACHINE = "rancher2_cluster_v2", "rancher2_machine_config_v2"
TYPES = frozenset((_CONFIGURATION, _APPLIED, _SCHEMATIC, _EXTENSIONS, _CLUSTER, _MACHINE))


def nodes_declared_by(instances: Iterable[Instance | Hole]) -> Iterator[Fact]:
    every = [each for each in instances if isinstance(each, Instance)]
    yield from _of_talos([each for each in every if each.type.startswith("talos_")])
    machines = {each.address: _machine_of_rancher(each) for each in every if each.type == _MACHINE}
    for each in every:
        if each.type == _CLUSTER:
            yield from facts_of(_cluster_of_rancher(each, machines))


# Talos


def _of_talos(instances: Sequence[Instance]) -> Iterator[Fact]:
    """The clusters of Talos. Patches say which machines have GPUs; where none does, the image with NVIDIA's modules
    says it."""
    for each in instances:
        if each.type == _CONFIGURATION:
            yield from _cluster_of_talos(each)
    made = {each.name: each for each in sorted(_machines_of_talos(instances), key=lambda each: bool(each.has_driver))}
    yield from made.values()
    if not any(each.has_driver for each in made.values()):
        yield from {each.name: each for each in _images_of_talos(instances)}.values()
    yield from _extensions_of_talos(instances)


def _extensions_of_talos(instances: Sequence[Instance]) -> Iterator[Fact]:
    """Imported only where an image is asked for."""
    asked = list(_asked_extensions(instances))
    if asked:
        from nodeworthy.facts.fleet.talos_extensions import extensions_together

        for _, each in asked:
            yield from extensions_together(each)


def _cluster_of_talos(instance: Instance) -> Iterator[SaidCluster]:
    said = tree(instance.values)
    name, version = said.get("cluster_name").text, minor_of(said.get("kubernetes_version"))
    if name is not None or version is not None:
        names = frozenset((name,) if name is not None else ())
        yield SaidCluster(instance.place, names, of=frozenset((TALOS,)), version=version)


def _machines_of_talos(instances: Sequence[Instance]) -> Iterator[AskedNodes]:
    """The machines of each configuration, and of each time that one is applied, with the patches laid over it."""
    for each in instances:
        if each.type in (_CONFIGURATION, _APPLIED):
            patches = [_document(one, each) for one in _parts(each.values.items.get("config_patches"))]
            machine = _patched(patches, each)
            if each.type == _CONFIGURATION or machine.mapping:
                cluster = tree(each.values).get("cluster_name")
                yield machine_of_talos(_hostname(patches) or each.name, each.place, machine, cluster)


def _patched(patches: Sequence[Tree], instance: Instance) -> Tree:
    found = Tree({}, instance.place)
    for each in patches:
        said = each.get("machine")
        found = merge(found, said) if said.is_mapping else found
    return found


def _hostname(patches: Sequence[Tree]) -> str | None:
    """The name in a document of its own, as Talos has it from 1.12 on."""
    return next((each.get("hostname").text for each in patches if each.get("kind").text == "HostnameConfig"), None)


def _images_of_talos(instances: Sequence[Instance]) -> Iterator[AskedNodes]:
    for each, asked in _asked_extensions(instances):
        named = next((one for one in asked if names_driver(one)), None)
        if named is not None:
            yield nodes_by_extension(each.name, each.place, named)


def _asked_extensions(instances: Sequence[Instance]) -> Iterator[tuple[Instance, Sequence[Tree]]]:
    """By what is to be one image, those that it is to have."""
    for each in instances:
        said = each.values.items
        if each.type == _SCHEMATIC and (schematic := said.get("schematic")) is not None:
            document = _document(schematic, each)
            yield each, document.get("customization", "systemExtensions", "officialExtensions").sequence
        elif each.type == _EXTENSIONS:
            yield each, tree(each.values).get("filters", "names").sequence


def _parts(said: Value | None) -> Sequence[Value]:
    return said.items if isinstance(said, Seq) else ()


def _document(said: Value, instance: Instance) -> Tree:
    """The value as a document; an empty one if it is not known or can't be read."""
    try:
        return tree(document(said, instance.module.scope(instance.block.file, instance.names)))
    except (Waits, Refusal):
        return Tree({}, instance.place)


# Rancher


def _machine_of_rancher(instance: Instance) -> Tree:
    """What kind of machine it asks a cloud for, by whichever it names."""
    said = tree(instance.values)
    found = (_first(said.get(config)).get(name) for config, name in _KINDS_OF_MACHINES)
    return next((each for each in found if each.text is not None), Tree(None, instance.place))


_KINDS_OF_MACHINES = (
    ("amazonec2_config", "instance_type"),
    ("azure_config", "size"),
    ("google_config", "machine_type"),
)


def _cluster_of_rancher(instance: Instance, machines: dict[str, Tree]) -> Tree:
    """The cluster as Rancher's own object of the same says it."""
    said, at = tree(instance.values), instance.place
    pools = [_pool_of_rancher(each, machines) for each in _first(said.get("rke_config")).get("machine_pools").sequence]
    spec = {
        "kubernetesVersion": said.get("kubernetes_version"),
        "rkeConfig": Tree({"machinePools": Tree(pools, at)}, at),
    }
    head = {"apiVersion": Tree("provisioning.cattle.io/v1", at), "kind": Tree("Cluster", at)}
    return Tree({**head, "metadata": Tree({"name": said.get("name")}, at), "spec": Tree(spec, at)}, at)


def _pool_of_rancher(pool: Tree, machines: dict[str, Tree]) -> Tree:
    named = _first(pool.get("machine_config")).get("name").value
    machine = machines.get(getattr(named, "of", ""))
    return Tree({**pool.mapping, **({"machineType": machine} if machine is not None else {})}, pool.place)


def _first(tree: Tree) -> Tree:
    return tree.sequence[0] if tree.sequence else tree

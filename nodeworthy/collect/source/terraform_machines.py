"""The machines with GPUs that a root of Terraform asks Google Cloud or Azure for by themselves, with what they boot
with and what Azure's extension brings them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from nodeworthy.collect.source.terraform_nodes import holes
from nodeworthy.collect.source.terraform_provisioners import scripts_given_to
from nodeworthy.facts.aws.world_ports import OpenedPort
from nodeworthy.facts.fleet.cloud_firewall import READ, Declared, ports_open_to_everyone
from nodeworthy.facts.fleet.gpu_machine import AZURES, EXTENSIONS, GOOGLES, GpuMachine, installs_drivers, machine_in
from nodeworthy.facts.fleet.hosted_pools import HostedResource
from nodeworthy.facts.surroundings import Surroundings
from nodeworthy.hcl.instances import Instance
from nodeworthy.hcl.root import Module
from nodeworthy.hcl.trees import tree
from nodeworthy.hcl.values import Hole
from nodeworthy.records import replace

# Where an extension names the machine, or the scale set, that it is for.
_FOR = ("virtual_machine_id", "virtual_machine_scale_set_id")


def machines_asked_for(module: Module, around: Surroundings | None) -> Iterator[GpuMachine]:
    """Once of each block, however many it makes."""
    extensions = dict(_extensions(module))
    seen: set[int] = set()
    for each in module.everything({*GOOGLES, *AZURES}):
        if isinstance(each, Instance) and not each.is_data and id(each.block) not in seen:
            seen.add(id(each.block))
            found = machine_in(_resource(each), scripts_given_to(each, around))
            if found is not None:
                yield replace(found, extension=extensions.get(each.address))


def ports_opened(instances: Iterable[Instance | Hole]) -> Iterator[OpenedPort]:
    """What rules of Google Cloud's and Azure's firewalls open to everyone, of machines and pools beside them."""
    found = (each for each in instances if isinstance(each, Instance) and not each.is_data and each.type in READ)
    yield from ports_open_to_everyone([Declared(each.address, _resource(each)) for each in found])


def _extensions(module: Module) -> Iterator[tuple[str, HostedResource]]:
    """Those that bring NVIDIA's driver, by the machine that they are for."""
    for each in module.everything(set(EXTENSIONS)):
        if isinstance(each, Instance) and installs_drivers(found := _resource(each)):
            for name in _FOR:
                named = each.values.items.get(name)
                yield from ((hole.of, found) for hole in (holes(named) if named is not None else ()) if hole.of)


def _resource(instance: Instance) -> HostedResource:
    return HostedResource(instance.type, instance.name, instance.place, tree(instance.values))

"""What Terraform calls the resources and properties that Pulumi calls otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from nodeworthy.known.tables import table_of
from nodeworthy.patterns import pattern

_UNDERSCORE = pattern(r"_([a-z0-9])")


# How resources of clouds begin that are asked for pools of nodes; a test reads the tables to be sure.
OTHER_CLOUDS = (
    *("alicloud_", "civo_", "coreweave_", "digitalocean_", "exoscale_", "ibm_", "linode_", "nebius_", "oci_"),
    *("ovh_", "rhcs_", "scaleway_", "upcloud_", "vultr_", "yandex_"),
)
CLOUDS = ("google_", "azurerm_", "azapi_", *OTHER_CLOUDS)
# How Google Cloud's and Azure's machines are called, and what is made of them.
MACHINES = ("google_compute_instance", "google_compute_region_instance_template", "azurerm_linux_virtual_machine")
# How their firewalls are called.
FIREWALLS = ("google_compute_firewall", "azurerm_network_security_")
# How resources begin that make clusters of machines, whosever these are.
MAKING_CLUSTERS = ("rancher2_", "talos_")


@cache
def _table() -> Mapping[str, Any]:
    return table_of("terraform")


def types() -> Mapping[str, str]:
    found: Mapping[str, str] = _table()["types"]
    return found


def boots() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """For each type of machine of clouds other than AWS, the arguments that hold what it boots with."""
    found: Mapping[str, Mapping[str, Sequence[str]]] = _table()["boots"]
    return found


def name_of(argument: str) -> str:
    """`launch_template_specification` is `launchTemplateSpecification`."""
    return _table()["names"].get(argument) or _UNDERSCORE.sub(lambda found: found[1].upper(), argument)


def is_one(block: str) -> bool:
    return block in _table()["one"]["names"]


def is_block(name: str) -> bool:
    """Whether what AWS' resources call so is a block, and no map."""
    known = _table()
    return is_one(name) or name in known["names"] or name in known["several"]["names"]


def is_version(argument: str) -> bool:
    return argument in _table()["versions"]["names"]


def kubernetes_kinds() -> Mapping[str, str]:
    found: Mapping[str, str] = _table()["kubernetes"]
    return found


def kubernetes_names() -> Mapping[str, str]:
    """The names of Kubernetes' fields; one with [] is a list."""
    found: Mapping[str, str] = _table()["kubernetes_names"]
    return found


def argo_names() -> Mapping[str, str]:
    found: Mapping[str, str] = _table()["argo_names"]
    return found

"""How a boot script joins its cluster: with which coordinates, how often, and what of that can't be right."""

from __future__ import annotations

import base64
import binascii
import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath

from nodeworthy.boot.conditions import Asks, together
from nodeworthy.boot.effects import Act, Joins, Stage, Unit
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot_script import BootScript
from nodeworthy.verdict import Located, Place

# What a NodeConfig calls them, in nodeadm's order.
COORDINATES = ("name", "apiServerEndpoint", "certificateAuthority", "cidr")
_BEGINS, _ENDS = "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----"
_USER_DATA = ("user-data", "userdata", "user_data")
# Words of what was not understood that may join a cluster.
JOINING = ("bootstrap", "nodeadm", "kubeadm", "join", "k3s", "rke2", "kubelet")


@dataclass(frozen=True)
class Coordinates:
    """What one way of joining says of the cluster; None for what it leaves out."""

    how: str
    place: Place
    cluster: Located[str] | None
    endpoint: Located[str] | None
    authority: Located[str] | None
    service_cidr: Located[str] | None

    @property
    def said(self) -> tuple[Located[str] | None, ...]:
        return self.cluster, self.endpoint, self.authority, self.service_cidr

    @property
    def missing(self) -> list[str]:
        return [name for name, said in zip(COORDINATES, self.said, strict=True) if said is None]


def coordinates(timeline: Timeline) -> list[Coordinates]:
    """Of every way of joining; NodeConfigs are merged, as nodeadm does it: what a later one says wins."""
    joins = list(timeline.of(Joins))
    told = [each for each in joins if each.tells]
    return [_of(each) for each in joins if not each.tells] + ([_merged(told)] if told else [])


def _of(joins: Joins) -> Coordinates:
    return Coordinates(joins.how, joins.place, joins.cluster, joins.endpoint, joins.authority, joins.service_cidr)


def _merged(told: list[Joins]) -> Coordinates:
    merged = _of(told[0])
    for each in told[1:]:
        merged = Coordinates(
            merged.how,
            merged.place if any(merged.said) else each.place,
            each.cluster or merged.cluster,
            each.endpoint or merged.endpoint,
            each.authority or merged.authority,
            each.service_cidr or merged.service_cidr,
        )
    return merged


def twice(timeline: Timeline) -> Iterator[tuple[Joins, Joins]]:
    """Two that may both happen in one boot: the first, and the one too many."""
    joins = [each for each in timeline.of(Joins) if not each.tells and each.stage is not Stage.NEXT_BOOT]
    for index, second in enumerate(joins):
        for first in joins[:index]:
            if together(first.conditions, second.conditions) and not _is_fallback(first, second):
                yield first, second
                break


def _is_fallback(first: Joins, second: Joins) -> bool:
    """Tried because the first one failed, or when the script is left; or both are phases of one `nodeadm init`."""
    for each in second.conditions:
        if each.question.asks is Asks.TRAP or (each.question.asks is Asks.SUCCESS and each.answer == "no"):
            return True
    return "--skip" in first.command and "--skip" in second.command


def fault_of_endpoint(value: str) -> str | None:
    if value.startswith("http://"):
        return "is http, and EKS answers https alone"
    return None if value.strip() else "is empty"


def fault_of_range(value: str) -> str | None:
    try:
        ipaddress.ip_network(value.strip(), strict=False)
    except ValueError:
        return "is no range of addresses"
    return None if "/" in value else "is an address and no range of them: the mask is missing"


def same_range(one: str, other: str) -> bool:
    try:
        return ipaddress.ip_network(one, strict=False) == ipaddress.ip_network(other, strict=False)
    except ValueError:
        return one == other


def fault_of_authority(value: str) -> str | None:
    """Why this is no certificate in base64."""
    if _BEGINS in value:
        return "is a certificate as it is, and must be in base64"
    try:
        decoded = base64.b64decode("".join(value.split()), validate=True).decode("latin-1")
    except (binascii.Error, ValueError):
        return "is no base64"
    if _BEGINS not in decoded:
        return "is base64, and not of a certificate"
    return None if _ENDS in decoded else "is cut off: the certificate in it has no end"


def makes_a_node(script: BootScript) -> bool:
    """Whether this is all that a node boots with, and not a script that helps with something."""
    if script.place.urn is not None or PurePath(script.place.path or "").name.startswith(_USER_DATA):
        return True
    starts = (each for each in script.timeline.of(Unit) if each.act in (Act.ENABLE, Act.START))
    return any(each.unit.known == "kubelet.service" for each in starts)


def shortened(value: str) -> str:
    value = " ".join(value.split())
    return value if len(value) <= 60 else f"{value[:40]}… ({len(value)} characters)"

"""What a script and the files around it show of the pods on its node: their network, their addresses, the uplink."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Iterator
from dataclasses import replace

from nodeworthy.boot.userdata import Part
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.firewall.needs import Pods
from nodeworthy.facts.firewall.networks import Networks, Written, lines_of, networks_in
from nodeworthy.facts.firewall.pods import of_networks
from nodeworthy.facts.firewall.ranges import Range
from nodeworthy.known.network_signs import mark
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Place, Related

# Files that say how a cluster is made.
_SUFFIXES = (".yaml", ".yml", ".sh", ".bash", ".tf", ".tofu", ".tpl", ".tftpl", ".j2", ".json", ".toml", ".hcl")
# `IFACE=$(ip route get 1.1.1.1 | awk …)`
_ASKED = pattern(
    r"^\s*(?:export\s+|local\s+|readonly\s+)?([A-Za-z_]\w*)=[\"']?\$\(\s*(?:/sbin/)?ip\b[^)\n]{0,80}\broute\b"
)


def shown_by(script: BootScript, said: Pods) -> Pods:
    """What somebody declared stands; the rest is what is shown."""
    own = [line for part in (*script.userdata.parts, *script.told_in) for line in _lines(part)]
    said = replace(said, uplink=said.uplink or _uplink(own))
    if said.networks:
        return said
    found = networks_in(own, _around(script))
    networks = of_networks(found.any_of)
    return replace(
        said,
        networks=networks.networks,
        is_overlaid=networks.is_overlaid,
        shown=tuple(_related(found)),
        is_guessed=found.is_guessed,
        distribution=next((each.sign.distribution for each in found.by), ""),
        pod_range=said.pod_range or found.chosen.get("pods"),
        usual_range=_range(found.usual.pods),
        usual_services=found.chosen.get("services") or _range(found.usual.services),
    )


def _lines(part: Part) -> Iterator[Written]:
    for each in lines_of(part.text, Place()):
        yield replace(each, place=part.origin.at(each.place.line or 1, 1))


def _around(script: BootScript) -> Iterator[Written]:
    """Asked for only where the script itself shows nothing."""
    if script.surroundings is None:
        return
    for held in script.surroundings.holding(mark(), _SUFFIXES):
        yield from lines_of(held.data.decode("utf-8", "replace"), Place(os.path.relpath(held.path)))


def _related(found: Networks) -> Iterator[Related]:
    for each in found.by:
        named = " or ".join(cni.key for cni in each.networks)
        by = f"{each.sign.distribution}, and it brings {named}" if each.sign.distribution else named
        sure = "this shows" if each.sign.is_certain else "this speaks of"
        yield Related(each.place, f"pods' network: {sure} {by}")


def _range(written: str) -> Range | None:
    return ipaddress.ip_network(written) if written else None


def _uplink(lines: list[Written]) -> str:
    """The variable in which the script keeps its name. An interface that it only names may be a private network's."""
    asked = (said[1] for line in lines if not line.is_comment and (said := _ASKED.search(line.text)))
    return next((f"${name}" for name in asked), "")

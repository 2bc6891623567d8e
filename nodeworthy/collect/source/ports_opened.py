"""Ports that a script opens by AWS' own client, beside the machines that it starts: `aws ec2
authorize-security-group-ingress`, as rules of their stack. A range that a variable holds is left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from nodeworthy.boot.commands.call import Given, split_options
from nodeworthy.boot.effects import Runs
from nodeworthy.boot.text import Text
from nodeworthy.documents.tree import Tree, plant
from nodeworthy.facts.aws.security_group import ALL, RULE
from nodeworthy.facts.aws.stack import AwsResource
from nodeworthy.patterns import pattern

_TAKES = frozenset(
    "--group-id --group-name --protocol --port --cidr --source-group --group-owner --ip-permissions --region --profile "
    "--query --output --tag-specifications".split()
)
_PORTS = pattern(r"([0-9]{1,5})(?:-([0-9]{1,5}))?")
# `IpProtocol=tcp,FromPort=22,ToPort=22,IpRanges=[{CidrIp=0.0.0.0/0}]`.
_SAID = pattern(r"\b(IpProtocol|FromPort|ToPort|CidrIp|CidrIpv6)=['\"]?([\w.:/-]{1,60})")


def opens_ports(effect: Runs) -> bool:
    words = [each.known for each in effect.arguments]
    return words[:1] == ["aws"] and "ec2" in words and "authorize-security-group-ingress" in words


def rules_of(call: Runs) -> Iterator[AwsResource]:
    given = split_options(call.arguments[1:], _TAKES)
    group = given.value("--group-id", "--group-name")
    name = _known_word(group) or f"of line {call.place.line}"
    for number, inputs in enumerate(_openings_given(given)):
        yield _resource_of_rule(call, name, f"{name} ({call.place}, {number})", inputs)


def _resource_of_rule(call: Runs, name: str, urn: str, inputs: Mapping[str, Any]) -> AwsResource:
    tree = Tree({key: plant(value, call.place) for key, value in inputs.items()}, call.place)
    return AwsResource(RULE, name, urn, call.place, lambda: tree, is_translated=True)


def _openings_given(given: Given) -> Iterator[dict[str, Any]]:
    several = given.value("--ip-permissions")
    if several is not None:
        yield from _of_permissions(several)
        return
    said = {name: _known_word(given.value(f"--{name}")) for name in ("protocol", "port", "cidr")}
    first, last = _first_and_last(said["port"])
    if said["protocol"] and said["cidr"] and (first is not None or said["protocol"] in (ALL, "all")):
        yield _inputs_of_rule(said["protocol"], first, last, [said["cidr"]])


def _of_permissions(said: Text) -> Iterator[dict[str, Any]]:
    if said.known is None:
        return
    if not said.known.lstrip().startswith(("[", "{")):
        told = dict(_SAID.findall(said.known))
        ranges = [told[name] for name in ("CidrIp", "CidrIpv6") if name in told]
        yield from _of_permission({**told, "IpRanges": [{"CidrIp": each} for each in ranges]})
        return
    try:
        found = json.loads(said.known)
    except (ValueError, RecursionError):
        return
    for each in found if isinstance(found, list) else [found]:
        yield from _of_permission(each) if isinstance(each, dict) else ()


def _of_permission(each: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    listed = [one for name in ("IpRanges", "Ipv6Ranges") for one in each.get(name) or () if isinstance(one, dict)]
    ranges = [str(value) for one in listed for value in (one.get("CidrIp"), one.get("CidrIpv6")) if value]
    protocol, first, last = (str(each.get(name, "")) for name in ("IpProtocol", "FromPort", "ToPort"))
    if ranges and protocol and (protocol == ALL or (first.isdigit() and last.isdigit())):
        yield _inputs_of_rule(
            protocol, int(first) if first.isdigit() else None, int(last) if last.isdigit() else None, ranges
        )


def _inputs_of_rule(protocol: str, first: int | None, last: int | None, ranges: list[str]) -> dict[str, Any]:
    ports = {} if first is None or last is None else {"fromPort": first, "toPort": last}
    return {"type": "ingress", "protocol": ALL if protocol == "all" else protocol, **ports, "cidrBlocks": ranges}


def _known_word(said: Text | None) -> str:
    return said.string if said is not None else ""


def _first_and_last(said: str) -> tuple[int | None, int | None]:
    found = _PORTS.fullmatch(said)
    return (int(found[1]), int(found[2] or found[1])) if found is not None else (None, None)

"""Machines with GPUs that a script starts by AWS' own client: `aws ec2 run-instances`, as resources of a stack.

What the client is given by another file, by a launch template, or by a variable that nobody sets is not known, and such
a machine is left out. Where it is started in a loop, it is told once.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nodeworthy.boot.commands.call import Given, split_options
from nodeworthy.boot.effects import Runs
from nodeworthy.boot.text import Text
from nodeworthy.collect.aws.stack import Stack
from nodeworthy.collect.source.ports_opened import opens_ports, rules_of
from nodeworthy.documents.tree import Tree, plant
from nodeworthy.facts.aws.stack import AwsResource, AwsStack
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.known.instances import has_gpus
from nodeworthy.patterns import pattern
from nodeworthy.verdict import NotKnown, Place

_INSTANCE = "aws:ec2/instance:Instance"
_METADATA, _DISKS = "--metadata-options", "--block-device-mappings"
# More of one call nobody writes.
_MOST_LINES = 60
_ROOTS = ("/dev/xvda", "/dev/sda1")
# By one of these the rest is said elsewhere.
_ELSEWHERE = ("--launch-template", "--cli-input-json", "--cli-input-yaml", "--generate-cli-skeleton")
# Its options that have a value behind them.
_TAKES = frozenset(
    "--image-id --instance-type --key-name --security-group-ids --security-groups --subnet-id --count --user-data "
    "--block-device-mappings --metadata-options --tag-specifications --iam-instance-profile --instance-market-options "
    "--region --profile --query --output --placement --private-ip-address --network-interfaces --cpu-options "
    "--capacity-reservation-specification --credit-specification --instance-initiated-shutdown-behavior "
    "--launch-template --cli-input-json --cli-input-yaml --client-token --monitoring".split()
)
_PAIR = pattern(r"(\w{1,60})=([^,{}\s]{0,200})")
_NAME = pattern(r"Key=Name,[ \t]*Value=([\w.-]{1,60})")


def stack_of_machines(script: BootScript, text: str) -> Stack | None:
    """`text`: the script as it stands in its file."""
    try:
        calls = {each.place: each for each in script.timeline.of(Runs) if _starts_machines(each)}
    except NotKnown:  # what can't be read of it, other rules tell
        return None
    lines = text.split("\n")
    machines = [made for each in calls.values() if (made := _machine(each, lines)) is not None]
    if not machines:
        return None
    opened = {each.place: each for each in script.timeline.of(Runs) if opens_ports(each)}
    rules = [rule for each in opened.values() for rule in rules_of(each)]
    return Stack(AwsStack(script.place, [*machines, *rules]), lambda _: ())


def _starts_machines(effect: Runs) -> bool:
    words = [each.known for each in effect.arguments]
    return words[:1] == ["aws"] and "ec2" in words and "run-instances" in words


def _machine(call: Runs, lines: Sequence[str]) -> AwsResource | None:
    given = split_options(call.arguments[1:], _TAKES)
    said = given.value("--instance-type")
    machine = said.known if said is not None else None
    if machine is None or not has_gpus(machine) or given.has(*_ELSEWHERE):
        return None
    metadata, disks = given.value(_METADATA), given.value(_DISKS)
    if any(each is not None and _is_elsewhere(each) for each in (metadata, disks)):
        return None
    if disks is not None and not any(_disks(disks)):
        return None
    name, place = _name(given, call.place), call.place
    inputs = {
        "instanceType": plant(machine, _of_option("--instance-type", place, lines)),
        **{key: plant(each, _of_option(_METADATA, place, lines)) for key, each in _of_metadata(metadata).items()},
        **{key: plant(each, _of_option(_DISKS, place, lines)) for key, each in _of_disks(disks).items()},
    }
    return AwsResource(_INSTANCE, name, f"{name} ({place})", place, lambda: Tree(inputs, place), is_translated=True)


def _of_option(option: str, call: Place, lines: Sequence[str]) -> Place:
    """Where it stands, in one of the lines over which the call goes on."""
    row = call.row
    for number in range(row, min(row + _MOST_LINES, len(lines) + 1)):
        line = lines[number - 1]
        if option in line:
            return Place(call.path, number, line.index(option) + 1)
        if not line.rstrip().endswith("\\"):
            break
    return call


def _is_elsewhere(said: Text) -> bool:
    """Whether the text is in a file, or in a variable as a whole."""
    return said.string.startswith("file:") or (said.known is None and len(said.pieces) == 1)


def _name(given: Given, place: Place) -> str:
    tagged = given.value("--tag-specifications")
    found = _NAME.search(tagged.shown()) if tagged is not None else None
    return found[1] if found is not None else f"of line {place.line}"


def _of_metadata(said: Text | None) -> dict[str, Any]:
    """`HttpTokens=required,HttpPutResponseHopLimit=2`, or the same in JSON."""
    if said is None:
        return {}
    told = _as_json(said)
    pairs = told if isinstance(told, dict) else dict(_PAIR.findall(said.shown()))
    return {"metadataOptions": {f"{name[:1].lower()}{name[1:]}": value for name, value in pairs.items()}}


def _of_disks(said: Text | None) -> dict[str, Any]:
    each = list(_disks(said)) if said is not None else []
    root = next((disk for name, disk in each if name in _ROOTS), None)
    others = [{"deviceName": name, **disk} for name, disk in each if name not in _ROOTS]
    return {
        **({"rootBlockDevice": root} if root is not None else {}),
        **({"ebsBlockDevices": others} if others else {}),
    }


def _disks(said: Text) -> Iterator[tuple[str, dict[str, Any]]]:
    told = _as_json(said)
    for each in told if isinstance(told, list) else ():
        ebs = each.get("Ebs") if isinstance(each, dict) else None
        if isinstance(ebs, dict):
            yield str(each.get("DeviceName")), _of_a_disk(ebs)
    if told is None:
        # `DeviceName=/dev/sda1,Ebs={VolumeSize=100,Encrypted=true}`, one behind the other.
        for part in said.shown().split("DeviceName=")[1:]:
            name = part.partition(",")[0].strip()
            yield name, _of_a_disk(dict(_PAIR.findall(part)))


def _of_a_disk(ebs: Mapping[str, Any]) -> dict[str, Any]:
    names = {"Encrypted": "encrypted", "VolumeType": "volumeType", "KmsKeyId": "kmsKeyId", "SnapshotId": "snapshotId"}
    found = {ours: ebs[name] for name, ours in names.items() if name in ebs}
    return {**found, "encrypted": str(found["encrypted"]).lower() == "true"} if "encrypted" in found else found


def _as_json(said: Text) -> Any:
    """What is JSON, with a number for what is filled in; None of what is none."""
    text = "".join(each if isinstance(each, str) else "0" for each in said.pieces)
    if not text.lstrip().startswith(("[", "{")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None

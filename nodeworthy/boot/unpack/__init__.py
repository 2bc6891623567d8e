"""Unpacks user data: from bytes to parts, each with who reads it when and where its lines stand in the user's file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from nodeworthy.boot.cloud_config import CloudConfig, read_cloud_configs
from nodeworthy.boot.effects import Stage
from nodeworthy.boot.gzipped import UNPACKED_LIMIT
from nodeworthy.boot.node_config import NodeConfig, read_node_config
from nodeworthy.boot.origin import Origin, Straight
from nodeworthy.boot.playbook.recognition import is_playbook
from nodeworthy.boot.unpack.envelope import Opened, as_text, open_envelope
from nodeworthy.boot.unpack.kinds import (
    Type,
    begins_as,
    kind_of_template,
    looks_like,
    read_by_others,
    says_it_too_late,
)
from nodeworthy.boot.unpack.parts import Reading, TypedText
from nodeworthy.boot.userdata import FaultKind, PartKind, UserData, UserDataFault
from nodeworthy.documents.tree import Tree
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Place

__all__ = ["unpack"]


def unpack(
    data: bytes,
    place: Place,
    *,
    template: bool | None = None,
    name: str = "",
    origin: Origin | None = None,
    taken_off: Sequence[str] = (),
    variables: Mapping[str, Tree] = MappingProxyType({}),
) -> UserData:
    """The parts of user data as it comes, in the order in which they act. Never raises: what can't be read is a
    fault. `template` says whether Terraform fills it in first; None looks for it. `origin` says where its lines
    stand, where that is not the file of this place (a planned resource, say); `taken_off` which layers of packing were
    taken off it before; `variables` what is known of those that a playbook uses."""
    if not data.strip():
        fault = UserDataFault(FaultKind.EMPTY, place, "the user data is empty: the node boots and does nothing")
        return UserData(place, (), (fault,), size=len(data))
    if len(data) > UNPACKED_LIMIT:
        return _too_large(len(data), place)
    opened = open_envelope(data, origin or Straight(place), taken_off=taken_off)
    if opened.unread:
        faults, wrapped = tuple(opened.faults), tuple(opened.wrapped)
        return UserData(place, (), faults, size=opened.size, wrapped=wrapped, unread=opened.unread)
    return _read_opened(opened, place, template, name, variables)


def _read_opened(
    opened: Opened, place: Place, template: bool | None, name: str, variables: Mapping[str, Tree]
) -> UserData:
    reading = Reading(faults=opened.faults, variables=variables)
    text = as_text(opened.data, opened.origin, reading.faults)
    if template is None:
        reading.braced = not opened.wrapped and _is_braced(text, name)
        template = not (opened.wrapped or reading.braced) and _is_template(text, name)
    reading.template = template
    read_document(text, opened.origin, opened.wrapped, reading)
    reading.parts.sort(key=lambda part: (part.stage, *part.turn))
    _settings(reading, template=template)
    cloud, node = _cloud_config(reading, template=template), _node_config(reading, template=template)
    return UserData(
        place,
        tuple(reading.parts),
        tuple(reading.faults),
        size=None if template or reading.braced else opened.size,
        wrapped=tuple(opened.wrapped),
        is_template=template,
        is_braced=reading.braced,
        begins_open=(template or reading.braced) and text.lstrip().startswith(("%{", "{%", "{{")),
        cloud_config=cloud,
        node_config=node,
    )


def _too_large(size: int, place: Place) -> UserData:
    why = f"larger than {UNPACKED_LIMIT // 1024 // 1024} MiB"
    fault = UserDataFault(
        FaultKind.TOO_LARGE, place, f"the user data is {why}: no cloud takes so much", "fetch what is large"
    )
    return UserData(place, (), (fault,), size=size, unread=why)


def _cloud_config(reading: Reading, *, template: bool) -> CloudConfig | None:
    parts = [part for part in reading.parts if part.kind is PartKind.CLOUD_CONFIG]
    if not parts:
        return None
    config = read_cloud_configs(parts, template=template)
    reading.faults += config.faults
    return config


def _node_config(reading: Reading, *, template: bool) -> NodeConfig | None:
    config = read_node_config([part for part in reading.parts if part.kind is PartKind.NODE_CONFIG], template=template)
    reading.faults += config.faults if config else ()
    return config


def _settings(reading: Reading, *, template: bool) -> None:
    for part in reading.parts:
        if part.kind is PartKind.BOTTLEROCKET:
            from nodeworthy.boot.bottlerocket import read_settings

            reading.faults += read_settings(part.text, part.origin, template=template, braced=part.jinja).faults


def _is_template(text: str, name: str) -> bool:
    if "${" not in text and "%{" not in text:
        return False
    from nodeworthy.boot.shell.templates import looks_like_template

    return looks_like_template(text, name)


def _is_braced(text: str, name: str) -> bool:
    from nodeworthy.boot.shell.templates import looks_like_braces

    return looks_like_braces(text, name)


# A whole document of user data, unpacked: MIME, or one thing that says by its first line what it is.


# Where cloud-init looks for the header of a MIME message.
_LOOKED_AT = 4096
_MIME = pattern(r"^[ \t]*(?:mime-version[ \t]*:|content-type[ \t]*:[ \t]*multipart/)", re.IGNORECASE | re.MULTILINE)


def read_document(text: str, origin: Origin, wrapped: Sequence[str], reading: Reading) -> None:
    found = TypedText(text, Type.SHELL, origin)
    _packed_twice(found, wrapped, reading)
    if not text.strip():
        reading.fault(FaultKind.EMPTY, found, "is empty: the node boots and does nothing")
        return
    kind = begins_as(text)
    if kind is None and is_playbook(text):
        reading.put_playbook(found)
        return
    if kind is None and _MIME.search(text, 0, _LOOKED_AT):
        # Python's own parser of mail, which brings half of the standard library: few scripts are one.
        from nodeworthy.boot.unpack.multipart import read_multipart

        read_multipart(text, origin, reading)
        return
    if kind is Type.ARCHIVE:
        from nodeworthy.boot.unpack.multipart import read_archive

        read_archive(found, reading)
        return
    if kind is None:
        kind = _unrecognised(found, reading)
    if kind is None:
        reading.put(found, PartKind.OTHER, Stage.SCRIPTS)
        return
    found.type = kind
    reading.add(found)


def _packed_twice(found: TypedText, wrapped: Sequence[str], reading: Reading) -> None:
    """EC2 takes one layer of base64 off, cloud-init one of gzip below it, and newer ones a second of base64."""
    layers = list(wrapped)
    if layers[:1] == ["base64"]:
        layers.pop(0)
    if layers[:1] == ["base64"]:
        layers.pop(0)
        what = (
            "is base64 twice over. EC2 takes one layer off; the second only cloud-init 23.3 and later does,"
            " and Amazon Linux 2023 since August 2023"
        )
        reading.fault(FaultKind.PACKED_TWICE, found, what, "give it to EC2 encoded once", is_doubt=True)
    if layers[:1] == ["gzip"]:
        layers.pop(0)
    if layers:
        what = f"is packed once more ({', then '.join(wrapped)}): nobody on the node unpacks the {layers[0]} inside"
        reading.fault(FaultKind.PACKED_TWICE, found, what, "pack it once: gzip, then base64")


def _unrecognised(found: TypedText, reading: Reading) -> Type | None:
    """What it was meant to be. NodeConfig and Bottlerocket's settings are read by others than cloud-init."""
    filled_in = kind_of_template(found.text) if reading.template else None
    if filled_in is not None:
        return filled_in
    kind = Type.CLOUD_CONFIG if says_it_too_late(found.text) else looks_like(found.text)
    if kind in (Type.NODE_CONFIG, Type.BOTTLEROCKET, Type.SHELL):
        return kind
    if kind is Type.CLOUD_CONFIG:
        what = "looks like cloud-config, but does not begin with '#cloud-config': cloud-init reads nothing of it"
        reading.fault(FaultKind.NO_CLOUD_CONFIG_HEADER, found, what, "let '#cloud-config' be its first line")
        return kind
    if others := read_by_others(found.text):
        what = f"is {others} and cloud-init does not: what it does to the node is not looked at here"
        reading.fault(FaultKind.NOBODY_READS_IT, found, what, is_doubt=True)
        return None
    what = "begins with nothing that cloud-init knows (#!, #cloud-config, a MIME header …): nobody reads it"
    reading.fault(FaultKind.NOBODY_READS_IT, found, what)
    return None

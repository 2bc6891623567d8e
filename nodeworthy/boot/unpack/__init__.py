"""Unpacks user data: from bytes to parts, each with who reads it when and where its lines stand in the user's file."""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.boot.bottlerocket import read_settings
from nodeworthy.boot.cloud_config import CloudConfig, read_cloud_configs
from nodeworthy.boot.gzipped import UNPACKED_LIMIT
from nodeworthy.boot.node_config import NodeConfig, read_node_config
from nodeworthy.boot.origin import Origin, Straight
from nodeworthy.boot.unpack.document import read_document
from nodeworthy.boot.unpack.envelope import Opened, as_text, open_envelope
from nodeworthy.boot.unpack.parts import Reading
from nodeworthy.boot.userdata import FaultKind, PartKind, UserData, UserDataFault
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
) -> UserData:
    """The parts of user data as it comes, in the order in which they act. Never raises: what can't be read is a
    fault. `template` says whether Terraform fills it in first; None looks for it. `origin` says where its lines
    stand, where that is not the file of this place (a planned resource, say); `taken_off` which layers of packing were
    taken off it before."""
    if not data.strip():
        fault = UserDataFault(FaultKind.EMPTY, place, "the user data is empty: the node boots and does nothing")
        return UserData(place, (), (fault,), size=len(data))
    if len(data) > UNPACKED_LIMIT:
        return _too_large(len(data), place)
    opened = open_envelope(data, origin or Straight(place), taken_off=taken_off)
    if opened.unread:
        faults, wrapped = tuple(opened.faults), tuple(opened.wrapped)
        return UserData(place, (), faults, size=opened.size, wrapped=wrapped, unread=opened.unread)
    return _read(opened, place, template, name)


def _read(opened: Opened, place: Place, template: bool | None, name: str) -> UserData:
    reading = Reading(faults=opened.faults)
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
            reading.faults += read_settings(part.text, part.origin, template=template, braced=part.jinja).faults


def _is_template(text: str, name: str) -> bool:
    if "${" not in text and "%{" not in text:
        return False
    from nodeworthy.boot.shell.templates import looks_like_template

    return looks_like_template(text, name)


def _is_braced(text: str, name: str) -> bool:
    from nodeworthy.boot.shell.templates import looks_like_braces

    return looks_like_braces(text, name)

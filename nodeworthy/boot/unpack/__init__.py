"""Unpacks user data: from bytes to parts, each with who reads it when and where its lines stand in the user's file."""

from __future__ import annotations

from nodeworthy.boot.bottlerocket import read_settings
from nodeworthy.boot.cloud_config import read_cloud_configs
from nodeworthy.boot.node_config import read_node_config
from nodeworthy.boot.origin import Origin, Straight
from nodeworthy.boot.unpack.decode import as_text
from nodeworthy.boot.unpack.document import read_document
from nodeworthy.boot.unpack.envelope import open_envelope
from nodeworthy.boot.unpack.parts import Reading
from nodeworthy.boot.userdata import Fault, FaultKind, PartKind, UserData
from nodeworthy.verdict import Place

__all__ = ["unpack"]


def unpack(
    data: bytes, place: Place, *, template: bool | None = None, name: str = "", origin: Origin | None = None
) -> UserData:
    """The parts of user data as it comes, in the order in which they act. Never raises: what can't be read is a
    fault. `template` says whether Terraform fills it in first; None looks for it.
    `origin` says where its lines stand, if not in the file of that place."""
    origin = origin or Straight(place)
    if not data.strip():
        fault = Fault(FaultKind.EMPTY, place, "the user data is empty: the node boots and does nothing")
        return UserData(place, (), (fault,), size=len(data))
    opened = open_envelope(data, origin)
    reading = Reading(faults=opened.faults)
    text = as_text(opened.data, opened.origin, reading.faults)
    if template is None:
        template = not opened.wrapped and _is_template(text, name)
    if not opened.unread:
        read_document(text, opened.origin, opened.wrapped, reading)
    _look_inside(reading, template=template)
    reading.parts.sort(key=lambda part: (part.stage, *part.turn))
    return UserData(
        place,
        tuple(reading.parts),
        tuple(reading.faults),
        size=None if template else opened.size,
        wrapped=tuple(opened.wrapped),
        is_template=template,
        unread=opened.unread,
    )


def _look_inside(reading: Reading, *, template: bool) -> None:
    """What is wrong with the YAML and TOML of its parts keeps them from being read, too."""
    clouds = [part for part in reading.parts if part.kind is PartKind.CLOUD_CONFIG]
    if clouds:
        reading.faults += read_cloud_configs(clouds, template=template).faults
    configs = [part for part in reading.parts if part.kind is PartKind.NODE_CONFIG]
    if configs:
        config = read_node_config(configs, template=template)
        reading.faults += config.faults if config else ()
    for part in reading.parts:
        if part.kind is PartKind.BOTTLEROCKET:
            reading.faults += read_settings(part.text, part.origin, template=template).faults


def _is_template(text: str, name: str) -> bool:
    if "${" not in text and "%{" not in text:
        return False
    try:
        from nodeworthy.boot.shell.templates import looks_like_template
    except ImportError:
        return False
    return looks_like_template(text, name)

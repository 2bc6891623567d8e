"""A whole document of user data, unpacked: MIME, or one thing that says by its first line what it is."""

from __future__ import annotations

import re
from collections.abc import Sequence

from nodeworthy.boot.effects import Stage
from nodeworthy.boot.origin import Origin
from nodeworthy.boot.playbook.recognition import is_playbook
from nodeworthy.boot.unpack.kinds import Type, begins_as, kind_of_template, looks_like
from nodeworthy.boot.unpack.multipart import read_archive, read_multipart
from nodeworthy.boot.unpack.parts import Reading, TypedText
from nodeworthy.boot.userdata import FaultKind, PartKind
from nodeworthy.patterns import pattern

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
        read_multipart(text, origin, reading)
        return
    if kind is Type.ARCHIVE:
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
    kind = looks_like(found.text)
    if kind in (Type.NODE_CONFIG, Type.BOTTLEROCKET, Type.SHELL):
        return kind
    if kind is Type.CLOUD_CONFIG:
        what = "looks like cloud-config, but does not begin with '#cloud-config': cloud-init reads nothing of it"
        reading.fault(FaultKind.NO_CLOUD_CONFIG_HEADER, found, what, "let '#cloud-config' be its first line")
        return kind
    what = "begins with nothing that cloud-init knows (#!, #cloud-config, a MIME header …): nobody reads it"
    reading.fault(FaultKind.NOBODY_READS_IT, found, what)
    return None

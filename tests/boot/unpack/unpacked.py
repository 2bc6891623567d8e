"""User data unpacked from a text, and its faults told in short."""

from __future__ import annotations

from nodeworthy.boot.unpack import unpack
from nodeworthy.boot.userdata import UserData
from nodeworthy.verdict import Place

FILE = "user-data"


def unpacked(data: str | bytes, *, template: bool | None = None, name: str = "") -> UserData:
    return unpack(data.encode() if isinstance(data, str) else data, Place(FILE), template=template, name=name)


def faults(userdata: UserData) -> list[str]:
    """`NUL 3` is a fault on line 3, `NOT_READ_HERE? 1` a doubt."""
    return [f"{fault.kind.name}{'?' * fault.is_doubt} {fault.place.line or 0}" for fault in userdata.faults]

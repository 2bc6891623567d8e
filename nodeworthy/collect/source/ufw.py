"""ufw's own files, on the way to being read: most files are none, and cost a glance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nodeworthy.scene import Fact

if TYPE_CHECKING:
    from nodeworthy.facts.firewall.ufw_files import UfwFile
    from nodeworthy.fleet.model import Fleet

# One of these stands in every file of ufw's, and in few others.
_MARKS = (b"ufw-", b"### tuple ###", b"_POLICY=", b"ENABLED=")


def ufw_file(data: bytes, shown: str, lies: str) -> UfwFile | None:
    if not any(mark in data for mark in _MARKS):
        return None
    from nodeworthy.collect.source import ufw_reading

    return ufw_reading.ufw_file(data, shown, lies)


def firewalls(files: Sequence[UfwFile], fleet: Fleet | None, why: str) -> list[Fact]:
    """The files that belong together are one firewall."""
    if not files:
        return []
    from nodeworthy.facts.firewall.ufw_files import firewalls

    return list(firewalls(files, fleet, why))

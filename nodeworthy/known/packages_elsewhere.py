"""Packages that only one family of distributions has."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from nodeworthy.known.tables import table_of

DEBIAN, RED_HAT = "Debian's and Ubuntu's", "Red Hat's and Amazon's"
_APT = ("apt", "apt-get", "aptitude")
_RPM = ("dnf", "yum", "microdnf", "amazon-linux-extras")


@cache
def _table() -> Mapping[str, Any]:
    return table_of("packages_elsewhere")


def family_of_manager(manager: str) -> str:
    """Whose package manager it is; empty for any other."""
    return DEBIAN if manager in _APT else RED_HAT if manager in _RPM else ""


def family_of_package(name: str) -> str:
    """The only family that has it; empty where both have, or nobody knows."""
    table = _table()
    return DEBIAN if name in table["debian"] else RED_HAT if name in table["red_hat"] else ""


def instead_of(name: str) -> str:
    found: str = _table()["instead"].get(name, "")
    return found

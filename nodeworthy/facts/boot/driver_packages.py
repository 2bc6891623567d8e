"""What a boot installs of NVIDIA's driver: the driver itself, its fabric manager, and of which version."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from nodeworthy.boot.commands.installs import kind_of
from nodeworthy.boot.effects import Installs
from nodeworthy.boot.text import Text
from nodeworthy.boot.timeline import Timeline
from nodeworthy.known.drivers import PackageKind
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

RUNFILE = ".run"
_FABRIC = ("fabricmanager", "fabric-manager", "/fm")
_NUMBERS = pattern(r"(?<![\d.])\d{3}(?:\.\d+)*")


@dataclass(frozen=True)
class NvidiaPackage:
    name: str
    effect: Installs
    # As far as it is said: 570, 570.133.20, ${VERSION}; empty where the newest is taken.
    version: str

    @property
    def place(self) -> Place:
        return self.effect.place

    @property
    def is_open(self) -> bool:
        """Whether only the node knows the version."""
        return "$" in self.version

    @property
    def how(self) -> str:
        return "an installer" if self.effect.manager == RUNFILE else f"packages of {self.effect.manager}"


def drivers(timeline: Timeline) -> list[NvidiaPackage]:
    return list(_installed(timeline, _is_driver))


def fabric_managers(timeline: Timeline) -> list[NvidiaPackage]:
    return list(_installed(timeline, _is_fabric_manager))


def unsure(timeline: Timeline) -> Installs | None:
    """A step of which nobody can tell whether it installs a driver."""
    for each in timeline.of(Installs):
        if not each.removes and any(kind_of(package) is None for package in each.packages):
            return each
    return None


def _installed(timeline: Timeline, wanted: Callable[[Installs, Text], bool]) -> Iterator[NvidiaPackage]:
    for each in timeline.of(Installs):
        if each.removes:
            continue
        for package in each.packages:
            if wanted(each, package):
                yield NvidiaPackage(_called(package.shown()), each, _version(package))


def _called(package: str) -> str:
    is_file = package.startswith(("/", ".")) or "://" in package
    return package.rsplit("/", 1)[-1] if is_file else package


def _is_driver(install: Installs, package: Text) -> bool:
    if install.manager == RUNFILE:
        begins = package.shown().lower()
        return begins.startswith(("nvidia-linux", "nvidia_driver", "nvidia-driver"))
    if install.manager in ("helm", "pip", "snap"):
        return False
    return kind_of(package) is PackageKind.DRIVER or install.manager == "ubuntu-drivers"


def _is_fabric_manager(install: Installs, package: Text) -> bool:
    return install.manager != "helm" and any(part in package.shown() for part in _FABRIC)


def _version(package: Text) -> str:
    if package.holes:
        return "".join(hole.shown for hole in package.holes)
    shown = package.shown().rsplit("/", 1)[-1]
    name, _, pinned = shown.partition("=")
    found = _NUMBERS.findall(pinned) or _NUMBERS.findall(name)
    return max(found, key=len) if found else ""


def same_version(manager: NvidiaPackage, driver: NvidiaPackage) -> bool | None:
    """Whether fabric manager is of the driver's version; None where that is open."""
    branch = manager.version
    # Ubuntu's depends on nvidia-kernel-common-580-server-580.159.03: apt brings no other beside its server driver.
    if "apt" in manager.effect.manager and branch.isdigit() and f"-{branch}-server" in driver.name:
        return True
    return agree(manager.version, driver.version)


def agree(one: str, other: str) -> bool | None:
    """Whether two versions are one, as far as they are said; None where that is open."""
    if one == other:
        return True
    if "$" in one or "$" in other:
        return None
    mine, theirs = (each.split(".") if each else [] for each in (one, other))
    if mine and theirs and mine[: len(theirs)] != theirs[: len(mine)]:
        return False
    # One of them is pinned closer than the other: the newest of a branch may be another.
    return None

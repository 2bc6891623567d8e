"""NVIDIA's driver in a boot: what is installed of it, of which versions, and who installs it how often."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from nodeworthy.boot.commands.installs import kind_of
from nodeworthy.boot.commands.runfiles import brings_cudas_driver, brings_the_driver_alone
from nodeworthy.boot.effects import Effect, Fetches, Installs, Runs
from nodeworthy.boot.text import Text
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.script import BootPool
from nodeworthy.facts.boot.unread_steps import other_scripts
from nodeworthy.fleet.model import BROUGHT_BY, Driver
from nodeworthy.known.drivers import PackageKind
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place, Related

# What a boot installs of NVIDIA's driver: the driver itself, its fabric manager, and of which version.

RUNFILE = ".run"
_FABRIC = ("fabricmanager", "fabric-manager", "/fm")
_NUMBERS = pattern(r"(?<![\d.])\d{3}(?:\.\d+)*")
# What Ansible is to fill in, where its variable is not known: its words name no package.
_EXPRESSION = pattern(r"\{\{[^{}]{0,400}\}\}")


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
        return _is_open(self.version)

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
                yield NvidiaPackage(_package_name(package.shown()), each, _version(package))


def _package_name(package: str) -> str:
    is_file = package.startswith(("/", ".")) or "://" in package
    return package.rsplit("/", 1)[-1] if is_file else package


def _is_driver(install: Installs, package: Text) -> bool:
    if install.manager == RUNFILE:
        return brings_the_driver_alone(install) or brings_cudas_driver(install)
    if install.manager in ("helm", "pip", "snap"):
        return False
    return kind_of(package) is PackageKind.DRIVER or install.manager == "ubuntu-drivers"


def _is_fabric_manager(install: Installs, package: Text) -> bool:
    name = _EXPRESSION.sub("", package.shown())
    return install.manager != "helm" and any(part in name for part in _FABRIC)


def _version(package: Text) -> str:
    if package.holes:
        return "".join(hole.shown for hole in package.holes)
    expressions = _EXPRESSION.findall(package.shown())
    if expressions:
        return "".join(expressions)
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
    if _is_open(one) or _is_open(other):
        return None
    mine, theirs = (each.split(".") if each else [] for each in (one, other))
    if mine and theirs and mine[: len(theirs)] != theirs[: len(mine)]:
        return False
    # One of them is pinned closer than the other: the newest of a branch may be another.
    return None


def _is_open(version: str) -> bool:
    return "$" in version or "{{" in version


# Who installs the NVIDIA driver in a boot, and how often.

_WORDS = ("nvidia", "NVIDIA", "cuda-drivers", "driver")


@dataclass(frozen=True)
class WhoBrings:
    """Who brings the driver of a pool's nodes, and where that is said."""

    # None where neither the image nor the script nor the pool says it.
    driver: Driver | None
    said: Related
    # Nobody says it, and no image was seen: it is what the fleet takes for granted.
    by_default: bool = False


def who_brings(pool: BootPool, timeline: Timeline) -> WhoBrings:
    """The image has the word, then the pool, then the script."""
    image = pool.image
    if image is not None and image.has_driver:
        return WhoBrings(Driver.AMI, image.told())
    own = pool.pool.driver
    if pool.pool.driver_is_said:
        return WhoBrings(own, pool.declared(f"gets its driver from {BROUGHT_BY[own]}"))
    if installed := drivers(timeline):
        return WhoBrings(Driver.USER_DATA, Related(installed[0].place, "the script installs a driver here"))
    if image is not None:
        return WhoBrings(None, image.told())
    says = f"gets its driver from {BROUGHT_BY[own]}, as nothing else is said"
    return WhoBrings(own, pool.declared(says), by_default=True)


def may_install_one(timeline: Timeline) -> Effect | None:
    """A step of which nobody knows whether it installs a driver: not understood, or a program that nobody has read."""
    unread = unsure(timeline) or next(other_scripts(timeline), None) or _fetched_installer(timeline)
    return unread or timeline.not_understood(*_WORDS)


def _fetched_installer(timeline: Timeline) -> Effect | None:
    """A program that is no script, and whose name speaks of the driver."""
    for each in timeline.effects:
        if isinstance(each, Fetches) and each.runs and _speaks_of_it([each.url.shown()]):
            return each
        if isinstance(each, Runs) and _speaks_of_it([argument.shown() for argument in each.arguments[:2]]):
            return each
    return None


def _speaks_of_it(words: Sequence[str]) -> bool:
    return any(re.search(r"nvidia|driver|cuda|gpu", word, re.IGNORECASE) for word in words) and any(
        word.endswith((".sh", ".run", "install", ".py")) for word in words
    )

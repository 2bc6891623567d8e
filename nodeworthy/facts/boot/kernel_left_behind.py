"""A driver whose module is built for the running kernel alone, beside an upgrade that brings another one."""

from __future__ import annotations

from nodeworthy.boot.commands.runfiles import brings_the_driver_alone
from nodeworthy.boot.effects import Installs, Reboots, Runs
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.drivers import RUNFILE, NvidiaPackage, drivers
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

# What installs the packages of a newer kernel, too: `apt-get upgrade` keeps to those that are there, `apt upgrade` does
# not. Source: apt-get(8), apt(8).
_OF_ALL = pattern(
    r"\bapt(?:itude)?(?!-)\b[^\n;|&]{0,80}\b(?:dist-|full-|safe-)?upgrade\b|\bapt-get\b[^\n;|&]{0,80}\bdist-upgrade\b"
)
# The installer's ways to have its module built anew, or to leave it to others.
_BUILT_ANEW = pattern(r"--dkms|--no-kernel-module|--kernel-name|--kernel-module-source|\$\{?[A-Za-z_]|--uninstall")
_OF_THE_KERNEL = ("linux-", "kernel")


@dataclass(frozen=True)
class KernelLeftBehind:
    driver: NvidiaPackage
    upgrade: Installs


def kernel_left_behind(timeline: Timeline) -> KernelLeftBehind | None:
    """None where something builds the module for each kernel, the kernel is held, or the machine restarts between."""
    upgrade = next((each for each in timeline.of(Installs) if not each.packages and _OF_ALL.search(each.command)), None)
    driver = next((each for each in by_installer(timeline) if not _BUILT_ANEW.search(each.effect.command)), None)
    if upgrade is None or driver is None or _has_dkms(timeline) or _holds_the_kernel(timeline):
        return None
    if upgrade.conditions != driver.effect.conditions:
        return None
    ordered = timeline.precedes(upgrade, driver.effect)
    first, last = (upgrade, driver.effect) if ordered else (driver.effect, upgrade)
    between = (
        each for each in timeline.of(Reboots) if timeline.precedes(first, each) and timeline.precedes(each, last)
    )
    return None if any(between) else KernelLeftBehind(driver, upgrade)


def by_installer(timeline: Timeline) -> list[NvidiaPackage]:
    """The drivers that NVIDIA's installer brings, and no package."""
    return [
        each for each in drivers(timeline) if each.effect.manager == RUNFILE and brings_the_driver_alone(each.effect)
    ]


def _has_dkms(timeline: Timeline) -> bool:
    """Its installer asks dkms by itself where that is there, as its newer releases do."""
    named = (package.shown() for each in timeline.of(Installs) if not each.removes for package in each.packages)
    return any(each.partition("=")[0] == "dkms" for each in named)


def _holds_the_kernel(timeline: Timeline) -> bool:
    lines = (" ".join(argument.shown() for argument in each.arguments) for each in timeline.of(Runs))
    return any("hold" in line and any(each in line for each in _OF_THE_KERNEL) for line in lines)

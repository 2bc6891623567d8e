"""A driver whose module is built for the running kernel alone, and an upgrade that brings another one: in the script
itself, or by what the system does every night."""

from __future__ import annotations

from nodeworthy.boot.commands.call import beginning
from nodeworthy.boot.commands.runfiles import brings_the_driver_alone
from nodeworthy.boot.effects import Effect, Gap, Installs, NotUnderstood, Reboots, Runs
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.drivers import RUNFILE, NvidiaPackage, drivers
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.boot.script_kind import ScriptKind
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
# Ubuntu installs the kernels of its security updates by itself. Source: /etc/apt/apt.conf.d/20auto-upgrades and
# 50unattended-upgrades of Ubuntu 20.04 to 24.04. Whoever writes of it may have switched it off.
_BY_ITSELF = ("unattended", "20auto-upgrades", "apt-daily")
_APT = ("apt", "apt-get", "aptitude")
_ELSEWHERE = pattern(rb"\bdkms\b|apt-mark[ \t]+hold|unattended", words=(b"dkms", b"apt-mark", b"unattended"))


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


def module_of_one_kernel(script: BootScript) -> NvidiaPackage | None:
    """A driver that the next kernel has no module of, which Ubuntu installs by itself. None where a machine is thrown
    away sooner, where something builds the module anew, or where a part that was not read may do so."""
    timeline, around = script.timeline, script.surroundings
    if script.use.kind is not ScriptKind.BY_HAND or not any(each.manager in _APT for each in timeline.of(Installs)):
        return None
    driver = next((each for each in by_installer(timeline) if not _asks_for_more(each.effect)), None)
    if driver is None or _has_dkms(timeline) or _holds_the_kernel(timeline) or _is_partly_hidden(timeline, driver):
        return None
    if any(word in each.command for each in timeline.effects for word in _BY_ITSELF):
        return None
    elsewhere = around is not None and any(around.holding(_ELSEWHERE, words=(b"dkms", b"apt-mark", b"unattended")))
    return None if elsewhere else driver


def _asks_for_more(install: Effect) -> bool:
    """By its options; its name may be filled in."""
    return _BUILT_ANEW.search(install.command.partition(".run")[2]) is not None


def _is_partly_hidden(timeline: Timeline, driver: NvidiaPackage) -> bool:
    """Whether some of what is installed before it nobody knows the name of."""
    before = (each for each in timeline.before(driver.effect) if isinstance(each, NotUnderstood))
    unread = any(each.kind is not Gap.ITS_WORDS or "dkms" in each.text for each in before)
    packages = (package for each in timeline.of(Installs) for package in each.packages)
    return unread or any(package.known is None and not beginning(package) for package in packages)

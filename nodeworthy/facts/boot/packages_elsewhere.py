"""Packages that a script or a play asks a distribution for and that another one has; package managers of two."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.boot.effects import Failure, Installs
from nodeworthy.boot.playbook.variables import text_of
from nodeworthy.facts.ansible.tasks_as_written import TasksAsWritten
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.known.packages_elsewhere import family_of_manager, family_of_package
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# What installs into another system than the one on which it runs, or brings the other's packages along.
_FOR_ANOTHER_SYSTEM = pattern(r"--installroot|\bchroot\b|--root[= ]|debootstrap|\balien\b|\brpm\b|\bdocker\b|\bwwctl\b")
_A_CONTAINER_FILE = pattern(r"(?i)(?:docker|container)file")
_ABSENT = ("absent", "removed")
_IGNORED = (Failure.SWALLOWED, Failure.REPORTED)


@dataclass(frozen=True)
class PackageElsewhere:
    place: Place
    name: str
    manager: str
    # The family that has it.
    of: str


@dataclass(frozen=True)
class TwoManagers:
    """Two package managers of which no distribution has both, in one run of a script."""

    first: Installs
    second: Installs

    @property
    def place(self) -> Place:
        return self.second.place


def installs_packages(script: BootScript) -> bool:
    """Whether anybody can say of which family they are to be."""
    return any(family_of_manager(each.manager) for each in _installs(script))


def packages_elsewhere(script: BootScript) -> Iterator[PackageElsewhere]:
    for each in () if script.is_a_part else _installs(script):
        asked = family_of_manager(each.manager)
        for package in each.packages:
            of = family_of_package(package.string.split("=")[0].split(":")[0])
            if of and asked and of != asked:
                yield PackageElsewhere(each.place, package.string, each.manager, of)


def packages_elsewhere_of_tasks(tasks: TasksAsWritten) -> Iterator[PackageElsewhere]:
    """Of tasks that say themselves which package manager they ask: `package` leaves that to the machine."""
    for task in tasks.every_task:
        asked = family_of_manager(task.module)
        named = task.values.get("name") or task.values.get("pkg")
        if not asked or named is None or task.entry is None or text_of(task.values.get("state")) in _ABSENT:
            continue
        for each in named.sequence or (named,):
            of = family_of_package(text_of(each).split("=")[0].strip())
            if of and of != asked:
                yield PackageElsewhere(each.place, text_of(each).strip(), task.module, of)


def two_managers(script: BootScript) -> TwoManagers | None:
    """Only where both are run whatever the machine is, one behind the other, and neither may fail."""
    # An image may be made in several stages, each of another system.
    if script.is_a_part or _A_CONTAINER_FILE.search(script.place.file) is not None:
        return None
    sure = [each for each in _installs(script) if _is_run_anyway(each) and family_of_manager(each.manager)]
    for first in sure[:1]:
        for second in sure[1:]:
            same_file = first.place.file == second.place.file
            if same_file and family_of_manager(second.manager) != family_of_manager(first.manager):
                return TwoManagers(first, second)
    return None


def _is_run_anyway(effect: Installs) -> bool:
    return effect.failure not in _IGNORED and all(
        each.is_expected or "update" in each.shown() for each in effect.conditions
    )


def _installs(script: BootScript) -> Iterator[Installs]:
    for each in script.timeline.of(Installs):
        # A function that is given the names asks first which of its branches is for this machine.
        is_handed_on = bool(each.via and each.conditions)
        if not each.removes and not is_handed_on and _FOR_ANOTHER_SYSTEM.search(each.command) is None:
            yield each

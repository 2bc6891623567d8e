"""What is installed is in the packages of this system.

`slurm-wlm` is Debian's name, and `kernel-devel` Red Hat's: asked for the other's, dnf ends with `Unable to find a
match`, and apt with `Unable to locate package`. Neither installs anything then, not even the other packages of the
line, and Ansible ends the play there. yum of CentOS 7 goes on with the others, and the node lacks the one.

A script that calls dnf (or `amazon-linux-extras`) and apt-get in one run was put together of two: no distribution has
both, so one of them is `command not found`. What asks first on which machine it is, what installs into another root,
and what may fail (`|| true`) is not told. Of Ansible's tasks each may be for another system, and is asked by itself:
`apt` and `dnf` say which packages they mean, `package` leaves it to the machine.
"""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.facts.ansible.tasks_as_written import TasksAsWritten
from nodeworthy.facts.boot.packages_elsewhere import (
    PackageElsewhere,
    TwoManagers,
    installs_packages,
    packages_elsewhere,
    packages_elsewhere_of_tasks,
    two_managers,
)
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.known.packages_elsewhere import family_of_manager, instead_of
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Related, Severity, fail, skip

RULE = Rule(
    "packages-of-its-system",
    severity=Severity.ERROR,
    title="What is installed is in the packages of this system",
    remedy="ask for a package by the name that this distribution gives it",
    never_unknown="only names that are known to be another family's are told",
)


@RULE.check
def they_are_of_its_family(script: BootScript) -> Findings:
    if not installs_packages(script):
        skip("it installs no packages")
    found = list(packages_elsewhere(script))
    if found:
        yield _draft_of(found)


@RULE.check
def tasks_ask_for_packages_of_its_family(tasks: TasksAsWritten) -> Findings:
    if not any(family_of_manager(each.module) for each in tasks.every_task):
        skip("no task in it says which package manager it asks")
    found = list(packages_elsewhere_of_tasks(tasks))
    if found:
        yield _draft_of(found)


def _draft_of(found: Sequence[PackageElsewhere]) -> Draft:
    first, *others = found
    fails = "apt finds none" if family_of_manager(first.manager).startswith("Debian") else f"{first.manager} finds none"
    instead = instead_of(first.name)
    return fail(
        first.place,
        f"{first.name} is {first.of} name of a package: {fails}, and installs nothing of this line",
        is_=f"{first.manager} install … {first.name}",
        should=instead or f"a package of {family_of_manager(first.manager)}",
        related=[Related(each.place, f"{each.name} is {each.of}, too") for each in others],
        cause="a package manager that does not find one of the packages installs none",
        remedy=f"ask for {instead}" if instead else "ask for it by the name that this distribution gives it",
    )


@RULE.check
def it_is_one_system(script: BootScript) -> Findings:
    if not installs_packages(script):
        skip("it installs no packages")
    found = two_managers(script)
    if found is not None:
        yield _told_of_two(found)


def _told_of_two(found: TwoManagers) -> Draft:
    return fail(
        found.place,
        f"{found.first.manager} and {found.second.manager} are run one behind the other: no distribution has both",
        is_=found.second.manager,
        should=f"{found.first.manager} alone, or a question of /etc/os-release before each",
        related=[Related(found.first.place, f"{found.first.manager} is run here")],
        cause="one of the two is `command not found`, and what it was to install is not there",
        remedy="take the steps of one distribution, for the toolkit those of its .repo or of its .list",
    )

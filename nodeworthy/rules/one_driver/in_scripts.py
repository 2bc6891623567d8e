"""One driver, by what a boot script installs, beside what its pool, its image and the operator's settings say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from nodeworthy.boot.commands.installs import kind_of
from nodeworthy.boot.commands.runfiles import brings_cudas_driver
from nodeworthy.boot.conditions import always, together, who_decides, without_questions
from nodeworthy.boot.effects import Installs
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.drivers import (
    RUNFILE,
    NvidiaPackage,
    WhoBrings,
    drivers,
    may_install_one,
    who_brings,
)
from nodeworthy.facts.boot.flaw import shown_guard
from nodeworthy.facts.boot.remote_script import RemoteScript
from nodeworthy.facts.boot.runtime import ready
from nodeworthy.facts.boot.script import BootPool, BootScript
from nodeworthy.facts.fleet.gpu_pool import NodeImage
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.fleet.model import BROUGHT_BY, Driver
from nodeworthy.known.drivers import PackageKind
from nodeworthy.patterns import pattern
from nodeworthy.rules.one_driver import FIGHT, NO_DRIVER, RULE, follows_from
from nodeworthy.verdict import Draft, Findings, Known, Place, Related, ToGive, fail, need, skip, unknown

# Ubuntu's driver for servers, and the packages of CUDA that bring NVIDIA's own.
_OF_UBUNTUS = pattern(
    r"nvidia-(?:driver|headless|dkms)\S*-server(?:-open)?(?:=|$)|nvidia-(?:driver|dkms)-\{\{[^{}]*\}\}-server"
)
_OF_NVIDIAS = pattern(r"cuda(?:-drivers|-runtime(?:-\d+-\d+)?|-\d+-\d+)?")
# Who asks for one of these asks whether this machine has a GPU, or a driver already.
_ASKS_FOR_NEED = pattern(r"nvidia|lspci|gpu|instance", re.IGNORECASE)


@RULE.check
def the_script_installs_one_at_most(script: BootScript) -> Findings:
    if not drivers(script.timeline):
        skip("the script installs no driver")
    yield from two_drivers_of_one_run(script.timeline)


@RULE.check
def another_machine_is_given_one_at_most(script: RemoteScript) -> Findings:
    return the_script_installs_one_at_most(script)


@RULE.check
def what_a_stack_boots_has_one(script: BootScript) -> Findings:
    image = script.image
    if script.pools or not script.holder or image is None or not image.has_driver:
        skip("a pool says who brings its driver" if script.pools else "no image of a stack is known to bring a driver")
    # Who asks first whether one is there installs none beside it.
    installed = [each for each in drivers(script.timeline) if not each.effect.conditions]
    if installed:
        yield fail(
            installed[0].place,
            "the user data installs a driver, and the image brings one already",
            is_=installed[0].name,
            should="the driver of the image alone",
            related=[image.told()],
            cause=FIGHT,
            remedy="take this install out, or start these nodes from an image without a driver",
        )


@RULE.check
def the_script_does_what_its_pool_says(script: BootScript, pool: BootPool) -> Findings:
    if not pool.pool.is_gpu:
        skip(f"{pool.title} has no GPUs")
    if _is_the_operators_by_default(pool):
        skip("nobody says that the operator brings it, whose own settings are looked at")
    who = who_brings(pool, script.timeline)
    if pool.image is not None and pool.image.has_driver is False and who.driver is Driver.AMI:
        yield _not_in_the_image(pool, pool.image, who)
    elif pool.pool.driver_is_said and who.driver is Driver.USER_DATA:
        for flaw in missing(script.timeline, script.place):
            yield flaw.with_more(on=pool.title, related=(who.said,))
    elif installed := drivers(script.timeline):
        yield from _beside_another(installed[0], pool, who)
    else:
        yield from _installs_none(script, pool, who)


def _beside_another(package: NvidiaPackage, pool: BootPool, who: WhoBrings) -> Findings:
    """The script installs one; whether that is the only one, the image or the pool says."""
    if who.driver is Driver.USER_DATA:
        if pool.image is not None and pool.image.has_driver is False:
            return
        image = [pool.image.told()] if pool.image is not None else []
        yield unknown(
            package.place,
            "the script installs a driver, and whether the image brings one already is not known",
            on=pool.title,
            related=[*image, pool.declared("does not say who brings its driver")],
            remedy="say it in the fleet (driver of the pool): user-data, where the image has none",
        )
        return
    assert who.driver is not None
    brought_by = BROUGHT_BY[who.driver]
    yield fail(
        package.place,
        f"the script installs a driver, and {brought_by} brings one already",
        is_=package.name,
        should=f"the driver of {brought_by} alone",
        on=pool.title,
        related=[who.said],
        cause=FIGHT,
        remedy="take this install out, or set the pool's driver to user-data and use an image without one",
    )


def _installs_none(script: BootScript, pool: BootPool, who: WhoBrings) -> Findings:
    step = may_install_one(script.timeline)
    if step is not None:
        other = f", and {BROUGHT_BY[who.driver]} brings one already" if who.driver is not None else ""
        why = f"whether this step installs a driver is not known{other}"
        yield unknown(step.place, why, on=pool.title, related=[who.said])
    elif who.driver is None and pool.image is not None and pool.image.has_driver is None:
        skip(ToGive(f"nobody says who brings the driver of {pool.title}", "say it in a fleet (driver of the pool)"))
    elif who.driver is None and pool.fleet.operator is None:
        yield fail(
            script.place,
            "nobody brings the driver: the image has none, the script installs none, and the fleet has no operator",
            should="a driver from one of them",
            on=pool.title,
            related=[who.said],
            cause=NO_DRIVER,
            remedy="take an image that has one, or install it here and set the pool's driver to user-data",
        )


def _not_in_the_image(pool: BootPool, image: NodeImage, who: WhoBrings) -> Draft:
    return fail(
        image.place,
        "the driver is to come from the image, and this image has none",
        is_=image.named,
        should="an image that has the driver",
        on=pool.title,
        related=[who.said],
        cause=NO_DRIVER,
        remedy="take the image with NVIDIA's driver (EKS: …/amazon-linux-2023/x86_64/nvidia/…, AL2023_x86_64_NVIDIA), "
        "or set the pool's driver to who brings it",
    )


def _is_the_operators_by_default(pool: BootPool) -> bool:
    in_the_image = pool.image is not None and pool.image.has_driver
    return pool.pool.driver is Driver.OPERATOR and not pool.pool.driver_is_said and not in_the_image


@RULE.check
def the_script_is_not_beside_the_operators(
    script: BootScript, pool: BootPool, operators: Sequence[OperatorValues]
) -> Findings:
    """Where only a default says that the operator brings the driver: what its settings say is more than that."""
    pools = [each.place for each in pool.fleet.gpu_pools]
    yield from _beside_what_is_said(script, pool, [each for each in operators if not follows_from(each, pools)])


@RULE.check
def nor_beside_that_of_the_fleet(script: BootScript, pool: BootPool, operator: OperatorValues | None) -> Findings:
    if operator is not None:
        skip("the operator's settings are here")
    yield from _beside_what_is_said(script, pool, [])


def _beside_what_is_said(script: BootScript, pool: BootPool, operators: Sequence[OperatorValues]) -> Findings:
    found, operator = drivers(script.timeline)[:1], pool.fleet.operator
    if not found or not pool.pool.is_gpu or not _is_the_operators_by_default(pool) or operator is None:
        skip("the script installs no driver, or the fleet says who brings it")
    said = [each.brings_driver for each in operators]
    if any(isinstance(each.state, Known) and each.state.value is False for each in said):
        skip("the operator's settings leave the driver to others")
    brings = next((each.place for each in said if need(each)), operator.place if operator.declared else None)
    if brings is None:
        why = f"no settings of an operator are here, and the fleet names none; {found[0].name} is installed"
        yield unknown(found[0].place, f"whether an operator brings {pool.title} a second driver is not known: {why}")
    else:
        says = "the operator brings a driver, unless driver.enabled is false"
        yield _beside(found[0], pool, Related(brings, says))


def _beside(package: NvidiaPackage, pool: BootPool, says: Related) -> Draft:
    return fail(
        package.place,
        "the script installs a driver, and so does the operator",
        is_=package.name,
        should="the driver of one of them",
        on=pool.title,
        related=[says],
        cause=FIGHT,
        remedy="set driver.enabled: false in the operator's values, and driver: user-data for the pool; or take this "
        "install out",
    )


def two_drivers_of_one_run(timeline: Timeline) -> Iterator[Draft]:
    """Two drivers that one run installs, the second over the first."""
    found = drivers(timeline)
    for index, first in enumerate(found):
        for second in found[index + 1 :]:
            if not _are_two(first, second) or not together(first.effect.conditions, second.effect.conditions):
                continue
            if _removed_between(timeline, first.effect, second.effect):
                continue
            says = f"a second driver is installed: {_package_in_words(second)} over {_package_in_words(first)}"
            related = (Related(first.place, "the first one"),)
            remedy = "take one of the two installs out"
            yield fail(
                second.place,
                says,
                should="one of the two",
                cause=FIGHT,
                is_=second.name,
                remedy=remedy,
                related=related,
            )
            return


def _package_in_words(package: NvidiaPackage) -> str:
    return f"{package.name} ({package.how})"


def _are_two(first: NvidiaPackage, second: NvidiaPackage) -> bool:
    if (first.effect.manager == RUNFILE) != (second.effect.manager == RUNFILE):
        return True
    # No repository of NVIDIA's has a server driver, and none of Ubuntu's has the package cuda.
    if _OF_UBUNTUS.match(first.name) and _OF_NVIDIAS.fullmatch(second.name):
        return True
    if first.effect.manager == RUNFILE and brings_cudas_driver(second.effect) != brings_cudas_driver(first.effect):
        return first.version != second.version or not first.version
    branches = [re.match(r"\d{3}", each.version) for each in (first, second)]
    return all(branches) and len({branch[0] for branch in branches if branch}) == 2


def _removed_between(timeline: Timeline, first: Installs, second: Installs) -> bool:
    between = timeline.after(first)[: len(timeline.after(first)) - len(timeline.after(second)) - 1]
    return any(isinstance(each, Installs) and each.removes and _is_of_driver(each) for each in between)


def _is_of_driver(install: Installs) -> bool:
    if install.manager == RUNFILE:
        return True
    named = [package.shown() for package in install.packages]
    kinds = [kind_of(package) for package in install.packages]
    return PackageKind.DRIVER in kinds or any("nvidia" in name for name in named)


def missing(timeline: Timeline, script: Place) -> Iterator[Draft]:
    """A script that has to bring the driver, and does not."""
    found = drivers(timeline)
    if not found:
        yield _nobody(timeline, script)
        return
    for moment in ready(timeline):
        guards = [without_questions(each.effect.conditions, _ASKS_FOR_NEED) for each in found]
        if always(guards, moment.when) is False:
            first = found[0]
            says = f"the driver is installed only if {shown_guard(first.effect.conditions)}"
            yield fail(first.place, says, should="on every node of the pool", cause=NO_DRIVER)
        elif decides := who_decides(guards, moment.when):
            yield unknown(found[0].place, f"whether the driver is installed is not known: {decides}")


def _nobody(timeline: Timeline, script: Place) -> Draft:
    step = may_install_one(timeline)
    if step is not None:
        return unknown(step.place, "whether this step installs the driver is not known")
    says = "the driver is to come from the user data, and the script installs none"
    remedy = "install it here, or say in the fleet that the image or the operator brings it"
    return fail(script, says, should="a driver that the script installs", cause=NO_DRIVER, remedy=remedy)

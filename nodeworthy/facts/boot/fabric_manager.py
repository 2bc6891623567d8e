"""Whether a boot leaves fabric manager installed, running and enabled, and of the driver's version."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nodeworthy.boot.conditions import always, together, who_decides, without_questions
from nodeworthy.boot.effects import Act, Effect, Joins, LoadsModule, Reboots, Unit, Writes
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.drivers import NvidiaPackage, drivers, fabric_managers, same_version
from nodeworthy.facts.boot.flaw import shown_guard
from nodeworthy.fleet.model import Pool
from nodeworthy.known.gpus import gpu_named
from nodeworthy.known.instances import gpus_of
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Draft, Place, Related, fail, unknown, value_if_known

UNIT = "nvidia-fabricmanager.service"
_ASKS_FOR_THE_GPU = pattern(r"nvidia|lspci", re.IGNORECASE)
NO_CUDA = "without fabric manager the NVSwitches are not set up: CUDA ends with error 802, system not yet initialized"
REFUSES = "fabric manager refuses a driver of another version and ends; CUDA then ends with error 802"
ENABLE = f"systemctl enable --now {UNIT.removesuffix('.service')}"
_NEARLY = pattern(r"(?:nvidia|nv)?[-_]?fabric[-_]?(?:manager|mgr)d?\.service")
# Who asks for one of these asks whether this machine needs it.
_ASKS_FOR_NEED = pattern(r"nvswitch|instance|p[456]|[abh][123]00|gpu.?type|gpu.?count|fabric", re.IGNORECASE)


def needs_it(pool: Pool) -> bool | None:
    """Whether the GPUs of this pool talk through switches that its nodes manage; None where that is not known."""
    gpu = value_if_known(pool.gpu)
    known = gpu_named(gpu) if gpu is not None else None
    kind = value_if_known(pool.instance_type)
    of_type = gpus_of(kind or "")
    if known is not None and (known.off_host or not known.nvswitch):
        return False
    if of_type is not None:
        return of_type.nvswitch
    return None if pool.gpu is not None else False


def acts(timeline: Timeline) -> list[Unit]:
    return [each for each in timeline.of(Unit) if each.unit.known == UNIT]


def misnamed_unit(timeline: Timeline) -> Unit | None:
    """An act on a unit that is called almost like it, and that nobody has written."""
    written = {each.path.shown().rpartition("/")[2] for each in timeline.of(Writes)}
    for each in timeline.of(Unit):
        name = each.unit.string
        if _NEARLY.fullmatch(name) and name != UNIT and name not in written:
            return each
    return None


def is_named(timeline: Timeline) -> bool:
    return bool(acts(timeline) or fabric_managers(timeline))


def switched_off_faults(timeline: Timeline) -> Iterator[Draft]:
    """A script that stops what the image starts."""
    last = next((each for each in reversed(acts(timeline))), None)
    if last is not None and last.act in (Act.DISABLE, Act.MASK, Act.STOP):
        yield fail(
            last.place, "fabric manager is switched off", should="enabled and running", cause=NO_CUDA, remedy=ENABLE
        )


def runs(timeline: Timeline, place: Place, *, is_a_boot: bool = True) -> Iterator[Draft]:
    """Whether a script starts fabric manager now and at every boot. A script that nobody boots with may only prepare a
    disk, where nothing is started."""
    yield from switched_off_faults(timeline)
    done = acts(timeline)
    if done and done[-1].act in (Act.DISABLE, Act.MASK, Act.STOP):
        return
    enabled = [each for each in done if each.act is Act.ENABLE]
    started = [each for each in done if each.act in (Act.START, Act.RESTART)]
    other = misnamed_unit(timeline)
    if not enabled and not started and other is not None:
        says = f"there is no unit {other.unit.shown()}: fabric manager is neither enabled nor started"
        yield fail(other.place, says, should=UNIT, cause=NO_CUDA, is_=other.unit.shown(), remedy=ENABLE)
    elif not enabled and not started:
        yield fail(place, "fabric manager is never enabled nor started", should="both", cause=NO_CUDA, remedy=ENABLE)
    elif not enabled:
        says = "fabric manager is started and not enabled: the next boot has none"
        yield fail(started[0].place, says, should="enabled as well", cause=NO_CUDA, remedy=ENABLE)
    elif not started and (is_a_boot or _starts_anything(timeline)) and not _reboots_behind(timeline, enabled[0]):
        says = "fabric manager is enabled and not started: until the next boot there is none"
        yield fail(enabled[0].place, says, should="started as well", cause=NO_CUDA, remedy=ENABLE)
    yield from _too_early(timeline, started)


def _starts_anything(timeline: Timeline) -> bool:
    """A script that enables units, starts none and joins nothing leaves a disk: the boot that uses it comes later."""
    units = any(each.act in (Act.START, Act.RESTART) for each in timeline.of(Unit))
    return units or any(timeline.of(Joins)) or any("install" not in each.because for each in timeline.of(LoadsModule))


def runs_on_every_way(timeline: Timeline) -> Iterator[Draft]:
    """Whether a node of the pool meets the conditions under which it is enabled, the script does not say."""
    installs = fabric_managers(timeline)
    when = installs[0].effect.conditions if installs else ()
    enabled = [each for each in acts(timeline) if each.act is Act.ENABLE]
    guards = [
        without_questions(without_questions(each.conditions, _ASKS_FOR_NEED), _ASKS_FOR_THE_GPU) for each in enabled
    ]
    if enabled and always(guards, when) is False:
        says = f"fabric manager is enabled only if {shown_guard(enabled[0].conditions)}"
        yield unknown(enabled[0].place, f"{says}; whether these nodes meet that is not known")
    elif enabled and (decides := who_decides(guards, when)):
        yield unknown(enabled[0].place, f"whether fabric manager is enabled is not known: {decides}")


def left_on_the_disk(timeline: Timeline) -> Iterator[Draft]:
    """What the build of an image leaves behind: whoever boots the image enables or starts what is there, under the name
    that it has."""
    other = misnamed_unit(timeline)
    if other is not None and not acts(timeline):
        says = f"there is no unit {other.unit.shown()}: fabric manager is not enabled in the image"
        yield fail(
            other.place, says, should=UNIT, cause=NO_CUDA, is_=other.unit.shown(), remedy=ENABLE.replace(" --now", "")
        )


def _reboots_behind(timeline: Timeline, effect: Effect) -> bool:
    return any(isinstance(each, Reboots) for each in timeline.after(effect))


def _too_early(timeline: Timeline, started: list[Unit]) -> Iterator[Draft]:
    behind = [each for each in drivers(timeline) if started and timeline.precedes(started[-1], each.effect)]
    if behind and not _reboots_behind(timeline, behind[0].effect):
        says = "fabric manager is started before there is a driver"
        related = (Related(behind[0].place, "the driver is installed here"),)
        yield fail(started[-1].place, says, should="started behind the driver", cause=NO_CUDA, related=related)


def manager_faults(timeline: Timeline, driver: NvidiaPackage) -> Iterator[Draft]:
    """The faults of fabric manager beside a driver that the script installs: missing where the driver is there, or of
    another version."""
    managers = fabric_managers(timeline)
    if not managers:
        gap = timeline.not_understood("fabric")
        if gap is not None:
            yield unknown(gap.place, f"whether fabric manager is installed is not known: {gap.why}")
            return
        remedy = f"install nvidia-fabricmanager of the driver's version ({driver.version or 'the same'}), and {ENABLE}"
        says = f"{driver.name} is installed and no fabric manager"
        yield fail(driver.place, says, should="fabric manager of the driver's version", cause=NO_CUDA, remedy=remedy)
        return
    when = driver.effect.conditions
    guards = [without_questions(each.effect.conditions, _ASKS_FOR_NEED) for each in managers]
    if always(guards, when) is False:
        first = managers[0]
        says = f"fabric manager is installed only if {shown_guard(first.effect.conditions)}"
        related = (Related(driver.place, "the driver is installed either way"),)
        yield fail(first.place, says, should="with every driver", cause=NO_CUDA, related=related)
    elif decides := who_decides(guards, when):
        yield unknown(managers[0].place, f"whether fabric manager is installed is not known: {decides}")


def versions(timeline: Timeline) -> Iterator[Draft]:
    for manager in fabric_managers(timeline):
        beside = [each for each in drivers(timeline) if together(each.effect.conditions, manager.effect.conditions)]
        agreed = [(each, same_version(manager, each)) for each in beside if each.name != manager.name]
        wrong = next((each for each, same in agreed if same is False), None)
        if wrong is not None:
            yield _apart(manager, wrong)
        elif agreed and not any(same for _, same in agreed):
            yield _perhaps_apart(manager, agreed[0][0])


def _apart(manager: NvidiaPackage, driver: NvidiaPackage) -> Draft:
    says = f"{manager.name} is not of the driver's version"
    should = f"fabric manager {driver.version}, as the driver"
    related = (Related(driver.place, f"the driver: {driver.name}"),)
    return fail(manager.place, says, should=should, cause=REFUSES, is_=manager.version, related=related)


def _perhaps_apart(manager: NvidiaPackage, driver: NvidiaPackage) -> Draft:
    says = f"whether {manager.name} is of the very version of {driver.name} is not known"
    return unknown(manager.place, f"{says}: they must be equal to the last digit", remedy="pin both to one version")

"""What starts kubelet again after a reboot: a unit that is enabled, and all that enables it or stands in for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.boot.conditions import Asks, Guard
from nodeworthy.boot.effects import Act, Effect, How, Installs, Joins, Runs, Stage, Unit, Writes
from nodeworthy.boot.text import Text
from nodeworthy.boot.timeline import Timeline
from nodeworthy.known.kubelet import Family, enabling_packages, hybrid_programs, join
from nodeworthy.records import dataclass

STARTS = frozenset({Act.START, Act.RESTART})
_EVERY_BOOT = frozenset({Stage.BOOTHOOK, Stage.BOOTCMD, Stage.NEXT_BOOT})
# Files whose commands run at every boot.
_RUN_AT_BOOT = ("/var/lib/cloud/scripts/per-boot/", "/etc/rc.local", "/etc/rc.d/rc.local", "/etc/cron")


@dataclass(frozen=True)
class Keeper:
    """Something by which kubelet will be started after a reboot. Without an effect it is the image's own doing."""

    at: int
    conditions: Guard
    effect: Effect | None
    unit: str = ""
    is_sure: bool = True
    # Which of these units it enables, the image decides: kubelet is a snap on EKS' Ubuntu.
    one_of: tuple[str, ...] = ()

    def enables(self, unit: str) -> bool:
        return unit == self.unit or unit in self.one_of


@dataclass(frozen=True)
class Keepers:
    family: Family
    # cloud-init is told to run the scripts at every boot.
    every_boot: bool

    def among(self, timeline: Timeline) -> Iterator[Keeper]:
        for at, each in enumerate(timeline.effects):
            if isinstance(each, Unit):
                yield from self._enabled(at, each)
            elif self._keeps(each):
                one_of = self.family.units if isinstance(each, Joins | Installs) else ()
                yield Keeper(at, each.conditions, each, self.family.units[0], one_of=one_of)

    def _enabled(self, at: int, each: Unit) -> Iterator[Keeper]:
        if each.act is not Act.ENABLE and not (each.act in STARTS and self._is_repeated(each)):
            return
        units = self.family.all_units
        sure = [unit for unit in named(each.unit, self.family) if unit in units]
        yield from (Keeper(at, _counted(each), each, unit) for unit in sure)
        if each.unit.known is None and not sure:
            possible = (unit for unit in units if each.unit.could_be(unit))
            yield from (Keeper(at, _counted(each), each, unit, is_sure=False) for unit in possible)

    def _keeps(self, each: Effect) -> bool:
        if isinstance(each, Joins):
            known = join(each.how)
            if known is None or known.family is not self.family:
                return False
            return known.enables == "yes" or (not each.tells and self._is_repeated(each))
        if isinstance(each, Writes):
            return self._writes(each)
        if self.family.key != "kubelet":
            return False
        if isinstance(each, Installs) and not each.removes:
            return any(package_name(name.shown()) in enabling_packages(each.manager) for name in each.packages)
        return isinstance(each, Runs) and " ".join(one.shown() for one in each.arguments).startswith(hybrid_programs())

    def _is_repeated(self, each: Effect) -> bool:
        return self.every_boot or each.stage in _EVERY_BOOT

    def _writes(self, each: Writes) -> bool:
        path = each.path.shown()
        if each.how is How.LINK:
            return ".wants/" in path and path.rpartition("/")[2] in self.family.units
        return path.startswith(_RUN_AT_BOOT) and any(_names(each, unit) for unit in self.family.units)


def named(unit: Text, family: Family) -> Sequence[str]:
    """The units that are meant; `snap stop NAME` concerns every service of a snap."""
    if unit.known is not None:
        return (unit.known,)
    every_one = all(hole.shown == "*" for hole in unit.holes)
    return [each for each in family.all_units if every_one and unit.could_be(each)]


def _counted(effect: Unit) -> Guard:
    """Without what only asks whether the unit is enabled already. Where a list is not known, whether it is empty is
    known no less than what stands in it."""
    counted = (each for each in effect.conditions if "is-enabled" not in each.question.text)
    return tuple(each for each in counted if not (effect.unit.holes and each.question.asks is Asks.LOOP))


def _names(effect: Writes, unit: str) -> bool:
    found = effect.content.find(unit.removesuffix(".service")) if effect.content is not None else ()
    return any(not line.text.shown().lstrip().startswith("#") for line in found)


def package_name(name: str) -> str:
    """Without its version: kubelet=1.33.1-1.1, kubelet-1.33.1."""
    bare = name.partition("=")[0]
    stem, dash, version = bare.partition("-")
    return stem if dash and version[:1].isdigit() else bare

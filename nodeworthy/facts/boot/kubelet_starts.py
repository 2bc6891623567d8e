"""What starts kubelet in a boot, and what will start it after the next one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from nodeworthy.boot.conditions import Asks, Condition, Guard, always
from nodeworthy.boot.effects import Act, Effect, How, Installs, Joins, Runs, RunsElsewhere, Stage, Unit, Writes
from nodeworthy.boot.text import Text
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.guards import without
from nodeworthy.facts.boot.where_missing import is_where_missing
from nodeworthy.known.kubelet import (
    Family,
    enabling_packages,
    families,
    family_of,
    hybrid_programs,
    join,
    kubelet_packages,
)
from nodeworthy.records import dataclass

# What starts kubelet again after a reboot: a unit that is enabled, and all that enables it or stands in for it.

STARTS = frozenset({Act.START, Act.RESTART})
_EVERY_BOOT = frozenset({Stage.BOOTHOOK, Stage.BOOTCMD, Stage.NEXT_BOOT})
# Files whose commands run at every boot.
_RUN_AT_BOOT = ("/var/lib/cloud/scripts/per-boot/", "/etc/rc.local", "/etc/rc.d/rc.local", "/etc/cron")


@dataclass(frozen=True)
class Keeper:
    """What will start kubelet after a reboot. Without an effect it is the image's own doing."""

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
                yield Keeper(at, self._counted(each), each, self.family.units[0], one_of=one_of)

    def _enabled(self, at: int, each: Unit) -> Iterator[Keeper]:
        if each.act is not Act.ENABLE and not (each.act in STARTS and self._is_repeated(each)):
            return
        units = self.family.all_units
        sure = [unit for unit in named_units(each.unit, self.family) if unit in units]
        yield from (Keeper(at, self._counted(each), each, unit) for unit in sure)
        if each.unit.known is None and not sure:
            possible = (unit for unit in units if each.unit.could_be(unit))
            yield from (Keeper(at, self._counted(each), each, unit, is_sure=False) for unit in possible)

    def _counted(self, effect: Effect) -> Guard:
        """The conditions that count. Whether the unit is enabled, or its program there, is not asked again: what
        brought it has enabled it. Of a list that is not known, it is not known either whether it is empty."""
        found = [each for each in effect.conditions if "is-enabled" not in each.question.text]
        counted = (each for each in found if not self._is_missing(each))
        is_open = isinstance(effect, Unit) and effect.unit.holes
        return tuple(each for each in counted if not (is_open and each.question.asks is Asks.LOOP))

    def _is_missing(self, condition: Condition) -> bool:
        names = ("kube", "nodeadm") if self.family.key == "kubelet" else (self.family.key,)
        return is_where_missing(condition, *names)

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


def named_units(unit: Text, family: Family) -> Sequence[str]:
    """The units that are meant; `snap stop NAME` concerns every service of a snap."""
    if unit.known is not None:
        return (unit.known,)
    every_one = all(hole.shown == "*" for hole in unit.holes)
    return [each for each in family.all_units if every_one and unit.could_be(each)]


def _runs_anyhow(effect: Effect) -> bool:
    """`if systemctl is-active k3s; then systemctl restart k3s`: what ran before, whoever starts it runs."""
    return any("is-active" in each.question.text and each.answer == "yes" for each in effect.conditions)


def _names(effect: Writes, unit: str) -> bool:
    found = effect.content.find(unit.removesuffix(".service")) if effect.content is not None else ()
    return any(not line.text.shown().lstrip().startswith("#") for line in found)


def package_name(name: str) -> str:
    """The name of a package without its version: kubelet=1.33.1-1.1, kubelet-1.33.1."""
    bare = name.partition("=")[0]
    stem, dash, version = bare.partition("-")
    return stem if dash and version[:1].isdigit() else bare


def _has_to_do_with_kubelet(effect: Effect) -> bool:
    """Whether it may bring one here, or tell it how to run."""
    if isinstance(effect, Writes):
        return "kubelet" in effect.path.shown() or "/etc/kubernetes/" in effect.path.shown()
    is_named = "kubelet" in effect.command or "kubeadm" in effect.command
    return is_named and not isinstance(effect, (Unit, RunsElsewhere))


def _only_adds(writes: Writes) -> bool:
    """Whether it changes a file that was there before, or adds to it."""
    return writes.how is How.EDIT or (writes.how is How.APPEND and writes.whole is None)


def _brings_a_node_up_to_date(effect: Effect) -> bool:
    """`kubeadm upgrade`, `kubectl drain`: the node was there before, and its kubelet with it."""
    if not isinstance(effect, Runs):
        return False
    program, *words = (each.shown() for each in effect.arguments)
    called = program.rpartition("/")[2]
    return (called == "kubeadm" and words[:1] == ["upgrade"]) or (called == "kubectl" and "drain" in words)


_TAKES_AWAY = frozenset({Act.DISABLE, Act.MASK})
_RUNTIMES = frozenset({"containerd.service", "crio.service", "docker.service"})
_NODEADM_READS = "/etc/eks/nodeadm.d/"

# As many steps of a kind are weighed against each other, the last ones: a script with more is nobody's.
FEW, MANY = 16, 100


@dataclass(frozen=True)
class KubeletStarts:
    timeline: Timeline
    family: Family
    # The image enables the family's own unit (nodeadm-run).
    by_the_image: bool = False
    # cloud-init is told to run the scripts at every boot.
    every_boot: bool = False
    # A person runs it, on a machine that is there.
    by_hand: bool = False

    @cached_property
    def starters(self) -> list[Effect]:
        """The steps by which kubelet runs in this boot."""
        return [each for each in self.timeline.effects if self._starts(each)]

    def _starts(self, effect: Effect) -> bool:
        if isinstance(effect, Joins):
            known = join(effect.how)
            return known is not None and known.family is self.family
        is_start = isinstance(effect, Unit) and effect.act in STARTS and effect.unit.known in self.family.units
        return is_start and not _runs_anyhow(effect)

    @cached_property
    def keepers(self) -> list[Keeper]:
        of_the_image = [Keeper(-1, (), None, self.family.image)] if self.by_the_image and self.family.image else []
        return [*of_the_image, *Keepers(self.family, self.every_boot).among(self.timeline)]

    @cached_property
    def undoings(self) -> list[tuple[int, Effect, str]]:
        """Where, how and of which unit a start at boot is taken away."""
        found: list[tuple[int, Effect, str]] = []
        for at, each in enumerate(self.timeline.effects):
            if isinstance(each, Unit) and each.act in _TAKES_AWAY:
                found += [(at, each, unit) for unit in named_units(each.unit, self.family)]
            elif isinstance(each, Writes) and each.how is How.DELETE and ".wants/" in each.path.shown():
                found.append((at, each, each.path.shown().rpartition("/")[2]))
        return found

    def undone(self, keeper: Keeper) -> list[Effect]:
        """The steps that take this start away: a unit is disabled later, or masked whenever."""
        found = [(at, each) for at, each, unit in self.undoings[-MANY:] if keeper.enables(unit)]
        return [each for at, each in found if (self._unmasked(each) is False if _masks(each) else at > keeper.at)]

    def _unmasked(self, mask: Effect) -> bool:
        later = self.timeline.after(mask)
        unmasks = [each for each in later if isinstance(each, Unit) and each.act is Act.UNMASK]
        mine = [each.conditions for each in unmasks if isinstance(mask, Unit) and each.unit == mask.unit]
        return always(mine, mask.conditions) is True

    def unit_started_by(self, starter: Effect) -> str:
        """The name by which people enable what this step starts."""
        units = (each for each in (starter, *self.starters) if isinstance(each, Unit))
        return next((each.unit.shown().removesuffix(".service") for each in units), self.family.name)

    def undoings_of_its_own(self) -> list[Effect]:
        return [each for _, each, unit in self.undoings if unit in self.family.units]

    def undone_for_good(self) -> bool:
        """Whether it was enabled, and a step that can be read undoes that."""
        return any(self.undone(each) for each in self.keepers if each.effect is not None)

    def switched_off(self) -> list[Effect]:
        """Where the image's own unit is taken away."""
        return [each for _, each, unit in self.undoings if unit == self.family.image][:1]

    def joins_by_hand(self) -> bool:
        """A script that calls `nodeadm init` itself, with a config that the image's own units don't find."""
        by_hand = any(each.how == "nodeadm" and not each.tells for each in self.timeline.of(Joins))
        return by_hand and not any(each.path.shown().startswith(_NODEADM_READS) for each in self.timeline.of(Writes))

    def brings_its_unit(self) -> bool:
        writes = (each for each in self.timeline.of(Writes) if not _only_adds(each))
        written = (each.path.shown().rpartition("/")[2] for each in writes)
        return any(each in self.family.units for each in written) or self._installs_it()

    def _installs_it(self) -> bool:
        installs = (each for each in self.timeline.of(Installs) if not each.removes)
        named = (package_name(name.shown()) for each in installs for name in each.packages)
        # RKE2's installer brings the unit and leaves it disabled; that of k3s enables what it brings.
        its = kubelet_packages() if self.family.key == "kubelet" else ("rke2",) if self.family.key == "rke2" else ()
        return any(each in its for each in named)

    def ran_before(self, starter: Effect) -> bool:
        """Whether this only starts again what ran before. That is a restart by hand, one behind kubeadm, in an
        upgrade, with its runtime, or one after it was stopped; or it is k3s or RKE2, whose own installers enable it."""
        if not isinstance(starter, Unit) or self.keepers or self.undoings_of_its_own():
            return False
        if any(map(_brings_a_node_up_to_date, self.timeline.effects)):
            return True
        if self.brings_its_unit() and not self._is_an_upgrade(starter):
            return False
        if any(self._is_stopped(each, starter) for each in self.timeline.effects):
            return True
        if any(not each.tells for each in self.timeline.of(Joins)):
            return False
        is_only_started = starter.act is Act.RESTART or not any(map(_has_to_do_with_kubelet, self.timeline.effects))
        if self.by_hand and (self.family.key != "kubelet" or is_only_started):
            return True
        return any(map(self._is_of_a_running_node, self.timeline.effects))

    def _is_an_upgrade(self, starter: Unit) -> bool:
        """RKE2's installer, run once more: who restarts it then has enabled it when it came."""
        return self.by_hand and self.family.key == "rke2" and starter.act is Act.RESTART

    def _is_of_a_running_node(self, effect: Effect) -> bool:
        if isinstance(effect, Runs):
            return [word.shown() for word in effect.arguments[:2]] == ["kubeadm", "init"]
        return isinstance(effect, Unit) and effect.act is Act.RESTART and effect.unit.known in _RUNTIMES

    def _is_stopped(self, effect: Effect, starter: Unit) -> bool:
        is_stop = isinstance(effect, Unit) and effect.act is Act.STOP and effect.unit == starter.unit
        return is_stop and self.timeline.precedes(effect, starter)

    def guards(self, *, maybe: bool = False) -> list[Guard]:
        """When kubelet will be started at the next boot."""
        keepers = [each for each in self.keepers if each.is_sure or maybe]
        keepers = [*keepers[:1], *keepers[1:][-FEW:]]
        return [
            guard
            for each in keepers
            for guard in without(each.conditions, [undoing.conditions for undoing in self.undone(each)])
        ]

    def comes_back(self, starter: Effect) -> bool | None:
        answer = always(self._sure, starter.conditions)
        if answer is not False:
            return answer
        return None if always(self._maybe, starter.conditions) is not False else False

    @cached_property
    def _sure(self) -> list[Guard]:
        return self.guards()

    @cached_property
    def _maybe(self) -> list[Guard]:
        return self.guards(maybe=True)


def families_in(timeline: Timeline) -> list[Family]:
    """The families whose kubelet a boot starts or switches off."""
    found = {each.key for effect in timeline.effects for each in _families(effect)}
    return [each for each in families() if each.key in found]


def told_to_nobody(timeline: Timeline) -> Timeline:
    """Where there is no nodeadm: a NodeConfig that stands in user data starts nothing."""
    told = (each for each in timeline.effects if not isinstance(each, Joins) or not each.tells)
    return Timeline(tuple(told))


def _families(effect: Effect) -> Sequence[Family]:
    if isinstance(effect, Joins):
        known = join(effect.how)
        return [known.family] if known is not None else []
    if isinstance(effect, Unit) and effect.unit.known is not None:
        if effect.act in _TAKES_AWAY:
            return [each for each in families() if each.image == effect.unit.known]
        family = family_of(effect.unit.known)
        return [family] if family is not None and effect.act in (*STARTS, Act.ENABLE) else []
    return []


def _masks(effect: Effect) -> bool:
    return isinstance(effect, Unit) and effect.act is Act.MASK

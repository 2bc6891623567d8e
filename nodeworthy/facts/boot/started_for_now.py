"""Services that a script brings and starts, and that nothing switches on: they run until the next boot."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from nodeworthy.boot.effects import Act, Effect, Installs, NotUnderstood, Unit, Writes
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.boot.script_kind import ScriptKind
from nodeworthy.known.units_left_off import names_of_unit, units_left_off_by
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# What starts again by itself, or is no machine yet.
_RUN_AT_EVERY_BOOT = (ScriptKind.STARTUP, ScriptKind.IMAGE_BUILD, ScriptKind.CONTAINER)
_RUNS = (Act.START, Act.RESTART)
_RPM = ("dnf", "yum", "microdnf")
_UNITS = ("/etc/systemd/system/", "/usr/lib/systemd/system/", "/lib/systemd/system/")
# Told by a rule of its own.
_OF_KUBELET = frozenset("kubelet containerd docker crio k3s k3s-agent rke2-server rke2-agent".split())
_SWITCHES_ON = pattern(r"\benabled?\b|chkconfig|\.wants/|preset|rc\.local|@reboot|scripts-user")
_OTHERS_SWITCH = pattern(
    r"enable|chkconfig|ansible|puppet|salt|chef", words=("enable", "chkconfig", "ansible", "puppet", "salt", "chef")
)
_IS_INSTALLED = pattern(r"(?m)^[ \t]*\[Install\][ \t]*$(?:\n[^\[\n]*)*?^[ \t]*WantedBy[ \t]*=", words=("[Install]",))


@dataclass(frozen=True)
class StartedForNow:
    """A service that is started here, where it comes from, and that stays off."""

    started: Unit
    name: str
    brought: Effect

    @property
    def place(self) -> Place:
        return self.started.place

    @property
    def is_of_a_package(self) -> bool:
        return isinstance(self.brought, Installs)


def starts_services(script: BootScript) -> bool:
    return any(each.act in _RUNS and _name(each) not in _OF_KUBELET for each in script.timeline.of(Unit))


def _name(unit: Unit) -> str:
    return unit.unit.string.removesuffix(".service")


def started_for_now(script: BootScript) -> Iterator[StartedForNow]:
    """Each once, where the script itself says nothing that may switch it on."""
    if script.use.kind in _RUN_AT_EVERY_BOOT or script.is_a_part or _may_be_switched_on_otherwise(script.timeline):
        return
    told = set[str]()
    on = {name for each in _switched_on(script.timeline) for name in names_of_unit(each)}
    for unit in script.timeline.of(Unit):
        name = _name(unit)
        if unit.act not in _RUNS or not name or "." in name or name in on | told | _OF_KUBELET:
            continue
        brought = _brought_by(name, unit, script.timeline)
        if brought is not None:
            told |= names_of_unit(name)
            yield StartedForNow(unit, name, brought)


def _switched_on(timeline: Timeline) -> Iterator[str]:
    for each in timeline.of(Unit):
        if each.act is Act.ENABLE:
            yield _name(each).split("@")[0]


def _may_be_switched_on_otherwise(timeline: Timeline) -> bool:
    if any(each.act is Act.ENABLE and each.unit.known is None for each in timeline.of(Unit)):
        return True
    if any(_OTHERS_SWITCH.search(each.written) is not None for each in timeline.of(NotUnderstood)):
        return True
    others = (each for each in timeline.effects if not isinstance(each, Unit))
    return any(_SWITCHES_ON.search(each.command) is not None for each in others)


def _brought_by(name: str, started: Unit, timeline: Timeline) -> Effect | None:
    for each in timeline.effects:
        if each is started:
            return None
        if isinstance(each, Installs) and each.manager in _RPM and not each.removes:
            if name in units_left_off_by([package.string for package in each.packages]):
                return each
        elif isinstance(each, Writes) and _is_its_unit(each, name):
            return each
    return None


def _is_its_unit(effect: Writes, name: str) -> bool:
    path = effect.path.string
    if not path.startswith(_UNITS) or posixpath.basename(path) != f"{name}.service" or effect.content is None:
        return False
    return _IS_INSTALLED.search(effect.content.text.shown()) is not None

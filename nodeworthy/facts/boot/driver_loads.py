"""When the nvidia module is loaded in a boot, and what loads it again afterwards."""

from __future__ import annotations

from math import ceil

from nodeworthy.boot.commands.installs import kind_of
from nodeworthy.boot.commands.runfiles import brings_cudas_driver, brings_the_driver_alone
from nodeworthy.boot.conditions import Guard
from nodeworthy.boot.effects import Effect, Gap, Installs, LoadsModule, NotUnderstood, Reboots, Stage
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.guards import but_marks
from nodeworthy.facts.boot.unread_steps import gaps
from nodeworthy.known.drivers import PackageKind, needs_nvidia
from nodeworthy.known.profiling import option
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# Who asks for these asks whether the module is loaded, or with which value: before it is loaded again that is no
# condition.
_STATE_OF_THE_MODULE = ("lsmod", "/proc/modules", "/sys/module/nvidia", "/proc/driver/nvidia")


_WORDS = ("nvidia", "NVIDIA", "modprobe", "NVreg", "cuda")
_WRITES_NOTHING = ("systemctl", "service", "modprobe", "insmod", "rmmod")


@dataclass(frozen=True)
class Load:
    """A step that loads the module, or may. `at` counts the effects before it."""

    at: float
    place: Place
    because: str
    conditions: Guard = ()
    # None: the image does it by itself.
    effect: LoadsModule | None = None

    @property
    def detached(self) -> bool:
        return self.effect is not None and self.effect.detached

    @property
    def has_the_option(self) -> bool:
        """Whether the option is given on the spot: `modprobe nvidia NVreg_…=0`."""
        return (
            self.effect is not None
            and self.effect.module == option().module
            and option().assignment in self.effect.options
        )


@dataclass(frozen=True)
class Again:
    """The point from which on the module is loaded anew: it was unloaded, or the machine starts again."""

    at: int
    effect: Effect
    conditions: Guard

    @property
    def reboots(self) -> bool:
        return isinstance(self.effect, Reboots)


def loads(timeline: Timeline) -> list[Load]:
    return [
        Load(at, each.place, each.because, each.conditions, each)
        for at, each in enumerate(timeline.effects)
        if isinstance(each, LoadsModule) and not each.unloads and _is_nvidia(each.module)
    ]


def image_load(timeline: Timeline, place: Place, because: str) -> Load:
    """The image's own units load it, behind what cloud-init does early."""
    early = [each for each in timeline.effects if each.stage <= Stage.IMAGE]
    return Load(len(early) - 0.5, place, because)


def anew(timeline: Timeline) -> list[Again]:
    found = []
    for at, each in enumerate(timeline.effects):
        if isinstance(each, Reboots) or (isinstance(each, LoadsModule) and each.unloads and _unloads_nvidia(each)):
            guard = tuple(one for one in but_marks(each, timeline) if not _asks_for_the_module(one.question.text))
            found.append(Again(at, each, guard))
    return found


def unread_step_before(timeline: Timeline, at: float) -> NotUnderstood | None:
    """What was not understood before this, and may write the option."""
    before = Timeline(timeline.effects[: ceil(at)])
    return next((each for each in gaps(before, *_WORDS) if each.command.partition(" ")[0] not in _WRITES_NOTHING), None)


def unread_loads(timeline: Timeline) -> list[Load]:
    """What was not understood, and may load the module."""
    at = {id(each): index for index, each in enumerate(timeline.effects)}
    return [Load(at[id(each)], each.place, each.why, each.conditions) for each in gaps(timeline, *_WORDS)]


def unknown_packages(timeline: Timeline) -> list[Load]:
    """Packages whose names are not known: the driver may be one of them."""
    at = enumerate(timeline.effects)
    return [
        Load(index, each.place, each.why, each.conditions)
        for index, each in at
        if isinstance(each, NotUnderstood) and each.kind is Gap.PACKAGES
    ]


def is_driver(effect: Installs) -> bool:
    if effect.removes:
        return False
    if effect.manager == ".run":
        named = any("nvidia" in each.shown().lower() for each in effect.packages)
        return named or brings_cudas_driver(effect) or brings_the_driver_alone(effect)
    # Without these it takes what fits any machine, a desktop's as well, and may be meant to find nothing.
    if effect.manager == "ubuntu-drivers":
        return any(word in effect.command for word in ("--gpgpu", "nvidia"))
    return any(kind_of(each) is PackageKind.DRIVER for each in effect.packages)


def _is_nvidia(module: str) -> bool:
    name = module.replace("-", "_")
    return name == option().module or name in option().also or needs_nvidia(name)


def _unloads_nvidia(effect: LoadsModule) -> bool:
    """`modprobe -r` takes along what only this module needed; `rmmod` does not."""
    name = effect.module.replace("-", "_")
    return name == option().module or name in option().also or (needs_nvidia(name) and "modprobe" in effect.because)


def _asks_for_the_module(question: str) -> bool:
    return any(word in question for word in _STATE_OF_THE_MODULE)

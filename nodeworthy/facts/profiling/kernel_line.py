"""The profiling option on the kernel's command line, and the module in the initramfs: both are read at boot only."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.boot.conditions import Guard
from nodeworthy.boot.effects import Effect, How, Runs, Writes
from nodeworthy.boot.timeline import Timeline
from nodeworthy.known.profiling import boot_loader_files, boot_loader_programs, initramfs_programs, option
from nodeworthy.records import dataclass

_OF_THE_INITRAMFS = ("/etc/dracut.conf", "/etc/initramfs-tools/", "/etc/mkinitcpio.conf")


@dataclass(frozen=True)
class KernelOption:
    """From here on the next boot has the option on the kernel's command line."""

    at: int
    effect: Effect
    conditions: Guard


def kernel_options(timeline: Timeline) -> list[KernelOption]:
    written: list[Writes] = []
    found: list[KernelOption] = []
    for at, each in enumerate(timeline.effects):
        if isinstance(each, Writes) and _writes_it(each):
            written.append(each)
        elif isinstance(each, Runs) and _program(each) in boot_loader_programs():
            found += [KernelOption(at, one, (*one.conditions, *each.conditions)) for one in written]
            if any(option().kernel in argument.shown() for argument in each.arguments):
                found.append(KernelOption(at, each, each.conditions))
    return found


def initramfs_holds_the_module(timeline: Timeline, written: int) -> bool:
    """Whether the script builds an initramfs with the module before the option is written, and none afterwards."""
    built = [
        at
        for at, each in enumerate(timeline.effects)
        if isinstance(each, Runs) and _program(each) in initramfs_programs()
    ]
    if not built or built[-1] > written:
        return False
    return any(_names_the_module(each) for each in timeline.effects[: built[-1] + 1])


def _names_the_module(effect: Effect) -> bool:
    if isinstance(effect, Runs):
        return _program(effect) in initramfs_programs() and any(
            option().module in each.shown() for each in effect.arguments
        )
    if isinstance(effect, Writes) and effect.path.shown().startswith(_OF_THE_INITRAMFS):
        return any(option().module in each for each in _texts(effect)) and not any(
            "omit" in each for each in _texts(effect)
        )
    return False


def _writes_it(effect: Writes) -> bool:
    if effect.how is How.DELETE or not effect.path.shown().startswith(boot_loader_files()):
        return False
    return any(option().kernel in each for each in _texts(effect))


def _texts(effect: Writes) -> Iterator[str]:
    yield from (each.shown() for each in effect.expressions)
    for content in (effect.content, effect.whole):
        yield from (line.text.shown() for line in (content.lines if content is not None else ()))


def _program(effect: Runs) -> str:
    return (effect.arguments[0].known or "").rpartition("/")[2] if effect.arguments else ""

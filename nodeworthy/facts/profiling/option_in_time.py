"""Whether the profiling option is in effect when the nvidia module is loaded, whatever path a boot takes."""

from __future__ import annotations

from bisect import bisect
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property

from nodeworthy.boot.conditions import Condition, Guard, always, together
from nodeworthy.boot.effects import Effect, How, Installs, Runs, Writes
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.driver_loads import Again, Load, anew, is_driver, loads
from nodeworthy.facts.boot.guards import but_its_own, without
from nodeworthy.facts.profiling.modprobe_line import Says, says_the_default
from nodeworthy.facts.profiling.module_option import OptionWrite, option_writes
from nodeworthy.known.profiling import boot_loader_files, boot_loader_programs, initramfs_programs, option
from nodeworthy.records import dataclass

# Files by which a script knows that a step was done: `[[ -f STAMP ]] || { step; touch STAMP; }`.


def but_stamps(guard: Guard, effect: Effect, timeline: Timeline) -> Guard:
    """The conditions without those under which the step was done by an earlier run of the script."""
    asking = [each for each in guard if each.question.files and _is_missing(each)]
    if not asking:
        return guard
    after = [each for each in timeline.after(effect) if isinstance(each, Writes) and each.how is not How.DELETE]
    stamped = {each.key for each in asking if any(_stamps(write, each) for write in after)}
    return tuple(each for each in guard if each.key not in stamped)


def _is_missing(condition: Condition) -> bool:
    return (condition.answer == "yes") is ("!" in condition.question.text)


def _stamps(write: Writes, condition: Condition) -> bool:
    held = {each.key for each in write.conditions}
    return condition.key in held and condition.question.files == {write.path.known}


# The profiling option on the kernel's command line, and the module in the initramfs: both are read at boot only.

_OF_THE_INITRAMFS = ("/etc/dracut.conf", "/etc/initramfs-tools/", "/etc/mkinitcpio.conf")


@dataclass(frozen=True)
class KernelOption:
    """The point from which on the next boot has the option on the kernel's command line."""

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
    return effect.arguments[0].string.rpartition("/")[2] if effect.arguments else ""


def seen_writes(writes: Sequence[OptionWrite]) -> list[OptionWrite]:
    """The writes without those that are hidden behind others of them."""
    behind = {id(other) for other, _ in hidden_writes(writes)}
    return [each for each in writes if id(each) not in behind]


def hidden_writes(writes: Sequence[OptionWrite]) -> Iterator[tuple[OptionWrite, OptionWrite]]:
    """Each that is hidden, and what hides it."""
    # Only files of one name hide each other: a script may write thousands.
    by_name: dict[str, list[OptionWrite]] = defaultdict(list)
    for each in _not_deleted(writes):
        by_name[_name(each)].append(each)
    return ((other, one) for other in writes for one in by_name.get(_name(other), ()) if _hides(one, other))


def _not_deleted(writes: Sequence[OptionWrite]) -> Iterator[OptionWrite]:
    deletions = [(at, each) for at, each in enumerate(writes) if each.effect.how is How.DELETE]
    for at, write in enumerate(writes):
        later = (each for when, each in deletions if when > at)
        if write.effect.how is not How.DELETE and not any(each.same_file(write) for each in later):
            yield write


def _name(write: OptionWrite) -> str:
    return write.path.rpartition("/")[2]


def _hides(one: OptionWrite, other: OptionWrite) -> bool:
    folders = option().folders
    folder, others = one.path.rpartition("/")[0], other.path.rpartition("/")[0]
    if folder == others or folder not in folders or others not in folders:
        return False
    return folders.index(folder) < folders.index(others) and set(one.effect.conditions) <= set(other.effect.conditions)


# As many steps of a kind are weighed against each other, the last ones: a script with more is nobody's.
FEW, MANY = 16, 200


@dataclass(frozen=True)
class OptionInTime:
    timeline: Timeline

    @cached_property
    def writes(self) -> list[OptionWrite]:
        return option_writes(self.timeline)

    @cached_property
    def kernel_options(self) -> list[KernelOption]:
        return kernel_options(self.timeline)

    @cached_property
    def loads(self) -> list[Load]:
        return loads(self.timeline)

    @property
    def installs_the_driver(self) -> bool:
        return any(is_driver(each) for each in self.timeline.of(Installs))

    @property
    def is_meant(self) -> bool:
        """Whether any step is seen that sets the option, rightly or not; to its default nobody sets it to profile."""
        said = (each for each in self.writes if each.says not in (Says.GONE, Says.MAYBE))
        written = any(each.says is not Says.OTHERWISE or not says_the_default(each.is_) for each in said)
        return written or bool(self.kernel_options) or any(each.has_the_option for each in self.loads)

    @cached_property
    def anew(self) -> list[Again]:
        return anew(self.timeline)

    @cached_property
    def _at(self) -> dict[int, int]:
        return {id(each): at for at, each in enumerate(self.timeline.effects)}

    def at(self, write: OptionWrite) -> int:
        return self._at[id(write.effect)]

    def before(self, load: Load) -> list[OptionWrite]:
        return seen_writes([each for each in self.writes if self.at(each) < load.at])

    def hidden_before(self, load: Load) -> tuple[OptionWrite, OptionWrite] | None:
        """A right write, and the file that keeps modprobe from reading it."""
        before = [each for each in self.writes if self.at(each) < load.at]
        return next(((right, by) for right, by in hidden_writes(before) if right.says is Says.RIGHT), None)

    def after(self, load: Load) -> list[OptionWrite]:
        return [each for each in self.writes if self.at(each) > load.at]

    def first_without(self, by_the_image: Sequence[Load] = ()) -> tuple[Load, bool | None] | None:
        """The first load that does not have the option, or for which that can't be said (None)."""
        loaded: list[Load] = []
        for load in sorted((*by_the_image, *self.loads), key=lambda each: each.at):
            loaded = [each for each in loaded if not self._unloaded_between(each, load)]
            if loaded and always([each.conditions for each in loaded], load.conditions):
                continue
            answer = self.has_it(load)
            if not answer:
                return load, answer
            loaded = [*loaded[1 - FEW :], load]
        return None

    def has_it(self, load: Load) -> bool | None:
        if load.has_the_option:
            return True
        answers = [self._on_disk(load.at, load.conditions, detached=load.detached)]
        if answers[0] is not True:
            answers.append(self._mended(load))
        return True if True in answers else None if None in answers else False

    def _on_disk(self, at: float, when: Guard, *, detached: bool = False) -> bool | None:
        """Whether the option stands where modprobe reads it, before this and whenever this happens."""
        sure = always(self._guards(at, detached=detached), when)
        if sure is not False:
            return sure
        return None if always(self._guards(at, detached=detached, maybe=True), when) is not False else False

    def _guards(self, at: float, *, detached: bool, maybe: bool = False) -> list[Guard]:
        before = seen_writes(
            [each for each in self.writes if self.at(each) < at and (detached or not each.effect.detached)]
        )
        wanted = (Says.RIGHT, Says.MAYBE) if maybe else (Says.RIGHT,)
        undoing = [each for each in before if each.says is not Says.RIGHT][-MANY:]
        found: list[Guard] = []
        for write in [each for each in before if each.says in wanted][-FEW:]:
            undone = (self._guard(each) for each in undoing if self._undoes(each, write, maybe=maybe))
            found += without(self._guard(write), undone)
        return found

    def _guard(self, write: OptionWrite) -> Guard:
        return but_stamps(but_its_own(write.effect), write.effect, self.timeline)

    def _undoes(self, one: OptionWrite, other: OptionWrite, *, maybe: bool) -> bool:
        later = self.at(one) > self.at(other)
        if later and (one.undoes(other) or (not maybe and one.may_undo(other))):
            return True
        return not one.same_file(other) and one.overrides(other)

    def undone_before(self, load: Load) -> tuple[OptionWrite, OptionWrite] | None:
        """A right write, and the step that takes it away again before the load."""
        before = self.before(load)[-MANY:]
        rights = [each for each in before if each.says is Says.RIGHT][-FEW:]
        pairs = ((one, right) for right in rights for one in before if self._undoes(one, right, maybe=True))
        return next(((right, one) for one, right in pairs), None)

    def _mended(self, load: Load) -> bool | None:
        """Whether the module is always loaded once more later, and then with the option."""
        later = [each for each in self.anew if each.at > load.at and together(each.effect.conditions, load.conditions)]
        answers = [(each, self._has_it_then(each, load.conditions)) for each in later[-FEW:]]
        sure = always([each.conditions for each, answer in answers if answer], load.conditions)
        if sure is not False:
            return sure
        maybe = always([each.conditions for each, answer in answers if answer is not False], load.conditions)
        return None if maybe is not False else False

    def _has_it_then(self, again: Again, loaded: Guard) -> bool | None:
        when = (*loaded, *again.effect.conditions)
        if again.reboots:
            return self._has_it_after_reboot(again, when)
        following = next((each for each in self.loads if each.at > again.at), None)
        if following is None:
            return self._on_disk(len(self._at), when, detached=True)
        if following.has_the_option:
            return True
        return self._on_disk(following.at, (*when, *following.conditions))

    def _has_it_after_reboot(self, again: Again, when: Guard) -> bool | None:
        given = [each.conditions for each in self.kernel_options if each.at < again.at]
        if always(given, when):
            return True
        on_disk = self._on_disk(again.at, when)
        if on_disk and initramfs_holds_the_module(self.timeline, self._last_right(again.at)):
            return False
        return on_disk

    def _last_right(self, before: int) -> int:
        return max(self.at(each) for each in self.writes if each.says is Says.RIGHT and self.at(each) < before)

    def _unloaded_between(self, one: Load, other: Load) -> bool:
        return bisect(self._anew_at, one.at) != bisect(self._anew_at, other.at)

    @cached_property
    def _anew_at(self) -> list[int]:
        return [each.at for each in self.anew]

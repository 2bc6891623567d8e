"""Why the nvidia module is loaded without the profiling option, told from the step that is at fault."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from nodeworthy.boot.conditions import happens_at_exit, who_decides
from nodeworthy.boot.effects import Effect, How, Stage
from nodeworthy.facts.boot.driver_loads import Load
from nodeworthy.facts.boot.guards import but_its_own, guard_in_words
from nodeworthy.facts.profiling.modprobe_line import Says
from nodeworthy.facts.profiling.module_option import OptionWrite, why_not_read
from nodeworthy.facts.profiling.option_in_time import OptionInTime
from nodeworthy.known.profiling import option
from nodeworthy.records import dataclass
from nodeworthy.verdict import Draft, Place, Related, fail, unknown

CAUSE = (
    "a module takes its options when it is loaded, and never again: "
    "profiling stays denied (ERR_NVGPUCTRPERM) until it is loaded anew"
)
EARLY = "write it in a text/cloud-boothook part, bootcmd or write_files"
FILE = "/etc/modprobe.d/nvprof.conf"


@dataclass(frozen=True)
class _Order:
    """Why lines that stand in the right order do not happen in it, and what to do about that."""

    why: str
    remedy: str


@dataclass(frozen=True)
class OptionStory:
    boot: OptionInTime
    load: Load
    # Of what is missing altogether: where the script is.
    script: Place

    def loads_it(self) -> Related:
        says = f"the module is loaded here: {self.load.because}" if self.load.effect is not None else self.load.because
        return Related(self.load.place, says)

    def here(self) -> Place:
        """Where the module is loaded; of what the image does by itself the script is all that there is to look at."""
        return self.load.place if self.load.effect is not None else self.script

    def told(self) -> Draft:
        before, after = self.boot.before(self.load), self.boot.after(self.load)
        undone = self.boot.undone_before(self.load)
        if undone is not None:
            return self._undone(*undone)
        rights = [each for each in before if each.says is Says.RIGHT]
        if rights:
            return self._not_always(rights)
        hidden = self.boot.hidden_before(self.load)
        if hidden is not None:
            return self._hidden(*hidden)
        # A draft that is copied to its place later is too late, not in a wrong place.
        for write in (each for each in before if _is_wrong(each) and not why_not_read(each.effect.path)):
            return self._wrong(write)
        for write in (each for each in after if each.says is Says.RIGHT):
            return self._too_late(write)
        for write in filter(_is_wrong, before):
            return self._wrong(write)
        if self.boot.kernel_options:
            return self._needs_a_reboot(self.boot.kernel_options[0].effect)
        for write in filter(_is_wrong, after):
            return self._wrong(write)
        given = next((each for each in self.boot.loads if each.has_the_option), None)
        return self._given_too_late(given) if given is not None else self._missing()

    def doubt(self) -> Draft:
        """Where it can't be decided, and why."""
        known = "whether the profiling option is on disk before the driver is not known"
        writes = (*self.boot.before(self.load), *self.boot.after(self.load))
        doubtful = next((each for each in writes if each.says is Says.MAYBE), None)
        if doubtful is not None:
            return unknown(doubtful.place, f"{known}: {doubtful.said.why}", should=option().line)
        right = [each.effect.conditions for each in self.boot.before(self.load) if each.says is Says.RIGHT]
        decides = who_decides(right, self.load.conditions)
        why = f"{known}: {decides or 'it depends on too many conditions'}"
        return unknown(self.here(), why, should=option().line)

    def _undone(self, right: OptionWrite, by: OptionWrite) -> Draft:
        written = Related(right.place, f"{right.path} gets the option here")
        stays = f"`{option().line}` stays on disk"
        if by.says is Says.OTHERWISE:
            message = f"{by.said.why} after it was set right"
            if not by.same_file(right):
                message = f"{by.said.why} in {by.path}, and of two files modprobe takes the one whose name sorts later"
            remedy = f"delete this line, or make it `{option().line}`"
            return self._draft(by.place, message, is_=by.is_, should=stays, remedy=remedy, related=[written])
        message = f"{by.path}, which has the profiling option, {by.said.why} before the driver is loaded"
        if by.says is Says.MISSES:
            message = f"{by.path} is changed before the driver is loaded: {by.said.why}"
        remedy = "append here (>>)" if by.effect.how is How.WRITE else f"delete {by.effect.place.spot}"
        remedy = f"{remedy}, or keep the option in a file of its own: {FILE}"
        return self._draft(
            by.effect.place, message, is_=by.effect.command, should=stays, remedy=remedy, related=[written]
        )

    def _hidden(self, right: OptionWrite, by: OptionWrite) -> Draft:
        message = f"modprobe never reads {right.path}: {by.path} has the same name, and its folder comes first"
        hides = Related(by.effect.place, f"{by.path} is made here")
        return self._draft(
            right.place, message, is_=right.path, should=FILE, remedy=f"write the option into {FILE}", related=[hides]
        )

    def _not_always(self, writes: list[OptionWrite]) -> Draft:
        first = writes[0]
        if first.effect.detached and not self.load.detached:
            message = (
                "the profiling option is written in the background, and the driver is loaded without waiting for it"
            )
            should, remedy = "written before the driver is loaded", f"take the `&` from {first.place.spot}"
            return self._draft(first.place, message, is_=first.is_, should=should, remedy=remedy)
        guards = [guard_in_words(but_its_own(each.effect), self.load.conditions) for each in writes]
        under = " or ".join(dict.fromkeys(filter(None, guards)))
        message = f"the profiling option is written only if {under}, and the driver is loaded in other cases, too"
        remedy = f"write `{option().line}` outside of that condition, before {self._where()}"
        should = "written on every path that loads the driver"
        return self._draft(first.place, message, is_=f"written if {under}", should=should, remedy=remedy)

    def _wrong(self, write: OptionWrite) -> Draft:
        fault = why_not_read(write.effect.path)
        if fault:
            message = f"the profiling option is written into {write.path}, where it has no effect: {fault}"
            should = _beside(write.path)
            return self._draft(
                write.effect.place, message, is_=write.path, should=should, remedy=f"write it into {should}"
            )
        remedy = f"make it `{option().line}` on {write.place.spot}"
        return self._draft(write.place, write.said.why, is_=write.is_, should=option().line, remedy=remedy)

    def _too_late(self, write: OptionWrite) -> Draft:
        late, early = _apart(write.effect, self.load)
        order = self._order(write, late, early)
        message = f"the profiling option is written after the driver is loaded{f': {order.why}' if order else ''}"
        before = early.spot if self.load.effect is not None else self._who()
        remedy = order.remedy if order else self._earlier(write, late, early)
        again = [
            Related(each.effect.place, self._in_vain(each.conditions))
            for each in self.boot.anew
            if each.at > self.boot.at(write)
        ]
        is_, should = f"written on {late.spot}", f"on disk before {before}"
        late_one = self._draft(write.place, message, is_=is_, should=should, remedy=remedy)
        return late_one.with_more(related=again[:1])

    def _in_vain(self, conditions: Any) -> str:
        under = guard_in_words(conditions, self.load.conditions)
        return (
            f"the module is loaded anew only if {under}"
            if under
            else "the module is loaded anew, and not with the option"
        )

    def _order(self, write: OptionWrite, late: Place, early: Place) -> _Order | None:
        """Where the lines stand in one order, and what they do happens in another."""
        if write.effect.stage is Stage.PACKAGES:
            return _Order(
                "`defer` has cloud-init write it behind the packages",
                f"take `defer` from the file of {late.spot}: cloud-init then writes it before it installs anything",
            )
        if self.load.effect is None or write.effect.stage is not self.load.effect.stage or late.row >= early.row:
            return None
        if happens_at_exit(write.effect.conditions):
            return _Order("a trap runs when the script ends", f"write it before {early.spot}, outside of the trap")
        return _Order("cloud-init runs runcmd behind the scripts of user data", EARLY)

    def _earlier(self, write: OptionWrite, late: Place, early: Place) -> str:
        if self.load.effect is None or write.effect.stage is not self.load.effect.stage:
            return f"{EARLY}: they come before {self._who()}; or reboot afterwards"
        if late.row == early.row:
            return f"turn the two calls on {late.spot} round: the option first"
        return f"move {_lines(write, late)} before {early.spot}"

    def _who(self) -> str:
        return "the image's own units" if self.load.effect is None else self.load.effect.stage.title

    def _where(self) -> str:
        return self.load.place.spot if self.load.effect is not None else "the module is loaded"

    def _needs_a_reboot(self, effect: Effect) -> Draft:
        message = (
            "the profiling option is on the kernel's command line, which is read at boot, and nothing reboots here"
        )
        remedy = f"write `{option().line}` into {FILE} before {self._where()}, or reboot"
        return self._draft(
            effect.place,
            message,
            is_=effect.command,
            should="a reboot on every path, or a file of modprobe",
            remedy=remedy,
        )

    def _given_too_late(self, given: Load) -> Draft:
        message = "the profiling option is given to modprobe where the module is loaded already"
        remedy = f"write `{option().line}` into {FILE} before {self._where()}"
        is_ = given.effect.command if given.effect is not None else ""
        return self._draft(given.place, message, is_=is_, should=f"on disk before {self._where()}", remedy=remedy)

    def _missing(self) -> Draft:
        message = "the driver is loaded, and nothing writes the profiling option before"
        remedy = f"before {self._where()}: echo '{option().line}' > {FILE}"
        related = []
        if self.load.effect is None:
            remedy = f"{EARLY}: {FILE} with `{option().line}`"
            related = [self.loads_it()]
        should = f"{option().line} on disk before"
        return fail(
            self.here(), message, is_=self.load.because, should=should, related=related, cause=CAUSE, remedy=remedy
        )

    def _draft(
        self, place: Place, message: str, *, is_: str, should: str, remedy: str, related: Iterable[Related] = ()
    ) -> Draft:
        related = [*related, self.loads_it()]
        return fail(place, message, is_=is_, should=should, related=related, cause=CAUSE, remedy=remedy)


def _is_wrong(write: OptionWrite) -> bool:
    return write.says in (Says.MISSES, Says.OTHERWISE)


def _lines(write: OptionWrite, late: Place) -> str:
    """A heredoc moves with its body, and with the line that ends it."""
    content = write.effect.content
    body = [line.place for line in content.lines] if content is not None else []
    last = max((each.row for each in body), default=0)
    in_one_text = all((each.within is None) is (late.within is None) for each in body)
    if late != write.effect.place or not in_one_text or last <= late.row:
        return late.spot
    return f"lines {late.row}–{last + 1}"


def _beside(path: str) -> str:
    name = path.rpartition("/")[2].partition(".")[0] or "nvprof"
    return f"{option().folders[0]}/{name}{option().suffix}"


def _apart(one: Effect, load: Load) -> tuple[Place, Place]:
    """Where two steps part: the calls that lead to them, where both stand in one function."""
    other = load.effect
    ways = zip((*one.via, one.place), (*other.via, other.place) if other is not None else (load.place,), strict=False)
    return next(((here, there) for here, there in ways if here != there), (one.place, load.place))

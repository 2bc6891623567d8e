"""Whether what a script writes for a containerd that runs already is ever read: `start` leaves alone what runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from nodeworthy.boot.conditions import always, together
from nodeworthy.boot.effects import Act, Effect, Fetches, How, Installs, NotUnderstood, Reboots, Runs, Unit, Writes
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.runtime import is_started_by_its_package
from nodeworthy.facts.registry.config_path import KEY, is_default_config
from nodeworthy.known.containerd import Containerd
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Draft, Related, fail

_BY_PACKAGE = "containerd.service"
# Of Debian's and Ubuntu's packages, and Docker's for them: all that bring it.
STARTED_BY_APT = ("containerd", "containerd.io", "docker.io", "docker-ce")
# Docker's own bring a file that switches the CRI off.
WITHOUT_CRI = ("containerd.io", "docker-ce")
# With this on the disk no package starts anything.
_NOTHING_STARTS = "/usr/sbin/policy-rc.d"
# Other ways to have it start anew, or not run at all.
_ENDS_IT = pattern(
    r"containerd.*\b(?:re)?(?:start|load|stop|kill)|\b(?:p?kill|killall|reload|stop|restart)\b.*containerd"
)
# The default on its way to the file, with other words in it.
_EDITED_ON_THE_WAY = pattern(r"\bconfig default\b[^|;&\n]*\|\s*(?:sudo\s+)?(?:sed|awk|perl)\b")
_STARTS = (Act.START, Act.RESTART)


@dataclass(frozen=True)
class Running:
    """What has started it."""

    by: Effect
    says: str
    # With the file of Docker's package.
    without_cri: bool = False


def starts_behind_a_write(timeline: Timeline, runtime: Containerd) -> Sequence[Unit]:
    """The starts that may be meant to make containerd read what was written."""
    units, files = _units_and_files(runtime)
    starts = (each for each in timeline.of(Unit) if each.unit.known in units and each.act in _STARTS)
    return [each for each in starts if any(map(_is_write_of(files), timeline.before(each)))]


def never_reread(
    timeline: Timeline, runtime: Containerd, starts: Sequence[Unit], *, told_of_registries: bool
) -> Iterator[Draft]:
    """The first start that has no effect. Where there are registries to trust, their rule tells of `config_path`."""
    units, files = _units_and_files(runtime)
    for start in (each for each in starts if each.act is Act.START):
        running = _running(timeline, start, units)
        written = _unread(timeline, running, start, files) if running is not None else []
        if running is not None and written and not _is_read_later(timeline, written[-1], units):
            if told_of_registries and any(KEY in each.command for each in written):
                return
            yield _flaw(start, running, written)
            return


def _units_and_files(runtime: Containerd) -> tuple[frozenset[str], frozenset[str]]:
    """The units of a containerd, and the files that it reads, or is given, when it starts."""
    files = filter(None, (runtime.config, *runtime.templates))
    return frozenset(f"{name}.service" for name in runtime.units), frozenset(files)


def _is_write_of(files: frozenset[str]) -> Callable[[Effect], bool]:
    return lambda each: isinstance(each, Writes) and each.path.known in files and each.how is not How.DELETE


def _running(timeline: Timeline, start: Unit, units: frozenset[str]) -> Running | None:
    """What has surely started it before, with nothing behind that which may have ended it."""
    found: Running | None = None
    for each in timeline.before(start):
        if isinstance(each, Writes) and each.path.known == _NOTHING_STARTS:
            return None
        if _may_end(each, units):
            found = None
        starts = _starts(each, units)
        if starts is not None and always([each.conditions], start.conditions) is True and not each.detached:
            found = found or starts
    return found


def _starts(effect: Effect, units: frozenset[str]) -> Running | None:
    if isinstance(effect, Unit) and effect.act in _STARTS and effect.unit.known in units:
        return Running(effect, "it is started here")
    if _BY_PACKAGE not in units or not is_started_by_its_package(effect, STARTED_BY_APT):
        return None
    return Running(effect, "its package starts it here", is_started_by_its_package(effect, WITHOUT_CRI))


def _may_end(effect: Effect, units: frozenset[str]) -> bool:
    if isinstance(effect, Unit):
        return effect.unit.known in units and effect.act in (Act.STOP, Act.RESTART, Act.MASK)
    if isinstance(effect, Installs):
        return effect.removes
    words = effect.command if isinstance(effect, (Runs, NotUnderstood)) else ""
    return isinstance(effect, Reboots) or _ENDS_IT.search(words) is not None


def _unread(timeline: Timeline, running: Running, start: Unit, files: frozenset[str]) -> Sequence[Writes]:
    """What is written between the two, in every run that comes to the second."""
    behind = timeline.after(running.by)
    until = next(at for at, each in enumerate(behind) if each is start)
    found = [each for each in behind[:until] if isinstance(each, Writes) and _is_write_of(files)(each)]
    found = [each for each in found if always([each.conditions], start.conditions)]
    # The default, written out, is what it runs with where no file was there.
    says_more = running.without_cri or not all(map(_is_as_printed, found))
    return found if says_more else []


def _is_as_printed(write: Writes) -> bool:
    edited = _EDITED_ON_THE_WAY.search(write.command) or _EDITED_ON_THE_WAY.search(write.printed_by)
    return is_default_config(write) and edited is None


def _is_read_later(timeline: Timeline, write: Writes, units: frozenset[str]) -> bool:
    later = (each for each in timeline.after(write) if together(each.conditions, write.conditions))
    return any(_may_end(each, units) or (isinstance(each, Fetches) and each.runs) for each in later)


def _flaw(start: Unit, running: Running, written: Sequence[Writes]) -> Draft:
    unit = start.unit.shown().removesuffix(".service")
    runs_on = f"start leaves alone what runs: {unit} goes on with what it has read before"
    if running.without_cri:
        runs_on += ", the file of Docker's package, by which it runs without the CRI that kubelet needs"
    return fail(
        start.place,
        f"{unit} runs already, and does not read what was written for it",
        should=f"systemctl restart {unit}",
        cause=runs_on,
        is_=start.command or f"systemctl start {unit}",
        remedy=f"systemctl restart {unit} behind what writes {written[-1].path.shown()}",
        related=(Related(running.by.place, running.says), Related(written[-1].place, "this is written when it runs")),
    )

"""Steps of a boot that nobody here has read: what they do may be anything, the profiling option among it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from math import ceil

from nodeworthy.boot.effects import Effect, Fetches, Gap, NotUnderstood, Runs, Writes
from nodeworthy.boot.text import Text
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.not_seen import NotLookedAt
from nodeworthy.known.profiling import boot_loader_programs, initramfs_programs, option, other_purposes
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import NotKnown

# What of a boot was not understood, as far as it concerns somebody.


def gaps(timeline: Timeline, *words: str) -> Iterator[NotUnderstood]:
    """Regions in which one of these words stands. What the reader adds in brackets, that it may be anything, is no
    such word: by it every agent that is fetched and run would blind every rule."""
    for each in timeline.of(NotUnderstood):
        if any(word in each.written for word in words):
            yield each


def not_followed(scripts: Iterable[BootScript]) -> Iterator[NotLookedAt]:
    """The scripts behind whose first steps nobody looked: a rule that misses nothing there has not seen it all."""
    for script in scripts:
        try:
            gaps_in_it = script.timeline.of(NotUnderstood)
        except NotKnown:  # a rule of its own says why
            continue
        for each in gaps_in_it:
            if each.ends_it:
                why = f"{each.why}: what it does from here on is not known"
                yield NotLookedAt(each.place, why, remedy="let a program do what the script repeats so often")


# Who names one of these is concerned with what the module is given.
_CONCERNED = pattern(r"modprobe\.d|NVreg|[Pp]rofiling")
_FOR_GPUS = pattern(r"nvidia|gpu|cuda|profil|modprobe", re.IGNORECASE)
_SCRIPT = pattern(r"\.(?:sh|bash|py|pl|rb)$")
_ONLY_LOOKS = pattern(
    r"(?:^|[-_])(?:check|detect|exists|has|info|is|list|present|query|show|status|test|wait)(?:[-_.]|$)"
)
_INTERPRETERS = pattern(r"(?:python|perl|ruby|node|pwsh)[\d.]*$")
_PLAYBOOKS = frozenset(
    "ansible-playbook ansible-pull ansible puppet chef-client chef-solo salt-call cinc-client".split()
)
_UNPACKS = frozenset("tar bsdtar unzip cpio rsync cp rpm2cpio".split())
_EXTRACTS = pattern(r"-?[A-Za-z]*x[A-Za-z]*$|--extract$|--get$")


@dataclass(frozen=True)
class Unread:
    effect: Effect
    why: str


def may_write_the_option(timeline: Timeline, at: float) -> Unread | None:
    """The first step before this that nobody has read, and that is not clearly there for something else."""
    before = timeline.effects[: ceil(at)]
    return next(_unread(before), None)


def unread_steps(timeline: Timeline) -> Iterator[NotUnderstood]:
    """Regions of which nothing is known: neither what they load nor what they write."""
    return (each for each in timeline.of(NotUnderstood) if _is_blind(each))


def other_scripts(timeline: Timeline) -> Iterator[Effect]:
    """What is run or sourced beside this script, and was not read: it may do whatever this one does not."""
    yield from unread_steps(timeline)
    for each in timeline.of(Runs):
        words = [one.shown() for one in each.arguments[:2]]
        is_script = any(_SCRIPT.search(word) and not _ONLY_LOOKS.search(word) for word in words)
        if is_script and not _is_for_something_else(each.command):
            yield each


def _unread(effects: Sequence[Effect]) -> Iterator[Unread]:
    written = {each.place for each in effects if isinstance(each, Writes)}
    for each in effects:
        why = ""
        if isinstance(each, NotUnderstood):
            why = each.why if _is_blind(each) else ""
        elif isinstance(each, Runs):
            why = _of_program(each)
        elif isinstance(each, Fetches) and not each.runs and each.to is not None and each.place not in written:
            why = f"nobody here has read what is fetched into {each.to.shown()}" if _holds_options(each.to) else ""
        if why:
            yield Unread(each, why)


def _is_blind(gap: NotUnderstood) -> bool:
    return gap.kind is Gap.ANYTHING and not _is_for_something_else(gap.written)


def _of_program(effect: Runs) -> str:
    program, *words = [each.shown() for each in effect.arguments]
    if program in boot_loader_programs() | initramfs_programs():
        return ""
    if program in _UNPACKS:
        return f"nobody here has read what `{program}` brings" if _brings_options(program, effect) else ""
    if not _INTERPRETERS.match(program) and _is_understood(program):
        return ""
    script = next((word for word in words if not word.startswith("-")), "") if _INTERPRETERS.match(program) else program
    name = script.rpartition("/")[2]
    if _names_the_option(effect) or _may_do_anything(name, effect.command):
        return f"nobody here has read what `{name or program}` does"
    return ""


def _is_understood(program: str) -> bool:
    # Imported only where a script is read: most files are none.
    from nodeworthy.boot.commands.table import PROGRAMS

    return program in PROGRAMS


def _names_the_option(effect: Runs) -> bool:
    return any(_CONCERNED.search(each.shown()) for each in effect.arguments[1:])


def _may_do_anything(name: str, command: str) -> bool:
    """A script, or a program that is there for GPUs, unless its name says that it only looks."""
    if _ONLY_LOOKS.search(name):
        return False
    is_script = name in _PLAYBOOKS or _SCRIPT.search(name) is not None
    return _FOR_GPUS.search(name) is not None or (is_script and not _is_for_something_else(command))


def _brings_options(program: str, effect: Runs) -> bool:
    words = [each.shown() for each in effect.arguments[1:]]
    if program in ("tar", "bsdtar") and not any(_EXTRACTS.match(word) for word in words[:3]):
        return False
    if any("modprobe.d" in word for word in words):
        return True
    if _is_for_something_else(effect.command):
        return False
    return any(_holds_options(target) for target in _targets(program, effect.arguments))


def _targets(program: str, arguments: Sequence[Text]) -> Iterator[Text]:
    """The folders that it unpacks into, or copies to."""
    if program in ("cp", "rsync"):
        yield arguments[-1]
        return
    folder = ("-C", "--directory", "-d", "-D")
    for option_, value in pairwise(arguments):
        if option_.known in folder:
            yield value


def _holds_options(path: Text) -> bool:
    """Whether a folder is one of modprobe's, or one of those above them that are no program's own."""
    known = path.string.rstrip("/") or "/"
    return path.known is not None and known in {"/", "/etc", *option().folders}


def _is_for_something_else(text: str) -> bool:
    """Whether its name says what it is for, and that has nothing to do with a GPU."""
    words = set(re.findall(r"[a-z]+", text.lower()))
    return not _FOR_GPUS.search(text) and "driver" not in text.lower() and bool(words & other_purposes())

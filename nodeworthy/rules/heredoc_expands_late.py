"""A script that is written through an unquoted heredoc does not lose its variables.

The shell expands `$NAME`, `$1` and `$(…)` in the body of `<<EOF` while it writes the file. What was meant for the
script in the file is then filled in too early: a variable that nobody has set becomes nothing, a command has run once
and for all, `$1` and `$MAINPID` are gone. In the body of `<<'EOF'` nothing is expanded; in `<<EOF` a `\\$` stays. A
variable that the outer script has set is meant to be filled in, and so is what stands in a file of settings alone: but
for a setting of grub's that adds to itself, which drops all that was there.

Between double quotes it is the same: `echo "export PATH=/usr/local/cuda/bin:$PATH" > /etc/profile.d/cuda.sh` writes out
the PATH that root has while the script runs, and every user gets that one.

The same holds for what is sent to another machine, `ssh HOST <<EOF`: there only that is told which can't have been
meant for here, a variable that those commands set themselves (`for gpu in 0 1; do nvidia-smi -i $gpu …`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from nodeworthy.boot.content import Content
from nodeworthy.boot.effects import Expansion, How, RunsElsewhere, Stage, Writes
from nodeworthy.boot.timeline import Timeline
from nodeworthy.boot.userdata import UserData
from nodeworthy.facts.boot.path_frozen import paths_frozen, written_for_everybody
from nodeworthy.facts.boot.remote_script import RemoteScript, SendingScript
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.boot.script_kind import is_a_piece
from nodeworthy.facts.boot.source_line import Source
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Related, Severity, fail, skip, unknown

RULE = Rule(
    "heredoc-expands-late",
    severity=Severity.WARNING,
    title="A script written through an unquoted heredoc does not lose its variables",
    remedy="quote the delimiter (<<'EOF'), or escape what belongs to the inner script: \\$NAME",
)

CAUSE = "the shell that writes the file expands the body of an unquoted heredoc: what it has not set becomes nothing"
# A shell always has one: it is filled in, once and for all.
OF_PATH = (
    "the shell that writes the file expands the body of an unquoted heredoc: whoever reads the file has the PATH that "
    "its writer had, and nothing that is added to their own"
)
_SETTING = pattern(r"(?:export[ \t]+)?[A-Za-z_]\w*=")
_DELIMITER = pattern(r"<<(-?)\s*(\w+)")
_OF_A_CONTROL_PLANE = pattern(
    r"--print-join-command|\bkubeadm[ \t]+(?:token|certs|init[ \t]+phase)\b|server/node-token"
)


@RULE.check
def inner_scripts_keep_their_variables(script: BootScript) -> Findings:
    inner = list(inner_scripts(script.timeline, script.userdata))
    if not inner:
        skip("no script here is written through a heredoc that expands")
    source = Source(script.userdata)
    for each in inner:
        lost, doubtful = each.lost(), each.doubtful()
        if lost:
            yield _lost(source, each, lost)
        elif doubtful:
            first = doubtful[0]
            yield unknown(
                first.place,
                f"whether {first.raw} is set when {each.effect.path.shown()} is written is not known: "
                "a file that was sourced before was not read",
            )


@RULE.check
def everybody_keeps_their_path(script: BootScript) -> Findings:
    if next(written_for_everybody(script), None) is None:
        skip("it writes nothing that everybody's shell reads")
    found = list(paths_frozen(script))
    for each in found[:1]:
        yield fail(
            each.place,
            f"$PATH is expanded while {each.path.shown()} is written: every user gets the one of who runs the script",
            is_=_cut(each.command),
            should="single quotes, or \\$PATH",
            related=[Related(other.place, "so it is here") for other in found[1:]],
            cause="between double quotes the shell that writes the file fills it in, once and for all",
            remedy="write it between single quotes",
        )


@RULE.check
def scripts_over_there_keep_their_variables(script: RemoteScript) -> Findings:
    return inner_scripts_keep_their_variables(script)


@RULE.check
def what_is_sent_keeps_its_variables(script: SendingScript) -> Findings:
    calls = [each for each in script.timeline.of(RunsElsewhere) if each.expanded]
    if not calls or not script.sent:
        skip("it sends nobody commands about a node through a heredoc that expands")
    for call in calls:
        lost = [each for each in call.expanded if _is_of_those(each, call)]
        if lost:
            yield _lost_on_the_way(call, lost)


def _is_of_those(each: Expansion, call: RunsElsewhere) -> bool:
    """Whether the commands that are sent set it themselves, and nobody here does."""
    if each.is_set or not each.name or each.name in _ALWAYS_SET or _has_default(each.raw):
        return False
    own = own_assignments(call.content).get(each.name, set())
    return bool(own) and min(own) <= each.place.row


def _lost_on_the_way(call: RunsElsewhere, lost: list[Expansion]) -> Draft:
    named, host = list(dict.fromkeys(each.raw for each in lost)), call.host.shown()
    escaped = ", ".join(map(_escaped, named[:4]))
    return fail(
        lost[0].place,
        f"{_listed(named)} {'is' if len(named) == 1 else 'are'} expanded here, before the commands are sent to {host}",
        is_=_cut(named[0]),
        should=_escaped(named[0]),
        related=[Related(call.place, f"they are sent to {host} here, through a heredoc that expands")],
        cause="the shell that sends them expands the body of an unquoted heredoc: what only they set becomes nothing",
        remedy=f"quote the delimiter (<<'EOF'), or escape what belongs to {host}: {escaped}",
    )


def _lost(source: Source, inner: InnerScript, lost: list[Expansion]) -> Draft:
    path, named = inner.effect.path.shown(), list(dict.fromkeys(each.raw for each in lost))
    kind = "the unit" if inner.is_unit else "the file" if inner.adds_alone else "the script"
    written = Related(inner.effect.place, f"{kind} {path} is written here, through a heredoc that expands")
    return fail(
        lost[0].place,
        f"{_listed(named)} {'is' if len(named) == 1 else 'are'} expanded while {path} is written, not when it runs",
        is_=_cut(named[0]),
        should=_escaped(named[0]),
        related=[written],
        cause=OF_PATH if all(each.name == "PATH" for each in lost) else CAUSE,
        remedy=_remedy(source, inner, named),
    )


def _remedy(source: Source, inner: InnerScript, named: list[str]) -> str:
    if inner.fills_in:
        return f"escape what belongs to the inner script: {', '.join(map(_escaped, named[:4]))}"
    written = source.written_at(inner.effect.place) or inner.effect.command
    found = _DELIMITER.search(written)
    quoted = f"<<{found[1]}'{found[2]}'" if found else "<<'EOF'"
    return f"quote the delimiter on {inner.effect.place.spot}: {quoted}"


def _listed(named: list[str]) -> str:
    shown = [f"`{_cut(each)}`" for each in named[:3]]
    if len(named) > 3:
        return f"{', '.join(shown)} and {len(named) - 3} more"
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))


def _escaped(raw: str) -> str:
    return "\\" + _cut(raw)


def _cut(raw: str) -> str:
    one_line = " ".join(raw.split())
    return one_line if len(one_line) <= 40 else f"{one_line[:39]}…"


# Scripts and units that a boot writes through an unquoted heredoc, and what the shell took out of them.


_BINARY = pattern(
    r"/s?bin/[^/]+$|\.(?:sh|bash)$|^/etc/(?:profile\.d|cron\.[a-z]+|init\.d)/|/per-(?:boot|once|instance)/|/rc\.local$"
)
# A unit or a drop-in of one; what resolved and journald read (`resolved.conf.d`) is no script of anybody.
_UNIT = pattern(r"^/(?:etc|usr/lib|lib|run)/systemd/.*\.(?:service|socket|timer|mount|path)(?:\.d/[^/]+\.conf)?$")
# What grub-mkconfig sources, one file behind the other: a later one adds to what an earlier one has set.
_SOURCED_TOGETHER = pattern(r"^/etc/default/grub(?:\.d/[^/]+\.cfg)?$")
_ENVIRONMENT = pattern(r"[ \t]*Environment[ \t]*=")
_ASSIGNS = pattern(
    r"(?:^|[;&|(){}]|\s)([A-Za-z_]\w*)\+?=|\bfor\s+([A-Za-z_]\w*)\s+in\b|\bread\s+(?:-\w+\s+)*([A-Za-z_][\w ]*)"
)
# What a shell, or cloud-init, has set before the script says anything.
_ALWAYS_SET = frozenset(
    "HOME USER UID EUID SHELL HOSTNAME PWD OLDPWD IFS BASH_VERSION OSTYPE HOSTTYPE MACHTYPE".split()
)

# Every shell has the one, and systemd alone gives the other to what a unit runs.
_NOBODY_SOURCES = frozenset(("PATH", "MAINPID"))
_NAMED = re.compile(r"\$\{?([A-Za-z_]\w*)")
_RUNNERS = frozenset({"bash", "sh", "dash", "source", ".", "chmod", "nohup", "setsid", "exec"})
# `chmod 644`: what nobody may run is no script.
# Options of sudo that the next word belongs to.
_WITH_A_VALUE = frozenset("-u --user -g --group -p --prompt -D --chdir -h --host -C -r -t -T -U -R".split())
_NOT_TO_BE_RUN = pattern(r"\bchmod\s+(?:-\S+\s+)*(?:0?[0246]{3}|[ugoa]*[-+=][rw]+)\s", words=("chmod",))


@dataclass(frozen=True)
class InnerScript:
    """A file with commands for later, whose `$…` the shell expanded while it wrote the file."""

    effect: Writes
    content: Content
    is_unit: bool
    # Variables by which the outer script itself does something: it has them from its caller, and means them.
    used_outside: frozenset[str] = frozenset()
    # The outer script is put into another one, which may set what it does not.
    is_of_a_piece: bool = False
    # Nothing in it but values, of which each may add to what it had before: `NAME="$NAME …"`.
    adds_alone: bool = False

    @cached_property
    def _assigned(self) -> dict[str, set[int]]:
        return own_assignments(self.content)

    @cached_property
    def _is_meant_to_be_filled(self) -> bool:
        """Whether its writer knew that it expands: something is escaped, or a variable of the outer script is put
        in."""
        escaped = any("$" in piece for piece in self.content.text.pieces if isinstance(piece, str))
        return escaped or any(each.is_set and not self._is_own(each) for each in self.effect.expanded)

    @property
    def fills_in(self) -> bool:
        """Whether the outer script puts anything in, so that quoting the whole heredoc would be wrong."""
        return any(self._may_be_filled_in(each) and not self._is_own(each) for each in self.effect.expanded)

    def _may_be_filled_in(self, each: Expansion) -> bool:
        return each.is_set or (self.is_of_a_piece and each.name.isidentifier())

    def lost(self) -> list[Expansion]:
        """What was meant for the inner script, and is gone."""
        kept = self._rows_kept
        every = (each for each in self.effect.expanded if each.place.row not in kept and self._is_looked_at(each))
        return [each for each in every if self._is_lost(each) and not self.may_be_set(each)]

    def _is_looked_at(self, each: Expansion) -> bool:
        return not self.adds_alone or each.place.row in self._assigned.get(each.name, ())

    @cached_property
    def _rows_kept(self) -> frozenset[int]:
        """Of a unit: `Environment=PATH=$PATH`. Systemd fills nothing in there, so it is meant for now."""
        lines = self.content.lines if self.is_unit else ()
        return frozenset(each.place.row for each in lines if _ENVIRONMENT.match(each.text.shown()))

    def doubtful(self) -> list[Expansion]:
        """What a file that was not read may have set."""
        every = filter(self._is_looked_at, self.effect.expanded)
        return [each for each in every if self._is_lost(each) and self.may_be_set(each)]

    def may_be_set(self, each: Expansion) -> bool:
        return each.name not in _NOBODY_SOURCES and f"${each.name}" in self._not_read and not self._is_own(each)

    @cached_property
    def _not_read(self) -> set[str]:
        """The variables that a file may have set which nobody has read."""
        return {hole.shown for hole in self.content.text.holes if "not read" in hole.why}

    def _is_lost(self, each: Expansion) -> bool:
        if not each.name:
            return not self.is_unit and self._command_is_lost(each)
        if each.name in _ALWAYS_SET:
            return self._is_own(each)
        if not each.name[0].isalpha() and each.name[0] != "_":
            return not each.is_set
        if each.is_set or each.name in self.used_outside or self.is_of_a_piece:
            return self._is_own(each)
        return not _has_default(each.raw) or self._is_own(each)

    def _command_is_lost(self, each: Expansion) -> bool:
        if _OF_A_CONTROL_PLANE.search(each.raw):
            return False  # whoever runs the script later could not ask for it
        named = re.findall(r"\$\{?([A-Za-z_]\w*|[0-9@*#?])", each.raw[1:])
        return any(name in self._assigned for name in named) or not self._is_meant_to_be_filled

    def _is_own(self, each: Expansion) -> bool:
        """The inner script sets it itself, and not to what is filled in there: `NAME=$NAME`."""
        return bool(self._assigned.get(each.name, set()) - self._filled[each.name])

    @cached_property
    def _filled(self) -> Mapping[str, set[int]]:
        found: dict[str, set[int]] = defaultdict(set)
        for each in self.effect.expanded:
            found[each.name].add(each.place.row)
        return found


def own_assignments(content: Content | None) -> dict[str, set[int]]:
    """What an inner script sets itself, and on which lines."""
    found: dict[str, set[int]] = {}
    for line in content.lines if content is not None else ():
        for match in _ASSIGNS.finditer(line.text.shown()):
            for name in (match[1] or match[2] or match[3]).split():
                found.setdefault(name, set()).add(line.place.row)
    return found


def inner_scripts(timeline: Timeline, userdata: UserData) -> Iterator[InnerScript]:
    expanded = [each for each in timeline.of(Writes) if each.expands and each.how in (How.WRITE, How.APPEND)]
    run = set(_run(userdata)) if expanded else set()
    used = _used(timeline) if expanded else frozenset()
    is_piece = bool(expanded) and is_a_piece(userdata)
    for each in expanded:
        path = each.path.shown()
        if each.content is None:
            continue
        if _UNIT.search(path):
            yield InnerScript(each, each.content, is_unit=True, used_outside=used, is_of_a_piece=is_piece)
        elif _BINARY.search(path) or _has_shebang(each.content) or (path in run and not _holds_settings(each.content)):
            yield InnerScript(each, each.content, is_unit=False, used_outside=used, is_of_a_piece=is_piece)
        elif _SOURCED_TOGETHER.search(path):
            yield InnerScript(each, each.content, False, used, is_of_a_piece=is_piece, adds_alone=True)


def _used(timeline: Timeline) -> frozenset[str]:
    """The names that are used in the script's commands and conditions. Bodies of heredocs do not count, nor do the
    scripts that it writes."""
    own = [each for each in timeline.effects if each.stage is not Stage.NEXT_BOOT and not each.via]
    asked = (one.question.text for each in own for one in each.conditions)
    texts = (*(each.command.partition("<<")[0] for each in own), *asked)
    return frozenset(name for text in texts for name in _NAMED.findall(text))


def _has_shebang(content: Content) -> bool:
    return bool(content.lines) and content.lines[0].text.shown().startswith("#!")


def _holds_settings(content: Content) -> bool:
    """Whether nothing stands in it but values: who sources it wants them as they were when it was written."""
    told = (line.text.shown().strip() for line in content.lines)
    return all(_SETTING.match(each) for each in told if each and not each.startswith("#"))


def _run(userdata: UserData) -> Iterator[str]:
    """Files that a command somewhere runs, or makes such that they can be run."""
    for part in userdata.parts:
        for line in part.text.splitlines():
            words = line.split()
            if "sudo" in words:
                yield from (each for each in _run_by_sudo(words) if each.startswith("/"))
            if words and _runs(words, line):
                yield from (word.strip("'\";") for word in words if "/" in word)


def _run_by_sudo(words: Sequence[str]) -> Iterator[str]:
    """The first word that is neither an option nor a variable: `sudo tee FILE` runs tee."""
    for at, word in enumerate(words):
        if word == "sudo":
            after = at + 1
            while after < len(words) and (words[after].startswith("-") or "=" in words[after]):
                after += 2 if words[after] in _WITH_A_VALUE else 1
            yield from words[after : after + 1]


def _runs(words: Sequence[str], line: str) -> bool:
    if words[0].startswith("/"):
        return True
    return not _RUNNERS.isdisjoint(words) and _NOT_TO_BE_RUN.search(line) is None


def _has_default(raw: str) -> bool:
    return re.match(r"\$\{\w+:?[-=+?]", raw) is not None

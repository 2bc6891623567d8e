"""A critical step that fails stops the script or reports it: the driver's installation, the join, kubelet.

A boot script has no reader. What fails in it and is passed over (`|| true`, a pipe into `tee` without `pipefail`,
`command &`, no `set -e`) leaves a node that looks booted and is not fit for work, and the cause is searched where it is
not. `curl … | sh -` stays silent when the download fails, even under `set -e`, unless `pipefail` is set. A trap on ERR,
a handler that logs or exits, or `set -euo pipefail` makes it loud; one that says that all is well (`2>/dev/null ||
echo "drivers OK"`) is none. Who runs a script by hand reads what scrolls by, or
does not: that it ends well is told to him, too. But whoever asks `systemctl status` next has looked, and where `curl …
| sh -` is the last command of such a script, he sees that nothing was installed. A join may also stand in a variable
(`$JOIN_COMMAND`), or in a script that is called so (`worker_bootstrap.sh`); kubelet's start before `kubeadm join` is no
such step: kubeadm starts kubelet, and fails where it does not run. Where a script brings kubelet's package and leaves
the rest to others, that is one if it says at its end that all is done. A loop that waits for ever tells a person that
something is wrong, and nobody at boot, unless it says what it waits for.

What a script has other machines do (`ssh HOST "sudo kubeadm init"`, `ssh HOST bash -s <<EOF`; `gcloud compute ssh`,
`vagrant ssh -c` and `multipass exec` are no other) is asked the same: ssh ends as the last command there does, and
`set -e` holds on neither side for the other.

A job of Slurm's ends as its batch script does: a bare `wait` is 0 whatever has become of what it started with `&`, and
the job is COMPLETED. `wait "$pid"` and `wait -n` end as what they wait for has ended. Nor does anybody hear of it where
the last line is `exit 0`, or the work's output is piped into `tee` without pipefail, and where a job cancels itself at
its end, nothing that waits for its success ever begins.

make stops at a command that fails, unless a `-` stands in front of it; Docker ends a build there.

Packer gives each `provisioner "shell"` a shell of its own, `/bin/sh -e`, and asks it how it ended: an `inline_shebang`
without `-e` goes on to the last command, and so does an `execute_command` that gives the file to `bash` by its name.

Ansible stops at a task that fails, unless the task says `ignore_errors` or `failed_when: false` and nothing behind it
asks for what it registers (to print it asks nothing), its own command says `|| true`, or a `rescue` around it only
prints something. Nor does it stop where the task's own shell does not tell it: of several commands the last one counts,
and of a pipe, too (`kubeadm init | tee LOG`), for its sh knows no pipefail. Of the rest of its tasks nothing is said.

A script that stops where a step fails is heard of only where its caller stops as well: of the entries of runcmd, which
are one script without `set -e`, the last one counts. `eval "$(…)"` and `sh -c "$(…)"` run nothing where nothing is
printed, and that succeeds.

A library that a script sources may say `set -e` for it: where that could not be read, nobody knows. What could not be
read is `unknown` where its own words name such a step. A program in another language, a template's
hole or a script that nobody calls critical is none.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from pathlib import Path

from nodeworthy.boot.effects import Failure, Unit
from nodeworthy.boot.unpack.kinds import interpreter
from nodeworthy.boot.userdata import Part, PartKind
from nodeworthy.facts.boot.critical_steps import BRINGING_KUBELET, CriticalStep, critical_gaps, critical_steps
from nodeworthy.facts.boot.noticed_later import NoticedLater, part_of, place_of_step
from nodeworthy.facts.boot.remote_script import SendingScript, Sent, is_sent
from nodeworthy.facts.boot.script import BootScript, drafts_of_a_whole
from nodeworthy.facts.boot.script_kind import ScriptKind
from nodeworthy.facts.boot.source_line import BEHIND, LONGEST, Source
from nodeworthy.facts.boot.unread_steps import unread_steps
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, replace
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Place, Related, Severity, fail, skip, unknown

RULE = Rule(
    "failure-is-loud",
    severity=Severity.WARNING,
    title="A critical step that fails stops the script or reports it",
    remedy="begin the script with `set -euo pipefail`, and handle what may fail with a line that logs it",
)

CAUSE = (
    "the script goes on and ends well: whoever runs it, cloud-init or a person, takes a node for done "
    "that has no driver, or never joins"
)
ENDLESS = (
    "the script goes on until {}, which waits for ever for what never comes, and says nothing: the boot "
    "does not end, and its log ends with something else"
)
A_LIBRARY = "this script sources a library that was not read, which may say `set -e`"
# Nobody sits before these and sees one hang.
AT_BOOT = (ScriptKind.USER_DATA, ScriptKind.STARTUP)
_UNTIL = pattern(r"until\s|while\s+!")
_LEAVES_A_BRANCH = pattern(r"(?:else|elif|fi)\b")
_STATUS = pattern(r"\$\?|PIPESTATUS")
_BREAKS = pattern(r"&&.*\b(?:break|return)\b|\bif\b.*\bthen\b.*\b(?:break|return)\b")
_TRIES_AGAIN = pattern(r"&&\s*break\b.*\|\||\|\|.*\bcontinue\b")
_CONTINUES = pattern(r"\|\|.*\bcontinue\b")
_FOR_EVER = pattern(r"while\s+(?:true|:|\[\[?\s+(?:1|true)\s+\]\]?)\s*(?:;|$)|for\s*\(\(\s*;\s*;")
# `wait` alone waits for all of them, and says nothing of any.
_WAITS = pattern(r"\bwait\s+(?:-n\b|[\"']?[$%])")
_HANDLES = pattern(r"\|\|(?!\s*(?:true|:)(?:\s|;|$))|^(?:el)?if\b")
_SWALLOWS = pattern(r"\|\|\s*(?:true|:)(?:\s|;|$)")
# Who silences a command tells of its failure himself.
_SAYS_IT_WENT_WELL = pattern(
    r"(?:(?:2|&)>>?\s*/dev/null|>>?\s*/dev/null\s+2>&1).*(?:\|\|(?!\s*(?:true|:)(?:\s|;|$))|\bthen\b)"
)
# What Ansible and make are told to go on by, as the commands of tasks and recipes say it.
_IGNORED = pattern(r" \|\| : (?P<key>ignore_errors|failed_when|rescue|make)")
# How the commands of a task are laid out.
_OF_A_TASK = pattern(r"^(?:if \[ [^;]{1,400} \]; then )*\( (?:set \+e; )?| \)(?:; fi)*$")
_GIVES_UP = pattern(r"\b(?:exit|return)\s+[1-9]|\b(?:die|fail|fatal)\b")
_ASKED = pattern(r"\|\||&&|^(?:if|elif|while|until)\b")
# What prints to a person whether it is there: a start that failed, a node that is not ready.
_SHOWS = pattern(r"\b(?:systemctl|service)\b.{0,80}\b(?:status|is-active)\b|\bkubectl\b.{0,80}\bget\s+nodes?\b")
_ENDS = ("fi", "done", "}", "esac", ";;")
# `source "${SCRIPT_DIR}/../lib/common.sh"`: what stands behind the folder of the script.
_SOURCED = pattern(
    r"(?m)^[ \t]*(?:source|\.)[ \t]+[\"']?"
    r"(?:\$\{?\w+\}?/|[\"']?\$\([^()\n]{0,80}(?:\([^()\n]*\)[^()\n]{0,20})?\)[\"']?/|\./)?"
    r"([\w./-]+\.(?:sh|bash))[\"']?[ \t]*(?:$|[;&|#])"
)
_SAYS_SET_E = pattern(rb"(?m)^[ \t]*set[ \t]+(?:-[a-z]*e|-o[ \t]+errexit)")
MOST_SHOWN = 3
MOST_RELATED = 10
# Who waits for what runs in the background does so at the end.
MOST_BEHIND = 40
_SET_E_WITHIN = "begin the text with `set -e`: for whoever reads it, that of the script around it does not hold"
SHOULD = "a failure stops the script, or is reported"


@RULE.check
def critical_steps_are_loud(script: BootScript) -> Findings:
    steps, asked = critical_steps(script.timeline), HeardScript.of(script)
    in_doubt = [each for each in steps if each.failure is Failure.PERHAPS]
    says = _a_library_says_it(script) if in_doubt else None
    if says is False:
        steps = [_unnoticed(each) for each in steps]
    silent = asked.unheard(steps)
    ignored = [each for each in silent if script.is_a_part and _is_ignored(asked.source, each)]
    yield from _silent(asked.source, asked.later, ignored)
    yield from drafts_of_a_whole(script, _silent(asked.source, asked.later, [] if ignored else silent))
    found = next(critical_gaps(script.timeline), None)
    doubtful = next(asked.unheard_if_silent(in_doubt), None) if says is None and not silent else None
    if found is not None:
        yield unknown(found, f"whether a failure of this step is noticed is not known: {found.why}")
    elif doubtful is not None:
        yield unknown(doubtful.place, f"whether {doubtful.called} may fail unseen is not known: {A_LIBRARY}")
    elif not steps:
        blind = next(unread_steps(script.timeline), None)
        nothing = "installs no driver, joins nothing and starts no kubelet"
        skip(f"this script {nothing}" if blind is None else f"what can be read of this script {nothing}: {blind.why}")


def _a_library_says_it(script: BootScript) -> bool | None:
    """Whether one that this script sources says `set -e`; None where one of them could not be read."""
    path = script.place.path
    if path is None or script.surroundings is None:
        return None
    folder, has_none = Path(os.path.abspath(path)).parent, False
    for part in script.userdata.parts:
        for found in _SOURCED.finditer(part.text):
            data = script.surroundings.read(Path(os.path.normpath(folder / found[1])))
            if data is None:
                return None
            if _SAYS_SET_E.search(data):
                return True
            has_none = True
    return False if has_none else None


def _unnoticed(step: CriticalStep) -> CriticalStep:
    if step.failure is not Failure.PERHAPS:
        return step
    own, around = (
        Failure.UNNOTICED if each is Failure.PERHAPS else each for each in (step.effect.failure, step.effect.around)
    )
    return replace(step, effect=replace(step.effect, failure=own, around=around))


@RULE.check
def what_others_are_sent_is_loud(script: SendingScript) -> Findings:
    if not script.sent:
        skip("what it has other machines do installs no driver, joins nothing and starts no kubelet")
    asked = HeardScript.of(script)
    sent = [each for each in script.sent if not each.goes_on_there or not _is_noticed_there(each)]
    steps = asked.unheard([each.here for each in sent])
    if script.makes_a_node and any(map(_goes_on, asked.unheard(critical_steps(script.timeline)))):
        # It is told of what the script does itself, and mended with it.
        steps = [each for each in steps if not _goes_on(each)]
    yield from _silent(asked.source, asked.later, steps)


@dataclass(frozen=True)
class HeardScript:
    """A script, and how its failures are heard of."""

    source: Source
    later: NoticedLater
    by_hand: bool
    # Terraform runs it over ssh, and asks only how it ended.
    by_program: bool

    @classmethod
    def of(cls, script: BootScript) -> HeardScript:
        source, kind = Source(script.userdata), script.use.kind
        # Of make nobody says that it means its target for a machine that a program makes.
        by_program = script.by_hand and script.is_meant
        return cls(source, NoticedLater(source, at_boot=kind in AT_BOOT), kind is ScriptKind.BY_HAND, by_program)

    def unheard(self, steps: Iterable[CriticalStep]) -> list[CriticalStep]:
        return _one_of_a_line(self.unheard_if_silent(each for each in steps if each.is_silent))

    def unheard_if_silent(self, steps: Iterable[CriticalStep]) -> Iterator[CriticalStep]:
        silent = (each for each in steps if not _is_looked_at(self.source, each))
        if self.by_hand:
            silent = (each for each in silent if not _is_shown(self.source, each, by_program=self.by_program))
        return (each for each in silent if each.effect.detached or not self._is_noticed(each))

    def _is_noticed(self, step: CriticalStep) -> bool:
        """A script that only brings kubelet says nothing to anybody, unless it says at its end that all is done."""
        is_left_open = step.called == BRINGING_KUBELET and not self.later.ends_with_words(step)
        return is_left_open or self.later.of(step)


def _goes_on(step: CriticalStep) -> bool:
    return step.failure is Failure.UNNOTICED and not step.effect.detached


def _is_noticed_there(sent: Sent) -> bool:
    source = Source(sent.given)
    return _is_looked_at(source, sent.there) or NoticedLater(source, at_boot=False).of(sent.there)


def _one_of_a_line(steps: Iterable[CriticalStep]) -> list[CriticalStep]:
    """One step for each line: of a download and what runs it, the latter, where its failure is silent too."""
    found: dict[Place, CriticalStep] = {}
    for each in steps:
        found.setdefault(each.place, each)
    return list(found.values())


def _is_looked_at(source: Source, step: CriticalStep) -> bool:
    """What comes behind it looks at `$?`, or tries again until it succeeds, or until it gives up and says so."""
    if step.effect.detached:
        return _is_waited_for(source, step)
    if step.failure is not Failure.UNNOTICED:
        return any("PIPESTATUS" in row for row in source.behind(place_of_step(source, step))[:1])
    # What a function was called with succeeds and fails as the function does.
    return any(_is_tried_again(source, place) for place in step.effect.run_at or (place_of_step(source, step),))


def _is_tried_again(source: Source, place: Place) -> bool:
    written = source.written_at(place)
    behind = source.behind(place)
    if _UNTIL.match(written) or _STATUS.search(" ".join([written, *_next_that_runs(behind)])):
        return True
    # `if …; then` goes on below.
    branch = " ".join([written, *behind[: behind.index("fi") if "fi" in behind else 0]])
    if _BREAKS.search(branch) is None and _CONTINUES.search(branch) is None:
        return False
    return _tries_for_ever(source, place) or any(map(_GIVES_UP.search, (written, *_of_its_function(source, place))))


def _of_its_function(source: Source, place: Place) -> Sequence[str]:
    """What stands behind it up to where its function ends, and what is near in any case."""
    behind = source.behind(place, most=MOST_BEHIND)
    return behind[: max(behind.index("}") if "}" in behind else 0, BEHIND)]


def _next_that_runs(behind: Sequence[str]) -> Sequence[str]:
    """Behind the last command of a branch, what stands behind its `fi`: an `if` ends as that command did."""
    if not behind or _LEAVES_A_BRANCH.match(behind[0]) is None:
        return _first_command(behind)
    depth = 0
    for index, row in enumerate(behind):
        if row.startswith("if "):
            depth += 1
        elif row == "fi":
            if not depth:
                return _next_that_runs(behind[index + 1 :])
            depth -= 1
    return ()


def _first_command(rows: Sequence[str]) -> Sequence[str]:
    """The first row, with those that a backslash joins to it."""
    ends = next((index for index, row in enumerate(rows) if not row.endswith("\\")), len(rows))
    return rows[: ends + 1]


def _tries_for_ever(source: Source, place: Place) -> bool:
    """`while true; do …; done`, which only its success ends, is as good as `until`."""
    around = takewhile(lambda row: not row.startswith("done"), source.before(place))
    return any(map(_FOR_EVER.match, (source.written_at(place), *around)))


def _is_shown(source: Source, step: CriticalStep, *, by_program: bool) -> bool:
    """Whether the failure is shown to whoever runs it: the script asks for the state next, or ends there and has
    printed nothing."""
    behind = source.behind(place_of_step(source, step))
    ends_with_it = not by_program and step.is_download and all(row in _ENDS for row in behind)
    return ends_with_it or any(_SHOWS.search(row) for row in behind[:MOST_SHOWN])


def _is_waited_for(source: Source, step: CriticalStep) -> bool:
    """`wait $pid` fails as what it waits for has failed."""
    waits = (row for row in source.behind(step.place, most=MOST_BEHIND) if _WAITS.search(row))
    is_handled = source.stops_on_error(place_of_step(source, step))
    return any(not _SWALLOWS.search(row) if is_handled else _HANDLES.search(row) for row in waits)


def _silent(source: Source, later: NoticedLater, steps: Sequence[CriticalStep]) -> Findings:
    unnoticed: dict[int, list[CriticalStep]] = {}
    let_go: dict[Place, list[CriticalStep]] = {}
    others: list[CriticalStep] = []
    for step in steps:
        there = place_of_step(source, step)
        if step.failure is not Failure.UNNOTICED or step.effect.detached:
            others.append(step)
        elif step.is_let_go and there.spot != step.place.spot:
            let_go.setdefault(there, []).append(step)
        elif source.stops_on_error(there) or _TRIES_AGAIN.search(source.written_at(step.place)):
            others.append(step)
        else:
            unnoticed.setdefault(id(part_of(source, step)), []).append(step)
    for step in others:
        if not any(_told_beside(step, each) for each in unnoticed.values()):
            yield _one(source, step)
    for together in unnoticed.values():
        yield _together(source, later, together)
    for there, together in let_go.items():
        yield _let_go(source, later, there, together)


def _told_beside(step: CriticalStep, unnoticed: Sequence[CriticalStep]) -> bool:
    """`curl … | sh -` where nothing stops the script: `set -euo pipefail` mends both, and one of them is told."""
    return any(_is_one_pipe(step.place, each.place) for each in unnoticed)


def _is_one_pipe(one: Place, other: Place) -> bool:
    """What is downloaded and what runs it stand in one line, or below each other."""
    return one.path == other.path and one.within == other.within and 0 <= (other.line or 0) - (one.line or 0) <= 1


def _one(source: Source, step: CriticalStep) -> Draft:
    written = source.whole_at(step.place) or step.effect.command
    calls = [source.written_at(each) for each in step.effect.via]
    ignored = _IGNORED.search(written)
    if ignored is not None:
        how, remedy = _by_make() if ignored["key"] == "make" else _by_ansible(ignored["key"])
    elif _is_of_a_play(source, step) and not _SWALLOWS.search(written):
        how, remedy = _by_its_shell(step)
    else:
        how, remedy = _by(source, step, written, calls)
    message, shown = f"where {step.called} fails, {how}", _OF_A_TASK.sub("", _IGNORED.sub("", written))
    shown = shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 1]}…"
    return fail(step.place, message, is_=shown, should=SHOULD, cause=CAUSE, remedy=remedy)


def _is_ignored(source: Source, step: CriticalStep) -> bool:
    """A task's failure that Ansible passes over, or its own shell. Kubelet may be started by other tasks, or by
    kubeadm."""
    if isinstance(step.effect, Unit):
        return False
    written = source.whole_at(step.place)
    is_swallowed = step.failure is Failure.SWALLOWED
    if _IGNORED.search(written) is not None or (is_swallowed and _SWALLOWS.search(written) is not None):
        return True
    if not _is_of_a_play(source, step) or step.is_download:
        return False
    return step.failure is Failure.UNNOTICED or (is_swallowed and "|" in written)


def _is_of_a_play(source: Source, step: CriticalStep) -> bool:
    part = part_of(source, step)
    return part is not None and part.part.kind is PartKind.PLAYBOOK


def _by_its_shell(step: CriticalStep) -> tuple[str, str]:
    """The cause and the remedy of a task's own shell, which goes on up to its last command and has no pipefail."""
    if step.failure is Failure.SWALLOWED:
        remedy = "begin the command with `set -o pipefail;`, and give the task `executable: /bin/bash` in its args"
        return "the pipe swallows it: the task ends as the last command of the pipe does", remedy
    remedy = "begin the task's commands with `set -e`, or put && between them"
    return "the task's shell goes on, and the task ends as its last command does", remedy


def _by_make() -> tuple[str, str]:
    return "the `-` in front of it swallows it, and make goes on", "take the `-` away, or look behind it"


def _by_ansible(key: str) -> tuple[str, str]:
    remedy = f"take {key} from this task, or keep its outcome (register) and let a task behind it fail"
    if key == "rescue":
        remedy = "let rescue end with ansible.builtin.fail"
    return f"`{key}` swallows it, and the play goes on", remedy


def _by(source: Source, step: CriticalStep, own: str, calls: Sequence[str]) -> tuple[str, str]:
    """What swallows it, and what to do about that."""
    line, written = step.place.spot, " ".join([*calls, own])
    if step.effect.detached:
        piped = ", and the pipe with it: only its last command counts" if "|" in own.replace("||", "") else ""
        remedy = f"take the `&` from {line}{piped}, or `wait` for it and look"
        return "nobody hears of it: it runs in the background", remedy
    swallower = next((each for each in ("|| true", "|| :") if each in written), "")
    if swallower:
        return f"`{swallower}` swallows it", f"take `{swallower}` away, or say what failed: `|| {{ echo …; exit 1; }}`"
    if _SAYS_IT_WENT_WELL.search(own):
        remedy = f"{line}: let its errors be seen, and say what failed: `|| {{ echo … >&2; exit 1; }}`"
        return "its errors are thrown away, and what is told instead is that all is well", remedy
    if step.runs_what_is_printed:
        remedy = f"{line}: keep it first, `JOIN=$(…)`, which stops the script under `set -e`, and run that: `$JOIN`"
        return "nobody looks: what the command within does not print is not run, and that succeeds", remedy
    if step.is_download or "|" in written.replace("||", ""):
        return "the pipe swallows it: only its last command counts", _pipefail(source, step)
    if _TRIES_AGAIN.search(written):
        return (
            "it is tried again, and after the last time the script goes on",
            "look behind the loop whether it is done, and `exit 1` where it is not",
        )
    asked = next((each for each in calls if _ASKED.search(each)), None)
    if asked is not None:
        return (
            f"the function goes on: in `{asked}`, `set -e` does not hold inside of it",
            f"put `|| return 1` behind {line}",
        )
    return "nobody looks", f"put `|| exit 1` behind {line}, or look at $?"


def _together(source: Source, later: NoticedLater, steps: Sequence[CriticalStep]) -> Draft:
    first, *others = steps
    waits, part = later.waits_at(first), part_of(source, first)
    # Its own first lines say so, and it stands in a text that another shell reads.
    is_within = part is not None and part.part.kind is not PartKind.CLOUD_CONFIG and part.stops_on_error(0)
    goes_on = "what reads this text goes on" if is_within else "the script goes on"
    return fail(
        first.place,
        f"where {first.called} fails, {goes_on}: nothing in it says `set -e`, and nobody looks",
        is_=source.written_at(first.place) or first.effect.command,
        should=SHOULD,
        related=[Related(each.place, f"the same holds for {each.called}") for each in others[:MOST_RELATED]],
        cause=CAUSE if waits is None else ENDLESS.format(waits.spot),
        remedy=_SET_E_WITHIN if is_within else _set_e(source, first),
    )


def _let_go(source: Source, later: NoticedLater, there: Place, steps: Sequence[CriticalStep]) -> Draft:
    """Their own script ends there, and whoever called it goes on."""
    first, *others = steps
    waits = later.waits_at(first)
    part = source.part_of(there)
    remedy = f"put `|| exit 1` behind {there.spot}"
    if part is not None and part.part.kind is PartKind.CLOUD_CONFIG:
        remedy = "begin runcmd with `- set -e`: its entries are one script"
    return fail(
        first.place,
        f"where {first.called} fails, this script ends, and what called it goes on: nobody looks",
        is_=source.written_at(first.place) or first.effect.command,
        should=SHOULD,
        related=[
            Related(there, f"it is called here: {source.written_at(there)}"),
            *(Related(each.place, f"the same holds for {each.called}") for each in others[:MOST_RELATED]),
        ],
        cause=CAUSE if waits is None else ENDLESS.format(waits.spot),
        remedy=remedy,
    )


def _set_e(source: Source, step: CriticalStep) -> str:
    found = part_of(source, step)
    if found is not None and found.part.kind is PartKind.CLOUD_CONFIG:
        return "begin runcmd with `- set -e`: its entries are one script"
    options = "set -eu" if found is not None and _is_plain_sh(found.part) else "set -euo pipefail"
    there = "; and first in what is sent, where it does not hold" if is_sent(step) else ""
    return f"behind {found.part.place.spot if found is not None else 'the first line'}: {options}{there}"


def _pipefail(source: Source, step: CriticalStep) -> str:
    """Dash, which is sh on Debian and Ubuntu, knows no pipefail, and ends the script where it is set."""
    found, line = part_of(source, step), step.place.spot
    if found is not None and not _is_plain_sh(found.part):
        return f"set -o pipefail before {line}"
    if step.is_download:
        return f"{line}: download into a file, and run that: curl -fsSLo FILE URL && sh FILE"
    return f"{line}: bash -o pipefail -c '…', for sh knows no pipefail"


def _is_plain_sh(part: Part) -> bool:
    """runcmd and bootcmd are run by sh, whatever else the node has."""
    return part.kind is PartKind.CLOUD_CONFIG or interpreter(part.interpreter) in ("sh", "dash", "ash")

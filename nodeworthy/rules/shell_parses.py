"""The shell can read the script, and reads the commands that were written.

What the shell can't read it can't run, and that is the surest fault there is: an unmatched quote, a `fi` too few or too
many, a `done` that belongs to nothing. Bash reads a script command by command and runs each as soon as it has read it.
So what stands before the broken command is run, and of it and of all behind it nothing: the machine is left half made.
`bash -n FILE` says the same words and the same line, and runs nothing; they are those of bash 5.2.

It reads another command than was written where a backslash continues nothing: a blank stands behind it, or a comment or
an empty line comes next. There the command runs without its last arguments, and the shell looks for a program called
`--kubelet-extra-args`, which is not there. `bash -n` says nothing of that. Of a Slurm job `slurm-script-found` tells of
such an option; what its `srun` or `mpirun` was to run, and the batch shell runs by itself, is told here.
In cloud-config a command over several lines without `|` is joined by YAML, with a blank behind each backslash: the
shell escapes that blank, and the program gets the word " --token", which it refuses; Ansible's `cmd: >` does the same,
and what stands behind `shell:` itself does not, for there Ansible drops such backslashes. Of each list of commands
cloud-init makes one script of sh: what can't be read in one of them ends all behind it. In an array a comment may end
each line, unless a backslash stands before it: `\\ #` begins a word, and the array has it. `$$TOKEN` is no TOKEN: `$$`
is the number of the shell's process, and Terraform's templates take a dollar away before a brace alone. `${1:-{}}` is
closed by its first brace: given JSON it hands on that and a brace. `[[ '$STATE' == up ]]` asks for a word and no
variable. Both are warnings.

The words name the place where bash gave up. Of a quote, a parenthesis or an `if` that is never closed that may be the
end of the file, far behind the fault; the line on which the command begins is told beside it. A heredoc that is never
ended is a warning of bash and no error, and is none here, unless its end was written: in `EOF ` with a blank behind it,
or behind blanks that `<<-` does not take away, bash sees a line of the text, writes all commands behind it into the
same file, and ends well. Nothing behind a bare `exec bash` is run either: a new shell takes the script's place.

It is the shell that the first line names. `sh` may be dash or bash: only what both of them refuse is told, unless the
script asks for packages of Debian's or Ubuntu's, where it is dash: that ends at arrays, `function`, `<(…)`, `<<<` and
`set -o pipefail`, in cloud-config's lists of commands, too, and runs `for i in {1..30}` once. Other
interpreters are not judged. Of a template it is told where nothing that is filled in can mend it. Windows line ends,
which break a script as well, are told by `user-data-format`. Of a script that runs beside a node and makes none (a
prolog of Slurm's, a check of its health), nothing is told but that its shell can't read it.
"""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.boot.origin import Origin, Straight
from nodeworthy.facts.boot.broken_shell import BrokenShell
from nodeworthy.facts.boot.cut_short import CutShort, Why, commands_cut_short
from nodeworthy.facts.boot.dollars import Doubled, Misread, defaults_closed_early, doubled_dollars, quoted_in_questions
from nodeworthy.facts.boot.ended_by_dash import Bashism, EndedByDash, ended_by_dash
from nodeworthy.facts.boot.handed_to_a_shell import Handed, handed_to_a_shell
from nodeworthy.facts.boot.remote_script import RemoteScript
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.boot.script_kind import ScriptKind
from nodeworthy.facts.boot.texts_without_end import Swallowed, texts_without_end
from nodeworthy.facts.boot.unreadable_shell import (
    Unreadable,
    comments_in_arrays,
    has_commands,
    shell_parts,
    shorten_words,
    unreadable,
    unreadable_files,
)
from nodeworthy.facts.slurm.cut_lines import launches_cut_short
from nodeworthy.facts.slurm.job import SlurmJob
from nodeworthy.records import replace
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Related, Severity, Unread, fail, skip

RULE = Rule(
    "shell-parses",
    severity=Severity.ERROR,
    title="The shell can read the script, and reads the commands that were written",
    remedy="close what is open there; `bash -n FILE` says whether it can be read",
    never_unknown="what a template may mend by what it fills in, or another shell reads, is not judged",
    tells=Unread.TEXT,
)

CAUSE = "the shell runs what stands before this command, and nothing of it or behind it"

_MOST_RELATED = 10
_APART = "this is a command of its own, and runs whatever came of the one above"
_LOST = "the shell takes this for another command, which there is not"
_BY_ITSELF = "the batch shell runs this as a command of its own"
_TAKEN_FOR = {Why.FOLDED: "this is the word", Why.OPERATOR: _APART}
_CAUSES = {
    Why.FOLDED: "no option begins so: the program refuses it, or does less",
    Why.OPERATOR: "there is no command whose name is a blank: it fails (command not found), and what was to run "
    "only behind it runs by itself, or not at all where a failure stops the script",
}
_WITHOUT = "the command runs without its last arguments, or does not run; what they say nobody is told"


@RULE.check
def the_shell_can_read_it(script: BootScript) -> Findings:
    cut = list(commands_cut_short(script))
    if not shell_parts(script) and not script.is_a_part and not cut and not has_commands(script):
        skip("there is no shell script in it")
    yield from map(_draft_of_shell, (*unreadable(script), *unreadable_files(script)))
    yield from map(_told_swallowed, texts_without_end(script))
    yield from map(_told_handed, handed_to_a_shell(script))
    for each in shell_parts(script):
        yield from _told_comments(each.text, each.origin)
        yield from _told_misread(each.text, each.origin)
    for ended in ended_by_dash(script):
        yield _told_of_dash(ended, script)
    for lost, part in cut:
        yield _told_cut(lost, part.rows, part.part.origin)
    yield from _told_doubled(doubled_dollars(script))


@RULE.check
def a_shell_over_there_can_read_it(script: RemoteScript) -> Findings:
    return the_shell_can_read_it(script)


@RULE.check
def the_shell_can_read_what_runs_beside(script: BrokenShell) -> Findings:
    yield _draft_of_shell(script.found)


@RULE.check
def the_shell_can_read_the_job(job: SlurmJob) -> Findings:
    if not job.is_shell:
        skip("its script is no shell script")
    if job.within:
        skip("it stands within another script")
    begins = Straight(replace(job.place, line=1, column=1))
    if job.broken is not None:
        yield _draft_of_shell(Unreadable(job.broken, begins, job.text))
        return
    yield from _told_comments(job.text, begins)
    yield from _told_misread(job.text, begins)
    for each in launches_cut_short(job):
        yield _told_cut(each, job.text.split("\n"), begins, lost=_BY_ITSELF)


def _told_cut(cut: CutShort, rows: Sequence[str], origin: Origin, *, lost: str = "") -> Draft:
    place, behind = origin.at(cut.ends + 1, 1), origin.at(cut.lost + 1, 1)
    is_one = cut.ends == cut.lost
    return fail(
        place,
        f"{cut.what}: {cut.why}",
        is_=shorten_words(rows[cut.ends].strip().removeprefix("( ").removesuffix(" )")) or "an empty line",
        should="no backslash in a text that YAML folds"
        if is_one
        else f"`{shorten_words(rows[cut.lost].strip())}` belongs to it",
        related=[] if is_one else [Related(behind, lost or _TAKEN_FOR.get(cut.why, _LOST))],
        cause=_CAUSES.get(cut.why, _WITHOUT),
        remedy=f"{cut.remedy} ({place.spot})",
    )


def _told_comments(text: str, origin: Origin) -> Findings:
    """Of one array once: the others are beside it."""
    found = list(comments_in_arrays(text))
    if found:
        first, *others = (origin.at(each.row + 1, 1) for each in found)
        yield fail(
            first,
            "what was meant as a comment becomes elements of the array: the backslash before it escapes a blank",
            is_=shorten_words(found[0].written),
            should="no backslash in an array: a comment may end each of its lines",
            related=[Related(each, "nor is this one") for each in others[:_MOST_RELATED]],
            cause="`\\ #` begins a word with a blank in it, and its letters and words are handed to the program",
            remedy=f"take the backslash away before the # ({first.spot})",
        )


def _told_misread(text: str, origin: Origin) -> Findings:
    """Of each slip once, with the places of all."""
    closed, quoted = list(defaults_closed_early(text)), list(quoted_in_questions(text))
    if closed:
        first = closed[0]
        yield _misread(
            closed,
            origin,
            f"{first.written} ends at its first brace: where ${first.name} is set, a brace too many stands behind it",
            should=f"EMPTY='{{}}' above it, and ${{{first.name}:-$EMPTY}}",
            cause="the shell counts no braces in a default: it is `{`, and the last brace is text, which makes JSON of "
            "nothing alone",
            remedy="keep the braces in a variable of their own",
        )
    if quoted:
        first = quoted[0]
        yield _misread(
            quoted,
            origin,
            f"the answer is always the same: {first.written} is a word in single quotes, and not what ${first.name} "
            "holds",
            should=f'"${first.name}"',
            cause="nothing is filled in between single quotes",
            remedy=f'write "${first.name}" in double quotes',
        )


def _misread(found: Sequence[Misread], origin: Origin, says: str, *, should: str, cause: str, remedy: str) -> Draft:
    first, *others = found
    return fail(
        origin.at(first.row + 1, first.column),
        says,
        is_=first.written,
        should=should,
        related=[
            Related(origin.at(each.row + 1, each.column), f"so it is with {each.written}")
            for each in others[:_MOST_RELATED]
        ],
        cause=cause,
        remedy=remedy,
        severity=Severity.WARNING,
    )


def _told_doubled(found: Sequence[Doubled]) -> Findings:
    """The same slip once, with the places of all."""
    if found:
        first, *others = found
        yield fail(
            first.place,
            f"$${first.name} is the number of the shell's process and the letters {first.name}, and not what "
            f"{first.name} holds",
            is_=f"$${first.name}",
            should=f"${first.name}",
            related=[Related(each.place, f"so is $${each.name}") for each in others[:_MOST_RELATED]],
            cause="bash reads $$ as a variable of its own; templatefile takes a dollar away before a brace alone "
            "($${NAME}), and leaves $$NAME as it stands",
            remedy=f"write ${first.name}, in a template of Terraform's, too",
        )


def _told_of_dash(found: EndedByDash, script: BootScript) -> Draft:
    if found.what is Bashism.RANGE:
        return _told_of_a_range(found, script)
    is_option = found.what is Bashism.PIPEFAIL
    # Who runs it by hand may give it to bash; and there are releases of dash to come that know the option.
    is_sure = not is_option and (found.of_a_list or script.use.kind in (ScriptKind.USER_DATA, ScriptKind.STARTUP))
    by_bash = (
        "give these commands to bash: `- [bash, -c, '…']`" if found.of_a_list else "begin the script with #!/bin/bash"
    )
    return fail(
        found.place,
        f"dash, which is sh on Debian and Ubuntu, has no {found.what}: it ends here",
        is_=shorten_words(found.row),
        should="a script for bash, or `set -eu`" if is_option else "a script for bash",
        severity=Severity.ERROR if is_sure else Severity.WARNING,
        cause=f"{CAUSE} (dash 0.5.12, of Debian 13 and Ubuntu 24.04)",
        remedy=by_bash,
    )


def _told_of_a_range(found: EndedByDash, script: BootScript) -> Draft:
    is_sure = found.of_a_list or script.use.kind in (ScriptKind.USER_DATA, ScriptKind.STARTUP)
    return fail(
        found.place,
        "dash, which is sh on Debian and Ubuntu, makes no numbers of this: the loop runs once",
        is_=shorten_words(found.row),
        should="for i in $(seq 30), or a script for bash",
        severity=Severity.ERROR if is_sure else Severity.WARNING,
        cause="braces are bash's: in dash they are one word like any other, and what was to wait or to try again gives "
        "up after its first time",
        remedy="write $(seq FIRST LAST) in place of the braces",
    )


def _told_swallowed(found: Swallowed) -> Draft:
    word, tabs = found.delimiter, " (tabs before it are taken away)" if found.by_tabs else ""
    return fail(
        found.place,
        f"the text that was to end here goes on: {word} ends it only where nothing stands before it or behind it",
        should=f"{word} alone on its line, without blanks{tabs}",
        related=[Related(found.begins, "the text begins here")],
        cause="all that stands behind it becomes a part of the text: it is written, and not run",
        remedy=f"take the blanks away around {word} ({found.place.spot})",
    )


def _told_handed(found: Handed) -> Draft:
    return fail(
        found.place,
        f"the script ends here: `{found.raw}` puts a new shell in its place",
        is_=found.raw,
        should=f"no `{found.raw}` in a script",
        related=[Related(found.behind, "nobody runs this, nor what stands below it")],
        cause="the new shell reads the script's input, and not the script: where that is empty, it ends well at once",
        remedy=f"take the line away; what was set for new shells, this one reads by `source` ({found.place.spot})",
    )


def _draft_of_shell(found: Unreadable) -> Draft:
    begins = Related(found.begins, "the command that can't be read begins here")
    return fail(
        found.place,
        f"the shell can't read this script: {found.words}",
        should="a script that `bash -n` reads without a word",
        related=[begins] if found.begins.line != found.place.line else [],
        cause=CAUSE,
    )

"""Ansible, and the shell that runs a task's commands, read each task as it was meant.

`mode: 755` is a decimal number to YAML. Ansible hands it on as it is, and the file gets 01363: its owner may not read
it, and everybody may write what root runs. Digits are bits with a nought before them (`0755`), or as a text (`"0755"`).

Of several handlers with one name Ansible runs the first, whatever its `when` says: where that one is skipped, so are
the others, and the service goes on with its old configuration. `listen` beside the same names changes nothing in that.

A name that a task notifies has to be a handler's, letter by letter, or a word that one listens to: of its own role, of
another one of the same play, of the play. Where none of the repository has it, and all roles lie here, the play ends as
soon as that task has changed something.

A block among the handlers is none of them. What stands in it is, each by its own name: a task that notifies the block
ends the play as soon as it has changed something (`The requested handler … was not found`).

`shell:` gives its commands to /bin/sh, on Debian and Ubuntu dash. It finds no program called `[[`, so the question is
never true, nor one called `source`, and ends at arrays, `<<<`, `<(…)` and `set -o pipefail`. That is told where the
file itself is for Debian or Ubuntu: by its modules, its conditions, or the commands of the task. A task that is given
`executable: /bin/bash` is right, and so is one of a play that says so for all.

`command:` gives its words to a program, and no shell sees them: of `lspci | grep -i nvidia` lspci is given `|`, `grep`
and the rest as arguments, and fails; `> FILE` writes nothing, and `$(…)` is not run. `shell:` has a shell.

`include:`, `sudo:` and modules that are gone end the play before its first task, and a test that is written as a
filter (`result|changed`), gone since Ansible 2.9, ends it there, as does `warn: false` of shell and command.

Two words side by side within `{{ }}` are no expression: a name that was broken in two (`{{ cluste r_name }}`), a
filter without its `|`. Jinja ends there with `expected token 'end of print statement'`, and so does the play.

What a task looks for in another's answer has to be there. `nvidia-ctk runtime configure` says on standard error what it
does, and nothing on standard output: `changed_when: "'…' in result.stdout"` never holds, and the handler that would
restart Docker or containerd is never run. nvidia-smi complains on standard output. `failed_when: true` ends the play
though all went well, and `unarchive` looks for its archive on the machine that runs Ansible, unless `remote_src` says
that it lies on the node.
"""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.facts.ansible.conditions import NeverThere, TestAsFilter, always_fail, never_there, tests_as_filters
from nodeworthy.facts.ansible.files_of_nodes import files_looked_for_here
from nodeworthy.facts.ansible.tasks_as_written import (
    DecimalMode,
    OfBash,
    TasksAsWritten,
    decimal_modes,
    gone_arguments,
    gone_words,
    names_unanswered,
    notified_blocks,
    shadowed_handlers,
    words_of_bash,
)
from nodeworthy.facts.ansible.unread_expressions import UnreadExpression, unread_expressions
from nodeworthy.facts.ansible.words_of_a_shell import OfAShell, words_of_a_shell
from nodeworthy.facts.boot.ended_by_dash import Bashism
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Place, Related, Severity, fail, skip

RULE = Rule(
    "ansible-reads-tasks",
    severity=Severity.ERROR,
    title="Ansible and its shell read each task as it was meant",
    remedy="write modes as texts, give each handler a name of its own, and bash's words to /bin/bash",
    never_unknown="what is filled in later is another value on each machine, and is not judged",
)

_MOST_RELATED = 10
_GOES_ON = {
    Bashism.QUESTION: "dash looks for a program of that name: the answer is always no",
    Bashism.SOURCE: "dash looks for a program of that name, and sets nothing",
}


@RULE.check
def modes_are_bits(tasks: TasksAsWritten) -> Findings:
    if not any("mode" in each.values for each in tasks.every_task):
        skip("no task in it says a mode")
    found = list(decimal_modes(tasks))
    if found:
        yield _told_decimal(found)


def _told_decimal(found: Sequence[DecimalMode]) -> Draft:
    first, *others = found
    everybody = next((each for each in found if each.is_for_everybody), None)
    unreadable = any(each.is_unreadable for each in found)
    what = "everybody may write it" if everybody is not None else "its owner may not read it" if unreadable else ""
    return fail(
        first.tree.place,
        f"mode {first.written} is a decimal number: the file gets 0{first.octal}, and not 0{first.written}",
        is_=f"mode: {first.written}",
        should=f'mode: "0{first.written}"',
        related=[
            Related(each.tree.place, f"this one gets 0{each.octal}, and not 0{each.written}")
            for each in others[:_MOST_RELATED]
        ],
        cause="without a nought before it YAML reads a decimal number, and Ansible hands that on"
        + (f"; of {'one of them' if others else 'it'}: {what}" if what else ""),
        remedy=f'write "0{first.written}", in quotes',
    )


@RULE.check
def each_handler_is_run(tasks: TasksAsWritten) -> Findings:
    if not tasks.handlers:
        skip("no handlers stand in it")
    for each in shadowed_handlers(tasks):
        yield fail(
            each.place,
            f"this handler is never run: another one before it is called '{each.name}' as well",
            is_=f"two handlers called '{each.name}'",
            should="a name for each, and one word that all listen to",
            related=[Related(each.first, "this one is run, or skipped, in place of both")],
            cause="Ansible looks for the first handler of a name, and is done: what its `when` skips nobody else does",
            remedy=f"call it otherwise, and give both `listen: {each.name}`",
        )


@RULE.check
def each_notified_name_is_a_handlers(tasks: TasksAsWritten) -> Findings:
    if not any(each.get("block").is_sequence for each in tasks.handlers):
        skip("no block stands among its handlers")
    for each in notified_blocks(tasks):
        yield fail(
            each.name.located(),
            f"tasks notify '{each.name.string}', which is a block, and no handler",
            is_=f"a block called '{each.name.string}'",
            should=f"listen: {each.name.string}, in each of the block's tasks",
            related=[Related(each.notified, "this task notifies it")],
            cause="what stands in a block are handlers, by their own names; the block is none: where the task has "
            "changed something, the play ends there (The requested handler was not found)",
            remedy=f"take the block away, and give each of its tasks `listen: {each.name.string}`",
        )


@RULE.check
def somebody_answers(tasks: TasksAsWritten) -> Findings:
    if tasks.answered is None:
        skip("no task in it notifies a handler, or roles that lie elsewhere may have it")
    found = list(names_unanswered(tasks))
    for name in dict.fromkeys(each.name.string for each in found):
        first, *others = (each for each in found if each.name.string == name)
        yield fail(
            first.name.located(),
            f"no handler is called '{name}'",
            is_=f"notify: {name}",
            should=f"notify: {first.meant}" if first.meant else f"a handler called '{name}', or no notify",
            related=[Related(each.name.place, "so does this task") for each in others[:_MOST_RELATED]],
            cause="where the task changes something, the play ends (The requested handler was not found in either "
            "the main handlers list nor in the listening handlers list), and what comes behind it is not done",
            remedy=f"write {first.meant}: names are compared letter by letter"
            if first.meant
            else "write the handler into the role's handlers/main.yml, or take notify away",
        )


@RULE.check
def its_shell_knows_the_words(tasks: TasksAsWritten) -> Findings:
    if not any(each.module == "shell" for each in tasks.every_task):
        skip("no task in it gives commands to a shell")
    found = list(words_of_bash(tasks))
    sure = [each for each in found if each.what is not Bashism.PIPEFAIL]
    for together in (sure, [each for each in found if each not in sure]):
        if together:
            yield _told_of_bash(together)


def _told_of_bash(found: Sequence[OfBash]) -> Draft:
    first, *others = found
    goes_on = _GOES_ON.get(first.what)
    is_option = first.what is Bashism.PIPEFAIL
    return fail(
        first.place,
        f"the task's shell is dash, which has no {first.what}"
        + (": it ends here" if goes_on is None else ": the command fails"),
        is_=first.row if len(first.row) <= 100 else f"{first.row[:99]}…",
        should="args: {executable: /bin/bash}",
        related=[Related(each.place, f"nor has it {each.what}") for each in others[:_MOST_RELATED]],
        cause=goes_on
        or "Ansible gives a task's commands to /bin/sh, which is dash 0.5.12 on Debian 13 and Ubuntu 24.04",
        remedy="give the task `args: {executable: /bin/bash}`",
        # There are releases of dash to come that know the option.
        severity=Severity.WARNING if is_option else Severity.ERROR,
    )


@RULE.check
def ansible_knows_the_words(tasks: TasksAsWritten) -> Findings:
    every = list(gone_words(tasks))
    for name in dict.fromkeys(each.name for each in every):
        first, *others = (each for each in every if each.name == name)
        yield fail(
            first.place,
            f"Ansible has no `{name}` any more: the play ends before its first task",
            is_=f"{name}:",
            should=first.instead,
            related=_further([each.place for each in others]),
            cause=f"it is gone since {first.since}",
            remedy=f"write {first.instead}",
            # Somebody may still run an older one.
            severity=Severity.WARNING,
        )


@RULE.check
def its_answers_are_there(tasks: TasksAsWritten) -> Findings:
    yield from map(_told_never_there, never_there(tasks))


def _told_never_there(asked: NeverThere) -> Draft:
    if asked.key == "changed_when":
        then = "the task never changes, and what hangs on it is never run"
        if asked.notifies:
            then = f"the task never changes, and never notifies '{asked.notifies}'"
    else:
        then = f"its `{asked.key}` is decided by nothing that happens"
    streams = {"stdout": "standard output", "stderr": "standard error"}
    return fail(
        asked.place,
        f"{asked.program} never says '{asked.word}' on {streams[asked.stream]}: {then}",
        is_=asked.written if len(asked.written) <= 100 else f"{asked.written[:99]}…",
        should="changed_when: true, or a comparison of the file before and after"
        if asked.key == "changed_when"
        else f"the same of {asked.other}, or rc",
        related=[Related(asked.runs, "this is the command")] if asked.runs != asked.place else [],
        cause=f"{asked.program} writes what it says to {streams[asked.other]}",
        remedy="say changed_when: true: a restart too many does no harm, and one too few leaves the runtime unknown"
        if asked.key == "changed_when"
        else f"look for it in {asked.other}, or ask for the return code (rc != 0)",
    )


@RULE.check
def a_task_may_succeed(tasks: TasksAsWritten) -> Findings:
    for each in always_fail(tasks):
        yield fail(
            each.place,
            f"this task fails whatever comes of it: nothing that asks for {each.name} is ever reached",
            is_="failed_when: true",
            should=f"failed_when: {each.name}.rc != 0",
            related=[Related(each.asked, f"this asks for {each.name}, and is never run")],
            cause="`failed_when: true` says that it has failed, and the play ends there",
            remedy=f"write failed_when: {each.name}.rc != 0, or false where it may fail",
        )


@RULE.check
def its_files_are_there(tasks: TasksAsWritten) -> Findings:
    for each in files_looked_for_here(tasks):
        yield fail(
            each.place,
            f"{each.module} looks for {each.path} on the machine that runs Ansible, and it lies on the node",
            is_="no remote_src",
            should="remote_src: true",
            related=[Related(each.downloaded, "it is downloaded here, on the node")],
            cause=f"{each.module} takes its src from the machine that runs Ansible: the task fails (Could not find or "
            "access)",
            remedy="add remote_src: true",
        )


@RULE.check
def ansible_knows_the_tests(tasks: TasksAsWritten) -> Findings:
    for first, *others in _as_one_finding(list(tests_as_filters(tasks))):
        yield fail(
            first.place,
            f"Ansible has no filter `{first.name}` any more: the play ends at this task",
            is_=first.written,
            should=f"… is {first.test}",
            related=_further([each.place for each in others]),
            cause="tests are asked for by `is` alone since Ansible 2.9 (October 2019)",
            remedy=f"write `is {first.test}` in place of `|{first.name}`",
            severity=Severity.WARNING,
        )


def _as_one_finding(found: list[TestAsFilter]) -> list[list[TestAsFilter]]:
    return [found] if found else []


@RULE.check
def jinja_reads_its_expressions(tasks: TasksAsWritten) -> Findings:
    if "{{" not in tasks.text:
        skip("nothing in it is filled in")
    found = list(unread_expressions(tasks))
    if found:
        yield _told_unread(found)


def _told_unread(found: Sequence[UnreadExpression]) -> Draft:
    first, *others = found
    return fail(
        first.place,
        f"Jinja can't read {_cut(first.written)}: nothing stands between {first.first} and {first.second}",
        is_=_cut(first.written),
        should="one name, or a filter behind `|`",
        related=[Related(each.place, f"nor {_cut(each.written)}") for each in others[:_MOST_RELATED]],
        cause="template error while templating string: expected token 'end of print statement': the play ends here",
        remedy=f"put {first.first} and {first.second} together, or write what belongs between them",
    )


def _cut(text: str) -> str:
    return text if len(text) <= 100 else f"{text[:99]}…"


@RULE.check
def commands_need_no_shell(tasks: TasksAsWritten) -> Findings:
    if not any(each.module == "command" for each in tasks.every_task):
        skip("no task in it runs a command")
    found = list(words_of_a_shell(tasks))
    if found:
        yield _told_of_a_shell(found)


def _told_of_a_shell(found: Sequence[OfAShell]) -> Draft:
    first, *others = found
    return fail(
        first.place,
        f"`command` has no shell: the program is given `{first.sign}` and what stands behind it as arguments",
        is_=f"command: {_cut(first.written)}",
        should="shell: the same",
        related=[Related(each.place, f"nor has this one: {_cut(each.written)}") for each in others[:_MOST_RELATED]],
        cause="the program takes them for options or files of its own, and fails, or does something else",
        remedy="write shell: in place of command:",
    )


@RULE.check
def its_commands_take_their_arguments(tasks: TasksAsWritten) -> Findings:
    every = list(gone_arguments(tasks))
    for each in every[:1]:
        yield fail(
            each.place,
            f"shell and command take no `{each.name}` any more: the task fails",
            is_=f"{each.name}: …",
            should=each.instead,
            related=_further([other.place for other in every[1:]]),
            cause=f"it is gone since {each.since}: Unsupported parameters for (ansible.legacy.command) module: warn",
            remedy="take the line out",
            # Somebody may still run an older one.
            severity=Severity.WARNING,
        )


def _further(places: Sequence[Place]) -> list[Related]:
    return [Related(each, "it stands here as well") for each in places[:_MOST_RELATED]]

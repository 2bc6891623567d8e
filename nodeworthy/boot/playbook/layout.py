"""Lays the commands of a playbook out, each on the line of the task that it comes from."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType

from nodeworthy.boot.origin import Origin, Stacked, Straight, within
from nodeworthy.boot.playbook.commands import commands_of
from nodeworthy.boot.playbook.tasks import Task, tasks_of, words_of
from nodeworthy.boot.playbook.variables import fill_in, text_of
from nodeworthy.documents.tree import Tree
from nodeworthy.documents.yaml import NotYaml, read_all
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field, replace
from nodeworthy.verdict import Place

_OF_RPM = pattern(r"(?m)^[ \t]*(?:-[ \t]+)?(?:ansible\.builtin\.)?(?:yum|dnf|dnf5|yum_repository)[ \t]*:")
_IS = pattern(
    r"(?:ansible_facts\.|ansible_facts\[['\"])?([\w.]+)(?:['\"]\])?\s*(==|!=)\s*(?:['\"]([^'\"]*)['\"]|(\d+))"
)
_IS_THERE = pattern(r"([\w.]+) is (not defined|undefined|defined)")
# A fact that is a text with one word put for another, as sed can say it.
_REPLACED = pattern(
    r"\{\{-?\s*(\w+)\.stdout\s*\|\s*(?:regex_)?replace\(\s*'([\w =.\"\[\]]*)'\s*,\s*'([\w =.\"\[\]]*)'\s*\)\s*-?\}\}"
)
# Up to the key of a task that prints something.
_SHOWN = pattern(r"[ \t]*(?:-[ \t]+)?(?=(?:ansible\.builtin\.)?debug[ \t]*:)")
_ENDS = "END_OF_THE_TEXT"
# What the shell takes for more than itself between double quotes.
_SPOKEN = pattern(r"[\\\"$`]")
# Of these the older name is the same with `ansible_` before it.
_FACTS = ("os_family", "distribution", "distribution_release", "architecture", "distribution_major_version")
# Modules whose text is a script of its own, and of which what stands in it ends with it.
_SCRIPTS = ("shell", "command", "raw")
_OWN = "set +e; "


@dataclass(frozen=True)
class TasksFile:
    """A playbook or a list of tasks, as it is written and where."""

    path: str
    text: str
    origin: Origin
    # What a role or an inventory says of those that it uses.
    variables: Mapping[str, Tree]


# Of a file and of the name by which it includes another one; None where nobody knows that one, or it stands elsewhere.
Beside = Callable[[TasksFile, str], TasksFile | None]


@dataclass(frozen=True)
class Whole:
    """A script of several files: each command stands where it is run."""

    text: str
    origin: Origin
    files: tuple[TasksFile, ...]


def as_script(text: str, variables: Mapping[str, Tree] = MappingProxyType({})) -> str | None:
    """None where it is no YAML, or no list of tasks. The variables are what a role or an inventory says of them."""
    alone = TasksFile("", text, Straight(Place(line=1, column=1)), variables)
    whole = as_whole(alone, lambda _, __: None)
    return whole.text if whole is not None else None


def as_whole(first: TasksFile, beside: Beside) -> Whole | None:
    """The same with the tasks of the files that it includes, where they are included."""
    laying = _Laying(beside)
    rows = laying.of(first, (), {}, "")
    if rows is None:
        return None
    firsts, origins, line = list[int](), list[Origin](), 1
    for each in rows:
        firsts.append(line)
        origins.append(within(each.file.origin, each.line - 1))
        line += len(each.texts)
    text = "".join(f"{row}\n" for each in rows for row in each.texts)
    return Whole(text, Stacked(firsts, origins) if len(rows) > 1 else first.origin, tuple(laying.files))


@dataclass(frozen=True)
class _Rows:
    """Rows of one file that are run in one go, from this line of it on."""

    file: TasksFile
    line: int
    texts: Sequence[str]


@dataclass
class _Laying:
    beside: Beside
    files: list[TasksFile] = field(default_factory=list)
    registered: dict[str, str] = field(default_factory=dict)
    # What of all of them may ask for an outcome.
    asking: str = ""

    def of(
        self, file: TasksFile, asked: tuple[str, ...], around: Mapping[str, Tree], goes_on: str
    ) -> list[_Rows] | None:
        tasks = _list_of(file.text)
        if tasks is None or (self.files and any("hosts" in entry.mapping for entry in tasks.sequence)):
            return None  # a play of its own is for machines of its own
        sheet, manager = _Sheet(file.text.count("\n") + 1), "yum" if _OF_RPM.search(file.text) else "apt-get"
        if not self.files:
            sheet.add(1, "set -e")
        self.files.append(file)
        self.asking += _without_what_is_only_shown(file.text)
        between = dict[int, list[_Rows]]()
        every = list(tasks_of(tasks, {**file.variables, **around}, asked))
        sheet.begins = frozenset(task.line for task in every)
        for task in every:
            known = replace(task, goes_on=task.goes_on or goes_on) if goes_on else task
            included = self._included(file, known)
            if included is not None:
                between.setdefault(sheet.behind(task.line), []).extend(included)
                continue
            commands = _lay(known, manager, self.registered, sheet, _unless_looked_at(known, self.asking))
            _keep(known, commands, self.registered)
        return list(_cut(file, sheet.text().split("\n")[:-1], between))

    def _included(self, file: TasksFile, task: Task) -> list[_Rows] | None:
        other = self.beside(file, task.included) if task.included else None
        if other is None or other.path in [each.path for each in self.files]:
            return None
        return self.of(other, task.when, task.scope, task.goes_on)


def _list_of(text: str) -> Tree | None:
    try:
        trees = [each for each in read_all(text, Place()) if not each.is_null]
    except NotYaml:
        return None
    return trees[0] if len(trees) == 1 and trees[0].is_sequence else None


def _cut(file: TasksFile, rows: Sequence[str], between: Mapping[int, Sequence[_Rows]]) -> Iterator[_Rows]:
    done = 0
    for line in sorted(between):
        yield _Rows(file, done + 1, rows[done:line])
        yield from between[line]
        done = min(line, len(rows))
    if done < len(rows):
        yield _Rows(file, done + 1, rows[done:])


def _keep(task: Task, commands: Sequence[str], registered: dict[str, str]) -> None:
    """What prints a text that later tasks write: under a name (`register`, `set_fact`), or as a file of its own, with
    what is done to that one until it is copied to its place."""
    if task.register and task.module in _SCRIPTS and "\n" not in words_of(task).strip():
        registered[task.register] = words_of(task).strip()
    for name, value in task.values.items() if task.module == "set_fact" else ():
        found = _REPLACED.fullmatch(text_of(value).strip())
        if found is not None and found[1] in registered:
            registered[name] = f"{registered[found[1]]} | sed -E 's|{found[2]}|{found[3]}|g'"
    for path in [each for each in registered if each.startswith("/")]:
        registered[path] = "; ".join([registered[path], *(each for each in commands if path in each)])
    to = text_of(task.values.get("dest"))
    if task.module == "copy" and to.startswith("/") and any(f" > {to}" in each for each in commands):
        registered[to] = "; ".join(commands)


@dataclass
class _Sheet:
    """The lines of the script; of each, the commands that stand on it."""

    length: int
    # On which lines tasks begin.
    begins: frozenset[int] = frozenset()
    rows: dict[int, list[str]] | None = None
    # Lines of a document, which stand alone.
    whole: dict[int, str] | None = None

    def add(self, line: int, command: str) -> None:
        self.rows = self.rows or {}
        self.rows.setdefault(line, []).append(command)

    def hold(self, line: int, text: str) -> None:
        self.whole = self.whole or {}
        self.whole[line] = text

    def behind(self, line: int) -> int:
        """The last line of what begins on this one: what ends a text may stand on the next."""
        return line + 1 if line in (self.whole or {}) and line + 1 in (self.rows or {}) else line

    def is_free(self, line: int) -> bool:
        return line not in (self.rows or {}) and line not in (self.whole or {})

    def text(self) -> str:
        rows, whole = self.rows or {}, self.whole or {}
        last = max([self.length, *rows, *whole])
        return "".join(f"{whole.get(line, '; '.join(rows.get(line, ())))}\n" for line in range(1, last + 1))


def _without_what_is_only_shown(text: str) -> str:
    """The text without what `debug` prints: printing decides nothing, and the play goes on."""
    kept, within = list[str](), -1
    for row in text.split("\n"):
        indent = len(row) - len(row.lstrip())
        if within >= 0 and (not row.strip() or indent > within):
            continue
        found = _SHOWN.match(row)
        within = found.end() if found is not None else -1
        if found is None:
            kept.append(row)
    return "\n".join(kept)


def _unless_looked_at(task: Task, text: str) -> str:
    """What the shell says of a failure that Ansible is told to ignore; none where a later task asks for the outcome."""
    is_asked = task.register and len(re.findall(rf"\b{re.escape(task.register)}\b", text)) > 1
    return f" || : {task.goes_on}" if task.goes_on and not is_asked else ""


def _lay(task: Task, manager: str, registered: Mapping[str, str], sheet: _Sheet, ignored: str) -> Sequence[str]:
    """The commands that it comes down to, unless they are a text of several lines."""
    before = "".join(f"if {each}; then " for each in map(_as_shell_test, task.when))
    behind = "; fi" * len(task.when)
    block = _block(task)
    if block is not None and not task.items:
        _lay_block(block, before, behind, sheet, ignored)
        return ()
    made = [_on_one_line(each) for each in commands_of(task, manager, registered)]
    said = [each for each in made if each.strip() not in ("", ":")]
    commands = [_as_its_shell_runs(each) for each in said] if task.module in _SCRIPTS else said
    if commands:
        sheet.add(task.line, before + "; ".join(f"{each}{ignored}" for each in commands) + behind)
    return commands


@dataclass(frozen=True)
class _Block:
    """A text on lines of its own, and what reads it."""

    first: int
    lines: Sequence[str]
    opens: str
    # A document needs its last line for itself.
    ends: str
    # Of a document: where it goes.
    into: str = ""


def _block(task: Task) -> _Block | None:
    given = task.free if task.module in _SCRIPTS else task.values.get("content")
    if given is None and task.module in _SCRIPTS:
        given = task.values.get("cmd")
    if task.module == "blockinfile":
        given = task.values.get("block") if text_of(task.values.get("state")) != "absent" else None
    if given is None or given.inside is None or "\n" not in given.string.rstrip("\n"):
        return None
    lines = [fill_in(line, task.scope) for line in text_of(given).rstrip("\n").split("\n")]
    first = given.inside.line or 1
    if task.module in _SCRIPTS:
        return _Block(first, lines, "( set +e", ")")
    to = next((text_of(task.values[name]) for name in ("dest", "path") if name in task.values), "")
    how = ">>" if task.module == "blockinfile" else ">"
    into = f" {how} '{to}'"
    return _Block(first, lines, f"cat{into} <<'{_ENDS}'", _ENDS, into) if to else None


def _lay_block(block: _Block, before: str, behind: str, sheet: _Sheet, ignored: str) -> None:
    end = block.first + len(block.lines)
    if block.into and end in sheet.begins:
        _lay_quoted(block, before, behind, sheet)
        return
    sheet.add(block.first - 1, before + block.opens)
    for line, text in enumerate(block.lines, block.first):
        sheet.hold(line, text)
    if block.ends == ")":
        sheet.add(end, f"){ignored}{behind}")
        return
    sheet.hold(end, block.ends)
    if behind:
        sheet.add(end + 1, behind.removeprefix("; "))


def _lay_quoted(block: _Block, before: str, behind: str, sheet: _Sheet) -> None:
    """A document whose end would take the line on which the next task begins: it ends on its own last one."""
    sheet.add(block.first - 1, f"{before}printf '%s\\n' \"\\")
    lines = [_SPOKEN.sub(r"\\\g<0>", line) for line in block.lines]
    lines[-1] += f'"{block.into}{behind}'
    for line, text in enumerate(lines, block.first):
        sheet.hold(line, text)


def _as_its_shell_runs(command: str) -> str:
    """Ansible stops at a task that fails; the shell that it gives a task's commands goes on up to the last of them."""
    return f"( {_OWN}{command} )" if ";" in command else f"( {command} )"


def _on_one_line(command: str) -> str:
    """A folded text, or a quote one, is one line already."""
    rows = [row.strip() for row in command.split("\n") if row.strip() and not row.lstrip().startswith("#")]
    return (
        " ".join(row.removesuffix("\\") for row in rows) if any(row.endswith("\\") for row in rows) else "; ".join(rows)
    )


def _as_shell_test(condition: str) -> str:
    """The condition as a test of the shell. Only an equality says more than that it is asked."""
    found = _IS.fullmatch(condition)
    if found is not None:
        return f'[ "${_name(found[1])}" {"=" if found[2] == "==" else "!="} "{found[3] or found[4] or ""}" ]'
    there = _IS_THERE.fullmatch(condition)
    if there is not None:
        return f'[ -{"n" if there[2] == "defined" else "z"} "${_name(there[1])}" ]'
    negated = condition.startswith("not ")
    return f'[ -{"z" if negated else "n"} "${_name(condition.removeprefix("not "))}" ]'


def _name(text: str) -> str:
    name = re.sub(r"\W+", "_", text).strip("_")
    return f"ansible_{name}" if name in _FACTS else name[:60] or "asked"

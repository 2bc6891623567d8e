"""The `#SBATCH` lines of a job script, as sbatch reads them: up to the first command, `#` ends a line."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from nodeworthy.known.slurm import flags, long_name, optional, refused_by_pyxis, refused_by_sbatch, refused_by_slurm
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located, Place, Unknown

if TYPE_CHECKING:
    from nodeworthy.facts.slurm.job import SlurmJob


MARK = "#SBATCH"
_ALSO = {"tasks-per-node": "ntasks-per-node", "tasks": "ntasks"}
# What somebody fills in before there is a job: Jinja, Terraform, printf, `<NODES>`, and what Slurm does not expand.
_FILLED = pattern(r"\{\{|\{%|\$\{|\$\(|\$[A-Za-z_]|<[A-Za-z_ -]+>|@[A-Za-z_]+@|__[A-Z_]+__|\{[A-Za-z_]\w*\}")
# A line that a template takes away, or puts something in place of: what decides, a comment, `{{ MORE_LINES }}`.
_OF_A_TEMPLATE = pattern(r"\s*(?:\{%.*%\}|\{#.*#\}|\{\{.*\}\}|%\{.*\}|<%.*%>|\$\{\w+\})\s*\Z")
# Jinja's comments and what it sets go over several lines, too.
_OPENS, _CLOSES = ("{#", "{%"), {"{#": "#}", "{%": "%}"}
# `<<EOF`, `<<-'EOF'`, and no `<<<`; in a comment or in a sum it is none.
_HERE = pattern(r"(?<![<(\d])<<(?P<tabs>-?)\s*(?P<quote>['\"\\]?)(?P<end>[A-Za-z_]\w*)(?!\w)")


@dataclass(frozen=True, slots=True)
class Option:
    # Its long name, without dashes.
    name: str
    value: Located[str]
    # `--ntasks-per-node=4`, as it was written.
    written: str
    # Of a heterogeneous job: which of its parts asks for it.
    part: int = 0
    # It stands behind the first command, where Slurm no longer looks.
    dead: bool = False

    @property
    def place(self) -> Place:
        return self.value.place


# A job is asked for them again and again, and so are the other jobs of its repository.
@lru_cache(maxsize=256)
def options_of(text: str, place: Place) -> tuple[Option, ...]:
    """All of them, in their order; the last one of a name counts. What stands in a here-document is another job's."""
    found: list[Option] = []
    part, dead = 0, False
    for number, line in own_lines(text.splitlines(), place.line or 1):
        if not line.startswith(MARK):
            dead = dead or is_command(line)
            continue
        words = list(split(line[len(MARK) :]))
        if [word for word, _ in words] in (["hetjob"], ["packjob"]):
            part += 1
            continue
        columns = [(word, column + len(MARK) + 1) for word, column in words]
        found += [
            Option(name, _located(value, Place(place.path, number, at), written), written, part, dead)
            for name, value, written, at in read(columns)
        ]
    return tuple(found)


# A comment that differs from Slurm's mark by letters that changed places, or by one of them.
_ALMOST = pattern(r"#(?!SBATCH\b)(?P<mark>S[A-Z]{4,6})\s+-")
# sbatch looks for its mark where a line begins.
_INDENTED = pattern(r"[ \t]+#SBATCH[ \t]+-")
INDENTED = f"an indented {MARK}"


def misspelt_options(text: str, place: Place) -> Iterator[tuple[str, Option]]:
    """`#SBTACH --gres=gpu:8`: above the first command, each with the mark that it has. To Slurm it is a comment."""
    for number, line in own_lines(text.splitlines(), place.line or 1):
        if is_command(line):
            return
        found, indented = _ALMOST.match(line), _INDENTED.match(line)
        if indented is None and (found is None or not _is_almost_the_mark(found["mark"])):
            continue
        mark, behind = INDENTED, line.find(MARK) + len(MARK)
        if found is not None:
            mark, behind = f"#{found['mark']}", found.end("mark")
        words = [(word, column + behind + 1) for word, column in split(line[behind:])]
        for name, value, written, at in read(words):
            yield mark, Option(name, _located(value, Place(place.path, number, at)), written)


def lines_with_a_slip(text: str, place: Place) -> Iterator[tuple[str, Option]]:
    """The option lines whose letters changed places or are too few. With one letter more (`#SBATCHX`) a line is
    switched off on purpose."""
    for mark, option in misspelt_options(text, place):
        if len(mark) <= len(MARK) or mark == INDENTED:
            yield mark, option


# What other rules tell of: a job without its GPUs, a checkpoint that nobody asks for.
_TOLD_ELSEWHERE = frozenset(("gres", "gpus", "gpus-per-node", "gpus-per-task", "gpus-per-socket", "signal"))

_TOLD_OF_SLICES = frozenset(("cpus-per-task", "mem", "mem-per-cpu", "mem-per-gpu", "cpus-per-gpu"))


def read_too_late(job: SlurmJob) -> Iterator[Option]:
    """What stands behind the first command, and above it nowhere."""
    for request in job.requests:
        told = {each.name for each in request.options if not each.dead} | _TOLD_ELSEWHERE
        if request.mig_said:
            told |= _TOLD_OF_SLICES
        for option in request.options:
            if option.dead and option.name not in told:
                yield option


def _is_almost_the_mark(word: str) -> bool:
    right = MARK[1:]
    if len(word) == len(right):
        return sorted(word) == sorted(right) or sum(one != other for one, other in zip(word, right, strict=True)) == 1
    longer, shorter = (word, right) if len(word) > len(right) else (right, word)
    return any(longer[:at] + longer[at + 1 :] == shorter for at in range(len(longer)))


def is_filled_in(text: str) -> bool:
    """Whether it is a place that somebody fills in before there is a job."""
    return _FILLED.search(text) is not None


def own_lines(lines: Sequence[str], first: int) -> Iterator[tuple[int, str]]:
    """The lines of a script without those of here-documents, and without those that are a template's own."""
    ends: list[tuple[str, bool]] = []
    possible = {line.strip() for line in lines} if any("<<" in line for line in lines) else set()
    templates = _lines_of_a_template(lines)
    for number, line in enumerate(lines, start=first):
        if number - first in templates:
            continue
        if ends:
            end, tabs = ends[0]
            if (line.lstrip("\t") if tabs else line) == end:
                ends.pop(0)
            continue
        yield number, line
        if "<<" in line and is_command(line):
            found = (each for each in _HERE.finditer(line) if each["end"] in possible)
            ends = [(each["end"], bool(each["tabs"])) for each in found]


def _lines_of_a_template(lines: Sequence[str]) -> frozenset[int]:
    """Which of them are no command, whatever becomes of the template."""
    found: set[int] = set()
    closes, since = "", 0
    for index, line in enumerate(lines):
        begins = line.lstrip()[:2]
        if closes:
            if closes in line:
                found.update(range(since, index + 1))
                closes = ""
        elif _OF_A_TEMPLATE.match(line):
            found.add(index)
        elif begins in _OPENS and _CLOSES[begins] not in line:
            closes, since = _CLOSES[begins], index
    return frozenset(found)


def holds_others(text: str, own: Sequence[Option]) -> bool:
    """Whether lines of other jobs stand in it: in a here-document that is submitted, or written."""
    return sum(line.startswith(MARK) for line in text.splitlines()) > len({each.place.line for each in own})


def is_command(line: str) -> bool:
    stripped = line.strip()
    return bool(stripped) and not stripped.startswith("#")


def split(line: str) -> Iterator[tuple[str, int]]:
    """The words of a line with their columns, counted from nought; quotes are taken off, a `#` ends it."""
    word, begin, quote, seen = "", 0, "", False
    filled = 0
    for index, letter in enumerate(line):
        filled = max(0, filled + (line[index : index + 2] == "{{") - (line[index - 2 : index] == "}}"))
        if quote:
            quote, word = ("", word) if letter == quote else (quote, word + letter)
        elif letter in "\"'":
            begin, quote, seen = (begin if seen else index), letter, True
        elif letter == "#" and not filled:
            break
        elif letter.isspace() and not filled:
            if seen:
                yield word, begin
            word, seen = "", False
        else:
            begin, word, seen = (begin if seen else index), word + letter, True
    if seen:
        yield word, begin


def read(words: Sequence[tuple[str, int]]) -> Iterator[tuple[str, str, str, int]]:
    """Options with their values, as getopt takes them: name, value, as it was written, column."""
    index = 0
    while index < len(words):
        word, column = words[index]
        index += 1
        behind = words[index][0] if index < len(words) else None
        name, value, takes = option_in(word)
        if not name:
            continue
        if value is None and takes:
            index += 1
            yield name, behind or "", f"{word} {behind}" if behind else word, column
        else:
            yield name, value or "", word, column


def option_in(word: str) -> tuple[str, str | None, bool]:
    """The option's name, the value in the same word, and whether it takes the next word otherwise."""
    if word.startswith("--") and len(word) > 2:
        name, equals, value = word[2:].partition("=")
        name = _ALSO.get(name, name)
        takes = name not in flags("srun") and name not in optional()
        return name, (value if equals else None), takes
    if word.startswith("-") and len(word) > 1:
        name = long_name(word[1]) or ""
        takes = bool(name) and name not in flags("srun") and name not in optional()
        return name, (word[2:].removeprefix("=") or None) if takes else None, takes
    return "", None, False


def _located(value: str, place: Place, written: str = "") -> Located[str]:
    if written.endswith("="):
        # A form: `#SBATCH --nodes=   # how many`.
        return Located(Unknown("its lines are a form, and somebody fills it in before there is a job"), place)
    if filled := _FILLED.search(value):
        why = f"{value} is filled in before there is a job"
        if filled[0].startswith("$"):
            why = f"Slurm expands nothing in its own lines, so {value} is whatever is put there before"
        return Located(Unknown(why), place)
    return Located(Known(value), place)


# What sbatch, or pyxis, finds in #SBATCH lines where somebody thought that a shell would fill something in.

_ASKS = pattern(r"\$|`")
# What only a shell fills in: no program that makes a job of a template knows it. Slurm's own variables are there when
# the job is, and `$(NAME)` alone may be make's or Julia's. A blank and a `#` end the value: `$(wc -l <list)`, `${#X}`.
_OF_A_SHELL = pattern(
    r"\$\(\(|\$\((?:nproc|pwd|date|whoami|hostname)\)|\$\([^)]*$|\$\{$|`|"
    r"\$\{[A-Za-z_]\w*(?:\[[^\]]*\])?(?::?[-+=?]|[%#/^,]|:\d)|"
    r"\$\{?[1-9@*#?]|"
    r"\$\{?SLURM_(?:JOB_?ID|ARRAY_\w+|SUBMIT_DIR|(?:JOB_)?NODELIST|NNODES|PROCID|NODEID|(?:CPUS|GPUS)_ON_NODE)\b"
)
_NAME = pattern(r"\$\{?([A-Za-z_]\w*)")
# Signs of a template, which somebody else reads before Slurm does.
_TEMPLATE = pattern(r"\{\{|\{%|<%|%\{|\$\$\{|\btemplate\b|^\s*\$\{\w+\}\s*$", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class RefusedSbatchOption:
    option: Option
    # Its value as it is written: `$(nproc)`, `gpu:$GPUS`.
    asked: str
    # How it is known that nobody fills it in, where its own words don't say so.
    why: str = ""

    @property
    def is_image(self) -> bool:
        """Whether it is pyxis that cannot use it, once the job runs."""
        return self.option.name in refused_by_pyxis()


def is_template(text: str) -> bool:
    return _TEMPLATE.search(text) is not None


def refused_lines(job: SlurmJob) -> tuple[RefusedSbatchOption, ...]:
    """The refused lines in their order; none of a job that may be filled in before Slurm sees it."""
    if job.filled or is_template(job.text):
        return ()
    return tuple(_refused(job))


# Slurm makes no folder, fills in no variable and knows no `~`: what stands before the last slash is a folder's name.
_FOLDER_OF_A_SHELL = pattern(
    r"~(?=/)|\$(?P<open>\{)?(?:HOME|USER|LOGNAME|PWD|SCRATCH|WORK|TMPDIR|SLURM_\w+)\b(?(open)\})(?=.*/)"
)


_OF_SOMEBODY = pattern(r"\$(?P<open>\{)?([A-Za-z_]\w*)(?(open)\})")


def logs_in_no_folder(job: SlurmJob) -> Iterator[tuple[Option, str]]:
    """The logs of a job in a folder that only a shell would know, each with what stands there instead of it."""
    if job.within or job.filled or is_template(job.text):
        return
    # Where one line asks for what only a shell makes of it, no program makes something of the others.
    means_a_shell = any(_OF_A_SHELL.search(each.written) for request in job.requests for each in request.options)
    for request in job.requests:
        for name in ("output", "error"):
            option = request.option(name)
            if option is None or option.dead or option in job.given:
                continue
            asked = re.sub(r"^(?:--[\w-]+[=\s]|-\w[=\s]?)\s*", "", option.written)
            found, named = _FOLDER_OF_A_SHELL.search(asked), _OF_SOMEBODY.search(posixpath.dirname(asked))
            if found is not None and (found.group() != "~" or found.start() == 0):
                yield option, found.group()
            elif named is not None and (means_a_shell or _is_set(named[2], job.text)):
                yield option, named.group()


def may_be_refused(job: SlurmJob) -> bool:
    """Whether it depends on how it is submitted."""
    return not job.filled and any(_ASKS.search(each.written) for each in _looked_at(job))


def _refused(job: SlurmJob) -> Iterator[RefusedSbatchOption]:
    for option in _looked_at(job):
        why = _nobody_fills_in(job, option) if _ASKS.search(option.written) else None
        if why is not None:
            yield RefusedSbatchOption(option, re.sub(r"^(?:--[\w-]+[=\s]|-\w[=\s]?)", "", option.written), why)


def _looked_at(job: SlurmJob) -> Iterator[Option]:
    """Numbers and times sbatch reads at once, whatever its command line says; of names the last counts."""
    for request in job.requests:
        for option in request.options:
            if option.dead or option in job.given:
                continue
            is_name = option.name in refused_by_slurm() | refused_by_pyxis()
            counts = is_name and request.option(option.name) is option
            if counts or option.name in refused_by_sbatch():
                yield option


def _nobody_fills_in(job: SlurmJob, option: Option) -> str | None:
    if _OF_A_SHELL.search(option.written):
        return ""
    if isinstance(option.value.state, Known):
        # `$` in another meaning than that of a variable.
        return None
    names = _NAME.findall(option.written)
    if any(_is_set(name, job.text) for name in names):
        return f"; {names[0]} is set by the script itself, once it runs"
    return f"; {job.submitted} submits it as it is" if job.submitted else None


def _is_set(name: str, text: str) -> bool:
    """Whether the variable is set to something plain: one that is computed may share its name with a filling by
    chance."""
    rows = (row for row in text.splitlines() if not row.startswith(MARK))
    plain = re.compile(rf"\s*(?:export\s+|readonly\s+)?{name}=(['\"]?)[\w.:-]+\1\s*(?:#.*)?")
    return any(plain.fullmatch(row) for row in rows)

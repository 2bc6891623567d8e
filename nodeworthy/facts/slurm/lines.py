"""The `#SBATCH` lines of a job script, as sbatch reads them: up to the first command, `#` ends a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.known.slurm import flags, long_name, optional
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located, Place, Unknown

MARK = "#SBATCH"
_ALSO = {"tasks-per-node": "ntasks-per-node", "tasks": "ntasks"}
# What somebody fills in before there is a job: Jinja, Terraform, printf, `<NODES>`, and what Slurm does not expand.
_FILLED = pattern(r"\{\{|\{%|\$\{|\$\(|\$[A-Za-z_]|<[A-Za-z_ -]+>|@[A-Za-z_]+@|__[A-Z_]+__|\{[A-Za-z_]\w*\}")
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


def options_of(text: str, place: Place) -> tuple[Option, ...]:
    """All of them, in their order; the last one of a name counts. What stands in a here-document is another job's."""
    found: list[Option] = []
    part, dead = 0, False
    for number, line in _own_lines(text.splitlines(), place.line or 1):
        if not line.startswith(MARK):
            dead = dead or _is_command(line)
            continue
        words = list(split(line[len(MARK) :]))
        if [word for word, _ in words] in (["hetjob"], ["packjob"]):
            part += 1
            continue
        columns = [(word, column + len(MARK) + 1) for word, column in words]
        found += [
            Option(name, _located(value, Place(place.path, number, at)), written, part, dead)
            for name, value, written, at in read(columns)
        ]
    return tuple(found)


def is_filled_in(text: str) -> bool:
    """Whether it is a place that somebody fills in before there is a job."""
    return _FILLED.search(text) is not None


def _own_lines(lines: Sequence[str], first: int) -> Iterator[tuple[int, str]]:
    """Without what stands in here-documents."""
    ends: list[tuple[str, bool]] = []
    possible = {line.strip() for line in lines} if any("<<" in line for line in lines) else set()
    for number, line in enumerate(lines, start=first):
        if ends:
            end, tabs = ends[0]
            if (line.lstrip("\t") if tabs else line) == end:
                ends.pop(0)
            continue
        yield number, line
        if "<<" in line and _is_command(line):
            found = (each for each in _HERE.finditer(line) if each["end"] in possible)
            ends = [(each["end"], bool(each["tabs"])) for each in found]


def holds_others(text: str, own: Sequence[Option]) -> bool:
    """Whether lines of other jobs stand in it: in a here-document that is submitted, or written."""
    return sum(line.startswith(MARK) for line in text.splitlines()) > len({each.place.line for each in own})


def _is_command(line: str) -> bool:
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
        name, value, takes = _option(word)
        if not name:
            continue
        if value is None and takes:
            index += 1
            yield name, behind or "", f"{word} {behind}" if behind else word, column
        else:
            yield name, value or "", word, column


def _option(word: str) -> tuple[str, str | None, bool]:
    """Its name, the value in the same word, and whether it takes one behind it otherwise."""
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


def _located(value: str, place: Place) -> Located[str]:
    if filled := _FILLED.search(value):
        why = f"{value} is filled in before there is a job"
        if filled[0].startswith("$"):
            why = f"Slurm expands nothing in its own lines, so {value} is whatever is put there before"
        return Located(Unknown(why), place)
    return Located(Known(value), place)

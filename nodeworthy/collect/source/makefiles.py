"""Makefiles as the shell that make runs: of every recipe its commands, each on its own line, and of every variable what
it says. Nothing else of them is read.

What a machine becomes by a target is asked target by target: nobody runs one recipe after the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from nodeworthy.boot.origin import Joined, Straight
from nodeworthy.boot.unpack import unpack
from nodeworthy.collect.source.files import Source, any_text
from nodeworthy.collect.source.files_beside import FilesBeside
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

_SETS = pattern(r"(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*(?:\?|::?)?=[ \t]*(.*)")
_SHELL = pattern(r"\$\(shell[ \t]+")
_VARIABLE = pattern(r"\$[({]([A-Za-z_]\w*)[)}]")
_INCLUDES = pattern(r"[-s]?include[ \t]+([\w./ \t-]{1,300})")
_QUOTED = pattern(r"""\"(?:[^\"\\]|\\.)*\"|'[^']*'""")
# What make works out itself before a shell is asked: `$(if $(A),--b=$(abspath $(B)))`, and `$(@D)` of a target.
_FUNCTION = pattern(
    r"\$[({](?:subst|patsubst|strip|findstring|filter|filter-out|sort|word|wordlist|words|firstword|lastword|dir|notdir"
    r"|suffix|basename|addsuffix|addprefix|join|wildcard|realpath|abspath|if|or|and|intcmp|foreach|file|call|value|eval"
    r"|origin|flavor|error|warning|info|let)[ \t]"
)
_OF_A_TARGET = pattern(r"\$(?:[({][@%<?^+|*][DF]?[)}]|[@%<^+])")
_BRACKETS = pattern(r"[({]|[)}]")
_WORKED_OUT = "${worked_out_by_make}"
# What make asks before it runs a command: to say nothing, to go on, to run in any case.
_BEFORE = "@-+ \t"
_TARGET = pattern(r"[^\s#:=][^#:=]*::?(?!=).*")
# All of a recipe as one script, or by another program than a shell: who says so runs it otherwise.
_BY_OTHERS = pattern(r"(?m)^(?:\.ONESHELL[ \t]*:|SHELL[ \t]*:?=[ \t]*(?!\S*sh\b))")
_PIPEFAIL = pattern(r"(?m)^\.SHELLFLAGS[ \t]*:?=[^\n]*pipefail")
_BUILDS = pattern(
    r"(?m)^(?:\$\{?GO\w*\}?|go|cargo|docker|podman|buildah)[ \t]+(?:buildx[ \t]+)?(?:build|run|test|push)\b"
)
_ASKED_FOR = pattern(r"\$\{?([A-Za-z_]\w*)")
# More of them nobody writes.
_MOST_TARGETS, _MOST_SET = 300, 100


def scripts_of_targets(source: Source, data: bytes) -> list[BootScript]:
    """The script of each target. A command that fails ends it."""
    text = any_text(data)
    if _BY_OTHERS.search(text) is not None:
        return []
    shell = "#!/bin/bash -eo pipefail" if _PIPEFAIL.search(text) is not None else "#!/bin/sh -e"
    # Whoever builds a program of such a name (`go build -o kubeadm-…`) makes no node.
    told = (lines for lines in _by_target(text) if _BUILDS.search("\n".join(each.says for each in lines)) is None)
    return [_script([_Line(shell, 1), *lines], source) for lines in told]


@dataclass(frozen=True)
class _Line:
    says: str
    # Where it stands in the makefile.
    row: int
    column: int = 1


def _script(lines: Sequence[_Line], source: Source) -> BootScript:
    place = Place(source.shown)
    origin = Joined(Straight(place), [(each.row, each.column) for each in lines])
    text = "\n".join(each.says for each in lines)
    read = unpack(text.encode(), place, template=False, name=source.path.name, origin=origin)
    return BootScript(place, read, is_meant=False, by_hand=True, surroundings=source.scope)


def _by_target(text: str) -> Iterator[list[_Line]]:
    """Of each target its recipe, behind the variables that the recipe asks for."""
    rows = text.split("\n")
    sets = {
        found[1]: _Line(_set(row), at) for at, row in enumerate(rows, 1) if (found := _SETS.fullmatch(row)) is not None
    }
    starts = [at for at, row in enumerate(rows) if _TARGET.fullmatch(row)][:_MOST_TARGETS]
    for start, end in pairwise([*starts, len(rows)]):
        recipe = list(_recipe(rows[start + 1 : end], start + 2))
        if recipe:
            yield [*_asked_for(recipe, sets), *recipe]


def _asked_for(recipe: Sequence[_Line], sets: Mapping[str, _Line]) -> Iterator[_Line]:
    """What is set, and what that asks for in its turn before it."""
    found: dict[str, _Line] = {}
    open_ = [each.says for each in recipe]
    while open_ and len(found) < _MOST_SET:
        names = [each for each in _ASKED_FOR.findall(open_.pop()) if each in sets and each not in found]
        found.update((each, sets[each]) for each in names)
        open_ += [sets[each].says for each in names]
    yield from reversed(found.values())


def _recipe(rows: Sequence[str], first: int) -> Iterator[_Line]:
    goes_on = may_fail = False
    for row, line in enumerate(rows, first):
        if not line.startswith("\t"):
            continue
        bare = line[1:] if goes_on else line.lstrip(_BEFORE)
        may_fail = may_fail if goes_on else "-" in line[: len(line) - len(bare)]
        goes_on = line.endswith("\\")
        says = _as_make_runs_it(bare) + (" || : make" if may_fail and not goes_on else "")
        if says:
            yield _Line(says, row, len(line) - len(bare) + 1)


def as_shell(data: bytes, beside: FilesBeside | None = None) -> bytes:
    """A script of as many lines. The first line says that it is shell; what would be set in it stands before the second
    one. What files set that it includes stands where they are included."""
    first, *others = _lines(any_text(data), beside)
    if others and first and not first.startswith("#"):
        others[0] = f"{first}; {others[0]}" if others[0] and not others[0].startswith("#") else first
    return "\n".join(["#!/bin/sh", *others]).encode()


def _lines(text: str, beside: FilesBeside | None) -> Iterator[str]:
    goes_on = False
    for line in text.split("\n"):
        included = _INCLUDES.fullmatch(line)
        if included is not None and beside is not None:
            yield "; ".join(_set_in(included[1].split(), beside))
        elif line.startswith("\t"):
            yield _as_make_runs_it(line[1:] if goes_on else line.lstrip(_BEFORE))
        else:
            yield line if line.startswith("#") else _set(line)
        goes_on = line.endswith("\\")


def _set_in(names: Sequence[str], beside: FilesBeside) -> Iterator[str]:
    for path in filter(None, map(beside.path, names)):
        rows = (beside.text(path) or "").split("\n")
        yield from [said for row in rows if not row.startswith("\t") and (said := _set(row))][:_MOST_SET]


def _set(line: str) -> str:
    found = _SETS.fullmatch(line)
    if found is None:
        return ""
    said = found[2].partition(" #")[0].strip()
    return f'{found[1]}="{_as_make_runs_it(said)}"' if '"' not in said and "\\" not in said else ""


def _as_make_runs_it(command: str) -> str:
    """make fills its own variables in, and leaves one dollar of two."""
    made = _SHELL.sub("$(", _QUOTED.sub(_outside_quotes, command.replace("$$", "\0")))
    made = _VARIABLE.sub(r"${\1}", made)
    return _without_functions(_OF_A_TARGET.sub(_WORKED_OUT, made)).replace("\0", "$")


def _outside_quotes(quoted: re.Match[str]) -> str:
    """What make fills in within single quotes a shell would leave as it stands."""
    return _VARIABLE.sub(r"""'"${\1}"'""", quoted[0]) if quoted[0].startswith("'") else quoted[0]


def _without_functions(command: str) -> str:
    """A variable in the place of each of make's own functions: what comes of it nobody knows here."""
    if _FUNCTION.search(command) is None:
        return command
    closes = _closing(command)
    kept, at = [], 0
    for found in _FUNCTION.finditer(command):
        begins, opens = found.start(), found.start() + 1
        if begins >= at and opens in closes:
            kept += [command[at:begins], _WORKED_OUT]
            at = closes[opens] + 1
    return "".join([*kept, command[at:]])


def _closing(command: str) -> Mapping[int, int]:
    """Of each bracket that is opened where it is closed. make counts those of the same kind alone."""
    open_: dict[str, list[int]] = {"(": [], "{": []}
    closes: dict[int, int] = {}
    for found in _BRACKETS.finditer(command):
        if found[0] in open_:
            open_[found[0]].append(found.start())
        elif of_its_kind := open_["(" if found[0] == ")" else "{"]:
            closes[of_its_kind.pop()] = found.start()
    return closes

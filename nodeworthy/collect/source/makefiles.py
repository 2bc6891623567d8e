"""Makefiles as the shell that make runs: of every recipe its commands, each on its own line, and of every variable what
it says. Nothing else of them is read.

What a machine becomes by a target is asked target by target: nobody runs one recipe after the other.
"""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.boot.unpack import unpack
from nodeworthy.collect.source.files import Source, any_text
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Place

_SETS = pattern(r"(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*(?:\?|::?)?=[ \t]*(.*)")
_SHELL = pattern(r"\$\(shell[ \t]+")
_VARIABLE = pattern(r"\$[({]([A-Za-z_]\w*)[)}]")
# What make asks before it runs a command: to say nothing, to go on, to run in any case.
_BEFORE = "@-+ \t"
_TARGET = pattern(r"[^\s#:=][^#:=]*::?(?!=).*")
# All of a recipe as one script, or by another program than a shell: who says so runs it otherwise.
_BY_OTHERS = pattern(r"(?m)^(?:\.ONESHELL[ \t]*:|SHELL[ \t]*:?=[ \t]*(?!\S*sh\b))")
_PIPEFAIL = pattern(r"(?m)^\.SHELLFLAGS[ \t]*:?=[^\n]*pipefail")
_BUILDS = pattern(
    r"(?m)^(?:\$\{?GO\w*\}?|go|cargo|docker|podman|buildah)[ \t]+(?:buildx[ \t]+)?(?:build|run|test|push)\b"
)
# More of them nobody writes.
_MOST_TARGETS = 300


def scripts_of_targets(source: Source, data: bytes) -> list[BootScript]:
    """The script of each target. A command that fails ends it."""
    text, place = any_text(data), Place(source.shown)
    if _BY_OTHERS.search(text) is not None:
        return []
    shell = "#!/bin/bash -eo pipefail" if _PIPEFAIL.search(text) is not None else "#!/bin/sh -e"
    # Whoever builds a program of such a name (`go build -o kubeadm-…`) makes no node.
    told = (lines for lines in _by_target(text) if _BUILDS.search("\n".join(lines)) is None)
    texts = ("\n".join([shell, *lines[1:]]).encode() for lines in told)
    reads = (unpack(each, place, template=False, name=source.path.name) for each in texts)
    return [BootScript(place, each, is_meant=False, by_hand=True, surroundings=source.scope) for each in reads]


def _by_target(text: str) -> Iterator[list[str]]:
    """Of each its recipe, on its own lines, among what is set for all."""
    rows = text.split("\n")
    sets = ["" if row.startswith(("\t", "#")) else _set(row) for row in rows]
    starts = [at for at, row in enumerate(rows) if _TARGET.fullmatch(row)][:_MOST_TARGETS]
    for start, end in zip(starts, [*starts[1:], len(rows)], strict=True):
        recipe = list(_recipe(rows[start + 1 : end]))
        if any(recipe):
            yield [*sets[: start + 1], *recipe, *sets[end:]]


def _recipe(rows: list[str]) -> Iterator[str]:
    goes_on = may_fail = False
    for row in rows:
        if not row.startswith("\t"):
            yield ""
            continue
        bare = row[1:] if goes_on else row.lstrip(_BEFORE)
        may_fail = may_fail if goes_on else "-" in row[: len(row) - len(bare)]
        goes_on = row.endswith("\\")
        yield _as_make_runs_it(bare) + (" || : make" if may_fail and not goes_on else "")


def as_shell(data: bytes) -> bytes:
    """A script of as many lines. The first line says that it is shell; what would be set in it stands before the second
    one."""
    first, *others = _lines(any_text(data))
    if others and first and not first.startswith("#"):
        others[0] = f"{first}; {others[0]}" if others[0] and not others[0].startswith("#") else first
    return "\n".join(["#!/bin/sh", *others]).encode()


def _lines(text: str) -> Iterator[str]:
    goes_on = False
    for line in text.split("\n"):
        if line.startswith("\t"):
            yield _as_make_runs_it(line[1:] if goes_on else line.lstrip(_BEFORE))
        else:
            yield line if line.startswith("#") else _set(line)
        goes_on = line.endswith("\\")


def _set(line: str) -> str:
    found = _SETS.fullmatch(line)
    if found is None:
        return ""
    said = found[2].partition(" #")[0].strip()
    return f'{found[1]}="{_as_make_runs_it(said)}"' if '"' not in said and "\\" not in said else ""


def _as_make_runs_it(command: str) -> str:
    """make fills its own variables in, and leaves one dollar of two."""
    made = _VARIABLE.sub(r"${\1}", _SHELL.sub("$(", command.replace("$$", "\0")))
    return made.replace("\0", "$")

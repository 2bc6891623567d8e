"""Vagrantfiles: what they run on their machines, of each machine its provisioners one after the other.

Vagrant writes what stands inline into a file and runs that as root; its shell is the one behind `#!`, else bash, and
what it ends with is how the provisioner ends. A script that lies beside the Vagrantfile is looked at where it lies.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from nodeworthy.collect.source.comments import comments
from nodeworthy.collect.source.files import Source, any_text
from nodeworthy.collect.source.parsing import FileContents
from nodeworthy.collect.source.woven_text import Woven, hole, user_data_of
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# `node.vm.provision "shell", inline: …`, and in a block `s.inline = …`.
_PROVISION = pattern(
    r"(?m)^[ \t]*(?P<machine>\w{1,60})\.vm\.provision\b[ \t(]*(?P<said>[^\n]*)", words=(".vm.provision",)
)
_IS_SHELL = pattern(r"[\"':]shell\b|\btype[ \t]*(?::|=>)[ \t]*[\"':]shell\b|\binline\b")
_INLINE = pattern(r"\binline[ \t]*(?::|=>|=)[ \t]*")
_PATH = pattern(r"\bpath[ \t]*(?::|=>|=)[ \t]*[\"']([^\"'\n]{1,200})[\"']")
_HEREDOC = pattern(r"<<(?P<dents>[-~]?)(?P<quote>[\"'`]?)(?P<tag>[A-Za-z_]\w{0,40})(?P=quote)[^\n]*\n")
_NAME = pattern(r"[$@]{0,2}[A-Za-z_]\w{0,60}")
_QUOTED = pattern(r"\"((?:[^\"\\]|\\.){0,4000})\"|'((?:[^'\\]|\\.){0,4000})'")
_FILLED = pattern(r"#\{([^{}\n]{0,200})\}")
_ESCAPED = pattern(r"\\([\\\"$`# ])")
# A provisioner is told of in so many lines.
_MOST_LINES = 12
# More of them nobody writes.
_MOST_STEPS = 200
_BOX = pattern(r"(?m)^[^#\n]*\.vm\.box[ \t]*=[ \t]*[\"']([^\"'\n]{1,80})[\"']")
# Installed as from a disc, with a partition or a file for swap.
_WITH_SWAP = ("bento/", "generic/", "roboxes/", "centos/", "almalinux/", "rockylinux/", "hashicorp/")
# What is handed to PowerShell, on machines of Windows.
_OF_WINDOWS = pattern(
    r"(?i)\$env:\w|\b(?:write-(?:host|output)|set-executionpolicy|install-windowsfeature|(?:push|set)-location|new-item"
    r"|(?:get|start|restart)-service|invoke-webrequest|start-sleep|set-itemproperty|import-module)\b"
)
_OUTERMOST = pattern(r"Vagrant\.configure\b[^\n|]{0,80}\|[ \t]*(\w{1,60})[ \t]*\|")


@dataclass(frozen=True)
class _Step:
    machine: str
    texts: tuple[Woven, ...]


def contents(source: Source, data: bytes, rules: frozenset[str]) -> FileContents | None:
    """The script of each machine that it makes a node; None where it makes none."""
    text, place = any_text(data), Place(source.shown)
    scripts = [each for each in _scripts(text, source) if each.makes_a_node]
    if not scripts:
        return None
    return FileContents(scripts=scripts, suppressions=list(comments(text, place, rules, is_yaml=False)))


def _scripts(text: str, source: Source) -> Iterator[BootScript]:
    box = _BOX.search(text)
    has_swap = box is not None and box[1].startswith(_WITH_SWAP)
    for texts in _by_machine(text, source.shown):
        place = texts[0].place
        read = user_data_of([Woven("#!/bin/bash", place), *texts], place)
        yield BootScript(
            *(place, read),
            by_hand=True,
            of_cloud_images=not has_swap,
            surroundings=source.scope,
        )


def _by_machine(text: str, shown: str) -> Iterator[list[Woven]]:
    """What is said of all of them comes before what is said of one."""
    by_machine: dict[str, list[Woven]] = {}
    for each in _steps(text, shown):
        by_machine.setdefault(each.machine, []).extend(each.texts)
    outermost = _OUTERMOST.search(text)
    of_all = by_machine.pop(outermost[1], []) if outermost is not None else []
    if not by_machine and of_all:
        yield of_all
    for own in by_machine.values():
        yield [*of_all, *own]


def _steps(text: str, shown: str) -> Iterator[_Step]:
    for found in islice(_PROVISION.finditer(text), _MOST_STEPS):
        said = "\n".join(text[found.start("said") : found.start("said") + 2000].split("\n")[:_MOST_LINES])
        if _IS_SHELL.search(said) is None:
            continue
        at = found.start("said")
        following = _PROVISION.search(said)
        said = said[: following.start()] if following is not None else said
        inline = _INLINE.search(said)
        place = Place(shown, text.count("\n", 0, at) + 1)
        if inline is not None:
            told = _value(text, at + inline.end(), shown)
            if told is not None and _OF_WINDOWS.search(told.text):
                continue
            yield _Step(found["machine"], _alone(told if told is not None else Woven(hole("inline"), place), place))
        elif (path := _PATH.search(said)) is not None:
            yield _Step(found["machine"], (Woven(f"bash /vagrant/{path[1]}", place, False),))


def _alone(told: Woven, place: Place) -> tuple[Woven, ...]:
    """What the provisioner before it set holds no more."""
    return Woven("set +eu; set +o pipefail", place, False), told


def _value(text: str, at: int, shown: str) -> Woven | None:
    heredoc = _HEREDOC.match(text, at)
    if heredoc is not None:
        return _of_heredoc(text, heredoc, shown)
    quoted = _QUOTED.match(text, at)
    if quoted is not None:
        place = Place(shown, text.count("\n", 0, at) + 1)
        return Woven(_filled(quoted[1]) if quoted[1] is not None else quoted[2], place)
    named = _NAME.match(text, at)
    return _assigned(text, named[0], shown) if named is not None else None


def _assigned(text: str, name: str, shown: str) -> Woven | None:
    found = re.search(rf"(?m)^[ \t]*{re.escape(name)}[ \t]*=[ \t]*(?=<<|[\"'])", text)
    return _value(text, found.end(), shown) if found is not None else None


def _of_heredoc(text: str, found: re.Match[str], shown: str) -> Woven | None:
    from nodeworthy.collect.source.handed_over import end_of_heredoc

    end = end_of_heredoc(text, found.end(), found["tag"], blanks=" \t" if found["dents"] else "")
    if end is None:
        return None
    written = text[found.end() : end]
    place = Place(shown, text.count("\n", 0, found.end()) + 1)
    told = Woven(written if found["quote"] == "'" else _filled(written), place)
    return told.dedented() if found["dents"] == "~" else told


def _filled(written: str) -> str:
    """A text between double quotes, as Ruby has it."""
    return _ESCAPED.sub(r"\1", _FILLED.sub(lambda each: hole(each[1]), written))

"""Scripts of a boot that their shell can't read to the end, or reads as other commands than were meant."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from nodeworthy.boot.cloud_steps import Ran
from nodeworthy.boot.effects import How, Writes
from nodeworthy.boot.origin import Origin
from nodeworthy.boot.shell.lexer import Lexer
from nodeworthy.boot.shell.nested import Written
from nodeworthy.boot.shell.source import Source as LexedSource
from nodeworthy.boot.shell.strict.reading import Broken, why_broken
from nodeworthy.boot.unpack.kinds import interpreter
from nodeworthy.boot.userdata import Part, PartKind, UserData
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import Place

# What a template decides, and not only fills in.
_OF_A_DIRECTIVE = pattern(r"%\{|\{%|\{\{-?\s*(?:if|range|with|end)\b")
# By which cloud-init begins the script that it makes of a list of commands.
_OF_SH = "#!/bin/sh\n"
# In an array no comment begins behind it: `\ ` begins a word, and `#` is its second letter.
_ESCAPED_COMMENT = pattern(r"^[ \t]*[^\s#'\"][^\n'\"]{0,400}?(\\[ \t]+#[^\n]{0,400})$", re.MULTILINE, words=("#",))


LONGEST = 120


@dataclass(frozen=True)
class Unreadable:
    broken: Broken
    origin: Origin
    text: str

    @property
    def place(self) -> Place:
        """Where bash says it: of what has no end, behind the last line, and that is the last line here."""
        last = self.text.rstrip("\n").count("\n") + 1
        return self.origin.at(min(self.broken.line, last), 1)

    @property
    def words(self) -> str:
        """Bash's own; of a token that is half of the script its beginning."""
        first = self.broken.words.partition("\n")[0]
        return shorten_words(first) if first == self.broken.words else f"{first[:LONGEST]}…"

    @property
    def begins(self) -> Place:
        """Where the command begins that it could not read."""
        return self.origin.at(self.broken.line_of_begin, 1)


def shorten_words(words: str) -> str:
    return words if len(words) <= LONGEST else f"{words[:LONGEST]}…"


@dataclass(frozen=True)
class CommentInArray:
    """`--width=4096 \\ # of 7B` among the elements of an array, and what follows the backslash there."""

    row: int
    written: str


def comments_in_arrays(text: str) -> Iterator[CommentInArray]:
    if "=(" not in text or _ESCAPED_COMMENT.search(text) is None:
        return
    source = LexedSource(text)
    Lexer(source).read(0, len(text))
    begins = sorted(at for at in source.arrays if at in source.ends)
    row = counted = 0
    for found in _ESCAPED_COMMENT.finditer(text):
        row, counted = row + text.count("\n", counted, found.start(1)), found.start(1)
        array = bisect_right(begins, found.start(1)) - 1
        if array >= 0 and found.start(1) < source.ends[begins[array]]:
            yield CommentInArray(row, found[1].strip())


DASH = ("sh", "dash")
_SHELLS = (*DASH, "bash")


def shell_parts(script: BootScript) -> list[Part]:
    return [each for each in script.userdata.parts if each.kind in (PartKind.SHELL, PartKind.BOOTHOOK)]


def unreadable(script: BootScript) -> Iterator[Unreadable]:
    for part in shell_parts(script):
        broken = why_broken(part.text, template=script.userdata.is_template, jinja=part.jinja)
        if broken is not None:
            yield Unreadable(broken, part.origin, part.text)
    yield from _unreadable_steps(script.userdata)


def unreadable_files(script: BootScript) -> Iterator[Unreadable]:
    """Scripts that this one writes, where all of their text is known; what is around them can be read."""
    for each in script.timeline.of(Writes):
        text = each.content.text.known if each.content is not None and each.how is How.WRITE else None
        if text is None or not text.startswith("#!") or _OF_A_DIRECTIVE.search(text) is not None or "{{" in text:
            continue
        broken = why_broken(text) if interpreter(text.partition("\n")[0]) in _SHELLS else None
        if broken is not None and each.content is not None:
            yield Unreadable(broken, Written(each.content), text)


def _unreadable_steps(userdata: UserData) -> Iterator[Unreadable]:
    """The unreadable lists of cloud-config's commands: cloud-init makes one script for sh of each list."""
    for step in listed_commands(userdata):
        broken = why_broken(f"{_OF_SH}{step.text}", template=userdata.is_template, jinja=step.jinja)
        if broken is not None and not _is_decided_by_a_template(step.text, broken):
            yield Unreadable(_one_line_less(broken), step.origin, step.text)


def listed_commands(userdata: UserData) -> Iterator[Ran]:
    steps = userdata.cloud_config.steps if userdata.cloud_config else ()
    return (each for each in steps if isinstance(each, Ran))


def has_commands(script: BootScript) -> bool:
    """Whether cloud-config has lists of them."""
    return any(listed_commands(script.userdata))


def _is_decided_by_a_template(text: str, broken: Broken) -> bool:
    return _OF_A_DIRECTIVE.search(text, max(broken.begins - len(_OF_SH), 0)) is not None


def _one_line_less(broken: Broken) -> Broken:
    begins, read = broken.begins - len(_OF_SH), broken.read - len(_OF_SH)
    return replace(broken, line=broken.line - 1, line_of_begin=broken.line_of_begin - 1, begins=begins, read=read)

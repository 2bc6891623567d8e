"""Commands that end a line too early: what was written behind them the shell takes for another command.

A backslash continues a line only as its very last character. A blank behind it is escaped instead, a comment
swallows it, and an empty line behind it ends the command. What is left of the command then begins with an option,
and the shell looks for a program of that name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum

from nodeworthy.boot.userdata import PartKind, UserData
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.boot.source_line import SourcePart
from nodeworthy.facts.boot.unreadable_shell import listed_commands
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

_OPTION = pattern(r"--?[A-Za-z][\w-]*")
_BLANK_BEHIND = pattern(r"\\[ \t]+$")
# `-V | --version) …`: a branch of a `case`.
_BRANCH = pattern(r"--?[\w|? *\[\]\"'-]{1,200}\)(?:[ \t]|$)")
_INDENT = pattern(r"[ \t]*")
_COMMENT = pattern(r"(?:^|[ \t])#")
_BACKSLASH_THEN_COMMENT = pattern(r"\\[ \t]+#")
_QUOTED = pattern(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\[^ \t]")
_OPERATOR_THEN_BLANK = pattern(r"(?:&&|\|\|?)[ \t]*\\[ \t]+$", words=("\\",))
# Behind these a command goes on by itself, whatever stands between.
_GOES_ON_ANYHOW = pattern(r"(?:&&|\||[({;]|\b(?:then|do|else))[ \t]*\\$")
_OPERATOR = pattern(r"[&|;)<>]|\d?[<>]")
# A blank that is escaped, and an option behind it; what only prints its words prints the same.
_ESCAPED_BLANK = pattern(r"\\ (--?[A-Za-z])")
_ONLY_PRINTS = pattern(r"[( ]*(?:echo|printf)\b|:")
# How much of a line's end is looked for where it was joined with the next one.
_SEAM = 12
# What a template puts here may be the rest of the line, a backslash among it, or take the end of the line away.
_OF_A_TEMPLATE = pattern(r"%\{|\{%|\{\{|\}\s*$")
# Nothing is looked for where neither of these stands. Each begins with a letter of its own, so that it is tried at no
# other.
_OPTION_BELOW = pattern(r"\n[ \t]*--?[A-Za-z]")
_MAY_CONTINUE = pattern(r"\\(?:[ \t]+(?:#.*)?$|\n[ \t]*(?:#|\n))", re.MULTILINE)


class Why(StrEnum):
    BLANK = "a blank stands behind its backslash, which escapes that and continues nothing"
    COMMENT = "a comment stands in it, and a backslash in a comment continues nothing"
    EMPTY = "an empty line follows the backslash above it"
    NOTHING = "no backslash at its end continues it"
    OPERATOR = (
        "a blank stands behind the backslash that follows its operator, and the shell runs a command of one blank"
    )
    FOLDED = "YAML joins these lines with a blank, which the backslash escapes: it continues nothing"


_REMEDIES = {
    Why.BLANK: "take the blanks away that stand behind the backslash",
    Why.OPERATOR: "take the blanks away that stand behind the backslash",
    Why.COMMENT: "take the comment out of the command, and put it above",
    Why.EMPTY: "take the empty line out of the command",
    Why.NOTHING: "put a backslash at its end",
    Why.FOLDED: "write the item as a block (- |), or take the backslashes out",
}


@dataclass(frozen=True)
class CutShort:
    # Which of the rows ends the command, and which is lost by that; from 0.
    ends: int
    lost: int
    why: Why

    @property
    def what(self) -> str:
        if self.why is Why.FOLDED:
            return "the program gets a word that begins with a blank"
        return "the command ends too early"

    @property
    def remedy(self) -> str:
        return _REMEDIES[self.why]


def may_be_cut_short(text: str) -> bool:
    return _MAY_CONTINUE.search(text) is not None or _OPTION_BELOW.search(f"\n{text}") is not None


def cut_short(rows: Sequence[str], begins: Iterable[int], *, template: bool) -> Iterator[CutShort]:
    """Finds commands that are cut short, given the rows on which commands begin, as the walk through the script found
    them."""
    told: set[int] = set()
    for index in begins:
        row = rows[index].lstrip()
        if _BRANCH.match(row):
            continue
        found = _above(rows, index) if _OPTION.match(row) else _below(rows, index)
        if found is None or found.ends in told:
            continue
        if not (template and any(_OF_A_TEMPLATE.search(row) for row in rows[found.ends : found.lost])):
            told.add(found.ends)
            yield found


def folded_rows(rows: Sequence[str], index: int, joined: str) -> CutShort | None:
    """Finds where YAML folded rows into `joined`, one line of a shell script, although a backslash was to continue
    them. A command that only prints its words prints the same."""
    if joined.split(None, 1)[:1] in (["echo"], ["printf"]):
        return None
    for at in range(index, len(rows) - 1):
        if at > index and rows[at].strip() not in joined:
            return None
        end, behind = rows[at].strip().removeprefix("- ")[-_SEAM:], rows[at + 1].strip()
        seam = joined.find(f"{end} {behind}") if end.endswith("\\") else -1
        if seam >= 0 and _takes_words(joined[: seam + len(end)], behind):
            return CutShort(at, at + 1, Why.FOLDED)
    return None


def _takes_words(before: str, behind: str) -> bool:
    """Whether the shell is outside of quotes there, and a word comes next; `curl URL \\ | sh` runs all the same."""
    return not _OPERATOR.match(behind) and not any(mark in _QUOTED.sub("", before) for mark in ("'", '"'))


def _above(rows: Sequence[str], lost: int) -> CutShort | None:
    """An option that is run: what stands above it should have gone on."""
    index = lost - 1
    while index >= 0 and says_nothing(rows[index]):
        index -= 1
    if index < 0:
        return None
    row = rows[index]
    if _is_blank_behind(row):
        return CutShort(index, lost, Why.BLANK)
    if _ends_in_comment(row):
        return CutShort(index, lost, Why.COMMENT)
    if row.endswith("\\"):
        return _between(rows, index, lost)
    return None if _is_a_note(rows, lost) else CutShort(index, lost, Why.NOTHING)


def _is_a_note(rows: Sequence[str], lost: int) -> bool:
    """Whether lost options are a note: they follow an empty line, and the command above has them already, for another
    machine."""
    head = lost - 1
    while head > 0 and (says_nothing(rows[head]) or _OPTION.match(rows[head].lstrip())):
        head -= 1
    name = _OPTION.match(rows[lost].lstrip())
    has_gap = any(not row.strip() for row in rows[head:lost])
    return has_gap and name is not None and name[0] in rows[head].split("#")[0].replace("=", " ").split()


def _below(rows: Sequence[str], index: int) -> CutShort | None:
    """A command that wants to go on, as its last line says, and can't."""
    last = index
    while rows[last].endswith("\\") and last + 1 < len(rows) and not says_nothing(rows[last + 1]):
        last += 1
    lost = last + 1
    while lost < len(rows) and says_nothing(rows[lost]):
        lost += 1
    whole = "\n".join(rows[index : last + 1])
    if (
        lost < len(rows)
        and _OPERATOR_THEN_BLANK.search(rows[last])
        and _is_blank_behind(rows[last])
        and _is_even(whole)
    ):
        return CutShort(last, lost, Why.OPERATOR)
    if lost >= len(rows) or _indent(rows[lost]) <= _indent(rows[index]) or not _is_even(whole):
        return None
    if not rows[last].endswith("\\"):
        why = Why.BLANK if _is_blank_behind(rows[last]) else Why.COMMENT if _ends_in_comment(rows[last]) else None
        return CutShort(last, lost, why) if why is not None and lost == last + 1 else None
    return _between(rows, last, lost)


def _between(rows: Sequence[str], last: int, lost: int) -> CutShort | None:
    """What stands between the last line of a command, which a backslash ends, and the one that is lost."""
    if _GOES_ON_ANYHOW.search(rows[last]) or lost == last + 1:
        return None
    is_comment = bool(rows[last + 1].strip())
    return CutShort(last + 1, lost, Why.COMMENT if is_comment else Why.EMPTY)


def says_nothing(row: str) -> bool:
    return not row.strip() or row.lstrip().startswith("#")


def _ends_in_comment(row: str) -> bool:
    """`--token abc \\ # the token`, or `--token abc # the token \\`."""
    bare = _QUOTED.sub("", row.removesuffix("\\"))
    found = _BACKSLASH_THEN_COMMENT if not row.endswith("\\") else _COMMENT
    return found.search(bare) is not None


def _is_blank_behind(row: str) -> bool:
    return _BLANK_BEHIND.search(row) is not None and _COMMENT.search(_QUOTED.sub("", row)) is None


def _is_even(text: str) -> bool:
    """Whether no quote is open at its end, and no here-document was begun."""
    rest = _QUOTED.sub("", text)
    return not any(mark in rest for mark in ("'", '"', "<<", "`", "$("))


def _indent(row: str) -> int:
    found = _INDENT.match(row)
    return len(found[0].expandtabs()) if found is not None else 0


def commands_cut_short(script: BootScript) -> Iterator[tuple[CutShort, SourcePart]]:
    """The commands with an effect that are cut short, each with the part that holds its line."""
    if script.userdata.unread:
        return
    template = script.userdata.is_template or script.userdata.is_braced
    for part in map(SourcePart, script.userdata.parts):
        if may_be_cut_short(part.part.text):
            found = (_row_begun(part, each.place) for each in script.timeline.effects)
            begins = sorted({each for each in found if each is not None})
            yield from ((each, part) for each in cut_short(part.rows, begins, template=template))
    yield from _folded(script.userdata)
    for part in map(SourcePart, script.userdata.parts):
        if part.part.kind is PartKind.PLAYBOOK:
            yield from ((each, part) for each in _folded_tasks(part.rows))


def _row_begun(part: SourcePart, place: Place) -> int | None:
    """The row of a command. One that stands behind an option, in a substitution, does not begin with that: the row is
    an element of an array, or the command around it is none that is known. Within a plan no place has a column: there
    any substitution may be what is run."""
    index = part.index_of(place)
    if index is None or not _OPTION.match(part.rows[index].lstrip()):
        return index
    row = part.rows[index]
    if place.column is None:
        return None if "$(" in row or "`" in row else index
    first = part.part.origin.at(index + 1, len(row) - len(row.lstrip()) + 1).column
    return index if first is None or place.column <= first else None


def _folded_tasks(rows: Sequence[str]) -> Iterator[CutShort]:
    """Ansible's commands that YAML has joined: each stands on one line."""
    for index, row in enumerate(rows):
        found = next(
            (each for each in _ESCAPED_BLANK.finditer(row) if _takes_words(row[: each.start()], each[1])), None
        )
        if found is not None and not _ONLY_PRINTS.match(row):
            yield CutShort(index, index, Why.FOLDED)


def _folded(userdata: UserData) -> Iterator[tuple[CutShort, SourcePart]]:
    """The commands of cloud-config in which YAML folded several lines into one that a backslash was to continue."""
    for step in (each for each in listed_commands(userdata) if "\\ " in each.text):
        for number, row in enumerate(step.text.split("\n"), 1):
            place = step.origin.at(number)
            part = next((each for each in map(SourcePart, userdata.parts) if each.index_of(place) is not None), None)
            index = part.index_of(place) if part is not None and "\\ " in row else None
            found = folded_rows(part.rows, index, row) if part is not None and index is not None else None
            if part is not None and found is not None:
                yield found, part

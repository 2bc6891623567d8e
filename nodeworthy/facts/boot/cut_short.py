"""Commands that end a line too early: what was written behind them the shell takes for another command.

A backslash continues a line only as its very last character. A blank behind it is escaped instead, a comment swallows
it, and an empty line behind it ends the command. What is left of the command then begins with an option, and the shell
looks for a program of that name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum

from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

_OPTION = pattern(r"--?[A-Za-z][\w-]*")
_BLANK_BEHIND = pattern(r"\\[ \t]+$")
_INDENT = pattern(r"[ \t]*")
_COMMENT = pattern(r"(?:^|[ \t])#")
_BACKSLASH_THEN_COMMENT = pattern(r"\\[ \t]+#")
_QUOTED = pattern(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\[^ \t]")
# Behind these a command goes on by itself, whatever stands between.
_GOES_ON_ANYHOW = pattern(r"(?:&&|\||[({;]|\b(?:then|do|else))[ \t]*\\$")
_OPERATOR = pattern(r"[&|;)<>]|\d?[<>]")
# How much of a line's end is looked for where it was joined with the next one.
_SEAM = 12
# What a template puts here may be the rest of the line, a backslash among it, or take the end of the line away.
_OF_A_TEMPLATE = pattern(r"%\{|\{%|\{\{|\}\s*$")
# Nothing is looked for where none of these stands.
_MAY_BE = pattern(r"^[ \t]*--?[A-Za-z]|\\[ \t]+(?:#.*)?$|\\\n[ \t]*(?:#|\n)", re.MULTILINE)


class Why(StrEnum):
    BLANK = "a blank stands behind its backslash, which escapes that and continues nothing"
    COMMENT = "a comment stands in it, and a backslash in a comment continues nothing"
    EMPTY = "an empty line follows the backslash above it"
    NOTHING = "no backslash at its end continues it"
    FOLDED = "YAML joins these lines with a blank, which the backslash escapes: it continues nothing"


_REMEDIES = {
    Why.BLANK: "take the blanks away that stand behind the backslash",
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
    return _MAY_BE.search(text) is not None


def cut_short(rows: Sequence[str], begins: Iterable[int], *, template: bool) -> Iterator[CutShort]:
    """Of the rows on which commands begin, as whoever walked through the script found them."""
    told: set[int] = set()
    for index in begins:
        found = _above(rows, index) if _OPTION.match(rows[index].lstrip()) else _below(rows, index)
        if found is None or found.ends in told:
            continue
        if not (template and any(_OF_A_TEMPLATE.search(row) for row in rows[found.ends : found.lost])):
            told.add(found.ends)
            yield found


def folded(rows: Sequence[str], index: int, joined: str) -> CutShort | None:
    """Of the rows of YAML from which on `joined` was made, as one line of a shell's script. What only prints its words
    prints the same."""
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
    while index >= 0 and _says_nothing(rows[index]):
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
    return CutShort(index, lost, Why.NOTHING)


def _below(rows: Sequence[str], index: int) -> CutShort | None:
    """A command that wants to go on, as its last line says, and can't."""
    last = index
    while rows[last].endswith("\\") and last + 1 < len(rows) and not _says_nothing(rows[last + 1]):
        last += 1
    lost = last + 1
    while lost < len(rows) and _says_nothing(rows[lost]):
        lost += 1
    whole = "\n".join(rows[index : last + 1])
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


def _says_nothing(row: str) -> bool:
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

"""Scripts of a boot that their shell can't read to the end, or reads as other commands than were meant."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum

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
from nodeworthy.facts.boot.source_line import SourcePart
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import Place

# Commands that end a line too early: what was written behind them the shell takes for another command.
#
# A backslash continues a line only as its very last character. A blank behind it is escaped instead, a comment
# swallows it, and an empty line behind it ends the command. What is left of the command then begins with an option,
# and the shell looks for a program of that name.

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
# What a template decides, and not only fills in.
_OF_A_DIRECTIVE = pattern(r"%\{|\{%|\{\{-?\s*(?:if|range|with|end)\b")
# By which cloud-init begins the script that it makes of a list of commands.
_OF_SH = "#!/bin/sh\n"
# In an array no comment begins behind it: `\ ` begins a word, and `#` is its second letter.
_ESCAPED_COMMENT = pattern(r"^[ \t]*[^\s#'\"][^\n'\"]{0,400}?(\\[ \t]+#[^\n]{0,400})$", re.MULTILINE, words=("#",))
# A text that is announced, and a line that may have been meant as its end.
_ANNOUNCED = pattern(r"<<-?[ \t]*[\"'\\]?(\w+)")
_WORD = pattern(r"\w+")
# Nothing is looked for where none of these stands.
_MAY_BE = pattern(r"^[ \t]*--?[A-Za-z]|\\[ \t]+(?:#.*)?$|\\\n[ \t]*(?:#|\n)", re.MULTILINE)


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
    return _MAY_BE.search(text) is not None


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
    return None if _is_a_note(rows, lost) else CutShort(index, lost, Why.NOTHING)


def _is_a_note(rows: Sequence[str], lost: int) -> bool:
    """Whether lost options are a note: they follow an empty line, and the command above has them already, for another
    machine."""
    head = lost - 1
    while head > 0 and (_says_nothing(rows[head]) or _OPTION.match(rows[head].lstrip())):
        head -= 1
    name = _OPTION.match(rows[lost].lstrip())
    has_gap = any(not row.strip() for row in rows[head:lost])
    return has_gap and name is not None and name[0] in rows[head].split("#")[0].replace("=", " ").split()


def _below(rows: Sequence[str], index: int) -> CutShort | None:
    """A command that wants to go on, as its last line says, and can't."""
    last = index
    while rows[last].endswith("\\") and last + 1 < len(rows) and not _says_nothing(rows[last + 1]):
        last += 1
    lost = last + 1
    while lost < len(rows) and _says_nothing(rows[lost]):
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


@dataclass(frozen=True)
class Swallowed:
    """A text (`<<EOF`) whose end was written, and is none: what stands behind it goes into the text."""

    delimiter: str
    # Where the line stands that was to end it, and where the text was announced.
    place: Place
    begins: Place
    # Tabs are all that `<<-` takes away.
    by_tabs: bool


def texts_without_end(script: BootScript) -> Iterator[Swallowed]:
    for part in shell_parts(script):
        yield from _swallowed(part.text, part.origin)
    for step in _commands(script.userdata):
        yield from _swallowed(step.text, step.origin)


def _swallowed(text: str, origin: Origin) -> Iterator[Swallowed]:
    """The first of them: what comes behind it, the shell does not read."""
    rows = text.split("\n")
    blank = [index for index, row in enumerate(rows) if row != row.strip() and _WORD.fullmatch(row.strip())]
    meant = {rows[index].strip() for index in blank}
    if not any(found[1] in meant for found in _ANNOUNCED.finditer(text)):
        return
    source = LexedSource(text)
    Lexer(source).read(0, len(text))
    for body in source.bodies.values():
        first = text.count("\n", 0, body.start)
        ends = next((each for each in blank if each >= first and rows[each].strip() == body.delimiter), None)
        if not body.closed and ends is not None and not all(map(_says_nothing, rows[ends + 1 :])):
            yield Swallowed(body.delimiter, origin.at(ends + 1, 1), origin.at(first, 1), body.strips_tabs)
            return


# What bash has and dash, which is sh on Debian and Ubuntu, ends the script at.
#
# Dash reads a script command by command, too: what stands before is run. `[[` and `source` are no end: there it finds
# no such program, and goes on.

_OF_DEBIAN = pattern(
    r"(?m)(?:^|[;&|(]|\bsudo(?:[ \t]+-\S+)*)[ \t]*(?:apt-get|apt|dpkg|add-apt-repository|ubuntu-drivers)[ \t]"
)
_ANY_OF_DEBIAN = pattern(r"\b(?:apt-get|apt|dpkg|ubuntu-drivers)\b")
# A script that hands itself on to bash, or asks which shell it is.
FOR_BASH = pattern(r"\bexec[ \t]+(?:/usr)?(?:/bin/)?bash\b|BASH_VERSION|\([ \t]*set[ \t]+-\w*o[ \t]+pipefail")
_SETS_PIPEFAIL = pattern(r"(?m)^[ \t]*(set[ \t]+(?:-\w+[ \t]+)*-\w*o[ \t]+pipefail)")
_FUNCTION = pattern(r"(?m)^[ \t]*(function)[ \t]+[\w-]+")
_HERE_STRING = pattern(r"(<<<)")
_BOTH_PIPED = pattern(r"(\|&)")
_RANGE = pattern(r"\bfor[ \t]+\w+[ \t]+in[ \t]+(\{\d{1,6}\.\.\d{1,6}(?:\.\.\d{1,6})?\})", words=("..",))
_DASH = ("sh", "dash")
_SHELLS = (*_DASH, "bash")


class Bashism(StrEnum):
    PIPEFAIL = "option pipefail"
    FUNCTION = "`function`"
    ARRAY = "arrays"
    HERE_STRING = "`<<<`"
    SUBSTITUTION = "`<(…)`"
    BOTH_PIPED = "`|&`"
    COUNTING = "`for ((…))`"
    # No end, either: dash looks for programs of these names, finds none, and goes on.
    QUESTION = "`[[`"
    SOURCE = "`source`"
    # This one is no end: it is a word like any other.
    RANGE = "numbers in braces"


@dataclass(frozen=True)
class EndedByDash:
    what: Bashism
    place: Place
    row: str
    # Of a list of commands in cloud-config.
    of_a_list: bool


def ended_by_dash(script: BootScript) -> Iterator[EndedByDash]:
    """The first such place of each script that is given to sh where it asks for Debian's packages."""
    for part in shell_parts(script):
        first = part.text.partition("\n")[0]
        if first.startswith("#!") and interpreter(first) in _DASH:
            yield from _ended_by_dash(part.text, part.origin, of_a_list=False)
    steps = list(_commands(script.userdata))
    if any(_ANY_OF_DEBIAN.search(part.text) for part in script.userdata.parts if steps):
        for step in steps:
            yield from _ended_by_dash(step.text, step.origin, of_a_list=True)


def _ended_by_dash(text: str, origin: Origin, *, of_a_list: bool) -> Iterator[EndedByDash]:
    if FOR_BASH.search(text):
        return
    source = LexedSource(text)
    plain = Lexer(source).read(0, len(text))
    if not of_a_list and _OF_DEBIAN.search(plain) is None:
        return
    found = min(bashisms_in(source, plain), default=None) or next(_ranges(plain), None)
    if found is not None:
        row = text.count("\n", 0, found[0])
        yield EndedByDash(found[1], origin.at(row + 1, 1), text.split("\n")[row].strip(), of_a_list)


def _ranges(plain: str) -> Iterator[tuple[int, Bashism]]:
    yield from ((found.start(1), Bashism.RANGE) for found in _RANGE.finditer(plain))


def bashisms_in(source: LexedSource, plain: str) -> Iterator[tuple[int, Bashism]]:
    """Where dash ends, in no order."""
    for sign, what in (
        (_SETS_PIPEFAIL, Bashism.PIPEFAIL),
        (_FUNCTION, Bashism.FUNCTION),
        (_HERE_STRING, Bashism.HERE_STRING),
        (_BOTH_PIPED, Bashism.BOTH_PIPED),
    ):
        yield from ((found.start(1), what) for found in sign.finditer(plain))
    yield from ((at, Bashism.ARRAY) for at in source.arrays if at in source.ends)
    for at in source.ends:
        if source.text.startswith(("<(", ">("), at):
            yield at, Bashism.SUBSTITUTION
    yield from ((at, Bashism.COUNTING) for at in source.arithmetics if source.text[:at].rstrip().endswith("for"))


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
    for step in _commands(userdata):
        broken = why_broken(f"{_OF_SH}{step.text}", template=userdata.is_template, jinja=step.jinja)
        if broken is not None and not _is_decided_by_a_template(step.text, broken):
            yield Unreadable(_one_line_less(broken), step.origin, step.text)


def _commands(userdata: UserData) -> Iterator[Ran]:
    steps = userdata.cloud_config.steps if userdata.cloud_config else ()
    return (each for each in steps if isinstance(each, Ran))


def has_commands(script: BootScript) -> bool:
    """Whether cloud-config has lists of them."""
    return any(_commands(script.userdata))


def _is_decided_by_a_template(text: str, broken: Broken) -> bool:
    return _OF_A_DIRECTIVE.search(text, max(broken.begins - len(_OF_SH), 0)) is not None


def _one_line_less(broken: Broken) -> Broken:
    begins, read = broken.begins - len(_OF_SH), broken.read - len(_OF_SH)
    return replace(broken, line=broken.line - 1, line_of_begin=broken.line_of_begin - 1, begins=begins, read=read)


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
    for step in (each for each in _commands(userdata) if "\\ " in each.text):
        for number, row in enumerate(step.text.split("\n"), 1):
            place = step.origin.at(number)
            part = next((each for each in map(SourcePart, userdata.parts) if each.index_of(place) is not None), None)
            index = part.index_of(place) if part is not None and "\\ " in row else None
            found = folded_rows(part.rows, index, row) if part is not None and index is not None else None
            if part is not None and found is not None:
                yield found, part

"""What a dollar makes of what stands behind it, where something else was meant: `$$NAME`, the number of the shell's
process and a word; `${1:-{}}`, which its first brace closes."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.boot.userdata import Part
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.boot.unreadable_shell import shell_parts
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

_DOUBLED = pattern(r"(?<![\\$])\$\$([A-Za-z_]\w*)", words=("$$",))
_ASSIGNED = pattern(r"(?m)^[ \t]*(?:export[ \t]+|local[ \t]+|readonly[ \t]+|declare[ \t]+)?([A-Za-z_]\w*)=")
_IN_SINGLE_QUOTES = pattern(r"'[^'\n]*'")
_COMMENT = pattern(r"(?<=\s)#.*")
_TEXT_BEGINS = pattern(r"(?<!<)<<-?(?!<)[ \t]*[\"']?([A-Za-z_]\w*)")


# The braces of JSON as a default: the first one ends it, and the other stands behind whatever comes out.
_EMPTY_BRACES = pattern(r"\$\{(\w{1,80}):?[-=]\{\}\}", words=("-{}}", "={}}"))


# `[[ '$STATE' == 'up' ]]`: two words of the script's own, whose answer is the same whatever the variable holds.
_QUOTED = pattern(
    r"\[\[?[ \t]+(?:![ \t]+)?'(\$\{?\w{1,80}\}?)'[ \t]+(?:==?|!=|=~|-(?:eq|ne|lt|le|gt|ge))[ \t]", words=("'$",)
)


@dataclass(frozen=True)
class Doubled:
    place: Place
    name: str


@dataclass(frozen=True)
class Misread:
    """`${CONFIG:-{}}`, `[[ '$STATE' == up ]]`: the row, counted from nought, the column, and the variable."""

    row: int
    column: int
    written: str
    name: str


def quoted_in_questions(text: str) -> Iterator[Misread]:
    """Where no variable is asked for, but its name. What stands in a longer text is another shell's."""
    if _QUOTED.search(text) is None:
        return
    for row, line in _lines(text):
        at = single = double = 0
        for found in _QUOTED.finditer(line):
            single, double = single + line.count("'", at, found.start()), double + line.count('"', at, found.start())
            at = found.start()
            if single % 2 == 0 and double % 2 == 0:
                yield Misread(row, found.start(1), f"'{found[1]}'", found[1].strip("${}"))


def defaults_closed_early(text: str) -> Iterator[Misread]:
    if _EMPTY_BRACES.search(text) is not None:
        for row, line in _commands(text):
            for found in _EMPTY_BRACES.finditer(line):
                yield Misread(row, found.start() + 1, found[0], found[1])


def doubled_dollars(script: BootScript) -> list[Doubled]:
    """Of names that the script itself sets. In texts that it writes `$$` may be whose reads them: systemd's, Compose's,
    make's."""
    return [each for part in shell_parts(script) for each in _of_a_part(part)]


def _of_a_part(part: Part) -> Iterator[Doubled]:
    if _DOUBLED.search(part.text) is None:
        return
    names = {found[1] for found in _ASSIGNED.finditer(part.text)}
    for row, line in _commands(part.text):
        for found in _DOUBLED.finditer(line):
            if found[1] in names:
                yield Doubled(part.origin.at(row + 1, found.start() + 1), found[1])


def _commands(text: str) -> Iterator[tuple[int, str]]:
    """The lines that the shell itself reads, without comments and what stands in single quotes."""
    for row, line in _lines(text):
        yield row, _COMMENT.sub("", _IN_SINGLE_QUOTES.sub(lambda found: " " * len(found[0]), line))


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Those of no text that is written, and no comment."""
    ends = ""
    for row, line in enumerate(text.split("\n")):
        if ends:
            ends = "" if line.strip() == ends else ends
            continue
        if not line.lstrip().startswith("#"):
            yield row, line
        begins = _TEXT_BEGINS.search(line)
        ends = begins[1] if begins is not None else ""

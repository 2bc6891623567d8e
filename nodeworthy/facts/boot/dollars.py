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


@dataclass(frozen=True)
class Doubled:
    place: Place
    name: str


@dataclass(frozen=True)
class ClosedEarly:
    """`${CONFIG:-{}}`: the row, counted from nought, the column, and the variable."""

    row: int
    column: int
    written: str
    name: str


def defaults_closed_early(text: str) -> Iterator[ClosedEarly]:
    if _EMPTY_BRACES.search(text) is not None:
        for row, line in _commands(text):
            for found in _EMPTY_BRACES.finditer(line):
                yield ClosedEarly(row, found.start() + 1, found[0], found[1])


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
    ends = ""
    for row, line in enumerate(text.split("\n")):
        if ends:
            ends = "" if line.strip() == ends else ends
            continue
        if not line.lstrip().startswith("#"):
            yield row, _COMMENT.sub("", _IN_SINGLE_QUOTES.sub(lambda found: " " * len(found[0]), line))
        begins = _TEXT_BEGINS.search(line)
        ends = begins[1] if begins is not None else ""

"""What bash has and dash, which is sh on Debian and Ubuntu, ends the script at.

Dash reads a script command by command, too: what stands before is run. `[[` and `source` are no end: there it finds
no such program, and goes on.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from nodeworthy.boot.origin import Origin
from nodeworthy.boot.shell.lexer import Lexer
from nodeworthy.boot.shell.source import Source as LexedSource
from nodeworthy.boot.unpack.kinds import interpreter
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.boot.unreadable_shell import DASH, listed_commands, shell_parts
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

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
        if first.startswith("#!") and interpreter(first) in DASH:
            yield from _ended_by_dash(part.text, part.origin, of_a_list=False)
    steps = list(listed_commands(script.userdata))
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

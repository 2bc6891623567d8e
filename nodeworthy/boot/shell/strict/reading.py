"""What bash says to a script that it can't read."""

from __future__ import annotations

from collections import deque
from functools import lru_cache

from nodeworthy.boot.shell.parse import parse
from nodeworthy.boot.shell.strict.grammar import BashGrammar
from nodeworthy.boot.shell.strict.quoting import BashRefusal, NotTold
from nodeworthy.boot.shell.syntax import Script
from nodeworthy.boot.shell.templates import ENDS, FILLED, template_of
from nodeworthy.boot.unpack.kinds import interpreter
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

# Whether the shell that a script names can read it: bash, or a shell that bash's words are true of as well.

_BASH, _ALSO = "bash", ("sh", "dash", "ash")
# What bash refuses and another shell may read: it knows no such keyword or quotation, and takes it for a command.
_BASH_ALONE = pattern(
    r"\[\[|\(\(|\$['\"\[]|\b(?:function|select|coproc|time)\b|[<>]\(|=\(|&>|\|&|;&|<<<|\$\{[^}\n]*'|[?*+@!]\("
)
_MARKS = pattern(f"{FILLED}|\ue002")
_FILLED = pattern(f"{FILLED}\\d+{ENDS}")
# Of an example that people copy and fill in by hand; to the shell it is two redirections.
_PLACEHOLDER = pattern(r"<[A-Za-z][\w-]*(?: [\w-]+)*>")
_DIRECTIVE = pattern("\ue002.")
_OF_A_WORD = pattern(r"[\w=/:.@,+-]")
# What bash says of an `if`, a loop or a `case` that is never closed.
_END_OF_FILE = "unexpected end of file"


# Texts that the grammar for all shells has read, and found nothing in that bash may not: the rules ask of them again.
_READABLE: deque[tuple[str, bool, bool]] = deque(maxlen=32)


def read(text: str, *, template: bool = False, jinja: bool = False) -> tuple[Script, Broken | None]:
    """The statements of a script as far as it is run, and what the shell can't read of it."""
    script = parse(text, template=template, jinja=jinja)
    if script.is_readable:
        _READABLE.append((text, template, jinja))
        return script, None
    broken = why_broken(text, template=template, jinja=jinja)
    if broken is None:
        return script, None
    return parse(text[: broken.begins], template=template, jinja=jinja), broken


def why_broken(text: str, *, template: bool = False, jinja: bool = False) -> Broken | None:
    """None where it can be read, where what a template fills in may decide it, and where no such shell reads it."""
    return None if (text, template, jinja) in _READABLE else _why_broken(text, template, jinja)


@lru_cache(maxsize=32)
def _why_broken(text: str, template: bool, jinja: bool) -> Broken | None:
    first = text.partition("\n")[0]
    shell = interpreter(first) if first.startswith("#!") else _BASH
    if (shell != _BASH and shell not in _ALSO) or "\r" in text or "\0" in text:
        return None
    found = _of_template(text, jinja=jinja) if template or jinja else why_unreadable(text)
    if found is None or (shell in _ALSO and _BASH_ALONE.search(text, found.begins, found.read)):
        return None
    return None if _is_to_be_filled_in(text) else found


def _is_to_be_filled_in(text: str) -> bool:
    """Whether it can be read once somebody has put something in place of each `<PLACEHOLDER>`."""
    filled = _PLACEHOLDER.sub(lambda each: "x" * len(each.group()), text)
    return filled != text and why_unreadable(filled) is None


def _of_template(text: str, *, jinja: bool) -> Broken | None:
    """What is filled in before the command that can't be read is taken to be whole by itself, and so is a part of a
    word: no token ends an `if`."""
    marked = template_of(text, jinja=jinja)
    # Of the same length, so that every place stays where it is.
    plain = _DIRECTIVE.sub("  ", _FILLED.sub(lambda each: "x" * len(each.group()), marked.text))
    found = why_unreadable(plain)
    if found is None:
        return None
    holes = [each.start() for each in _MARKS.finditer(marked.text, 0, min(found.read + 1, len(marked.text)))]
    ends_early = found.words.endswith(_END_OF_FILE)
    behind = [at for at in holes if at >= found.begins and not (ends_early and _is_within_a_word(marked.text, at))]
    if behind or any(_stands_alone(marked.text, at) for at in holes):
        return None
    return _in_the_original(found, marked.origins, text)


def _is_within_a_word(text: str, at: int) -> bool:
    """`K3S_TOKEN=${token}`, `https://${server}:6443`; of a directive nobody knows what it leaves."""
    filled = _FILLED.match(text, at)
    if filled is None:
        return False
    return any(_OF_A_WORD.match(each) for each in (text[max(at - 1, 0) : at], text[filled.end() : filled.end() + 1]))


def _stands_alone(text: str, at: int) -> bool:
    """Whether a filling has its line to itself: it may be anything then, even half a construct."""
    start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
    line = text[start : end if end >= 0 else len(text)]
    return not _DIRECTIVE.sub("", _FILLED.sub("", line)).strip()


def _in_the_original(found: Broken, origins: tuple[tuple[int, int], ...], text: str) -> Broken:
    def moved(at: int) -> int:
        missing = 0
        for offset, lost in origins:
            if offset > at:
                break
            missing = lost
        return min(at + missing, len(text))

    begins, read = moved(found.begins), moved(found.read)
    first = text.count("\n", 0, begins) + 1
    return Broken(found.words, first + found.line - found.line_of_begin, first, begins, read)


# Switched on while the script runs, it changes how what comes behind is read.
_EXTGLOB = pattern(r"shopt\s+-s\s[^\n;&|]*\bextglob\b|-O\s*extglob|BASHOPTS=[^\n]*extglob")


@dataclass(frozen=True)
class Broken:
    # Bash's own words, without the file's name and the line.
    words: str
    # Where bash says it, as it counts lines.
    line: int
    # The line on which the command begins that it could not read.
    line_of_begin: int
    # Where that command begins, as an offset: up to here everything is run.
    begins: int
    # As far as it had read, as an offset.
    read: int


def why_unreadable(text: str) -> Broken | None:
    """None also where it is too deep or too tangled to be sure."""
    text = text if text.endswith("\n") else f"{text}\n"
    grammar = BashGrammar(text, extglob=_EXTGLOB.search(text) is not None)
    try:
        grammar.script()
    except BashRefusal as refused:
        line = text.count("\n", 0, refused.at) + 1
        begins = grammar.command_start
        return Broken(refused.words, line, text.count("\n", 0, begins) + 1, begins, refused.read)
    except (NotTold, RecursionError):
        return None
    return None

"""What a file of modprobe says about the profiling option, right or nearly so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum

from nodeworthy.boot.content import Content, Line
from nodeworthy.boot.text import Text
from nodeworthy.known.profiling import option
from nodeworthy.records import dataclass

# Stands in a line for what is known only when the script runs.
HOLE = "\0"


class Says(Enum):
    RIGHT = "the option is there"
    OTHERWISE = "another value is there"
    MISSES = "it is meant, and has no effect"
    GONE = "whatever was there is gone"
    MAYBE = "it may be there"


@dataclass(frozen=True)
class OptionSaid:
    """What a line, or a file, says about the option."""

    says: Says
    line: Line | None = None
    # One clause: what is wrong with it, or why it is not known.
    why: str = ""


def option_in_content(content: Content) -> OptionSaid | None:
    """What a file says: its last line that decides, else the last that means to; None where none does."""
    said = [each for line in _joined(content.lines) if (each := said_by_line(line)) is not None]
    deciding = [each for each in said if each.says is not Says.MISSES]
    return next(reversed(deciding or said), None)


def _joined(lines: Iterable[Line]) -> Iterator[Line]:
    """A backslash at its end joins a line with the next one; it stands where it begins."""
    begun: Line | None = None
    for line in lines:
        whole = line if begun is None else Line(begun.text + line.text, begun.place)
        last = whole.text.pieces[-1] if whole.text.pieces else ""
        if isinstance(last, str) and last.endswith("\\"):
            begun = Line(Text.of(*whole.text.pieces[:-1], f"{last[:-1]} "), whole.place)
            continue
        begun = None
        yield whole
    if begun is not None:
        yield begun


def said_by_line(line: Line) -> OptionSaid | None:
    shown = _with_holes(line.text)
    if not shown.strip():
        return None
    if shown.lstrip().startswith("#"):
        return _commented(line, shown.lstrip().lstrip("# "))
    says, why = _says_of_words(shown.split())
    if says is Says.MAYBE:
        why = next((each.why for each in line.text.holes if each.shown.startswith("{{")), why)
    return OptionSaid(says, line, why) if says is not None else None


def _commented(line: Line, uncommented: str) -> OptionSaid | None:
    says, _ = _says_of_words(uncommented.split()) if uncommented.startswith("options") else (None, "")
    return OptionSaid(Says.MISSES, line, "the profiling option is commented out") if says is Says.RIGHT else None


def _with_holes(text: Text) -> str:
    return "".join(piece if isinstance(piece, str) else HOLE for piece in text.pieces)


def _says_of_words(words: list[str]) -> tuple[Says | None, str]:
    meant = [index for index, word in enumerate(words) if means_the_option(word)]
    if not meant:
        return (Says.MAYBE, "what stands here is known only when the script runs") if _may_mean(words) else (None, "")
    return next((each for each in _faults(words, meant[-1])), (Says.RIGHT, ""))


def _may_mean(words: list[str]) -> bool:
    """Whether a hole could hold the option, or the line that sets it."""
    if words[0] == HOLE:
        return True
    return words[0] in ("options", "install") and HOLE in "".join(words[1:])


def _faults(words: list[str], at: int) -> Iterator[tuple[Says, str]]:
    """What keeps a line that means the option from setting it to what is wanted."""
    name, sets, value = _unquoted(words[at]).partition("=")
    wanted = option()
    if words[0] not in ("options", "install"):
        yield _keyword(words[0])
    if at < 2:
        yield Says.MISSES, f"the line names no module: `options {wanted.module} …`"
    else:
        yield from _module(words[1].replace("-", "_"))
    if name != wanted.name:
        yield Says.MISSES, f"the option's name is misspelt: {name}, and the module knows {wanted.name}"
    if not sets or not value:
        yield Says.MISSES, "the option has no value: it is NAME=VALUE, without blanks"
    yield from _value(value.strip('"'))


def _unquoted(word: str) -> str:
    """The kernel takes quotes off an option as a whole, as NVIDIA writes it: "NAME=VALUE"."""
    return word[1:-1] if len(word) > 1 and word[0] == word[-1] == '"' else word


def _keyword(word: str) -> tuple[Says, str]:
    if HOLE in word:
        return Says.MAYBE, "how this line begins is known only when the script runs"
    return (
        Says.MISSES,
        f"the line begins with `{word}`, and modprobe reads options only from lines that begin with `options`",
    )


def _module(name: str) -> Iterator[tuple[Says, str]]:
    wanted = option()
    if HOLE in name:
        yield Says.MAYBE, "the module's name is known only when the script runs"
    elif name in wanted.also:
        yield (
            Says.MAYBE,
            f"{name} is what Debian's own package calls the module, every other driver calls it {wanted.module}",
        )
    elif name != wanted.module:
        yield Says.MISSES, f"the option belongs to module {wanted.module}, and is given to {name}"


def _value(value: str) -> Iterator[tuple[Says, str]]:
    if HOLE in value:
        yield Says.MAYBE, "the option's value is known only when the script runs"
    elif not _is_zero(value):
        yield Says.OTHERWISE, f"the profiling option is set to {value}"


def _is_zero(value: str) -> bool:
    return value.lower().removeprefix("0x").strip("0") == "" and value[:1] == "0"


def says_the_default(line: str) -> bool:
    """Whether the line sets the option to its default, which asks for no profiling."""
    wanted = option()
    words = (_unquoted(word).replace('"', "") for word in line.split())
    return f"{wanted.name}={wanted.default}" in words


def means_the_option(word: str) -> bool:
    """Whether a word is this option, or was meant to be."""
    name = word.lstrip('"').partition("=")[0].lower()
    if "profil" not in name:
        return False
    wanted = option().name.lower()
    if name == wanted:
        return True
    import difflib

    return difflib.SequenceMatcher(None, name, wanted).ratio() > 0.8

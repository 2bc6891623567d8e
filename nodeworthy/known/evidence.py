"""What programs print when something of ours is wrong, recognised in a line or in a whole log."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib.resources import files

from nodeworthy.records import dataclass

# An escaped quote (a journal's, JSON's), another one, or none at all: pasted words lose theirs.
_QUOTE = rb"""(?:\\*["'`]|\\u0022|&quot;|&#34;|\xe2\x80[\x98-\x9f])?"""
_SOMETHING = rb"\S{1,200}?"


@dataclass(frozen=True)
class Evidence:
    id: str
    text: str
    says: str
    rule: str | None
    cause: str
    remedy: str
    source: str


@dataclass
class Found:
    """An evidence in a text: how often, and the first line that has it."""

    evidence: Evidence
    times: int
    line: int
    # With what stands on the line: all that whoever shows it may need to know what in it is better not shown.
    words: str
    # Which of them are the evidence itself.
    itself: str = ""

    def shown(self, hide: Callable[[str], str]) -> str:
        """The evidence with what stands before and behind it, cut only when nothing in it may be half a secret."""
        text = hide(self.words)
        at = max(text.find(self.itself), 0)
        return text[max(0, at - 100) : at + len(self.itself) + 60].strip()


@cache
def all_evidence() -> tuple[Evidence, ...]:
    table = tomllib.loads(files(__package__).joinpath("evidence.toml").read_text(encoding="utf-8"))
    return tuple(Evidence(rule=row.pop("rule", None), **row) for row in table["evidence"])


@dataclass(frozen=True)
class _Pattern:
    evidence: Evidence
    # The longest words without a gap: a text that lacks them lacks the evidence.
    words: bytes
    expression: re.Pattern[bytes]


@cache
def _patterns() -> tuple[_Pattern, ...]:
    return tuple(_pattern(each) for each in all_evidence())


def _pattern(evidence: Evidence) -> _Pattern:
    parts = re.split(r"(<\w+>|[\"'`])", evidence.text)
    # `Insufficient nvidia.com/gpu` is no part of `…/gpumem`.
    ends = rb"(?![A-Za-z0-9_])" if evidence.text[-1].isalnum() else b""
    expression = b"".join(_part(each) for each in parts) + ends
    literal = max((each for each in parts if not each.startswith("<")), key=len)
    return _Pattern(evidence, literal.encode(), re.compile(expression))


def _part(text: str) -> bytes:
    if text.startswith("<"):
        return _SOMETHING
    return _QUOTE if text in ('"', "'", "`") else re.escape(text.encode())


def in_text(text: str) -> list[Found]:
    """What is known of a text; one that was pasted may be broken into lines anywhere."""
    for glue in ("\n", "", " "):
        found = in_stream([re.sub(r"[ \t]*\r?\n[ \t]*", glue, text).encode("utf-8", "replace")])
        if found:
            return found
    return []


def in_stream(chunks: Iterable[bytes]) -> list[Found]:
    """What is known of a log that comes in pieces, whose size does not matter, and that may hold any bytes."""
    counted: dict[str, Found] = {}
    line = 1
    for piece in _whole_lines(chunks):
        for pattern in _patterns():
            if pattern.words in piece:
                _count(pattern, piece, line, counted)
        line += piece.count(b"\n")
    order = {each.id: index for index, each in reversed(list(enumerate(all_evidence())))}
    return sorted(counted.values(), key=lambda each: order[each.evidence.id])


def _count(pattern: _Pattern, piece: bytes, line: int, counted: dict[str, Found]) -> None:
    matches = list(pattern.expression.finditer(piece))
    if not matches:
        return
    found = counted.get(pattern.evidence.id)
    if found is not None:
        found.times += len(matches)
        return
    first = matches[0]
    counted[pattern.evidence.id] = Found(
        pattern.evidence,
        len(matches),
        line + piece.count(b"\n", 0, first.start()),
        _line_around(piece, first.span()),
        _printable(piece[slice(*first.span())]),
    )


def _line_around(piece: bytes, span: tuple[int, int]) -> str:
    """The words as they were found, with what stands before and behind them on the line."""
    start = max(piece.rfind(b"\n", 0, span[0]) + 1, span[0] - _AROUND)
    end = piece.find(b"\n", span[1])
    return _printable(piece[start : min(end if end >= 0 else len(piece), span[1] + _AROUND)])


def _printable(words: bytes) -> str:
    told = words.decode("utf-8", "replace")
    return "".join(each if each.isprintable() else " " for each in told).strip()


_AROUND = 32 * 1024
# A line longer than this is judged in pieces; what lies across two of them is not seen.
_LONGEST_LINE = 4_000_000


def _whole_lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    rest = b""
    for chunk in chunks:
        rest += chunk
        end = rest.rfind(b"\n") + 1 or (len(rest) if len(rest) > _LONGEST_LINE else 0)
        if end:
            yield rest[:end]
            rest = rest[end:]
    if rest:
        yield rest

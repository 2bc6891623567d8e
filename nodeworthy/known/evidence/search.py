"""What is known of a text or of a log: the cause first, how often, and where."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import accumulate

from nodeworthy.known.evidence.entries import Evidence, Pattern, all_evidence, ranks, spread
from nodeworthy.known.evidence.harmless import without_harmless
from nodeworthy.known.evidence.lines import Lines
from nodeworthy.known.xid import xid_numbered
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass


@dataclass
class EvidenceMatch:
    """An evidence in a text: how often, and the first line that has it."""

    evidence: Evidence
    times: int
    line: int
    # With what stands on the line: all that whoever shows it may need to know what in it is better not shown.
    words: str
    # Which of them are the evidence itself.
    itself: str = ""
    # An Xid's, where it is one.
    number: int | None = None

    def shown(self, hide: Callable[[str], str]) -> str:
        """The evidence with what stands before and behind it, cut only when nothing in it may be half a secret."""
        text = hide(self.words)
        at = max(text.find(self.itself), 0)
        return text[max(0, at - 100) : at + len(self.itself) + 60].strip()

    @property
    def rank(self) -> tuple[bool, int, int]:
        """The order of causes: one that only says that something failed comes after one that says why."""
        entry = xid_numbered(self.evidence.table, self.number) if self.number is not None else None
        of_program = entry is not None and entry.whose == "program"
        return self.evidence.is_symptom or of_program, ranks()[self.evidence.id], self.line


def in_text(text: str) -> list[EvidenceMatch]:
    """What is known of a text; one that was pasted may be broken into lines anywhere."""
    return in_stream([text.encode("utf-8", "replace")])


def in_stream(chunks: Iterable[bytes]) -> list[EvidenceMatch]:
    """What is known of a log that comes in pieces, whose size does not matter, and that may hold any bytes."""
    counted: Counted = {}
    line = 1
    short: bytes | None = b""
    for piece, ends in _pieces(chunks):
        _search(piece, ends, partial(_line_at, piece, line), counted)
        line += piece.count(b"\n", 0, ends)
        short = short + piece[:ends] if short is not None and len(short) + ends <= _SHORT else None
    if short:
        _unwrapped(short, counted)
    numbered_too = {identifier for identifier, number in counted if number is not None}
    told = [found for (identifier, number), found in counted.items() if number or identifier not in numbered_too]
    return sorted(told, key=lambda each: each.rank)


Counted = dict[tuple[str, int | None], EvidenceMatch]

# What is longer was hardly pasted from a terminal.
_SHORT = 256 * 1024
_PASTED = 4_000
_AROUND = 32 * 1024
_BEFORE = 400
# A line longer than this is judged in pieces; what lies across two of them is not seen.
_LONGEST_LINE = 4_000_000
# The fewer lines together, the fewer entries have all their words among them.
_PIECE = 32 * 1024
# So many entries are tried on all of a piece before it is worth the while to know its words line by line.
_FEW = 300
# So much of a piece is looked at again with the next one: words may be wrapped into it.
_WRAPPED = 2_000
_COLOUR = pattern(rb"\x1b\[[0-9;]{0,12}[A-Za-z]")
# Whoever copies out of a page often loses the sign before a colour; and as JSON, syslog and editors write it.
_COLOUR_WITHOUT_SIGN = pattern(rb"\[(?:[0-9]{1,3};){0,4}[0-9]{1,3}m")
_WRITTEN_SIGNS = (b"\\u001b", b"\\x1b", b"\\033", b"#033", b"^[")
# Line ends as JSON and syslog write them, a page's blanks that do not break, and the frame that Terraform draws.
_WRITTEN_BLANKS = (
    b"\\r",
    b"\\n",
    b"\\t",
    b"#012",
    b"#011",
    "\u00a0".encode(),
    "│".encode(),
    "╷".encode(),
    "╵".encode(),
)
_ASKED = pattern(
    rb"(?:^\s*\++|[#$>%|;&])\s*(?:sudo\s+)?(?:[ef]?grep|rg|echo|printf|awk|sed|nodeworthy)\s[^|;&]{0,300}$"
)
_REPEATED = pattern(rb"\(x(\d{1,6}) over |message repeated (\d{1,6}) times")
_ENDS = pattern(rb"[ \t]*\r?\n[ \t]*")


@cache
def _patterns() -> tuple[Pattern, ...]:
    return tuple(Pattern(each, text) for each in all_evidence() for text in each.texts)


@cache
def _known_words() -> frozenset[bytes]:
    return frozenset().union(*(each.words for each in _patterns()))


def _search(piece: bytes, ends: int, line_of: Callable[[int], int], counted: Counted) -> None:
    """One look for all words, and then only for the entries all of whose words are there."""
    small = _small(piece)
    small = without_harmless(small, small)
    there = set(spread(small).split())
    likely = _likely(there)
    lines = Lines(small, _known_words()) if len(likely) > _FEW else None
    found = [each for entry in likely for each in _matches(entry, small, lines, ends)]
    hidden = {(other, match.begins) for match in found for other in match.evidence.hides}
    # Of one line one text of an entry counts, and the others say no more.
    counts: dict[tuple[str, int], str] = {}
    said = {each.begins for each in found if not each.evidence.is_family}
    causes = (each for each in found if _is_cause(each.evidence) and (each.evidence.id, each.begins) not in hidden)
    explained = {each.begins for each in causes}
    for each in found:
        key = (each.evidence.id, each.begins)
        if key in hidden or (each.evidence.is_family and each.begins in said):
            continue
        # What the cause brings about is told by its own line only where that says nothing of the cause.
        if each.evidence.is_symptom and each.begins in explained:
            continue
        if counts.setdefault(key, each.text) == each.text:
            _count(each.evidence, each.match, piece, line_of, counted)


def _likely(there: set[bytes]) -> list[Pattern]:
    """The patterns whose words are all there, in their order. A line has the words of few of the thousands of texts."""
    patterns, by_word = _patterns(), _by_rarest_word()
    numbers = [number for word in (there & by_word.keys()) for number in by_word[word]]
    return [patterns[number] for number in sorted((*numbers, *by_word[b""])) if patterns[number].words <= there]


@cache
def _by_rarest_word() -> Mapping[bytes, Sequence[int]]:
    """The numbers of the patterns, each by that of its words which the fewest of them have; without a word, by none."""
    often = Counter(word for each in _patterns() for word in each.words)
    found: dict[bytes, list[int]] = {b"": []}
    for number, each in enumerate(_patterns()):
        rarest = min(each.words, key=lambda word: (often[word], word), default=b"")
        found.setdefault(rarest, []).append(number)
    return found


def _is_cause(evidence: Evidence) -> bool:
    return not evidence.is_symptom and not evidence.is_family


@dataclass(frozen=True)
class _Match:
    evidence: Evidence
    text: str
    match: re.Match[bytes]
    # Where its line begins.
    begins: int


def _matches(entry: Pattern, small: bytes, lines: Lines | None, ends: int) -> Iterator[_Match]:
    places = lines.places(entry) if lines is not None else [(0, len(small))]
    for match in (match for place in places for match in entry.expression.finditer(small, *place)):
        start = match.start()
        begins = small.rfind(b"\n", 0, start) + 1
        if start < ends and not _in_a_word(small, start) and not _is_asked(small, begins, start):
            yield _Match(entry.evidence, entry.text, match, begins)


def _small(piece: bytes) -> bytes:
    """The piece in small letters, every byte in its place: without colours, and without the letters of escaped line
    ends."""
    small = piece.lower()
    if b"\x1b" in small:
        small = _COLOUR.sub(_blanks, small)
    coloured = _COLOUR_WITHOUT_SIGN.sub(_blanks, small)
    for each in _WRITTEN_BLANKS if coloured == small else _WRITTEN_BLANKS + _WRITTEN_SIGNS:
        coloured = coloured.replace(each, b" " * len(each))
    return coloured


def _blanks(found: re.Match[bytes]) -> bytes:
    return b" " * len(found[0])


def _in_a_word(text: bytes, start: int) -> bool:
    return start > 0 and text[start : start + 1].isalnum() and text[start - 1 : start].isalnum()


def _is_asked(text: bytes, begins: int, start: int) -> bool:
    """Whether a command looked for the text or wrote it: then no program has said it."""
    return _ASKED.search(text[max(begins, start - _BEFORE) : start]) is not None


def _count(
    evidence: Evidence, match: re.Match[bytes], piece: bytes, line_of: Callable[[int], int], counted: Counted
) -> None:
    begins = max(piece.rfind(b"\n", 0, match.start()) + 1, match.start() - _AROUND)
    repeated = _REPEATED.search(piece, max(begins, match.start() - _BEFORE), match.start())
    times = int(repeated[1] or repeated[2]) if repeated else 1
    number = int(match["number"]) if "number" in match.re.groupindex else None
    found = counted.get((evidence.id, number))
    if found is not None:
        found.times += times
        return
    counted[evidence.id, number] = EvidenceMatch(
        evidence,
        times,
        line_of(match.start()),
        _line_around(piece, begins, match.end()),
        _printable(piece[slice(*match.span())]),
        number,
    )


def _line_around(piece: bytes, begins: int, end: int) -> str:
    """The words as they were found, with what stands before and behind them on the line."""
    stop = piece.find(b"\n", end)
    return _printable(piece[begins : min(stop if stop >= 0 else len(piece), end + _AROUND)])


def _printable(words: bytes) -> str:
    told = words.decode("utf-8", "replace")
    # Of a long line with many causes each is shown with its surroundings: letter by letter that takes seconds.
    if not told.isprintable():
        told = told.translate({ord(each): " " for each in set(told) if not each.isprintable()})
    return told.strip()


def _line_at(piece: bytes, first: int, at: int) -> int:
    return first + piece.count(b"\n", 0, at)


def _unwrapped(text: bytes, counted: Counted) -> None:
    """A terminal breaks its lines within words: what is found only when they are joined was said, too."""
    lines = _ENDS.split(without_harmless(text, _small(text)))
    if len(lines) < 2:
        return
    _joined(lines, b"", counted)
    # Lines that have nothing to do with each other may look like one: only the few that somebody has pasted are one.
    if not counted and len(text) <= _PASTED:
        _joined(lines, b" ", counted)


def _joined(lines: list[bytes], glue: bytes, counted: Counted) -> None:
    starts = list(accumulate((len(each) + len(glue) for each in lines), initial=0))
    joined: Counted = {}
    glued = glue.join(lines)
    _search(glued, len(glued), lambda at: bisect_right(starts, at), joined)
    known = {identifier for identifier, _ in counted}
    counted.update({key: each for key, each in joined.items() if key[0] not in known})


def _pieces(chunks: Iterable[bytes]) -> Iterator[tuple[bytes, int]]:
    """Some lines, and up to where a find may begin: what begins behind it is found with the next piece."""
    rest = b""
    for chunk in chunks:
        rest += chunk
        at = done = 0
        while end := _end_of_lines(rest, at, done):
            begun = rest.rfind(b"\n", at, max(at, end - _WRAPPED)) + 1 or at
            if begun > at:
                yield rest[at:end], begun - at
            at, done = begun, end
        rest = rest[at:]
        if len(rest) > _LONGEST_LINE:
            yield rest, len(rest)
            rest = b""
    if rest:
        yield rest, len(rest)


def _end_of_lines(text: bytes, at: int, done: int) -> int:
    """Where the lines of the next piece end; 0 where none has ended since."""
    end = text.rfind(b"\n", max(at, done), at + _PIECE) + 1
    return end or text.find(b"\n", max(at + _PIECE, done)) + 1

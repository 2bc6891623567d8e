"""The entries nearest to a text in which nothing is known."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from nodeworthy.known.evidence.entries import Evidence, all_evidence, spread, words_of

# So many different lines are looked at, from the end: a program says last why it ended.
_LINES = 2_000
# Less than that of an entry's words, by weight, is chance.
_ENOUGH = 0.65
_FEWEST_WORDS = 2


def nearest(text: bytes, most: int = 3) -> list[tuple[Evidence, str]]:
    """At most so many, the nearest first, each with which of its texts it is."""
    weight = _weights()
    scored: dict[str, tuple[float, int, Evidence, str]] = {}
    known = frozenset(weight)
    for line in {line & known for line in _last_lines(text)}:
        for index in {index for word in line for index in _by_telling_word().get(word, ())}:
            words, evidence, written = _entries()[index]
            shared = line & words
            if len(shared) < _FEWEST_WORDS:
                continue
            score = sum(weight[word] for word in shared) / sum(weight[word] for word in words)
            if score >= _ENOUGH and (evidence.id not in scored or (score, -index) > scored[evidence.id][:2]):
                scored[evidence.id] = (score, -index, evidence, written)
    best = sorted(scored.values(), key=lambda each: each[:2], reverse=True)
    return [(evidence, written) for _, _, evidence, written in best[:most]]


def _last_lines(text: bytes) -> Iterable[frozenset[bytes]]:
    lines: dict[frozenset[bytes], None] = {}
    for line in reversed(text.splitlines()):
        lines.setdefault(frozenset(spread(line[:4_000]).split()))
        if len(lines) >= _LINES:
            break
    return lines


@cache
def _by_telling_word() -> Mapping[bytes, Sequence[int]]:
    """The entries by those of their words without which too little of them is left: a near line has one of these."""
    weight = _weights()
    found: dict[bytes, list[int]] = {}
    for index, (words, _, _) in enumerate(_entries()):
        left = sum(weight[word] for word in words)
        enough = left * _ENOUGH
        for word in sorted(words, key=lambda each: (-weight[each], each)):
            if left < enough:
                break
            found.setdefault(word, []).append(index)
            left -= weight[word]
    return found


@cache
def _entries() -> tuple[tuple[frozenset[bytes], Evidence, str], ...]:
    told = ((words_of(text), each, text) for each in all_evidence() for text in each.texts)
    return tuple(each for each in told if len(each[0]) >= _FEWEST_WORDS)


@cache
def _weights() -> dict[bytes, float]:
    """A word that many entries have tells little."""
    counted = Counter(word for words, _, _ in _entries() for word in words)
    return {word: math.log(1 + len(_entries()) / times) for word, times in counted.items()}

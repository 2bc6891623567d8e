"""The entries nearest to a text in which nothing is known."""

from __future__ import annotations

import math
from collections import Counter
from functools import cache

from nodeworthy.known.evidence.entries import Evidence, all_evidence, spread, words_of

# So many different lines are looked at, from the end: a program says last why it ended.
_LINES = 2_000
# Less than that of an entry's words, by weight, is chance.
_ENOUGH = 0.65
_FEWEST_WORDS = 2


def nearest(text: bytes, most: int = 3) -> list[tuple[Evidence, str]]:
    """At most so many, the nearest first, each with which of its texts it is."""
    lines: dict[frozenset[bytes], None] = {}
    for line in reversed(text.splitlines()):
        lines.setdefault(frozenset(spread(line[:4_000]).split()))
        if len(lines) >= _LINES:
            break
    weight = _weights()
    known = {word for words, _, _ in _entries() for word in words}
    told = {line & known for line in lines}
    scored: dict[str, tuple[float, int, Evidence, str]] = {}
    for index, (words, evidence, written) in enumerate(_entries()):
        of_all = sum(weight[word] for word in words)
        shared = max((line & words for line in told), key=lambda some: sum(weight[word] for word in some), default=None)
        if not shared or len(shared) < _FEWEST_WORDS:
            continue
        score = sum(weight[word] for word in shared) / of_all
        if score >= _ENOUGH and (evidence.id not in scored or score > scored[evidence.id][0]):
            scored[evidence.id] = (score, -index, evidence, written)
    best = sorted(scored.values(), key=lambda each: each[:2], reverse=True)
    return [(evidence, written) for _, _, evidence, written in best[:most]]


@cache
def _entries() -> tuple[tuple[frozenset[bytes], Evidence, str], ...]:
    told = ((words_of(text), each, text) for each in all_evidence() for text in each.texts)
    return tuple(each for each in told if len(each[0]) >= _FEWEST_WORDS)


@cache
def _weights() -> dict[bytes, float]:
    """A word that many entries have tells little."""
    counted = Counter(word for words, _, _ in _entries() for word in words)
    return {word: math.log(1 + len(_entries()) / times) for word, times in counted.items()}

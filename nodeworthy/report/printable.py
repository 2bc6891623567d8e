"""Text of others, made fit to be written: whatever a file, a log or a cluster holds, it only says what it says."""

from __future__ import annotations

from nodeworthy.patterns import pattern

REPLACED = "\ufffd"
LONGEST = 1_000
# Control characters but for tab and newline, half characters, what XML refuses, and what turns the direction of a line.
_UNFIT = pattern(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
)


def printable(text: str) -> str:
    return _UNFIT.sub(REPLACED, text)


def shortened(text: str) -> str:
    """What nobody would read to its end, cut, and how much there was."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… (cut: {len(text):,} characters)"


def on_one_line(text: str) -> str:
    return printable(text.replace("\n", " ").replace("\t", " "))


def escaped(json: str) -> str:
    """Of a JSON text: the same data, with nothing in it that a terminal would obey."""
    return _UNFIT.sub(lambda found: f"\\u{ord(found.group()):04x}", json)

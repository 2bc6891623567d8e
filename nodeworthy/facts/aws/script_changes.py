"""The difference between two boot scripts, in a line that names it."""

from __future__ import annotations

import difflib

from nodeworthy.records import dataclass

_LONGEST = 120


@dataclass(frozen=True)
class Change:
    is_: str
    should: str


def first_change(old: str, new: str) -> Change:
    """The first line that the old one lacks, else the first that it has too many; and how many lines differ beside."""
    if not old.strip() or not new.strip():
        return Change("none" if not old.strip() else "one", "one" if new.strip() else "none")
    before, after = old.splitlines(), new.splitlines()
    missing, added = _lines(before, after)
    if not missing and not added:
        return Change("it differs in its blanks alone", "as the template has it")
    more = len(missing) + len(added) - 1
    beside = f", and {more} more {'lines differ' if more > 1 else 'line differs'}" if more else ""
    if missing:
        number, line = missing[0]
        return Change(f"line {number} is missing: {_cut(line)}{beside}", f"line {number}: {_cut(line)}")
    number, line = added[0]
    return Change(f"line {number} is there: {_cut(line)}{beside}", f"no line {number}: {_cut(line)}")


def _lines(before: list[str], after: list[str]) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
    missing: list[tuple[int, str]] = []
    added: list[tuple[int, str]] = []
    matched = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for tag, first, last, from_, to in matched.get_opcodes():
        if tag != "equal":
            added += [(at + 1, before[at]) for at in range(first, last) if before[at].strip()]
            missing += [(at + 1, after[at]) for at in range(from_, to) if after[at].strip()]
    return missing, added


def _cut(line: str) -> str:
    shown = line.strip()
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…"

"""Reads the files of a repository by all cores, before their turn comes.

What was read of a file does not travel: a tree of YAML takes longer to hand over than to read. But most files of a
repository hold nothing of ours, and that is one word. So a worker passes over what looks like ours, and says of the
others whether they hold nothing; this process keeps what it has read of its own share, and reads what is left.

A root of Terraform is opened by the first of its files and is then there for the others, so those wait for their turn;
so does what somebody named, which may be a pipe that gives its bytes once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from functools import partial

from nodeworthy import workers
from nodeworthy.backstop import TookTooLong, call_bounded
from nodeworthy.collect.source.files import Source
from nodeworthy.collect.source.one_file import OF_A_TOOL, whats_in
from nodeworthy.collect.source.parsing import (
    FileContents,
    InputRefused,
    content,
    looks_like_ours,
    refused_as_too_long,
)
from nodeworthy.collect.source.scope import SeenElsewhere
from nodeworthy.records import dataclass, replace

# Whoever begins to read imports what reads: that is worth so many files.
LEAST = 1000
# What lies together has as much in common as it has to read: so many files of it go to one.
_TOGETHER = 8
# This process has to read what the others pass over, and to judge.
_TURNS_OF_A_WORKER = 2


class NotYet(Enum):
    """Marks a file that has to be read."""

    READ = "not read"


@dataclass(frozen=True)
class _Outcome:
    """Of one file."""

    found: FileContents | NotYet | None = NotYet.READ
    given_up: TookTooLong | None = None
    # With the last of a worker's: what was looked at beside them.
    seen: SeenElsewhere | None = None


_LEFT = _Outcome()


def read_ahead(sources: Sequence[Source], rules: frozenset[str]) -> Callable[[Source], FileContents | None]:
    """How each is read when its turn comes: as a rule it has been, and is let go of."""
    pieces = [each for each in sources if each.below and not each.path.name.endswith(OF_A_TOOL)]
    count = workers.count_for(pieces, LEAST)
    known: dict[str, _Outcome] = {}
    if count > 1:
        shares = _dealt(pieces, count)
        made = workers.by_shares(shares, partial(_read_here, rules=rules), partial(_read_there, rules=rules))
        for share, outcomes in zip(shares, made, strict=True):
            if outcomes and (seen := outcomes[-1].seen) is not None:
                share[-1].scopes.note(seen)
            known |= {source.shown: each for source, each in zip(share, outcomes, strict=True)}

    def read(source: Source) -> FileContents | None:
        outcome = known.pop(source.shown, _LEFT)
        if outcome.given_up is not None:
            raise refused_as_too_long(source, outcome.given_up)
        return whats_in(source, rules) if isinstance(outcome.found, NotYet) else outcome.found

    return read


def _dealt(pieces: Sequence[Source], count: int) -> list[list[Source]]:
    turns = [0, *(each for each in range(1, count) for _ in range(_TURNS_OF_A_WORKER))]
    shares: list[list[Source]] = [[] for _ in range(count)]
    for number, each in enumerate(pieces):
        shares[turns[number // _TOGETHER % len(turns)]].append(each)
    return shares


def _read_here(share: Sequence[Source], rules: frozenset[str]) -> list[_Outcome]:
    return [_outcome(each, rules) for each in share]


def _read_there(share: Sequence[Source], rules: frozenset[str]) -> list[_Outcome]:
    made = [_glance(each, rules) for each in share]
    made[-1] = replace(made[-1], seen=share[-1].scopes.seen)
    return made


def _glance(source: Source, rules: frozenset[str]) -> _Outcome:
    """Whether it holds nothing of ours; what holds something is read by who judges it."""
    try:
        data = content(source)
    except InputRefused:
        return _LEFT
    if data is not None and looks_like_ours(source, data):
        return _LEFT
    outcome = _outcome(source, rules)
    return outcome if outcome.found is None else replace(outcome, found=NotYet.READ)


def _outcome(source: Source, rules: frozenset[str]) -> _Outcome:
    try:
        return _Outcome(call_bounded(whats_in, source, rules))
    except TookTooLong as problem:
        return _Outcome(given_up=problem)
    except InputRefused:
        return _LEFT  # when its turn comes, it is refused again and told

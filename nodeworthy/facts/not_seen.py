"""What a collector should have seen and could not."""

from __future__ import annotations

from nodeworthy.records import dataclass
from nodeworthy.verdict import Place, Verdict


@dataclass(frozen=True)
class UnreadableInput:
    """A file found in a folder, or a part of a dump, that can't be read or parsed."""

    place: Place
    why: str


@dataclass(frozen=True)
class NotLookedAt:
    """Something that had to be seen and stayed unseen: a core kind, a host, a remote component."""

    place: Place
    why: str
    verdict: Verdict = Verdict.UNKNOWN
    remedy: str | None = None

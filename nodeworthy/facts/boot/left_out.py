"""What a module is given for its nodes to boot with, and hands on to nobody."""

from __future__ import annotations

from typing import ClassVar

from nodeworthy.records import dataclass
from nodeworthy.verdict import Place


@dataclass(frozen=True)
class LeftOut:
    called: ClassVar[str] = "what a module leaves out"

    place: Place
    argument: str
    why: str
    # What does run.
    instead: str

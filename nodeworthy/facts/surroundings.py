"""What may be asked of the files around a subject: whoever collects it from files says how, all others have none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from nodeworthy.records import dataclass


@dataclass(frozen=True)
class Held:
    """A file of the scope, and what stands in it."""

    path: Path
    data: bytes


class Surroundings(Protocol):
    """The files of a subject's scope: of its repository, else of its project, else of its folder."""

    @property
    def incomplete(self) -> str:
        """Why not all of them were looked at; "" where they were, as far as anybody has asked."""

    def holding(self, mark: re.Pattern[bytes], suffixes: Sequence[str] = ()) -> Iterator[Held]:
        """The files in which this stands, those nearest to the root first. The mark decides which files are read
        on: a word that few files hold."""

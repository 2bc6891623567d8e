"""What may be asked of the files around a subject: whoever collects it from files says how, all others have none."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from nodeworthy.records import dataclass
from nodeworthy.verdict import Place


@dataclass(frozen=True)
class Held:
    """A file of the scope, and what stands in it."""

    path: Path
    data: bytes


@dataclass(frozen=True)
class Reference:
    """A place that names a file."""

    path: Path
    line: int
    # The name as it stands there: `${path.module}/scripts/boot.sh`.
    name: str
    # Where in the file's bytes it begins.
    offset: int

    @property
    def place(self) -> Place:
        relative = os.path.relpath(self.path)
        return Place(str(self.path) if relative.startswith("..") else relative, self.line)


class Surroundings(Protocol):
    """The files of a subject's scope: of its repository, else of its project, else of its folder."""

    @property
    def incomplete(self) -> str:
        """Why not all of them were looked at; "" where they were, as far as anybody has asked."""

    @property
    def remembered(self) -> dict[str, Any]:
        """What was found out of all of them once, for whoever asks again."""

    def holding(
        self, mark: re.Pattern[bytes], suffixes: Sequence[str] = (), words: Sequence[bytes] = ()
    ) -> Iterator[Held]:
        """The files that hold the mark, those nearest to the root first. The mark decides which files are read further,
        so it is a word that few files hold. Where it is slow to look for, `words` are given: each place that it finds
        has one of them."""

    def read(self, path: Path) -> bytes | None:
        """None where it does not lie in the scope, is too long, or can't be read."""

    def references_to(self, path: Path) -> Sequence[Reference]:
        """The places in other files of the scope that name this file."""

    def folders_of(self, path: Path) -> Sequence[str]:
        """The names of the folders in which it lies, the nearest first, below the scope's root."""

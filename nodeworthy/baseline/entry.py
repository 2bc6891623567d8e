"""By what a failure is known again when the lines around it have moved."""

from __future__ import annotations

import os
from hashlib import blake2b
from pathlib import Path, PurePath

from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Finding

STDIN = "-"
# More than anybody reads in a list of such entries.
LONGEST = 300
# What moves though nothing has changed: the line in a text, the position in a list.
_LINES = pattern(r"\b(lines?) \d+(?:(?:, | and |-|–)\d+)*")
_POSITION = pattern(r"\[\d+\]")


@dataclass(frozen=True)
class Entry:
    """One failure: its file, its rule, what it is about there, what is said of it and what was found."""

    path: str
    rule: str
    at: str = ""
    says: str = ""
    found: str = ""

    @property
    def place(self) -> str:
        return " ".join(filter(None, (self.path, self.at)))


def entry_of(finding: Finding, folder: Path) -> Entry:
    """Paths are from the baseline's folder on, so that it holds wherever the command is run."""
    where = finding.where
    about = " ".join(filter(None, (where.urn, where.host, where.object, where.subject)))
    path = path_from(folder, where.path) if where.path else ""
    return Entry(path, finding.rule, _at_rest(about), _at_rest(finding.message), _at_rest(finding.is_ or ""))


def path_from(folder: Path, path: str | Path) -> str:
    if path == STDIN:
        return STDIN
    return PurePath(os.path.relpath(os.path.abspath(path), folder)).as_posix()


def _at_rest(text: str) -> str:
    return _shortened(_POSITION.sub("[]", _LINES.sub(r"\1", text)))


def _shortened(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]}… {blake2b(text.encode('utf-8', 'surrogatepass'), digest_size=6).hexdigest()}"

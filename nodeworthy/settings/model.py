"""Settings as they were read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from nodeworthy.records import dataclass
from nodeworthy.verdict import Place


@dataclass(frozen=True)
class LeftOut:
    """A rule that the settings leave out, why, and where they say so."""

    rule: str
    why: str
    place: Place


@dataclass(frozen=True)
class Settings:
    """`path` is the file that they stand in; paths in them are from its folder on."""

    path: Path
    shown: str
    fleet: str | None = None
    stack: str | None = None
    exclude: Sequence[str] = ()
    left_out: Sequence[LeftOut] = ()
    strict: bool = False
    allow_unknown: bool = False
    rules: str | None = None
    baseline: str | None = None

    @property
    def folder(self) -> Path:
        return self.path.parent

    @property
    def of_a_run(self) -> list[str]:
        """The keys in them that decide about a whole run, and not about which fleet is beside a file."""
        keys = {
            "exclude": self.exclude,
            "skip-rules": self.left_out,
            "strict": self.strict,
            "allow-unknown": self.allow_unknown,
            "rules": self.rules,
            "baseline": self.baseline,
        }
        return [key for key, value in keys.items() if value]

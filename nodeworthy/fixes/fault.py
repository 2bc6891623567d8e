"""What a rule found wrong with one subject in one file, as a fixer is given it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from nodeworthy.fixes.edit import Edit, Fix, Left, NotMended
from nodeworthy.fixes.text import Text
from nodeworthy.records import dataclass
from nodeworthy.verdict import Finding

Mend = Callable[[Text, Sequence[Finding]], list[Edit]]


@dataclass(frozen=True)
class Fault:
    findings: tuple[Finding, ...]
    text: Text
    # Something of the same subject could not be judged by the same rule.
    is_doubtful: bool = False

    def mended(self, findings: Sequence[Finding], title: str, mend: Mend) -> Fix | Left:
        """By these edits, or why not."""
        try:
            return Fix(tuple(findings), tuple(mend(self.text, findings)), title)
        except NotMended as problem:
            return Left(findings[0], problem.why)


Fixer = Callable[[Fault], Iterator[Fix | Left]]

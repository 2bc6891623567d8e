"""Findings that are told at once: what is not known in many places for one reason has one cause, and is one story."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

from nodeworthy.not_known import what_and_why
from nodeworthy.records import dataclass
from nodeworthy.verdict import Finding, Verdict

# Of many places, so many are told.
PLACES = 5


@dataclass(frozen=True)
class Told:
    """One finding, or many unknowns for one reason."""

    findings: Sequence[Finding]

    @property
    def first(self) -> Finding:
        return self.findings[0]

    @cached_property
    def rules(self) -> list[str]:
        return list(dict.fromkeys(each.rule for each in self.findings))

    @cached_property
    def is_one_sentence(self) -> bool:
        """Whether each of them says the same."""
        return len({each.sentence() for each in self.findings}) == 1

    def sentence(self) -> str:
        if self.is_one_sentence:
            return self.first.sentence()
        return f"{len(self.findings)} times not known, for one reason: {_reason(self.first)}"

    def places(self) -> list[str]:
        """Where, and where they differ what: the first of them, and how many there are besides."""
        if len(self.findings) == 1:
            return []
        every = list(dict.fromkeys(self._places()))
        if self.is_one_sentence and len(every) == 1:
            return []
        more = [f"and {len(every) - PLACES:,} more"] if len(every) > PLACES else []
        return [*every[:PLACES], *more]

    def _places(self) -> Iterator[str]:
        for each in self.findings:
            what = what_and_why(each.message)[0] or each.sentence()
            yield str(each.where) if self.is_one_sentence else f"{each.where}: {what}"


def together(findings: Iterable[Finding]) -> list[Told]:
    """In the order of the first of each. Where they differ in more than their places, only what is common to all is
    told of them: so those that say what mends them are told with others of the same remedy alone."""
    found: dict[Any, list[Finding]] = {}
    for number, each in enumerate(findings):
        key: Any = number
        if each.verdict is Verdict.UNKNOWN:
            key = (_reason(each), each.cause, each.remedy, each.is_, each.should, each.simulated)
        found.setdefault(key, []).append(each)
    return [Told(some) for some in found.values()]


def _reason(finding: Finding) -> str:
    return what_and_why(finding.message)[1]

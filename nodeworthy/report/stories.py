"""Groups findings for a reader. Many unknowns with one reason become one story with one cause."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from nodeworthy.records import dataclass
from nodeworthy.telling import what_and_why
from nodeworthy.verdict import Finding, Verdict

# Of many places, so many are told.
PLACES = 5
# So many stories of one reason are looked through for one that a finding fits.
_STORIES = 20


@dataclass(frozen=True)
class Story:
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
        return f"{len(self.findings)} times not known, for one reason: {_why_of(self.first)}"

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


def stories_of(findings: Iterable[Finding]) -> list[Story]:
    """The groups, in the order of their first findings. Findings with different causes or remedies stay apart. A
    finding without a cause joins those that have one."""
    stories: list[_OpenStory] = []
    by_reason: dict[tuple[str, bool], list[_OpenStory]] = {}
    for each in findings:
        alike = by_reason.setdefault((_why_of(each), each.simulated), []) if each.verdict is Verdict.UNKNOWN else []
        if not any(story.takes(each) for story in alike[:_STORIES]):
            stories.append(_OpenStory([each], each.cause, each.remedy))
            alike.append(stories[-1])
    return [Story(story.findings) for story in stories]


@dataclass
class _OpenStory:
    findings: list[Finding]
    cause: str | None
    remedy: str | None

    def takes(self, finding: Finding) -> bool:
        both = (self.cause, finding.cause), (self.remedy, finding.remedy)
        if any(one is not None and other is not None and one != other for one, other in both):
            return False
        self.findings.append(finding)
        self.cause, self.remedy = self.cause or finding.cause, self.remedy or finding.remedy
        return True


def _why_of(finding: Finding) -> str:
    return what_and_why(finding.message)[1]

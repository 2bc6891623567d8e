"""What is broken, in plain words: findings that say the same to whoever waits for a job are one cause."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nodeworthy.facts.cluster.sighting import Sighting, Sign
from nodeworthy.records import dataclass
from nodeworthy.report.brief_words import RULES, Plain
from nodeworthy.verdict import Finding

SHOWN = 5


@dataclass(frozen=True)
class Cause:
    says: str
    # Whom it concerns: pool 'h100'.
    on: tuple[str, ...]
    findings: tuple[Finding, ...]

    @property
    def victims(self) -> list[str]:
        """A job that is itself the fault is hit by it, too."""
        found = dict.fromkeys(victim for each in self.findings for victim in each.victims)
        return list(found) or (self.places if self._plain is not None and self._plain.theirs else [])

    @property
    def places(self) -> list[str]:
        return list(dict.fromkeys(each.where.object or str(each.where) for each in self.findings))

    @property
    def _plain(self) -> Plain | None:
        return RULES.get(self.findings[0].rule)

    @property
    def where_and_what(self) -> str:
        return f"{names(self.on)}: {self.says}" if self.on else self.says

    @property
    def is_mendable(self) -> bool:
        return all(each.remedy for each in self.findings)

    @property
    def to_do(self) -> str:
        if self._plain is None or self._plain.theirs is None:
            return "not known yet."
        if not self._plain.theirs:
            return "nothing. Your jobs need no change for this."
        remedies = list(dict.fromkeys(each.remedy for each in self.findings if each.remedy))
        return f"change the job: {'; '.join(remedies[:SHOWN]) or 'how was not found.'}"

    def among(self, sightings: Iterable[Sighting]) -> list[Sighting]:
        """What the cluster said of those that this is about."""
        objects = {*self.victims, *(each.where.object for each in self.findings)}
        return [each for each in sightings if each.object in objects]


def causes(broken: Iterable[Finding]) -> list[Cause]:
    """Those that hit most come first."""
    alike: dict[tuple[str, tuple[str, ...]], list[Finding]] = {}
    for each in broken:
        plain = RULES.get(each.rule)
        alike.setdefault((plain.says if plain else each.message, each.on), []).append(each)
    found = [Cause(says, on, tuple(findings)) for (says, on), findings in alike.items()]
    return sorted(found, key=lambda cause: -len(cause.victims))


def names(some: Sequence[str]) -> str:
    return ", ".join(some[:SHOWN]) + (f" and {len(some) - SHOWN} more" if len(some) > SHOWN else "")


def of_the_platform(sightings: Iterable[Sighting]) -> set[str]:
    return {each.object for each in sightings if each.sign is Sign.OWN}

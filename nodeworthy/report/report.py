"""What a run looked at and what it says, before anybody renders it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any

from nodeworthy.engine import Judgement
from nodeworthy.facts.cluster.sighting import Sighting
from nodeworthy.records import dataclass
from nodeworthy.report.offer import Offer
from nodeworthy.rule import Moment
from nodeworthy.verdict import Finding, Place, Severity, Verdict

SCHEMA = "nodeworthy/report/v1"
EVALUATED = (Verdict.PASS, Verdict.FAIL, Verdict.UNKNOWN, Verdict.ERROR)


@dataclass(frozen=True)
class Report:
    moment: Moment
    judgements: Sequence[Judgement]
    # What was looked at besides: files and unrecognised, resources, hosts, objects.
    looked_at: Mapping[str, int] = field(default_factory=dict)
    # What else a command has to tell, for its own renderer (a tree of resources, a ledger).
    extra: Mapping[str, Any] = field(default_factory=dict)
    # What the cluster said of the objects that findings name, where it is told to people.
    sightings: Sequence[Sighting] = ()
    # What would mend them, for the formats that programs read.
    offers: Mapping[Finding, Offer] = field(default_factory=dict)
    # The baseline that was laid over it, as its reader knows it.
    baseline: str | None = None

    @cached_property
    def summary(self) -> dict[str, int]:
        counted = Counter(each.verdict for each in self.judgements if not each.suppressed)
        failed = (each for each in self.judgements if each.verdict is Verdict.FAIL and not each.suppressed)
        return {
            **{str(verdict): counted[verdict] for verdict in Verdict},
            "warnings": sum(each.rule.severity is Severity.WARNING for each in failed),
            "suppressed": sum(each.suppressed for each in self.judgements),
            **({"baselined": sum(map(_is_baselined, self.judgements))} if self.baseline else {}),
        }

    @cached_property
    def evaluated(self) -> dict[str, int]:
        looked = [each for each in self.judgements if each.verdict in EVALUATED]
        return {
            "subjects": len({id(each.subject) for each in looked}),
            "rules": len({each.rule.id for each in looked}),
            "verdicts": len(looked),
            **self.looked_at,
        }

    @cached_property
    def findings(self) -> list[Finding]:
        """Everything but pass and skip, in the order of their places."""
        found = [finding for each in self.judgements for finding in each.findings]
        return sorted(found, key=_order)

    @cached_property
    def skipped(self) -> dict[str, dict[str, int]]:
        """Per rule that was skipped: why, and how often."""
        reasons: dict[str, Counter[str]] = {}
        for each in self.judgements:
            if each.verdict is Verdict.SKIP:
                reasons.setdefault(each.rule.id, Counter())[each.why or ""] += 1
        return {rule: dict(counted) for rule, counted in sorted(reasons.items())}

    def offer(self, finding: Finding) -> Offer | None:
        return self.offers.get(finding) if finding.edit is not None else None

    def exit_code(self, *, strict: bool = False, allow_unknown: bool = False) -> int:
        """0 something was evaluated and clean, 1 a failure, 3 unknown, crashed or nothing evaluated."""
        speaking = [each for each in self.judgements if not each.suppressed and (strict or _speaks_unasked(each))]
        verdicts = {each.verdict for each in speaking}
        if Verdict.FAIL in verdicts:
            return 1
        if Verdict.ERROR in verdicts or not self.evaluated["verdicts"]:
            return 3
        return 3 if Verdict.UNKNOWN in verdicts and not allow_unknown else 0


def _is_baselined(judgement: Judgement) -> bool:
    return judgement.suppressed and any(found.baselined for found in judgement.findings)


def _speaks_unasked(judgement: Judgement) -> bool:
    """A warning changes the exit code only when asked to; an error of ours always does."""
    return judgement.rule.severity is Severity.ERROR or judgement.verdict is Verdict.ERROR


def _order(finding: Finding) -> tuple[Any, ...]:
    where = finding.where
    return (
        *(value or "" for value in (where.path, where.urn, where.host, where.object)),
        where.line or 0,
        where.column or 0,
        finding.rule,
        finding.message,
        where.subject or "",
    )


def place_as_data(place: Place) -> dict[str, Any]:
    named = ("path", "line", "column", "urn", "host", "object", "subject")
    return {name: value for name in named if (value := getattr(place, name)) is not None}

"""Says of machines that boot with an old script which rules that script breaks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from nodeworthy.engine import Judgement
from nodeworthy.verdict import Finding, Verdict

_RULE = "nodes-current"


def with_broken_rules(judgements: Sequence[Judgement]) -> list[Judgement]:
    """What judges scripts said it of the machine that the old one was read from; here it is said with the cause."""
    broken: dict[str, list[str]] = defaultdict(list)
    for each in judgements:
        for one in each.findings:
            if one.verdict is Verdict.FAIL and one.where.urn and one.rule != _RULE:
                broken[one.where.urn].append(one.rule)
    return [_with(each, broken) for each in judgements]


def _with(judgement: Judgement, broken: Mapping[str, list[str]]) -> Judgement:
    if judgement.rule.id != _RULE:
        return judgement
    return replace(judgement, findings=tuple(_told(each, broken) for each in judgement.findings))


def _told(finding: Finding, broken: Mapping[str, list[str]]) -> Finding:
    rules = sorted({rule for each in finding.related for rule in broken.get(each.place.urn or "", ())})
    if not rules:
        return finding
    cause = f"what they boot with breaks {', '.join(rules)}"
    return replace(finding, cause=f"{finding.cause}; {cause}" if finding.cause else cause)

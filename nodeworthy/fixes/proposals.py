"""What could be mended of a run's findings, each in the text that it stands in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath

from nodeworthy.engine import Judgement
from nodeworthy.fixes.edit import Fix, Left
from nodeworthy.fixes.fault import Fault
from nodeworthy.fixes.fixers import fixer
from nodeworthy.fixes.text import Text
from nodeworthy.verdict import Finding, Verdict

_TEMPLATES = {".tpl", ".tftpl", ".tmpl", ".gotmpl", ".j2", ".erb"}


def proposals(judgements: Sequence[Judgement], texts: Mapping[str, Text]) -> Iterator[Fix | Left]:
    for judgement in judgements:
        mend = fixer(judgement.rule.id)
        failed = [each for each in judgement.findings if is_open(each)]
        if mend is None or not failed:
            continue
        doubtful = any(each.verdict is not Verdict.FAIL for each in judgement.findings)
        for path, findings in _by_path(failed).items():
            text = texts.get(path)
            if text is None:
                yield from (Left(each, "it does not stand in a file that can be mended") for each in findings)
                continue
            why = {each: _why_not(each) for each in findings}
            yield from (Left(each, says) for each, says in why.items() if says)
            mendable = tuple(each for each in findings if not why[each])
            if mendable:
                yield from mend(Fault(mendable, text, doubtful))


def is_open(finding: Finding) -> bool:
    return finding.verdict is Verdict.FAIL and not finding.suppressed and not finding.simulated


def _by_path(findings: Sequence[Finding]) -> dict[str, list[Finding]]:
    found: dict[str, list[Finding]] = defaultdict(list)
    for each in findings:
        found[each.where.path or ""].append(each)
    return found


def _why_not(finding: Finding) -> str:
    if finding.where.within is not None:
        return "it is packed: mend what it was packed from"
    if finding.where.line is None:
        return "it has no line"
    if PurePath(finding.where.path or "").suffix in _TEMPLATES:
        return "the file is a template: what it says is known only when it is filled in"
    return ""

"""A finding as an editor shows it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from lsprotocol.types import (
    CodeDescription,
    Diagnostic,
    DiagnosticRelatedInformation,
    DiagnosticSeverity,
    Position,
    Range,
)

from nodeworthy.lsp.places import Ruler
from nodeworthy.report.printable import printable
from nodeworthy.rules import ids, rule
from nodeworthy.verdict import Finding, Severity, Verdict

SOURCE = "nodeworthy"
# The pages of the rules, where this is a checkout.
PAGES = Path(__file__).resolve().parents[2] / "docs" / "rules"
LONGEST = 2_000


def diagnostic(finding: Finding, ruler: Ruler, documentation: str) -> Diagnostic:
    return Diagnostic(
        range=ruler.finding(finding),
        message=_shortened("\n".join(_message(finding))),
        severity=severity(finding),
        code=finding.rule,
        code_description=_description(finding.rule, documentation),
        source=SOURCE,
        related_information=list(_related(finding, ruler)) or None,
    )


def refusal(why: str) -> Diagnostic:
    """Something that the file is judged by can't be used."""
    at = Range(Position(0, 0), Position(0, 0))
    return Diagnostic(range=at, message=printable(why), severity=DiagnosticSeverity.Warning, source=SOURCE)


def severity(finding: Finding) -> DiagnosticSeverity:
    if finding.verdict is Verdict.UNKNOWN:
        return DiagnosticSeverity.Information
    if finding.severity is Severity.WARNING:
        return DiagnosticSeverity.Warning
    return DiagnosticSeverity.Error


def _message(finding: Finding) -> Iterator[str]:
    yield finding.sentence()
    if finding.should is not None:
        yield f"is: {finding.is_}" if finding.is_ is not None else "is: nothing"
        yield f"should: {finding.should}"
    if finding.remedy:
        yield f"fix: {finding.remedy}"


def _related(finding: Finding, ruler: Ruler) -> Iterator[DiagnosticRelatedInformation]:
    for each in finding.related:
        at = ruler.location(each.place)
        if at is not None:
            yield DiagnosticRelatedInformation(at, printable(each.says))


def _description(identifier: str, documentation: str) -> CodeDescription | None:
    if documentation:
        return CodeDescription(f"{documentation.rstrip('/')}/rules/{identifier}/")
    page = PAGES / f"{identifier}.md"
    return CodeDescription(page.as_uri()) if page.is_file() else None


def explained(findings: Sequence[Finding]) -> str:
    """Markdown: why it is wrong, what mends it, and what the rule is about."""
    return "\n\n---\n\n".join(_explained(each) for each in findings)


def _explained(finding: Finding) -> str:
    parts = [f"**{finding.rule}**: {_plain(finding.sentence())}"]
    for name, says in (("Why", finding.cause), ("Remedy", finding.remedy)):
        if says:
            parts.append(f"{name}: {_plain(says)}")
    if finding.rule in ids():
        parts.append(rule(finding.rule).documentation)
    return "\n\n".join(parts)


def _plain(text: str) -> str:
    """Text of others says what it says, and is no markup."""
    told = printable(text).replace("\n", " ")
    return "".join(f"\\{char}" if char in "\\`*_[]<>!#|" else char for char in _shortened(told))


def _shortened(text: str) -> str:
    told = printable(text)
    return told if len(told) <= LONGEST else f"{told[:LONGEST]}…"

"""A finding as an editor shows it, and what it offers to do about it: the edits of `check --fix`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from lsprotocol.types import (
    CodeAction,
    CodeActionKind,
    CodeDescription,
    Diagnostic,
    DiagnosticRelatedInformation,
    DiagnosticSeverity,
    Position,
    Range,
    TextEdit,
    WorkspaceEdit,
)

from nodeworthy.fixes.text import Change
from nodeworthy.lsp.checking import Checked
from nodeworthy.lsp.places import Ruler, touch
from nodeworthy.records import dataclass
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
        severity=_severity(finding),
        code=finding.rule,
        code_description=_description(finding.rule, documentation),
        source=SOURCE,
        related_information=list(_related(finding, ruler)) or None,
    )


def refusal(why: str) -> Diagnostic:
    """Something that the file is judged by can't be used."""
    at = Range(Position(0, 0), Position(0, 0))
    return Diagnostic(range=at, message=printable(why), severity=DiagnosticSeverity.Warning, source=SOURCE)


def _severity(finding: Finding) -> DiagnosticSeverity:
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


FIX_ALL = f"{CodeActionKind.SourceFixAll.value}.nodeworthy"


@dataclass(frozen=True)
class Asked:
    """Where, for what is shown there, and for actions of which kinds; all, where none is named."""

    uri: str
    at: Range
    shown: Sequence[Diagnostic]
    only: Sequence[str]

    def wants(self, kind: str) -> bool:
        return any(kind == each or kind.startswith(f"{each}.") for each in self.only)


def actions(checked: Checked, ruler: Ruler, asked: Asked) -> list[CodeAction]:
    found: list[CodeAction] = []
    if not asked.only or asked.wants(CodeActionKind.QuickFix.value):
        found += _quick_fixes(checked, ruler, asked)
    if asked.wants(FIX_ALL):
        found += _fix_all(checked, ruler, asked)
    return found


def _quick_fixes(checked: Checked, ruler: Ruler, asked: Asked) -> Iterator[CodeAction]:
    for fix in checked.proposed:
        ranges = [ruler.finding(each) for each in fix.findings]
        if not any(touch(each, asked.at) for each in ranges) or not checked.holds(fix):
            continue
        rules = {each.rule for each in fix.findings}
        yield CodeAction(
            title=fix.title,
            kind=CodeActionKind.QuickFix,
            diagnostics=[each for each in asked.shown if each.code in rules and each.range in ranges],
            is_preferred=True,
            edit=_edit(asked.uri, fix.changes, ruler),
        )


def _fix_all(checked: Checked, ruler: Ruler, asked: Asked) -> Iterator[CodeAction]:
    """Tried on the text in rounds, and therefore told as one edit: what lies between the first and last change."""
    plan = checked.mended()
    if plan is not None and plan.changed:
        edit = _between(checked.text.text, plan.after[checked.text.path].text)
        title = f"Mend everything that leaves no choice ({plan.mended})"
        yield CodeAction(title=title, kind=FIX_ALL, edit=_edit(asked.uri, [edit], ruler))


def _between(before: str, after: str) -> Change:
    least = min(len(before), len(after))
    start = next((at for at in range(least) if before[at] != after[at]), least)
    rest = least - start
    end = next((at for at in range(rest) if before[-1 - at] != after[-1 - at]), rest)
    return Change(start, len(before) - end, after[start : len(after) - end])


def _edit(uri: str, changes: Sequence[Change], ruler: Ruler) -> WorkspaceEdit:
    return WorkspaceEdit(changes={uri: [TextEdit(ruler.change(each), each.new) for each in changes]})

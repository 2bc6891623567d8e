"""A finding as an editor shows it, and what it offers to do about it: the edits of `check --fix`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from lsprotocol.types import (
    CodeAction,
    CodeActionKind,
    CodeDescription,
    Diagnostic,
    DiagnosticRelatedInformation,
    DiagnosticSeverity,
    Location,
    Position,
    PositionEncodingKind,
    Range,
    TextEdit,
    WorkspaceEdit,
)
from pygls.uris import from_fs_path, to_fs_path

from nodeworthy.facts.boot.script import BootScript
from nodeworthy.fixes.text import Change, Text
from nodeworthy.lsp.checking import Checked
from nodeworthy.records import dataclass
from nodeworthy.redaction import hide_secrets
from nodeworthy.report.printable import printable
from nodeworthy.report.timeline import steps_at
from nodeworthy.rules import ids, rule
from nodeworthy.verdict import Finding, Place, Severity, Verdict

# Places as an editor has them: URIs, and ranges in the units that it counts in.

# How long a character is, by what an editor and we have agreed upon.
_BYTES = {
    PositionEncodingKind.Utf8: ("utf-8", 1),
    PositionEncodingKind.Utf16: ("utf-16-le", 2),
    PositionEncodingKind.Utf32: ("utf-32-le", 4),
}


def path_of(uri: str) -> Path | None:
    """The path of what lies in a file, or will once it is saved. None for anything else."""
    if not uri.startswith("file:"):
        return None
    try:
        path = to_fs_path(uri)
    except ValueError:
        return None
    return Path(path) if path and "\x00" not in path else None


def uri_of(path: str) -> str:
    return from_fs_path(os.path.abspath(path)) or ""


@dataclass(frozen=True)
class Ruler:
    """Tells the places of one text in an editor's units."""

    text: Text
    units: PositionEncodingKind | str | None = PositionEncodingKind.Utf16

    def finding(self, found: Finding) -> Range:
        return self.place(found.where, found.is_)

    def place(self, place: Place, says: str | None = None) -> Range:
        """The range from where it stands to the end of what is said of it, or of its line."""
        line = min(max(place.line or 1, 1), self.text.lines)
        shown = self.text.line(line)
        start = min((place.column or 1) - 1, len(shown))
        if place.line is None or place.column is None:
            start = len(shown) - len(shown.lstrip())
        if start >= len(shown.rstrip()):
            return Range(self._position(line, 0), self._position(line, len(shown)))
        return Range(self._position(line, start), self._position(line, _end(shown, start, says)))

    def change(self, change: Change) -> Range:
        return Range(self._at(change.start), self._at(change.end))

    def location(self, place: Place) -> Location | None:
        """The other end of a finding; of another file only where it begins is known."""
        if place.path is None:
            return None
        if place.path == self.text.path:
            return Location(uri_of(place.path), self.place(place))
        at = Position(max((place.line or 1) - 1, 0), max((place.column or 1) - 1, 0))
        return Location(uri_of(place.path), Range(at, at))

    def _at(self, offset: int) -> Position:
        line, column = self.text.position(offset)
        return self._position(line, column - 1)

    def _position(self, line: int, column: int) -> Position:
        start = self.text.start(line)
        encoding, size = _BYTES.get(PositionEncodingKind(self.units or "utf-16"), ("utf-16-le", 2))
        before = self.text.text[start : start + column].encode(encoding, "surrogatepass")
        return Position(line - 1, len(before) // size)


def _end(shown: str, start: int, says: str | None) -> int:
    if says and "\n" not in says:
        found = shown.find(says, start)
        # Behind a quote, a dash or an option's name.
        if 0 <= found <= start + 1:
            closed = found + len(says)
            return closed + (found > start and shown[closed : closed + 1] == shown[start])
    return len(shown.rstrip())


def touch(one: Range, other: Range) -> bool:
    return _key(one.start) <= _key(other.end) and _key(other.start) <= _key(one.end)


def _key(position: Position) -> tuple[int, int]:
    return position.line, position.character


SOURCE = "nodeworthy"
# The pages of the rules, where this is a checkout.
PAGES = Path(__file__).resolve().parents[2] / "docs" / "rules"
LONGEST = 2_000
# A line that calls a function may do much.
MOST_STEPS = 40


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
    """The warning that something cannot be used which the file is judged by."""
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


def explain_findings(findings: Sequence[Finding]) -> str:
    """Markdown: why it is wrong, what mends it, and what the rule is about."""
    return "\n\n---\n\n".join(_explained(each) for each in findings)


def explain_steps(scripts: Sequence[BootScript], line: int) -> str:
    """What a boot does by this line, as its timeline tells it; empty where nothing happens by it."""
    steps = [step for each in scripts for step in steps_at(each, line, hide_secrets)]
    # None of them begins as the end of a block would.
    return "\n".join(["````text", *(step[:LONGEST] for step in steps[:MOST_STEPS]), "````"]) if steps else ""


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
class ActionRequest:
    """A request for actions: its range, the diagnostics that are shown there, and the kinds that are wanted."""

    uri: str
    at: Range
    shown: Sequence[Diagnostic]
    only: Sequence[str]

    def wants(self, kind: str) -> bool:
        return any(kind == each or kind.startswith(f"{each}.") for each in self.only)


def actions(checked: Checked, ruler: Ruler, asked: ActionRequest) -> list[CodeAction]:
    found: list[CodeAction] = []
    if not asked.only or asked.wants(CodeActionKind.QuickFix.value):
        found += _quick_fixes(checked, ruler, asked)
    if asked.wants(FIX_ALL):
        found += _fix_all(checked, ruler, asked)
    return found


def _quick_fixes(checked: Checked, ruler: Ruler, asked: ActionRequest) -> Iterator[CodeAction]:
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


def _fix_all(checked: Checked, ruler: Ruler, asked: ActionRequest) -> Iterator[CodeAction]:
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

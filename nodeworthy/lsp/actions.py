"""What an editor offers to do: the edits of `check --fix`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lsprotocol.types import CodeAction, CodeActionKind, Diagnostic, Range, TextEdit, WorkspaceEdit

from nodeworthy.fixes.edit import Edit, Fix
from nodeworthy.fixes.text import Text
from nodeworthy.lsp.checking import Checked
from nodeworthy.lsp.places import range_of, range_of_edit, within

FIX_ALL = f"{CodeActionKind.SourceFixAll.value}.nodeworthy"


def actions(
    uri: str, checked: Checked, asked: Range, shown: Sequence[Diagnostic], only: Sequence[str]
) -> list[CodeAction]:
    found: list[CodeAction] = []
    if _is_wanted(CodeActionKind.QuickFix.value, only):
        found += _quick_fixes(uri, checked, asked, shown)
    if _is_wanted(FIX_ALL, only):
        found += _fix_all(uri, checked, asked_for=bool(only))
    return found


def _is_wanted(kind: str, only: Sequence[str]) -> bool:
    return not only or any(kind == each or kind.startswith(f"{each}.") for each in only)


def _quick_fixes(uri: str, checked: Checked, asked: Range, shown: Sequence[Diagnostic]) -> Iterator[CodeAction]:
    for fix in checked.fixes:
        ranges = [range_of(each.where, checked.text, each.is_) for each in fix.findings]
        if not any(within(each, asked) for each in ranges):
            continue
        yield CodeAction(
            title=fix.title,
            kind=CodeActionKind.QuickFix,
            diagnostics=[each for each in shown if _is_of(each, fix, ranges)],
            is_preferred=True,
            edit=_edit(uri, fix.edits, checked.text),
        )


def _is_of(diagnostic: Diagnostic, fix: Fix, ranges: Sequence[Range]) -> bool:
    return diagnostic.code in {each.rule for each in fix.findings} and diagnostic.range in ranges


def _fix_all(uri: str, checked: Checked, *, asked_for: bool) -> Iterator[CodeAction]:
    """Tried on the text in rounds, and therefore told as one edit: what lies between the first and last change."""
    if not asked_for and len(checked.fixes) < 2:
        return
    plan = checked.mended()
    if plan is None or not plan.changed:
        return
    before, after = checked.text.text, plan.after[checked.text.path].text
    title = f"Mend everything that leaves no choice ({plan.mended})"
    yield CodeAction(title=title, kind=FIX_ALL, edit=_edit(uri, [_between(before, after)], checked.text))


def _between(before: str, after: str) -> Edit:
    least = min(len(before), len(after))
    start = next((at for at in range(least) if before[at] != after[at]), least)
    rest = least - start
    end = next((at for at in range(rest) if before[-1 - at] != after[-1 - at]), rest)
    return Edit(start, len(before) - end, after[start : len(after) - end])


def _edit(uri: str, edits: Sequence[Edit], text: Text) -> WorkspaceEdit:
    return WorkspaceEdit(changes={uri: [TextEdit(range_of_edit(each, text), each.new) for each in edits]})

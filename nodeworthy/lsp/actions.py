"""What an editor offers to do: the edits of `check --fix`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lsprotocol.types import CodeAction, CodeActionKind, Diagnostic, Range, TextEdit, WorkspaceEdit

from nodeworthy.fixes.change import Change
from nodeworthy.lsp.checking import Checked
from nodeworthy.lsp.places import Ruler, touch
from nodeworthy.records import dataclass

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

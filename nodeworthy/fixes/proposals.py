"""What could be mended of a run's findings, each in the text that it stands in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from pathlib import PurePath

from nodeworthy.edit import Edit, Kind
from nodeworthy.engine import Judgement
from nodeworthy.fixes.change import Change, Fix, Left, NotMended
from nodeworthy.fixes.entries import variables, without_twin
from nodeworthy.fixes.lines import behind_command, leading_blanks, line_ends, without_dash, word
from nodeworthy.fixes.scalar import value
from nodeworthy.fixes.text import Text
from nodeworthy.verdict import Finding, Verdict

DECISION = "its remedy is a decision"
_TEMPLATES = {".tpl", ".tftpl", ".tmpl", ".gotmpl", ".j2", ".erb"}
_ONE_BY_ONE: dict[Kind, Callable[[Text, Edit], list[Change]]] = {
    Kind.VALUE: value,
    Kind.WORD: word,
    Kind.COMMAND: behind_command,
    Kind.TWIN: without_twin,
    Kind.DASH: without_dash,
    Kind.LINE_ENDS: line_ends,
    Kind.LEADING_BLANKS: leading_blanks,
}


def proposals(judgements: Sequence[Judgement], texts: Mapping[str, Text]) -> Iterator[Fix | Left]:
    for judgement in judgements:
        doubtful = any(each.verdict is not Verdict.FAIL for each in judgement.findings)
        together: dict[Hashable, list[Finding]] = defaultdict(list)
        for each in filter(is_open, judgement.findings):
            why = _why_not(each, texts, doubtful=doubtful)
            if not why:
                together[_place(each.edit)].append(each)
            elif each.edit is not None or judgement.rule.mends:
                yield Left(each, why)
        yield from (_proposal(findings, texts) for findings in together.values())


def is_open(finding: Finding) -> bool:
    return finding.verdict is Verdict.FAIL and not finding.suppressed and not finding.simulated


def _why_not(finding: Finding, texts: Mapping[str, Text], *, doubtful: bool) -> str:
    if finding.edit is None:
        return DECISION
    place = finding.edit.place
    if place.path != finding.where.path or place.path not in texts:
        return "it does not stand in a file that can be mended"
    if place.within is not None:
        return "it is packed: mend what it was packed from"
    if place.line is None:
        return "it has no line"
    if PurePath(place.path or "").suffix in _TEMPLATES:
        return "the file is a template: what it says is known only when it is filled in"
    return "whether it is right for every pool is not known" if doubtful and finding.on else ""


def _place(edit: Edit | None) -> Hashable:
    """Variables that are put into one list are put there together: each would open the list anew."""
    if edit is None or edit.kind is not Kind.VARIABLE:
        return edit
    return edit.place.path, edit.place.line, edit.place.column


def _proposal(findings: Sequence[Finding], texts: Mapping[str, Text]) -> Fix | Left:
    text = texts[findings[0].where.path or ""]
    edits = list(dict.fromkeys(each.edit for each in findings if each.edit is not None))
    alone = _ONE_BY_ONE.get(edits[0].kind)
    try:
        changes = alone(text, edits[0]) if alone is not None else variables(text, edits)
    except NotMended as problem:
        return Left(findings[0], problem.why)
    return Fix(tuple(findings), tuple(changes), _title([each.title for each in edits]))


def _title(titles: Sequence[str]) -> str:
    first, *others = titles
    return " and ".join((first, *(each[:1].lower() + each[1:] for each in others)))

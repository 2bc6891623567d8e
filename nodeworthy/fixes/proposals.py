"""What could be mended of a run's findings, each in the text that it stands in, and how it is in scripts and tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from pathlib import PurePath

from nodeworthy.edit import Edit, EditKind
from nodeworthy.engine import Judgement
from nodeworthy.fixes.text import Change, Fix, Left, NotMended, Text
from nodeworthy.fixes.yaml_edits import value, variables, without_twin
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Finding, Verdict

# How a value is changed in Terraform's files: a literal that stands there as it is, in quotes or in a heredoc.


ENDINGS = (".tf", ".tofu", ".tfvars", ".hcl")
# What means itself in quotes and out of them, in HCL as in YAML.
_PLAIN = pattern(r"[A-Za-z0-9_./][A-Za-z0-9_./@:+=-]*")
_BEHIND = ("", "\n", "\r", " ", "\t", ",", "}", "]")


def in_hcl(text: Text, edit: Edit) -> list[Change]:
    at = text.offset(edit.place.line or 0, edit.place.column or 0)
    if at is None:
        raise NotMended("the file has no such position")
    quote = text.text[at : at + 1]
    quote = quote if quote in ('"', "'") else ""
    start = at + len(quote)
    end = start + len(edit.was)
    behind = text.text[end : end + 1]
    if text.text[start:end] != edit.was or (behind != quote if quote else behind not in _BEHIND):
        raise NotMended("the file says it in another way than the finding: it is put together, or written elsewhere")
    if _PLAIN.fullmatch(edit.new) is None:
        raise NotMended("how it is written in this file is a decision")
    return [Change(start, end, edit.new)]


def by_hand(_: Text, __: Edit) -> list[Change]:
    raise NotMended("a list of Terraform's may be put together elsewhere: it is changed by hand")


# A command that has its line to itself, also as an item of a list; words and options, and nothing of the shell's.
_ALONE = pattern(
    r"(?P<lead>[ \t]*(?:- )?)(?P<sudo>sudo )?(?P<command>[\w./][\w./@:=,+%~-]*(?:[ \t]+[\w./@:=,+%~${}-]+)*)"
)
_WORDS_OF_THE_SHELL = {
    *("if", "then", "else", "elif", "fi", "while", "until", "for", "do", "done", "case", "esac", "select"),
    *("exec", "exit", "return", "eval", "function", "time", "coproc"),
}

_DASHED = pattern(r"[ \t]*(?P<dash>-) +(?P<key>[A-Za-z]+) *:")


def _behind_command(text: Text, edit: Edit) -> list[Change]:
    number = edit.place.line or 0
    alone = _ALONE.fullmatch(text.line(number).rstrip())
    first = alone["command"].split()[0] if alone is not None else ""
    if alone is None or first in _WORDS_OF_THE_SHELL or "=" in first or _goes_on(text.line(number - 1)):
        raise NotMended("the command that starts it does not stand alone on its line")
    if edit.was not in alone[0]:
        raise NotMended("another command stands there")
    end = text.end(number)
    return [Change(end, end, f"{text.line_end(number)}{alone['lead']}{alone['sudo'] or ''}{edit.new}")]


def _goes_on(line: str) -> bool:
    """Whether a command goes on in the next line."""
    return line.rstrip().endswith(("\\", "&&", "||", "|"))


def _word(text: Text, edit: Edit) -> list[Change]:
    line, was = text.line(edit.place.line or 0), edit.was
    at = line.find(was)
    alone = at > 0 and line.count(was) == 1 and line[at - 1].isspace() and line[at + len(was) :][:1].isspace()
    if not was or not alone:
        raise NotMended("its words do not stand in this line as they are known")
    start = text.start(edit.place.line or 0) + at
    return [Change(start, start + len(was), edit.new)]


def _line_ends(text: Text, edit: Edit) -> list[Change]:
    if edit.was not in text.text:
        raise NotMended("no line of it ends so")
    return [Change(0, len(text.text), text.text.replace(edit.was, edit.new))]


def _leading_blanks(text: Text, _: Edit) -> list[Change]:
    blanks = len(text.text) - len(text.text.lstrip("\r\n \t"))
    if not blanks:
        raise NotMended("its remedy is a decision: what stands before the header is no blank")
    return [Change(0, blanks, "")]


def _without_dash(text: Text, edit: Edit) -> list[Change]:
    """A blank in its place, so that the key stays where it is: below the keys of the entry before."""
    line = edit.place.line or 0
    start = text.offset(line)
    found = _DASHED.match(text.text, start, text.end(line)) if start is not None else None
    if found is None or found["key"] != edit.was:
        raise NotMended("it does not stand on a line of its own")
    above = _DASHED.match(text.text, text.offset(line - 1) or 0, text.end(line - 1)) if line > 1 else None
    if above is None or above.start("key") - (text.offset(line - 1) or 0) != found.start("key") - (start or 0):
        raise NotMended("the entry before does not stand on the line above")
    return [Change(found.start("dash"), found.end("dash"), " ")]


DECISION = "its remedy is a decision"
_TEMPLATES = {".tpl", ".tftpl", ".tmpl", ".gotmpl", ".j2", ".erb"}
_ONE_BY_ONE: dict[EditKind, Callable[[Text, Edit], list[Change]]] = {
    EditKind.VALUE: value,
    EditKind.WORD: _word,
    EditKind.COMMAND: _behind_command,
    EditKind.TWIN: without_twin,
    EditKind.DASH: _without_dash,
    EditKind.LINE_ENDS: _line_ends,
    EditKind.LEADING_BLANKS: _leading_blanks,
}
_IN_HCL = {
    **_ONE_BY_ONE,
    EditKind.VALUE: in_hcl,
    **dict.fromkeys((EditKind.VARIABLE, EditKind.TWIN, EditKind.DASH), by_hand),
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
    if PurePath(place.file).suffix in _TEMPLATES:
        return "the file is a template: what it says is known only when it is filled in"
    return "whether it is right for every pool is not known" if doubtful and finding.on else ""


def _place(edit: Edit | None) -> Hashable:
    """Variables that are put into one list are put there together: each would open the list anew."""
    if edit is None or edit.kind is not EditKind.VARIABLE:
        return edit
    return edit.place.path, edit.place.line, edit.place.column


def _proposal(findings: Sequence[Finding], texts: Mapping[str, Text]) -> Fix | Left:
    text = texts[findings[0].where.file]
    edits = list(dict.fromkeys(each.edit for each in findings if each.edit is not None))
    alone = (_IN_HCL if text.path.endswith(ENDINGS) else _ONE_BY_ONE).get(edits[0].kind)
    try:
        changes = alone(text, edits[0]) if alone is not None else variables(text, edits)
    except NotMended as problem:
        return Left(findings[0], problem.why)
    return Fix(tuple(findings), tuple(changes), _title([each.title for each in edits]))


def _title(titles: Sequence[str]) -> str:
    first, *others = titles
    return " and ".join((first, *(each[:1].lower() + each[1:] for each in others)))

"""The directives of a template and what it fills in: of Terraform, of Jinja and of Go, each with what belongs to it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

_OPENS = pattern(r"\$\$\{|%%\{|\$\{|%\{")
_INSIDE = pattern(r"\\.|[{}\"]|\$\$\{|%%\{|\$\{|%\{", re.DOTALL)
_KEYWORD = pattern(r"%\{~?\s*+(if|else|endif|for|endfor)\b(.*?)~?\}\Z", re.DOTALL)
_GO = r"if|else[ \t]+if|else|range|with|end"
_BRACES = pattern(
    rf"\{{\{{-?\s*({_GO})\b([^{{}}]*+)\}}\}}|\{{\{{[^{{}}]*+\}}\}}|\{{%[-+]?\s*(\w+)([^%]*+)%\}}|\{{#[^#]*+#\}}"
)
_END_OF_RAW = pattern(r"\{%[-+]?\s*endraw\s*[-+]?%\}")
# Of a name alone: what else is negated may be one half of the question.
_NEGATED = pattern(r"(?:!\s*|not\s+)([\w.$\[\]\"']+)")
# What is opened so often without an end is no template.
_PATIENCE = 3
# What these hold is there under some condition that nobody knows: a macro has to be called.
_PERHAPS = {"range": "for", "with": "if", "macro": "if", "call": "if", "filter": "if"}
_ENDS = {"endmacro": "endif", "endcall": "endif", "endfilter": "endif", "elseif": "elif", "elsif": "elif"}
_KNOWN = frozenset(("if", "elif", "else", "endif", "for", "endfor", "end", *_PERHAPS, *_ENDS))
_SILENT = frozenset(("set", "endset", "block", "endblock", "autoescape", "endautoescape", "import", "from", "raw"))


@dataclass(slots=True)
class Directive:
    """A directive, an escape, or what is filled in."""

    start: int
    end: int
    # if, elif, else, endif, for, endfor; empty for an interpolation or an escape.
    keyword: str = ""
    # What it asks, and the same as it is told: `%{ if gpu }`.
    expression: str = ""
    told: str = ""
    alone: bool = False
    # Of the first of a group that does not stand on lines of its own: where its last ends.
    until: int = 0
    # What it is for the shell, where that is more than its keyword; nothing of it stays where this is empty.
    marks: tuple[str, ...] | None = None

    @property
    def positive(self) -> tuple[str, bool]:
        """The question without its `not`, and which answer is asked for: `!gpu` and `gpu` ask the same."""
        asked = " ".join(self.expression.split())
        found = _NEGATED.fullmatch(asked)
        return (self.told, True) if found is None else (self.told.replace(asked, found[1], 1), False)


def directives_of(text: str, *, jinja: bool = False) -> list[Directive]:
    found = list(_in_braces(text) if jinja else _of_terraform(text))
    _lines_of_their_own(text, found)
    return found


def of_terraform(text: str) -> bool:
    """Whether some directive of Terraform stands here."""
    return any(each.keyword for each in _of_terraform(text))


def _of_terraform(text: str) -> Iterator[Directive]:
    at, failures = 0, 0
    while failures < _PATIENCE and (opens := _OPENS.search(text, at)) is not None:
        start, at = opens.span()
        if len(opens.group()) == 3:
            yield Directive(start, at)
            continue
        end = _end(text, at)
        if end < 0:
            failures += 1
            continue
        at = end
        keyword = _KEYWORD.match(text[start:end])
        if keyword is None:
            yield Directive(start, end)
        else:
            asked = " ".join(keyword[2].split())
            told = f"%{{ {keyword[1]} {asked} }}" if asked else f"%{{ {keyword[1]} }}"
            yield Directive(start, end, keyword[1], keyword[2].strip(), told)


def _in_braces(text: str) -> Iterator[Directive]:
    raw_until = 0
    for found in _BRACES.finditer(text):
        start, end = found.span()
        if start < raw_until:
            continue
        keyword = " ".join((found[1] or found[3] or "").split())
        if keyword == "raw":
            closed = _END_OF_RAW.search(text, end)
            raw_until = closed.start() if closed is not None else len(text)
        if found[1] or keyword in _KNOWN:
            yield _steering(found, keyword)
        else:
            is_silent = keyword in _SILENT or keyword == "endraw" or text.startswith(("{#", "{{/*", "{{- /*"), start)
            yield Directive(start, end, marks=() if is_silent else None)


def _steering(found: re.Match[str], keyword: str) -> Directive:
    expression = (found[2] or found[4] or "").strip(" \t\n-+")
    open_, close = ("{{", "}}") if found[1] else ("{%", "%}")
    kind = "elif" if keyword == "else if" else _PERHAPS.get(keyword, _ENDS.get(keyword, keyword))
    word = "if" if kind == "elif" else keyword
    asked = " ".join(expression.split())
    told = f"{open_} {word} {asked} {close}" if asked else f"{open_} {word} {close}"
    return Directive(*found.span(), kind, expression, told)


def _end(text: str, at: int) -> int:
    """The offset behind the brace that closes an expression, or -1."""
    inside = ["expression"]
    while (found := _INSIDE.search(text, at)) is not None:
        token, at = found.group(), found.end()
        quoted = inside[-1] == "string"
        if token == '"':
            if quoted:
                inside.pop()
            else:
                inside.append("string")
        elif token in ("${", "%{") or (token == "{" and not quoted):
            inside.append("expression")
        elif token == "}" and not quoted:
            inside.pop()
            if not inside:
                return at
    return -1


def _lines_of_their_own(text: str, found: Sequence[Directive]) -> None:
    """A directive is alone where nothing but directives stands beside it, and no command goes on over its line."""
    at = 0
    while at < len(found):
        first = last = at
        while last + 1 < len(found) and not text[found[last].end : found[last + 1].start].strip(" \t"):
            last += 1
        begins = text.rfind("\n", 0, found[first].start) + 1
        ends = text.find("\n", found[last].end)
        alone = not text[begins : found[first].start].strip(" \t") and not text[
            found[last].end : ends if ends >= 0 else len(text)
        ].strip(" \t\r")
        if alone and all(each.keyword or each.marks == () for each in found[first : last + 1]):
            goes_on = _goes_on(text, begins)
            for each in found[first : last + 1]:
                each.alone = bool(each.keyword) and not goes_on
        at = last + 1


def _goes_on(text: str, begins: int) -> bool:
    """Whether the line before ends with a backslash: what stands here is a part of its command."""
    end = at = begins - 1
    while at > 0 and text[at - 1] == "\\":
        at -= 1
    return (end - at) % 2 == 1


def grouped(text: str, found: list[Directive], inside_words: Collection[int] = ()) -> None:
    """Directives that belong together stand all on lines of their own, or what they hold is filled in as a whole;
    so is what stands in the middle of a word."""
    for each in found:
        each.alone = each.alone and each.start not in inside_words
    open_groups: list[list[Directive]] = []
    for each in found:
        if each.keyword in ("if", "for"):
            open_groups.append([each])
        elif each.keyword and open_groups:
            open_groups[-1].append(each)
            if each.keyword not in ("else", "elif"):
                _decide(text, open_groups.pop(), inside_words)
        elif each.keyword:
            # It belongs to what stands in another part: nothing of it is in this one.
            each.alone, each.marks = False, ()
    for group in reversed(open_groups):
        _left_open(text, found, group)


def _left_open(text: str, found: list[Directive], group: list[Directive]) -> None:
    """What ends it stands in another part, or nowhere: all that follows is under it."""
    if not all(each.alone for each in group):
        for each in group:
            each.alone, each.marks = False, ()
        return
    end = Directive(len(text), len(text), f"end{group[0].keyword}", alone=True)
    found.append(end)
    _decide(text, [*group, end], ())


def _decide(text: str, group: Sequence[Directive], inside_words: Collection[int]) -> None:
    first, last = group[0], group[-1]
    if last.keyword == "end":
        last.keyword = f"end{first.keyword}"
    fits = last.keyword == f"end{first.keyword}"
    torn = any(each.start in inside_words for each in group)
    if not fits or torn or not (all(each.alone for each in group) or _fills_its_lines(text, group)):
        first.until = last.end
        for each in group:
            each.alone = False
        return
    for each in group:
        each.alone = True
    ends = [last.keyword]
    for each in group[1:-1]:
        if first.keyword == "for":
            each.marks, ends = ("endfor", "if"), ["endif"]
            each.told = f"not {first.told}"
        elif each.keyword == "elif":
            each.marks = ("else", "if")
            ends.append("endif")
    last.marks = tuple(ends)


def _fills_its_lines(text: str, group: Sequence[Directive]) -> bool:
    """`%{ if gpu }modprobe nvidia%{ endif }`: from the beginning of a line to the end of one, and no word between."""
    begins = text.rfind("\n", 0, group[0].start) + 1
    ends = text.find("\n", group[-1].end)
    before, behind = text[begins : group[0].start], text[group[-1].end : ends if ends >= 0 else len(text)]
    return not before.strip(" \t") and not behind.strip(" \t\r") and not _goes_on(text, begins)

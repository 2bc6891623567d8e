"""Templates of Terraform and jinja: what they fill in is marked, and the rest is the script's own text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field

from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

# Marks: no script holds these characters, and where one does they are taken out first.
FILLED, ENDS, DIRECTIVE = "\ue000", "\ue001", "\ue002"
IF, ELSE, ENDIF, FOR, ENDFOR = (DIRECTIVE + each for each in "iedfr")

_OWN_MARKS = pattern("[\ue000-\ue002]")
_MARKS = {"if": IF, "else": ELSE, "endif": ENDIF, "for": FOR, "endfor": ENDFOR}
_SHOWN = {mark: f"%{{ {keyword} }}" for keyword, mark in _MARKS.items()}
_OPENS = pattern(r"\$\$\{|%%\{|\$\{|%\{")
_INSIDE = pattern(r"\\.|[{}\"]|\$\$\{|%%\{|\$\{|%\{", re.DOTALL)
_KEYWORD = pattern(r"%\{~?\s*(if|else|endif|for|endfor)\b\s*(.*?)\s*~?\}\Z", re.DOTALL)
_REST_OF_LINE = pattern(r"[ \t]*+(?:\n|\Z)")
_MARK = pattern(f"{FILLED}(\\d+){ENDS}|{DIRECTIVE}(.)")
_JINJA = pattern(r"\{\{[^{}]*+\}\}|\{%[-+]?\s*(\w+)([^%]*+)%\}|\{#[^#]*+#\}")
# What is opened so often without an end is no template.
_PATIENCE = 3
# Each begins with what it is found by, and is looked for alone: together they take three times as long.
_TELLING_DIRECTIVE = pattern(r"%\{~?\s*(?:if|for)\s")
# An index tells nothing: the shell has arrays as well.
_TELLING_EXPRESSION = pattern(r"\$\{~?\s*[A-Za-z_]\w*(?:\(|\.[A-Za-z_*])")


def looks_like_template(text: str, name: str = "") -> bool:
    """Whether Terraform fills this text in. A plain `${NAME}` may be the shell's as well, and decides nothing."""
    if name.endswith((".tpl", ".tftpl")) or "$${" in text:
        return True
    return _TELLING_DIRECTIVE.search(text) is not None or _TELLING_EXPRESSION.search(text) is not None


@dataclass
class Template:
    """The text with marks in it, and what each of them stands for."""

    text: str
    original: str
    filled: tuple[str, ...] = ()
    # The expression of a directive that stands on a line of its own, by the offset of its mark.
    directives: dict[int, str] = field(default_factory=dict)
    # Behind which offsets of the text how much of the original is missing.
    origins: tuple[tuple[int, int], ...] = ()


@dataclass(slots=True)
class _Found:
    start: int
    end: int
    # if, else, endif, for, endfor; empty for an interpolation or an escape.
    keyword: str = ""
    expression: str = ""
    alone: bool = False
    # Of the first of a group that does not stand on lines of its own: where its last ends.
    until: int = 0
    # What it is for the shell, where that is more than its keyword; nothing of it stays where this is empty.
    marks: tuple[str, ...] | None = None


def template_of(text: str, *, jinja: bool = False) -> Template:
    text = without_marks(text)
    found = list(_all_of_jinja(text) if jinja else _all(text))
    _grouped(found)
    return _marked(text, found)


def without_marks(text: str) -> str:
    return text if text.isascii() else _OWN_MARKS.sub("\ufffd", text)


def shown(raw: str, filled: tuple[str, ...]) -> str:
    """As the user wrote it, with the template's own words where its marks stand."""
    if FILLED not in raw and DIRECTIVE not in raw:
        return raw
    return _MARK.sub(lambda found: filled[int(found[1])] if found[1] else _SHOWN.get(found[0], ""), raw)


def _all(text: str) -> Iterator[_Found]:
    at, failures = 0, 0
    while failures < _PATIENCE and (opens := _OPENS.search(text, at)) is not None:
        start, at = opens.span()
        if len(opens.group()) == 3:
            yield _Found(start, at)
            continue
        end = _end(text, at)
        if end < 0:
            failures += 1
            continue
        at = end
        keyword = _KEYWORD.match(text[start:end])
        if keyword is None:
            yield _Found(start, end)
        else:
            yield _Found(start, end, keyword[1], keyword[2], _is_alone(text, start, end))


def _all_of_jinja(text: str) -> Iterator[_Found]:
    for found in _JINJA.finditer(text):
        start, end = found.span()
        keyword, expression = found[1] or "", (found[2] or "").strip(" \t\n-+")
        if keyword in ("elif", *_MARKS):
            yield _Found(start, end, keyword, expression, _is_alone(text, start, end))
        else:
            is_silent = keyword == "set" or text.startswith("{#", start)
            yield _Found(start, end, marks=() if is_silent else None)


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


def _is_alone(text: str, start: int, end: int) -> bool:
    while start > 0 and text[start - 1] in " \t":
        start -= 1
    return (start == 0 or text[start - 1] == "\n") and _REST_OF_LINE.match(text, end) is not None


def _grouped(found: list[_Found]) -> None:
    """Directives that belong together stand all on lines of their own, or what they hold is filled in as a whole."""
    open_groups: list[list[_Found]] = []
    for each in found:
        if each.keyword in ("if", "for"):
            open_groups.append([each])
        elif each.keyword and open_groups:
            open_groups[-1].append(each)
            if each.keyword not in ("else", "elif"):
                _decide(open_groups.pop())
        else:
            each.alone = False
    for group in open_groups:
        for each in group:
            each.alone = False


def _decide(group: list[_Found]) -> None:
    pair = (group[0].keyword, group[-1].keyword)
    if pair not in (("if", "endif"), ("for", "endfor")) or not all(each.alone for each in group):
        group[0].until = group[-1].end
        for each in group:
            each.alone = False
        return
    chained = [each for each in group if each.keyword == "elif"]
    for each in chained:
        each.marks = ("else", "if")
    group[-1].marks = (group[-1].keyword,) * (len(chained) + 1)


def _marked(text: str, found: list[_Found]) -> Template:
    pieces: list[str] = []
    filled: list[str] = []
    directives: dict[int, str] = {}
    origins: list[tuple[int, int]] = []
    at = length = 0

    def add(piece: str) -> None:
        nonlocal length
        pieces.append(piece)
        length += len(piece)

    for each in found:
        if each.start < at:
            continue
        add(text[at : each.start])
        at = each.until or each.end
        raw = text[each.start : at]
        if each.alone:
            for index, keyword in enumerate(each.marks or (each.keyword,)):
                add("\n" if index else "")
                directives[length] = each.expression
                add(_MARKS[keyword])
        elif each.marks == ():
            pass
        elif raw in ("$${", "%%{"):
            add(raw[1:])
        else:
            add(f"{FILLED}{len(filled)}{ENDS}")
            filled.append(raw)
        origins.append((length, at - length))
    add(text[at:])
    return Template("".join(pieces), text, tuple(filled), directives, tuple(origins))

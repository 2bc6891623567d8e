"""Finds suppressions: comments of a text, and annotations of Kubernetes objects."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nodeworthy.documents.tree import Tree
from nodeworthy.patterns import pattern
from nodeworthy.records import replace
from nodeworthy.suppression import Suppression
from nodeworthy.verdict import Place

MARK = "nodeworthy:"
ANNOTATION = "nodeworthy/ignore."
_ENTRY = pattern(r"(?P<dash> *- *)(?:[\w.\"'-]+ *:(?: |$)|(?P<flow>[{\[])|(?:#.*)?$)")
# A key with its value on the same line, or with one that begins below it.
_SETTING = pattern(r"(?P<indent> *)[\w.\"'-]+ *:(?P<below> *(?:[|>][-+\d]*)? *(?:#.*)?$)?(?(below)|(?: +[^\s#&|>]))")
_NESTED = pattern(r" *(?:- |-$|[\w.\"'-]+ *:(?: |$))")
_ASKED = r"\s*nodeworthy:[ \t]*ignore(?:[ \t]+(?P<rule>\S+))?(?:[ \t]+(?P<reason>.*\S))?\s*$"
_COMMENT = pattern(rf"(?:^|(?<=\s))#{_ASKED}")
# HCL has both.
_COMMENT_OF_HCL = pattern(rf"(?:^|(?<=\s))(?:#|//){_ASKED}")
_HCL = (".tf", ".tofu", ".hcl", ".tfvars")


def comments(text: str, origin: Place, known: frozenset[str], *, is_yaml: bool) -> Iterator[Suppression]:
    """The suppressions in the comments of a text."""
    if MARK not in text:
        return
    lines, comment = text.splitlines(), _COMMENT_OF_HCL if origin.file.endswith(_HCL) else _COMMENT
    below, spoken_of = _below(lines), dict[int, tuple[int, int]]()
    quoted = _quoted(text) if is_yaml else []
    for index, line in enumerate(lines):
        found = comment.search(line)
        if found is None or _within((index, found.start()), quoted):
            continue
        place = Place(path=origin.path, line=index + 1, column=found.start() + 1)
        is_alone = not line[: found.start()].strip()
        first = last = index
        if is_alone:
            if below[index] not in spoken_of:
                spoken_of[below[index]] = _spoken_of(below[index], lines, is_yaml=is_yaml)
            first, last = spoken_of[below[index]]
        about = range(first + 1, last + 2)
        yield suppression(found["rule"] or "", found["reason"] or "", place, about, known)


def evidence_suppressions(texts: Mapping[str, str], known: frozenset[str]) -> Iterator[Suppression]:
    """What somebody decided to live with in files that are read for another one, by their names."""
    for name, text in texts.items():
        for each in comments(text, Place(path=name), known, is_yaml=True):
            yield replace(each, is_borrowed=True)


def annotation_suppressions(document: Tree, known: frozenset[str], lines: range | None) -> Iterator[Suppression]:
    """The suppressions that an object carries; they speak of all of it."""
    for name, value in document.get("metadata", "annotations").mapping.items():
        if name.startswith(ANNOTATION):
            place = value.heading
            yield suppression(name.removeprefix(ANNOTATION), value.string.strip(), place, lines, known)


def suppression(rule: str, reason: str, place: Place, lines: range | None, known: frozenset[str]) -> Suppression:
    fault = None
    if not rule:
        fault = "it names no rule"
    elif rule not in known:
        fault = f"there is no rule {rule!r}"
    elif not reason:
        fault = "it gives no reason"
    return Suppression(rule, reason, place, lines, fault)


def _spoken_of(first: int, lines: Sequence[str], *, is_yaml: bool) -> tuple[int, int]:
    """The first and the last line that a comment alone on its line speaks of. Above an entry of a list in YAML these
    are those of the entry's own values: `- name: X` and `value: Y` are one thing on two lines."""
    dash = _ENTRY.match(lines[first]) if is_yaml else None
    if dash is None:
        return first, first
    last, margin = first, _indent(dash["dash"])
    if dash["flow"] is not None:
        return first, _deeper(first, margin, lines)
    indent = dash.end("dash") if dash.end("dash") < len(lines[first].rstrip()) and "#" not in dash[0] else None
    following = first + 1
    while (at := _next_code_line(following, lines)) is not None and _indent(lines[at]) > margin:
        indent = _indent(lines[at]) if indent is None else indent
        end = _own_value(at, indent, lines)
        if end is None:
            break
        last, following = end, end + 1
    return first, last


def _own_value(at: int, indent: int, lines: Sequence[str]) -> int | None:
    """The last line of a scalar whose key stands in this line; None where there is none, or more than a scalar."""
    found = _SETTING.match(lines[at])
    if found is None or found.end("indent") != indent:
        return None
    begins = _next_code_line(at + 1, lines)
    is_block = found["below"] is not None and found["below"].strip()[:1] in ("|", ">")
    if found["below"] is not None and not is_block:
        is_scalar = begins is not None and _indent(lines[begins]) > indent and not _NESTED.match(lines[begins])
        return _deeper(at, indent, lines) if is_scalar else None
    return _deeper(at, indent, lines)


def _deeper(at: int, indent: int, lines: Sequence[str]) -> int:
    """The last line of what begins here and is indented more than this."""
    last = at
    while (below := _next_code_line(last + 1, lines)) is not None and _indent(lines[below]) > indent:
        last = below
    return last


def _next_code_line(at: int, lines: Sequence[str]) -> int | None:
    """The first line from here on that is neither blank nor a comment."""
    return next(
        (each for each in range(at, len(lines)) if lines[each].strip() and lines[each].lstrip()[0] != "#"), None
    )


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _below(lines: Sequence[str]) -> Sequence[int]:
    """For each line, the line about which a comment alone on it speaks: the next one that is no such comment itself,
    else its own."""
    found, following = list(range(len(lines))), len(lines)
    for index in reversed(range(len(lines))):
        found[index] = following if following < len(lines) else index
        if MARK not in lines[index] or not _COMMENT_OF_HCL.match(lines[index].strip()):
            following = index
    return found


Span = tuple[tuple[int, int], tuple[int, int]]


def _quoted(text: str) -> list[Span]:
    """The spans where a `#` begins no comment: the quoted scalars of a YAML text."""
    import yaml

    from nodeworthy.documents.yaml_nodes import Loader

    try:
        tokens = list(yaml.scan(text, Loader=Loader))
    except yaml.YAMLError:
        return []
    return sorted(_span(each) for each in tokens if isinstance(each, yaml.ScalarToken) and each.style in ("'", '"'))


def _span(token: Any) -> Span:
    return (token.start_mark.line, token.start_mark.column), (token.end_mark.line, token.end_mark.column)


def _within(position: tuple[int, int], spans: Sequence[Span]) -> bool:
    index = bisect_right(spans, (position, (1 << 60, 0))) - 1
    return index >= 0 and spans[index][0] <= position < spans[index][1]

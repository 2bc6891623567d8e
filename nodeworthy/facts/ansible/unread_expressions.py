"""Expressions in a task that Jinja can't read: two words side by side, and nothing between them."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.ansible.tasks_as_written import TasksAsWritten
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

_EXPRESSION = pattern(r"\{\{((?:[^{}'\"]|'[^']*'|\"[^\"]*\")*)\}\}", words=("{{",))
_TOKEN = pattern(
    r"\s*(?:(?P<word>[A-Za-z_]\w*)|(?P<number>\d[\d.]*)|(?P<text>'[^']*'|\"[^\"]*\")|(?P<sign>.))",
)
_BETWEEN = frozenset("in is not and or if else".split())
_CLOSES = (")", "]")
# What is filled in somewhere else, or by somebody else.
_RAW = pattern(r"\{%-?\s*raw\b", words=("raw",))
# Ansible goes on where a task's own name can't be filled in.
_NAME = "name"
_LONGEST = 2000
# A text within another expression: `regex_findall('{{\\s*…}}')`.
_OF_A_PATTERN = "\\"


@dataclass(frozen=True)
class UnreadExpression:
    place: Place
    written: str
    first: str
    second: str


def unread_expressions(tasks: TasksAsWritten) -> Iterator[UnreadExpression]:
    if _RAW.search(tasks.text) is not None:
        return
    for task in tasks.every_task:
        if task.entry is not None:
            for key, each in task.entry.mapping.items():
                yield from _within(each) if key != _NAME else ()


def _within(tree: Tree) -> Iterator[UnreadExpression]:
    for each in (*tree.mapping.values(), *tree.sequence):
        yield from _within(each)
    text = tree.text
    for found in _EXPRESSION.finditer(text) if text is not None and len(text) < _LONGEST else ():
        beside = _side_by_side(found[1])
        if beside is not None:
            yield UnreadExpression(tree.place, " ".join(found[0].split()), *beside)


def _side_by_side(expression: str) -> tuple[str, str] | None:
    before, before_that = "", ""
    for found in _TOKEN.finditer(expression):
        now = found[0].strip()
        if now == _OF_A_PATTERN:
            return None
        kind = found.lastgroup
        if _is_value(before) and kind != "sign" and now not in _BETWEEN and not _may_follow(before, before_that, kind):
            return before, now
        if now:
            before, before_that = now, before
    return None


def _is_value(token: str) -> bool:
    return bool(token) and token not in _BETWEEN and (token[-1].isalnum() or token[-1] in ("_", "'", '"', *_CLOSES))


def _may_follow(before: str, before_that: str, kind: str | None) -> bool:
    """Texts are put together, and a test takes what it is given (`x is divisibleby 3`)."""
    both_texts = kind == "text" and before[-1] in ("'", '"')
    return both_texts or before_that in ("is", "not")

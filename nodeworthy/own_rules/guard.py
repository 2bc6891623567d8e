"""What a check of somebody's own may do wrong becomes an exception in it, which the engine tells as `rule-crashed`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import replace
from functools import wraps
from typing import Any

from nodeworthy.edit import Edit, Kind
from nodeworthy.rule import Check, Rule
from nodeworthy.verdict import Finding, Place

_WORDS = ("is_", "should", "cause", "remedy")


def guarded(rule: Rule) -> Rule:
    """The rule with each of its checks watched."""
    return replace(rule, _functions=[_watched(each) for each in rule._functions])


def _watched(function: Check) -> Check:
    @wraps(function)
    def asked(*facts: Any) -> Iterator[Finding]:
        kept: list[Finding] = []
        crash: Exception | None = None
        try:
            with redirect_stdout(sys.stderr):  # a report may be on its way there
                found: Any = function(*facts)
                for each in () if found is None else found:
                    kept.append(_sound(each))  # noqa: PERF401 - what came before an exception is kept
        except SystemExit as end:
            crash = RuntimeError(f"it would have ended the program ({end})")
        except Exception as problem:  # noqa: BLE001 - the engine's to judge, behind what was found before it
            crash = problem
        yield from kept
        if crash is not None:
            raise crash

    return asked


def _sound(each: Any) -> Finding:
    """Reports take every word for granted."""
    if not isinstance(each, Finding):
        raise TypeError(f"a check yields findings, and this is {type(each).__name__}")
    edits = list(_edits(each.edit))
    words = [each.message, *(word for name in _WORDS if (word := getattr(each, name)) is not None)]
    words += [word for edit in edits for word in (edit.was, edit.new, edit.title)]
    named = [*words, *each.on, *each.victims, *(other.says for other in each.related)]
    if not all(isinstance(word, str) for word in named):
        raise TypeError("every word of a finding is a string")
    places: list[Any] = [each.where, *(one.place for one in each.related), *(one.place for one in edits)]
    if not all(isinstance(place, Place) for place in places):
        raise TypeError("a finding is at a Place, a fact or a value of one")
    return each


def _edits(edit: Any) -> Iterator[Edit]:
    if edit is None:
        return
    if not isinstance(edit, Edit) or type(edit.kind) is not Kind:
        raise TypeError(f"the edit of a finding is an Edit, and this is {type(edit).__name__}")
    yield edit

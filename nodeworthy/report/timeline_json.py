"""A boot script's timeline for tools."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nodeworthy.boot.effects import Effect, NotUnderstood
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.report.effect import details, kind, verb, what
from nodeworthy.report.printable import escaped
from nodeworthy.report.timeline_marks import marks_of
from nodeworthy.report.timeline_shown import shown_effects
from nodeworthy.verdict import Finding, Place

SCHEMA = "nodeworthy/timeline/v1"
Hide = Callable[[str], str]


def data(script: BootScript, findings: Sequence[Finding], hide: Hide) -> Mapping[str, Any]:
    marks = marks_of(script.timeline, findings).beside
    return {
        "schema": SCHEMA,
        "path": script.place.path,
        "size": script.userdata.size,
        "limit": script.cloud.most if script.cloud is not None else None,
        "template": script.userdata.is_template or script.userdata.is_braced,
        "wrapped": list(script.userdata.wrapped),
        "parts": [
            {"kind": part.kind.value, "stage": part.stage.name.lower(), "name": part.name, **_place(part.place)}
            for part in script.userdata.parts
        ],
        "effects": [
            _data_of(each, [mark.finding for mark in marks.get(id(each), ()) if mark.word != "see"], hide)
            for each in shown_effects(script.timeline)
        ],
        "not_understood": sum(isinstance(each, NotUnderstood) for each in script.timeline.effects),
    }


def _data_of(effect: Effect, findings: Sequence[Finding], hide: Hide) -> dict[str, Any]:
    return {
        "stage": effect.stage.name.lower(),
        **_place(effect.place),
        "kind": kind(effect),
        "says": f"{verb(effect)} {hide(what(effect))}",
        "command": hide(" ".join(effect.command.split())),
        "details": _hidden(_words_hidden(details(effect), hide), hide),
        "conditions": [hide(each.shown()) for each in effect.conditions if not each.is_expected],
        "via": [_place(each) for each in effect.via],
        "failure": effect.failure.name.lower(),
        "detached": effect.detached,
        "findings": [
            {"rule": each.rule, "verdict": each.verdict.value, "message": each.sentence()} for each in findings
        ],
    }


def _place(place: Place) -> dict[str, Any]:
    told = {"line": place.line, "column": place.column, "subject": place.subject}
    return {name: value for name, value in told.items() if value is not None}


def as_json(script: BootScript, findings: Sequence[Finding], hide: Hide) -> str:
    return escaped(json.dumps(data(script, findings, hide), indent=2, ensure_ascii=False)) + "\n"


def _words_hidden(told: dict[str, Any], hide: Hide) -> dict[str, Any]:
    """A password is known as one by the option before it: single words are hidden as the whole command hides them."""
    words = told.get("arguments")
    if not words:
        return told
    shown = hide(" ".join(words)).split()
    return {**told, "arguments": [word if set(word.split()) <= set(shown) else "(secret)" for word in words]}


def _hidden(value: Any, hide: Hide) -> Any:
    if isinstance(value, str):
        return hide(value)
    if isinstance(value, dict):
        return {name: _hidden(each, hide) for name, each in value.items()}
    return [_hidden(each, hide) for each in value] if isinstance(value, list) else value

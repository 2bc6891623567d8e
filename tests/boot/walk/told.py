"""A script's timeline in few words, for tests that read like the scripts they are about."""

from __future__ import annotations

import textwrap

from nodeworthy.boot.effects import Effect, Failure, Runs, Writes
from nodeworthy.boot.read import timeline_of
from nodeworthy.boot.timeline import Timeline
from nodeworthy.boot.unpack import unpack
from nodeworthy.report.effect import verb, what
from nodeworthy.verdict import Place


def timeline(script: str, *, template: bool = False) -> Timeline:
    text = textwrap.dedent(script).lstrip("\n")
    data = (text if text.startswith(("#", "MIME", "Content")) else f"#!/bin/bash\n{text}").encode()
    return timeline_of(unpack(data, Place(path="script.sh"), template=template))


def told(script: str, *, template: bool = False, runs: bool = False) -> list[str]:
    """Every effect as `verb what`, with its conditions behind `if`."""
    effects = timeline(script, template=template).effects
    return [_line(each) for each in effects if runs or not isinstance(each, Runs)]


def _line(effect: Effect) -> str:
    conditions = [each.shown() for each in effect.conditions if not each.is_expected]
    return " ".join([verb(effect), what(effect), *(["if", " and ".join(conditions)] if conditions else [])])


def file(script: str, path: str) -> str | None:
    """What stands in a file in the end, as far as it is known."""
    writes = [each for each in timeline(script).of(Writes) if each.path.known == path]
    return writes[-1].whole.text.shown() if writes and writes[-1].whole is not None else None


def failures(script: str) -> dict[str, Failure]:
    """By the first word of each command, what happens where it fails."""
    return {each.command.split()[0]: each.failure for each in timeline(script).effects}

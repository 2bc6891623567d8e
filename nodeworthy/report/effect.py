"""One effect of a boot script in a reader's words: what happens, and to what."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any

from nodeworthy.boot.content import Content
from nodeworthy.boot.effects import (
    AddsRepository,
    Effect,
    Fetches,
    Installs,
    Joins,
    LoadsModule,
    Mounts,
    NotUnderstood,
    Opens,
    PullsImage,
    Reboots,
    RefusedCall,
    RefusedOptions,
    Runs,
    RunsElsewhere,
    Unit,
    Writes,
)
from nodeworthy.boot.text import Text
from nodeworthy.redaction import hide_secrets
from nodeworthy.verdict import Known, Located

LONGEST = 90


def verb(effect: Effect) -> str:
    """What kind of thing happens, in a word or two."""
    if isinstance(effect, Writes):
        return effect.how.value
    if isinstance(effect, Unit):
        return f"{effect.act.value}s"
    if isinstance(effect, LoadsModule):
        return "unloads" if effect.unloads else "may load"
    if isinstance(effect, Installs):
        return "removes" if effect.removes else "installs"
    if isinstance(effect, PullsImage):
        return "runs" if effect.runs else "pulls"
    if isinstance(effect, Joins):
        return "is told" if effect.tells else "joins"
    return _VERBS[type(effect)]


def what(effect: Effect) -> str:
    """What the effect does, and to what."""
    text = " ".join(_WHAT[type(effect)](effect).split())
    if len(text) <= LONGEST:
        return text
    # Half of a secret looks like none.
    text = hide_secrets(text)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def kind(effect: Effect) -> str:
    """The name of its kind for tools: `writes`, `loads-module`."""
    name = type(effect).__name__
    return "".join(f"-{c.lower()}" if c.isupper() and index else c.lower() for index, c in enumerate(name))


def _writes(effect: Writes) -> str:
    if effect.content is None:
        told = "" if effect.expressions else " (its content is not known)"
        expressions = ", ".join(each.shown() for each in effect.expressions)
        return f"{effect.path.shown()}{f': {expressions}' if expressions else told}"
    count = len(effect.content.lines)
    return f"{effect.path.shown()} ({count} line{'' if count == 1 else 's'})"


def _loads(effect: LoadsModule) -> str:
    options = f" {' '.join(effect.options)}" if effect.options else ""
    return f"the module {effect.module}{options}{f': {effect.because}' if effect.because else ''}"


def _joins(effect: Joins) -> str:
    named = effect.cluster
    cluster = named.shown() if named is not None and isinstance(named.state, Known) else ""
    told = "which cluster is its own: " if effect.tells else "its cluster "
    return f"{told}{cluster or '(not known)'} by {effect.how}"


def _fetches(effect: Fetches) -> str:
    to = f" to {effect.to.shown()}" if effect.to is not None else ""
    return f"{effect.url.shown()}{to}{', and runs it' if effect.runs else ''}"


def _mounts(effect: Mounts) -> str:
    options = f" ({effect.options.shown()})" if effect.options else ""
    return f"{effect.what.shown()} at {effect.where.shown()}{options}{', at every boot' if effect.at_boot else ''}"


def _words(texts: tuple[Text, ...]) -> str:
    return " ".join(each.shown() for each in texts)


_VERBS: dict[type[Effect], str] = {
    AddsRepository: "adds",
    Mounts: "mounts",
    Opens: "sets",
    Reboots: "reboots",
    RefusedCall: "fails",
    RefusedOptions: "fails",
    Fetches: "fetches",
    Runs: "runs",
    RunsElsewhere: "has run",
    NotUnderstood: "?",
}
_WHAT: dict[type[Effect], Callable[[Any], str]] = {
    Writes: _writes,
    Installs: lambda effect: f"{_words(effect.packages) or 'what is newer'} with {effect.manager}",
    AddsRepository: lambda effect: f"the repository {effect.repository.shown()}",
    LoadsModule: _loads,
    Unit: lambda effect: effect.unit.shown(),
    Mounts: _mounts,
    Opens: lambda effect: f"{effect.tool} {_words(effect.arguments)}",
    PullsImage: lambda effect: f"{effect.image.shown()} with {effect.tool}{', with its GPUs' if effect.gpu else ''}",
    Joins: _joins,
    Reboots: lambda _: "the machine",
    RefusedCall: lambda effect: f"{effect.says}: {effect.is_}",
    RefusedOptions: lambda effect: f"{effect.program} is given {' '.join(effect.options)}",
    Fetches: _fetches,
    Runs: lambda effect: _words(effect.arguments),
    RunsElsewhere: lambda effect: f"on {effect.host.shown()}: {len(effect.does)} effects",
    NotUnderstood: lambda effect: f"{effect.why}: {effect.text}",
}


def details(effect: Effect) -> dict[str, Any]:
    """What a tool may want of it, each by its name; a text that is not known as a whole is shown with its holes."""
    return {name: _plain(getattr(effect, name)) for name in _DETAILS.get(type(effect), ())}


_DETAILS: dict[type[Effect], tuple[str, ...]] = {
    Writes: ("path", "how", "content", "whole", "expressions", "mode", "expands"),
    Installs: ("manager", "packages", "removes"),
    AddsRepository: ("repository",),
    LoadsModule: ("module", "because", "options", "unloads"),
    Unit: ("unit", "act"),
    Mounts: ("what", "where", "kind", "options", "at_boot"),
    Opens: ("tool", "arguments"),
    PullsImage: ("tool", "image", "runs", "gpu"),
    Joins: ("how", "cluster", "endpoint", "authority", "service_cidr", "labels", "tells"),
    RefusedCall: ("says", "is_", "should"),
    RefusedOptions: ("program", "options", "instead"),
    Fetches: ("url", "to", "runs"),
    Runs: ("arguments",),
    RunsElsewhere: ("arguments", "host"),
    NotUnderstood: ("text", "why"),
}


def _plain(value: Any) -> Any:
    if isinstance(value, Text | Located):
        return value.shown()
    if isinstance(value, Content):
        return value.text.shown()
    if isinstance(value, Enum):
        return value.name.lower()
    return [_plain(each) for each in value] if isinstance(value, tuple) else value

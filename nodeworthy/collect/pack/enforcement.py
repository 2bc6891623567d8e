"""What a violation does: what the pack's config says of each rule, and what holds where it says nothing."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Any

from nodeworthy.records import dataclass
from nodeworthy.rule import Rule
from nodeworthy.verdict import Severity, Verdict


class Level(StrEnum):
    ADVISORY = "advisory"
    MANDATORY = "mandatory"
    DISABLED = "disabled"


class BadConfig(Exception):
    """The pack's config can't be used; the message says which part, and what would be right."""


@dataclass(frozen=True)
class Allowed:
    """A resource that may break a rule, and why."""

    resource: str
    reason: str

    def covers(self, urn: str | None) -> bool:
        return urn is not None and fnmatchcase(urn, self.resource)


@dataclass(frozen=True)
class Enforcement:
    """How one rule is enforced."""

    failure: Level
    unknown: Level
    allowed: tuple[Allowed, ...] = ()

    def of(self, verdict: Verdict) -> Level:
        if verdict is Verdict.UNKNOWN:
            return self.unknown
        # A rule that crashed has judged nothing: that blocks, whatever its findings would do.
        return Level.MANDATORY if verdict is Verdict.ERROR else self.failure

    def allows(self, urn: str | None) -> Allowed | None:
        return next((each for each in self.allowed if each.covers(urn)), None)


# The properties of a rule's config beside `enforcementLevel`, which the CLI itself adds. No defaults here: the CLI
# would fill them in, and a level that nobody chose could not be told from one that somebody did.
SCHEMA: Mapping[str, Any] = {
    "unknown": {
        "type": "string",
        "enum": [Level.MANDATORY.value, Level.ADVISORY.value],
        "description": "what a value does that cannot be verified yet (mandatory, but never more than the rule itself)",
    },
    "allow": {
        "type": "array",
        "description": "resources that may break this rule, by a glob over their URN, each with its reason",
        "items": {
            "type": "object",
            "properties": {"resource": {"type": "string", "minLength": 1}, "reason": {"type": "string"}},
            "additionalProperties": False,
        },
    },
}
# The CLI's own name for every rule. It gives its level to each of them and leaves the entry in what it sends.
ALL = "all"
# What one rule may be forgiven is no matter of all of them.
SETTINGS_OF_ALL = ("unknown",)


def default(rule: Rule) -> Enforcement:
    """The enforcement of a rule that nobody configured: errors block, warnings are told."""
    return _at(Level.MANDATORY if rule.severity is Severity.ERROR else Level.ADVISORY, rule)


def _at(level: Level, rule: Rule) -> Enforcement:
    """What is unknown does what a failure does, except where a first preview can't know it: there it only tells."""
    late = level is Level.MANDATORY and reads_what_is_known_late(rule)
    return Enforcement(level, Level.ADVISORY if late else level)


def reads_what_is_known_late(rule: Rule) -> bool:
    """Whether a first preview can't know what this rule reads: a fact's class says so of itself."""
    read = {each.subject for each in rule.checks} | {given.type for each in rule.checks for given in each.context}
    return any(getattr(kind, "known_late", False) for kind in read)


def configure_rules(
    rules: Iterable[Rule], given: Mapping[str, tuple[Level | None, Mapping[str, Any]]]
) -> dict[str, Enforcement]:
    """Every rule's enforcement. Raises BadConfig."""
    by_id = {rule.id: rule for rule in rules}
    for name in given:
        if name not in by_id and name != ALL:
            near = difflib.get_close_matches(name, by_id, 1)
            raise BadConfig(f"there is no rule {name!r}{f'; did you mean {near[0]}?' if near else ''}")
    _, everywhere = given.get(ALL, (None, {}))
    _must_be_settings(ALL, everywhere, SETTINGS_OF_ALL)
    if "unknown" in everywhere:
        _must_be_a_level(ALL, everywhere["unknown"])
    configs = {name: given.get(name, (None, {})) for name in by_id}
    return {name: _enforcement_of(by_id[name], level, {**everywhere, **own}) for name, (level, own) in configs.items()}


def _must_be_settings(name: str, properties: Mapping[str, Any], settings: Iterable[str]) -> None:
    for each in properties:
        if each not in settings:
            raise BadConfig(f"{name}: there is no setting {each!r}; there are enforcementLevel, {', '.join(settings)}")


def _enforcement_of(rule: Rule, level: Level | None, properties: Mapping[str, Any]) -> Enforcement:
    _must_be_settings(rule.id, properties, SCHEMA)
    enforced = default(rule) if level is None else _at(level, rule)
    return replace(
        enforced,
        unknown=_unknown(rule, properties.get("unknown"), enforced),
        allowed=tuple(_allowed(rule, properties.get("allow", []))),
    )


def _unknown(rule: Rule, said: Any, enforced: Enforcement) -> Level:
    if said is None:
        return enforced.unknown
    return _must_be_a_level(rule.id, said)


def _must_be_a_level(name: str, said: Any) -> Level:
    if said not in (Level.MANDATORY, Level.ADVISORY):
        raise BadConfig(f"{name}: unknown is {said!r}; it is mandatory or advisory")
    return Level(said)


def _allowed(rule: Rule, said: Any) -> Iterable[Allowed]:
    if not isinstance(said, list):
        raise BadConfig(f"{rule.id}: allow is no list; it is [{{resource: URN-GLOB, reason: …}}]")
    for number, entry in enumerate(said, 1):
        where = f"{rule.id}: allow, entry {number}"
        if not isinstance(entry, Mapping) or not isinstance(entry.get("resource"), str) or not entry["resource"]:
            raise BadConfig(f"{where}: it names no resource; it is {{resource: URN-GLOB, reason: …}}")
        reason = entry.get("reason")
        if not isinstance(reason, str) or not reason.strip():
            raise BadConfig(f"{where} ({entry['resource']}): it gives no reason, and without one nothing is allowed")
        yield Allowed(entry["resource"], reason.strip())

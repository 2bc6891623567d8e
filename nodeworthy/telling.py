"""Prepares what a rule has found for the report. It is signed with the rule's id, secrets are taken out, and equal
findings become one.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from nodeworthy.markers import parameter_of, without_marks
from nodeworthy.patterns import pattern
from nodeworthy.records import replace
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Finding, NotKnown, Related, Severity, ToGive, Verdict

# How a reason for a value's being unknown begins that does not name the value.
_OF_A_VALUE = pattern(r"its value |it is |(?:a|the) template fills |\$\{|\{\{|the tag |SOPS ")
# `A is not known: B is not known: C`.
_NESTED = pattern(r" (is|are) not known: ([^\n]{1,300}?),? (is|are) not known(?=: )")
_WHY = pattern(r" not known(?:: |, because )")
_WORDS = ("message", "is_", "should", "cause", "remedy")


def sign(each: Draft, rule: Rule) -> Finding:
    remedy = each.remedy if each.remedy is not None or each.verdict is not Verdict.FAIL else rule.remedy
    severity = each.severity if _says_it(each, rule) else rule.severity
    found = _of_a_default(Finding.of(each, rule.id, severity=severity, remedy=remedy))
    return without_secrets(_plain(_in_its_tongue(found) if rule.of_a_program else found))


def _says_it(each: Draft, rule: Rule) -> bool:
    """The rule's severity is the highest that its findings may have, unless the rule says otherwise."""
    return rule.severity is Severity.ERROR or (rule.may_be_grave and each.verdict is Verdict.FAIL)


def _in_its_tongue(each: Finding) -> Finding:
    """Imported only where a rule speaks of a program."""
    from nodeworthy.known.tongues import in_tongue, tongue_of

    tongue = tongue_of(each.where.path, each.where.urn, each.where.subject)
    said = {name: getattr(each, name) for name in _WORDS} if tongue else {}
    told: dict[str, Any] = {name: in_tongue(text, tongue) for name, text in said.items() if text}
    return replace(each, **told)


def _of_a_default(each: Finding) -> Finding:
    """Says whose default it is that is judged: who deploys the template may give another value."""
    parameter = parameter_of(each.where.subject or "")
    if not parameter:
        return each
    said = Related(each.where, f"this is the default of parameter {parameter}, and who deploys may give another value")
    return replace(each, related=(*each.related, said))


def _plain(each: Finding) -> Finding:
    """Rewrites a finding in words that a reader knows. Our internal marks go, and one not-known inside another becomes
    one sentence."""
    said = {name: getattr(each, name) for name in _WORDS}
    plainer: dict[str, Any] = {name: plain for name, text in said.items() if text and (plain := plainly(text)) != text}
    if any(plainly(other.says) != other.says for other in each.related):
        plainer["related"] = tuple(replace(other, says=plainly(other.says)) for other in each.related)
    return replace(each, **plainer) if plainer else each


def name_the_unknown(unknown: NotKnown) -> str:
    """Names the value in the reason why it is unknown. The reason alone says `it` and would mean nothing."""
    subject = unknown.place.subject if unknown.place is not None and unknown.place.path is not None else None
    if not subject or " not known" in unknown.why or not _OF_A_VALUE.match(unknown.why):
        return unknown.why
    return f"{subject} is not known: {unknown.why}"


def plainly(text: str) -> str:
    return without_marks(unnest(text) if " not known" in text else text)


# The same few reasons stand at thousands of files. One that says what to give is a text, too, and no such text.
@lru_cache(maxsize=1024, typed=True)
def reason(why: str) -> str:
    """Why something was skipped."""
    from nodeworthy.redaction import hide_secrets

    if isinstance(why, ToGive):
        return ToGive(hide_secrets(plainly(why.why)), hide_secrets(plainly(why.give)), *why.asked)
    return hide_secrets(plainly(why))


def without_secrets(each: Finding) -> Finding:
    """Hides every secret in the words of a finding, whichever rule wrote them, and also where a rule crashed."""
    from nodeworthy.redaction import hide_secrets

    said = {name: getattr(each, name) for name in _WORDS}
    hiding: dict[str, Any] = {
        name: safe for name, text in said.items() if text and (safe := hide_secrets(text)) is not text
    }
    if any(hide_secrets(other.says) is not other.says for other in each.related):
        hiding["related"] = tuple(replace(other, says=hide_secrets(other.says)) for other in each.related)
    if each.edit is not None and any(
        hide_secrets(text) is not text for text in (each.edit.was, each.edit.new, each.edit.title)
    ):
        hiding["edit"] = None
    return replace(each, **hiding) if hiding else each


def merge_equal(findings: Iterable[Finding]) -> list[Finding]:
    """Merges equal findings. Three pools with one wrong line give one finding that names all three."""
    merged: dict[Any, Finding] = {}
    for each in findings:
        key = (each.rule, each.verdict, each.where, each.message, each.is_, each.should, each.simulated)
        first = merged.get(key)
        if first is None:
            merged[key] = each
            continue
        merged[key] = replace(
            first,
            on=tuple(dict.fromkeys((*first.on, *each.on))),
            related=tuple(dict.fromkeys((*first.related, *each.related))),
            victims=tuple(dict.fromkeys((*first.victims, *each.victims))),
            nodes=tuple(dict.fromkeys((*first.nodes, *each.nodes))),
        )
    return list(merged.values())


def unnest(message: str) -> str:
    """`A is not known, because B is not: C`."""
    return _NESTED.sub(lambda found: f" {found[1]} not known, because {found[2]} {found[3]} not", message)


def what_and_why(message: str) -> tuple[str, str]:
    """Splits a message into what is not known (`whether X is set`) and why. The first is empty where the message has
    another form."""
    found = _WHY.search(message)
    if found is None:
        return "", message
    what = message[: found.start()].removesuffix(" are").removesuffix(" is").removesuffix(",")
    return what, message[found.end() :]

"""What is known of something, for a person and for a program."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from nodeworthy.known.evidence import Found
from nodeworthy.records import dataclass
from nodeworthy.redaction import hidden
from nodeworthy.rule import Moment, Rule

SCHEMA = "nodeworthy/explain/v1"
WIDTH = 108


@dataclass(frozen=True)
class Explanation:
    """One thing that was recognised: what kind of thing, its name, and what there is to say, by label."""

    kind: str
    id: str
    title: str
    rows: tuple[tuple[str, str], ...] = ()
    prose: str = ""
    # What a program wants of it.
    data: tuple[tuple[str, Any], ...] = ()

    def as_data(self) -> dict[str, Any]:
        said = dict(self.data) if self.data else dict(self.rows)
        return {"kind": self.kind, "id": self.id, "title": self.title, **said}


def text(explanations: Sequence[Explanation]) -> str:
    return "\n\n".join("\n".join(_lines(each)) for each in explanations) + "\n"


def _lines(each: Explanation) -> Iterator[str]:
    yield f"{each.id}: {each.title}"
    for paragraph in filter(None, each.prose.split("\n\n")):
        yield from textwrap.wrap(" ".join(paragraph.split()), WIDTH, initial_indent="  ", subsequent_indent="  ")
    width = max((len(label) for label, _ in each.rows), default=0)
    for label, value in each.rows:
        yield from textwrap.wrap(
            value,
            WIDTH,
            initial_indent=f"  {label:<{width}}  ",
            subsequent_indent=" " * (width + 4),
            break_long_words=False,
            break_on_hyphens=False,
        )


def of_rule(rule: Rule, moments: Sequence[Moment]) -> Explanation:
    proven = [each.value for each in moments]
    body = rule.documentation
    said = [("remedy", rule.remedy), ("severity", rule.severity.value), ("moments", ", ".join(proven))]
    if rule.incident:
        said.append(("incident", rule.incident))
    said.append(("ignore it", f"# nodeworthy: ignore {rule.id} REASON"))
    data: dict[str, Any] = {
        "documentation": body,
        "remedy": rule.remedy,
        "severity": rule.severity.value,
        "moments": proven,
        "incident": rule.incident,
    }
    return Explanation("rule", rule.id, rule.title, tuple(said), body, tuple(data.items()))


def of_evidence(found: Found, rule: Rule | None) -> Explanation:
    """What was found in a text. The rule is None where none of ours proves it yet."""
    evidence = found.evidence
    words, times = found.shown(hidden), f"{found.times} time{'s' if found.times > 1 else ''}"
    rows = [("found", f"{times}, first in line {found.line}: {words}")]
    rows += [("rule", f"{rule.id}: {rule.title}")] if rule is not None else []
    rows += [("cause", evidence.cause), ("remedy", evidence.remedy), ("source", evidence.source)]
    data: dict[str, Any] = {
        "evidence": evidence.text,
        "times": found.times,
        "line": found.line,
        "words": words,
        "rule": rule.id if rule is not None else None,
        "cause": evidence.cause,
        "remedy": evidence.remedy,
        "source": evidence.source,
    }
    return Explanation("evidence", evidence.id, evidence.says, tuple(rows), "", tuple(data.items()))

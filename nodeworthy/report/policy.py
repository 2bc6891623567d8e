"""A finding as the text of a policy violation: whoever reads it sees nothing else of the report."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.report.text import details
from nodeworthy.verdict import Finding, Verdict

NOT_YET = "cannot be verified yet"


def violation(found: Finding, advice: str | None) -> str:
    return "\n".join(_lines(found, advice))


def _lines(found: Finding, advice: str | None) -> Iterator[str]:
    unknown = found.verdict is Verdict.UNKNOWN
    yield f"{found.rule}: {f'{NOT_YET}: ' if unknown else ''}{found.sentence()}"
    if found.where.path or found.where.subject:
        position = (found.where.path, found.where.line, found.where.column)
        place = ":".join(str(part) for part in position if part is not None)
        yield f"  {'at':<7} {' '.join(filter(None, [place, found.where.subject]))}"
    for label, text in details(found):
        yield f"  {label:<7} {text}"
    if advice:
        yield f"  {'verify':<7} {advice}"

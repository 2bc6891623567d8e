"""What would mend the findings of a report, for programs that read it: the edits of `check --fix`, tried by nobody."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from nodeworthy.records import replace
from nodeworthy.report.report import Offer, Piece, Report
from nodeworthy.verdict import Finding

if TYPE_CHECKING:
    from nodeworthy.fixes.text import Fix, Text


def with_offers(report: Report, began: float) -> Report:
    """The report with what would mend findings in files that are still as they were when the run began."""
    paths = {each.where.path for each in report.findings if each.edit is not None and not each.suppressed}
    if not paths:
        return report
    texts = {path: text for path in paths if path and (text := _text(path, began)) is not None}
    return replace(report, offers=dict(_offers(report, texts)))


def _text(path: str, began: float) -> Text | None:
    from nodeworthy.collect.source.files import Source, Unreadable, read_bytes
    from nodeworthy.fixes.text import Text

    try:
        if Path(path).stat().st_mtime > began:
            return None
        return Text.of(path, read_bytes(Source(Path(path), path, True, os.path.realpath(path))))
    except (Unreadable, OSError, ValueError):
        return None


def _offers(report: Report, texts: dict[str, Text]) -> Iterator[tuple[Finding, Offer]]:
    from nodeworthy.fixes.proposals import proposals
    from nodeworthy.fixes.text import Fix, apart

    by_path: dict[str, list[Fix]] = defaultdict(list)
    for each in proposals(report.judgements, texts):
        if isinstance(each, Fix):
            by_path[each.path].append(each)
    for path, fixes in by_path.items():
        for fix in apart(fixes)[0]:
            offer = _offer(fix, texts[path])
            if offer is not None:
                yield from ((each, offer) for each in fix.findings)


def _offer(fix: Fix, text: Text) -> Offer | None:
    """None where all of the file would be told, or a secret in it."""
    from nodeworthy.redaction import hide_secrets

    pieces = []
    for each in fix.changes:
        taken = text.text[each.start : each.end]
        if (each.start, each.end) == (0, len(text.text)) or any(
            hide_secrets(one) is not one for one in (taken, each.new)
        ):
            return None
        pieces.append(Piece(text.position(each.start), text.position(each.end), taken, each.new))
    return Offer(fix.title, fix.path, tuple(pieces))

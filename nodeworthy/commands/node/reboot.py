"""`--reboot`: asks first, and says what is not as it was before."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from nodeworthy.commands.asking import ask_yes
from nodeworthy.engine import Judgement
from nodeworthy.errors import CouldNotLook, InputError
from nodeworthy.report.report import Report
from nodeworthy.verdict import Finding, Related

if TYPE_CHECKING:
    from nodeworthy.collect.node.specs import Spec

ONLY_AFTER = "only after the reboot: before it, this was not found"


def agree(hosts: Sequence[Spec], *, yes: bool) -> None:
    """Raises InputError where nobody can be asked, CouldNotLook where the answer is no."""
    from nodeworthy.collect.node.rebooting import can_be_rebooted

    can_be_rebooted(hosts)
    if yes or not hosts:
        return
    if not sys.stdin.isatty():
        raise InputError("--reboot asks before it reboots, and there is no terminal: say --yes")
    print(f"to be rebooted: {', '.join(each.text for each in hosts)}", file=sys.stderr)
    if not ask_yes("now?"):
        raise CouldNotLook("nothing was rebooted, and nothing looked at")


def compare_reports(before: Report, after: Report) -> Report:
    """The report of afterwards, in which what is new is marked."""
    known = {_key(each) for each in before.findings}
    return replace(after, judgements=[_marked(each, known) for each in after.judgements])


def _marked(judgement: Judgement, known: set[tuple[str, ...]]) -> Judgement:
    found = tuple(each if _key(each) in known else _only_after(each) for each in judgement.findings)
    return replace(judgement, findings=found)


def _only_after(finding: Finding) -> Finding:
    return replace(finding, related=(*finding.related, Related(finding.where, ONLY_AFTER)))


def tell_changes(before: Report, after: Report) -> str:
    known, now = ({_key(each) for each in one.findings} for one in (before, after))
    gone = [each for each in before.findings if _key(each) not in now]
    new = [each for each in after.findings if _key(each) not in known]
    if not gone and not new:
        return "after the reboot it is as it was before"
    lines = [
        *(f"new after the reboot: {_line(each)}" for each in new),
        *(f"gone with it: {_line(each)}" for each in gone),
    ]
    return "\n".join(lines)


def _line(finding: Finding) -> str:
    return f"{finding.where.host or finding.where}: {finding.verdict} {finding.rule}: {finding.message}"


def _key(finding: Finding) -> tuple[str, ...]:
    """Numbers of processes, sizes and times are others after each boot, and make no other fault."""
    message = re.sub(r"\d+", "#", finding.message)
    return finding.where.host or "", finding.rule, finding.verdict, message

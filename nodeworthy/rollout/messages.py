"""What people who run jobs are told of a rollout: that it begins, how far it is, and how it ended."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.records import dataclass
from nodeworthy.rollout.journal import Journal, Status


@dataclass
class Told:
    """What they have been told already."""

    has_begun: bool = False
    finished: int = 0
    status: Status = Status.RUNNING


def messages(journal: Journal, told: Told) -> Iterator[str]:
    """Those that are due; nobody is told a thing twice."""
    if not told.has_begun:
        told.has_begun, told.finished = True, journal.finished()
        yield _first(journal)
    if journal.finished() > told.finished and journal.status is Status.RUNNING and journal.unfinished():
        told.finished = journal.finished()
        yield _update(journal)
    if journal.status is not told.status:
        told.status = journal.status
        yield _last(journal)


def _first(journal: Journal) -> str:
    terms, count = journal.terms, len(journal.unfinished())
    waits = (
        f"Work on GPUs is waited for, {terms.job_seconds:g} s at most."
        if terms.job_seconds is not None
        else "Work on GPUs is waited for until it ends."
    )
    return (
        f"FIRST MESSAGE, to everybody who runs jobs here\n\n{_counted(count, journal)} replaced, one after "
        f"the other; at most {terms.most_unavailable} at a time {'is' if terms.most_unavailable == 1 else 'are'} away. "
        f"{waits} Nothing is to be done by you. A new job may wait longer for a node than usual."
    )


def _counted(count: int, journal: Journal) -> str:
    return f"{count} node{'' if count == 1 else 's'} of {journal.group} {'is' if count == 1 else 'are'}"


def _update(journal: Journal) -> str:
    done, left = journal.finished(), len(journal.unfinished())
    return (
        f"UPDATE\n\n{done} of {len(journal.lanes)} nodes of {journal.group} are replaced, and proven before they took "
        f"work; {left} to go."
    )


def _last(journal: Journal) -> str:
    done = f"{journal.finished()} of {len(journal.lanes)} nodes of {journal.group} are replaced"
    if journal.status is Status.DONE:
        return f"RESOLUTION\n\nAll {len(journal.lanes)} nodes of {journal.group} are replaced and proven. It is over."
    if journal.status is Status.PAUSED:
        return f"UPDATE\n\nIt pauses: {done}; the others work as before. You are told when it goes on."
    return (
        f"UPDATE\n\nIt has stopped: {done}; the others work as before. {_lost(journal)}The platform team looks into "
        f"it; when it goes on is not known yet.\n\nFOR THE PLATFORM TEAM\n\n{journal.why}"
    )


def _lost(journal: Journal) -> str:
    """What is missing until somebody has looked."""
    away = [each for each in journal.under_way() if each.fresh or each.stage.value == "terminated"]
    if not away:
        return ""
    one = len(away) == 1
    return f"{len(away)} node{'' if one else 's'} {'is' if one else 'are'} kept from work until then. "

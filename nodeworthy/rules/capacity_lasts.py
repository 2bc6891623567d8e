"""The reservation that a pool runs in is active, large enough, and does not end unexpectedly.

What a capacity block ends with, AWS ends: half an hour before, it terminates all that runs in it, whatever that is.
Whoever has a schedule that empties the group before then has thought of it, and passes. A reservation of another kind
does not end machines, but gives their place to others: what is replaced afterwards may not come back. A day before the
end it is an error: whoever extends it, or moves the work, has to begin.
"""

from __future__ import annotations

from datetime import timedelta

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.aws.room import NodeReservation, time_left
from nodeworthy.facts.aws.settling import moment
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Related, Severity, fail, need

RULE = Rule(
    "capacity-lasts",
    severity=Severity.WARNING,
    incident="D",
    title="A pool's reservation is active, large enough, and does not end unexpectedly",
    remedy="extend it (aws ec2 purchase-capacity-block-extension, or modify-capacity-reservation --end-date), or empty "
    "its groups before it ends",
    may_be_grave=True,
)

SOON = timedelta(days=7)
AT_ONCE = timedelta(hours=24)
# AWS begins to end what runs in a block that long before.
BEFORE_THE_END = timedelta(minutes=30)
_BLOCK = "capacity-block"


@RULE.check
def it_is_there_and_active(reservation: NodeReservation) -> Findings:
    said = need(reservation.tree)
    if said is None:
        yield fail(
            reservation,
            f"the reservation {reservation.id} that {reservation.titles} names is not of this account and region",
            should="a reservation that is there",
            related=_declared(reservation),
            cause="no machine can be started in it",
            severity=Severity.WARNING,
        )
        return
    state = need(said.get("State").located())
    if state not in ("active", "scheduled"):
        yield fail(
            said,
            f"the reservation {reservation.id} of {reservation.titles} is not active",
            is_=str(state),
            should="active",
            related=_declared(reservation),
            cause="no machine can be started in it, and what ended does not come back",
            severity=Severity.WARNING,
        )


@RULE.check
def it_is_as_large_as_its_groups(reservation: NodeReservation) -> Findings:
    said = need(reservation.tree)
    total = need(said.get("TotalInstanceCount").located()) if said is not None else None
    if said is not None and isinstance(total, int) and total < reservation.only_here:
        yield fail(
            said,
            f"the reservation {reservation.id} is smaller than {reservation.titles}",
            is_=f"{total} machine{'s' if total != 1 else ''}",
            should=f"{reservation.only_here}, as the desired capacity says",
            related=_declared(reservation),
            cause="the machines beyond it are not started",
            severity=Severity.WARNING,
        )


@RULE.check
def it_does_not_end_unforeseen(reservation: NodeReservation) -> Findings:
    said = need(reservation.tree)
    lasts = time_left(said, reservation.seen_at) if said is not None else None
    if said is None or lasts is None or lasts > SOON or lasts < timedelta() or not reservation.wanted:
        return
    is_block = said.get("ReservationType").text == _BLOCK
    if is_block and _is_emptied_before(reservation, said):
        return
    yield fail(
        said,
        f"the {'capacity block' if is_block else 'reservation'} {reservation.id} of {reservation.titles} ends in "
        f"{_in_words(lasts)}",
        is_=said.get("EndDate").text,
        should="a later end, or a schedule that empties its groups before" if is_block else "a later end",
        related=_declared(reservation),
        cause="AWS ends what runs in it 30 minutes before, in the middle of its work"
        if is_block
        else "its machines keep running, and their place is anybody's: one that is replaced may not come back",
        severity=Severity.ERROR if lasts < AT_ONCE else Severity.WARNING,
    )


def _in_words(lasts: timedelta) -> str:
    minutes = int(lasts.total_seconds() // 60)
    if minutes < 120:
        return f"{minutes} minutes"
    return f"{minutes // 60} hours" if minutes < 48 * 60 else f"{minutes // (24 * 60)} days"


def _is_emptied_before(reservation: NodeReservation, said: Tree) -> bool:
    ends = moment(said.get("EndDate"))
    emptied = need(reservation.emptied)
    return emptied is not None and ends is not None and emptied <= ends - BEFORE_THE_END


def _declared(reservation: NodeReservation) -> list[Related]:
    return [one for each in reservation.nodes for one in each.declared]

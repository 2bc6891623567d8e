"""What is wrong with something that a boot leaves behind, before a rule says of whom and why it matters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from nodeworthy.boot.conditions import Guard
from nodeworthy.edit import Edit
from nodeworthy.records import dataclass
from nodeworthy.verdict import Draft, Place, Related, Severity, Verdict, draft


@dataclass(frozen=True)
class Flaw:
    place: Place
    says: str
    should: str | None = None
    cause: str | None = None
    is_: str | None = None
    remedy: str | None = None
    related: tuple[Related, ...] = ()
    # It can't be decided, rather than wrong.
    is_doubt: bool = False
    edit: Edit | None = None
    severity: Severity = Severity.ERROR

    def told(self, *, on: str = "", related: tuple[Related, ...] = ()) -> Draft:
        return draft(
            Verdict.UNKNOWN if self.is_doubt else Verdict.FAIL,
            self.place,
            self.says,
            is_=self.is_,
            should=self.should,
            cause=self.cause,
            remedy=self.remedy,
            related=(*self.related, *related),
            on=(on,) if on else (),
            edit=self.edit,
            severity=self.severity,
        )


def doubt(place: Place, says: str, remedy: str | None = None) -> Flaw:
    return Flaw(place, says, remedy=remedy, is_doubt=True)


def if_it_is_there(flaw: Flaw) -> Flaw:
    says = f"{flaw.says}, and whether it is there, a template decides"
    return replace(flaw, says=says, is_=None, should=None, is_doubt=True)


def agreed(every: Sequence[Sequence[Flaw]]) -> Iterator[Flaw]:
    """Of what a template may come to be: what each branch has is a flaw, and what only some have is a doubt."""
    told: set[tuple[Place, str]] = set()
    for flaws in every:
        for flaw in flaws:
            key = (flaw.place, flaw.says)
            if key in told:
                continue
            told.add(key)
            in_all = all(any((each.place, each.says) == key for each in others) for others in every)
            yield flaw if in_all or flaw.is_doubt else if_it_is_there(flaw)


def shown(guard: Guard) -> str:
    """The conditions under which something happens, in a reader's words."""
    return " and ".join(each.shown() for each in guard if not each.is_expected) or "it is reached"

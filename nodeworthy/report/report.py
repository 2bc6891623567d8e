"""What a run looked at, what it says and what would mend it, before anybody renders it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from nodeworthy.records import dataclass, field
from nodeworthy.verdict import Finding, Place, Severity, ToGive, Verdict, name_all

if TYPE_CHECKING:
    from nodeworthy.engine import Judgement
    from nodeworthy.facts.chain import Walk
    from nodeworthy.facts.cluster.sighting import Sighting
    from nodeworthy.rule import Moment

# What the reader of a report asked for, as far as the report tells of it.


@dataclass(frozen=True)
class ReportOptions:
    strict: bool = False
    allow_unknown: bool = False
    show_passed: bool = False
    show_skipped: bool = False
    show_unknown: bool = False
    quiet: bool = False

    @property
    def skips(self) -> bool:
        """Whether every skip is listed, with why."""
        return self.show_skipped or self.show_passed

    def told(self, report: Report) -> list[Finding]:
        """The findings that are told one by one."""
        return [each for each in report.findings if self.tells(report, each)]

    def only_counted(self, report: Report) -> int:
        """How many unknowns are no more than a number, because they change no exit code."""
        return len(report.findings) - len(self.told(report))

    def tells(self, report: Report, finding: Finding) -> bool:
        if finding.verdict is not Verdict.UNKNOWN or finding.suppressed or self.show_unknown:
            return True
        return report.speaks(finding, strict=self.strict)


EVERYTHING = ReportOptions(show_passed=True, show_skipped=True, show_unknown=True)


SCHEMA = "nodeworthy/report/v1"
EVALUATED = (Verdict.PASS, Verdict.FAIL, Verdict.UNKNOWN, Verdict.ERROR)


@dataclass(frozen=True)
class Wanted:
    """Something that the reader could give."""

    give: str
    # Why it is missing, what it has to say, and the rules that wait for it: each once, in their order.
    reasons: dict[str, None] = field(default_factory=dict)
    asked: dict[str, None] = field(default_factory=dict)
    rules: dict[str, None] = field(default_factory=dict)

    def add(self, rule: str, why: ToGive) -> None:
        self.reasons[why.why] = None
        self.asked.update(dict.fromkeys(why.asked))
        self.rules[rule] = None

    @property
    def told(self) -> str:
        return name_all(self.give, tuple(self.asked))


@dataclass(frozen=True)
class Report:
    moment: Moment
    judgements: Sequence[Judgement]
    # What was looked at besides: files and unrecognised, resources, hosts, objects.
    looked_at: Mapping[str, int] = field(default_factory=dict)
    # What else a command has to tell, for its own renderer (a tree of resources, a ledger).
    extra: Mapping[str, Any] = field(default_factory=dict)
    # What the cluster said of the objects that findings name, where it is told to people.
    sightings: Sequence[Sighting] = ()
    # What would mend them, for the formats that programs read.
    offers: Mapping[Finding, Offer] = field(default_factory=dict)
    # The baseline that was laid over it, as its reader knows it.
    baseline: str | None = None
    # The files that are of no kind that is known.
    not_read: Sequence[str] = ()
    # What writes the fixes that there are, as it is typed.
    mends: str = ""
    # What its reader types next, where that follows from what was found.
    next: str = ""
    # What was seen of the links from card to pod of the hosts that were asked.
    walks: Sequence[Walk] = ()
    # The rules that the settings leave out.
    left_out: frozenset[str] = frozenset()

    @cached_property
    def summary(self) -> dict[str, int]:
        counted = Counter(each.verdict for each in self.judgements if not each.suppressed)
        failed = (each for each in self.judgements if each.verdict is Verdict.FAIL and not each.suppressed)
        return {
            **{str(verdict): counted[verdict] for verdict in Verdict},
            "warnings": sum(each.severity is Severity.WARNING for each in failed),
            "suppressed": sum(each.suppressed for each in self.judgements),
            **({"baselined": sum(map(_is_baselined, self.judgements))} if self.baseline else {}),
        }

    @cached_property
    def evaluated(self) -> dict[str, int]:
        looked = [each for each in self.judgements if each.verdict in EVALUATED]
        return {
            "subjects": len({id(each.subject) for each in looked}),
            "rules": len({each.rule.id for each in looked}),
            "verdicts": len(looked),
            **self.looked_at,
        }

    @cached_property
    def findings(self) -> list[Finding]:
        """The findings of everything but pass and skip, in the order of their places."""
        found = [finding for each in self.judgements for finding in each.findings]
        return sorted(found, key=_order)

    @cached_property
    def skipped(self) -> dict[str, dict[str, int]]:
        """Per rule that was skipped: why, and how often."""
        reasons: dict[str, Counter[str]] = {}
        for each in self.judgements:
            for why in each.reasons:
                reasons.setdefault(each.rule.id, Counter())[why] += 1
        return {rule: dict(counted) for rule, counted in sorted(reasons.items())}

    @cached_property
    def judged_nothing(self) -> list[str]:
        """The rules that were asked and had nothing to judge."""
        judged = {each.rule.id for each in self.judgements if each.verdict is not Verdict.SKIP}
        return sorted({each.rule.id for each in self.judgements} - judged)

    @cached_property
    def to_give(self) -> list[Wanted]:
        """What the reader could give, in the order in which it is first missed."""
        wanted: dict[str, Wanted] = {}
        for each in self.judgements:
            # What is wrong stays wrong, whatever else is said.
            for why in each.reasons if each.verdict is not Verdict.FAIL else ():
                if isinstance(why, ToGive):
                    wanted.setdefault(why.give, Wanted(why.give)).add(each.rule.id, why)
        return list(wanted.values())

    @cached_property
    def is_all_unknown(self) -> bool:
        """Whether all that was evaluated is unknown: then nothing is proven, however little each of them matters."""
        evaluated = [each for each in self.judgements if each.verdict in EVALUATED]
        return bool(evaluated) and all(each.verdict is Verdict.UNKNOWN for each in evaluated)

    def speaks(self, finding: Finding, *, strict: bool = False) -> bool:
        """Whether it may change the exit code. A crash always does, a warning only where that is asked for. Where there
        is nothing but unknowns, each of them does."""
        if finding.suppressed or finding.verdict in (Verdict.PASS, Verdict.SKIP):
            return False
        of_weight = finding.severity is Severity.ERROR or finding.verdict is Verdict.ERROR
        return strict or of_weight or (finding.verdict is Verdict.UNKNOWN and self.is_all_unknown)

    def offer(self, finding: Finding) -> Offer | None:
        return self.offers.get(finding) if finding.edit is not None else None

    def exit_code(self, *, strict: bool = False, allow_unknown: bool = False) -> int:
        """0 something was evaluated and clean, 1 a failure, 3 unknown, crashed or nothing evaluated."""
        found = (each for judgement in self.judgements for each in judgement.findings)
        verdicts = {each.verdict for each in found if self.speaks(each, strict=strict)}
        if Verdict.FAIL in verdicts:
            return 1
        if Verdict.ERROR in verdicts or not self.evaluated["verdicts"]:
            return 3
        return 3 if Verdict.UNKNOWN in verdicts and not allow_unknown else 0


def _is_baselined(judgement: Judgement) -> bool:
    return judgement.suppressed and any(found.baselined for found in judgement.findings)


def _order(finding: Finding) -> tuple[Any, ...]:
    where = finding.where
    return (
        *(value or "" for value in (where.path, where.urn, where.host, where.object)),
        where.line or 0,
        where.column or 0,
        finding.rule,
        finding.message,
        where.subject or "",
    )


def place_as_data(place: Place) -> dict[str, Any]:
    named = ("path", "line", "column", "urn", "host", "object", "subject")
    return {name: value for name in named if (value := getattr(place, name)) is not None}


# Line and column, both counted from 1, columns in characters.
Position = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Piece:
    start: Position
    # Behind the last character that is taken out.
    end: Position
    is_: str
    should: str


@dataclass(frozen=True, slots=True)
class Offer:
    title: str
    path: str
    pieces: tuple[Piece, ...]


def offer_as_data(offer: Offer) -> dict[str, Any]:
    return {"title": offer.title, "path": offer.path, "changes": [_piece_as_data(each) for each in offer.pieces]}


def _piece_as_data(piece: Piece) -> dict[str, Any]:
    told = {"is": piece.is_, "should": piece.should}
    return {"start": _position(piece.start), "end": _position(piece.end), **told}


def _position(at: Position) -> dict[str, int]:
    return {"line": at[0], "column": at[1]}

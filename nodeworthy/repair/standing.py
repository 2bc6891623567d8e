"""What a look at a host says of it as a whole, and the marks that this leaves on its node."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import Enum
from typing import Any

from nodeworthy.documents.plain import text_at
from nodeworthy.engine import Judgement
from nodeworthy.known.verification import OPT_OUTS, VERIFIED, VERIFIED_BOOT
from nodeworthy.records import dataclass
from nodeworthy.repair.change import Wanted
from nodeworthy.repair.edit import ANNOTATIONS, LABELS, TAINTS, Edit, ValuePath, value_at
from nodeworthy.repair.gate import Gate
from nodeworthy.report.printable import on_one_line
from nodeworthy.report.report import Report
from nodeworthy.rule import Moment
from nodeworthy.verdict import Finding, Verdict

# An annotation may be longer, but nobody reads it there.
_LONGEST = 400
_BAD = (Verdict.FAIL,)
_UNCLEAR = (Verdict.ERROR, Verdict.UNKNOWN)


class Fitness(Enum):
    FIT = "passes"
    UNFIT = "fails"
    UNSEEN = "is not known to be fit"


# What a node of several hosts is, which are one machine.
WORST_FIRST = (Fitness.UNFIT, Fitness.UNSEEN, Fitness.FIT)


@dataclass(frozen=True)
class Standing:
    fitness: Fitness
    # The rule that speaks against it, and its sentence.
    rule: str = ""
    why: str = ""


_UNJUDGED = Standing(Fitness.UNSEEN, "looked-at", "nothing of it was judged")


def standing(host: str, judgements: Sequence[Judgement], *, strict: bool) -> Standing:
    """The standing of a host, by what changes the exit code. What is unknown always counts against it."""
    own = [each for each in judgements if each.subject.place.host == host]
    # A rule that crashed elsewhere than on a host may have been about any.
    nobodys = [each for each in judgements if each.subject.place.host is None and each.verdict is Verdict.ERROR]
    every = [*own, *nobodys]
    return standing_of(Report(Moment.NODE, every), strict=strict)


def standing_of(report: Report, *, strict: bool, allow_unknown: bool = False) -> Standing:
    """The standing of a node, by all that was judged of it."""
    code = report.exit_code(strict=strict, allow_unknown=allow_unknown)
    if code == 0:
        return Standing(Fitness.FIT)
    fitness, wrong = (Fitness.UNFIT, _BAD) if code == 1 else (Fitness.UNSEEN, _UNCLEAR)
    found = _findings(report, wrong, strict=strict)
    return Standing(fitness, found[0].rule, _fault_in_words(found)) if found else _UNJUDGED


def worst(some: Iterable[Standing]) -> Standing:
    return min(some, key=lambda each: WORST_FIRST.index(each.fitness))


def _findings(report: Report, wrong: Sequence[Verdict], *, strict: bool) -> list[Finding]:
    heavy = [each for each in report.findings if each.verdict in wrong and report.speaks(each, strict=strict)]
    return sorted(heavy, key=lambda each: (wrong.index(each.verdict), each.rule, each.message))


def _fault_in_words(found: Sequence[Finding]) -> str:
    first = on_one_line(f"{found[0].rule}: {found[0].sentence()}")
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    room = _LONGEST - len(more)
    return (first if len(first) <= room else f"{first[: room - 3]}...") + more


UNVERIFIED = "nodeworthy/unverified:NoSchedule"
BECAUSE = "nodeworthy/unverified-because"
_KINDS: dict[ValuePath, str] = {LABELS: "label", ANNOTATIONS: "annotation", TAINTS: "taint"}


def stamp(now: datetime) -> str:
    """The time as a label's value, which may hold no colons."""
    return f"{now:%Y%m%dT%H%M%SZ}"


def boot_of(node: Mapping[str, Any]) -> str | None:
    return text_at(node, "status", "nodeInfo", "bootID") or None


def mark_edits(
    standing: Standing, node: Mapping[str, Any], now: datetime, gate: Gate | None = None
) -> tuple[Edit, ...]:
    """What has to be changed; nothing where all stands as it should. Raises NotEditable."""
    return as_edits(node, _wanted(standing, node, now, gate))


def as_edits(node: Mapping[str, Any], wanted: Iterable[Wanted]) -> tuple[Edit, ...]:
    """Less what is so already. Raises NotEditable."""
    edits = [Edit(each.within, each.name, value_at(node, each.within, each.name), each.value) for each in wanted]
    return tuple(each for each in edits if not each.is_idle)


def guards(node: Mapping[str, Any]) -> tuple[Edit, ...]:
    """Changes nothing, and is refused where somebody opts out after the change was shown."""
    found = ((name, value_at(node, LABELS, name)) for name in OPT_OUTS)
    return tuple(Edit(LABELS, name, value, value) for name, value in found)


def _wanted(standing: Standing, node: Mapping[str, Any], now: datetime, gate: Gate | None) -> Iterator[Wanted]:
    if standing.fitness is Fitness.FIT:
        yield Wanted(LABELS, VERIFIED, stamp(now))
        yield Wanted(ANNOTATIONS, VERIFIED_BOOT, boot_of(node))
        yield from opens(node, gate.why_shut(node, now) if gate is not None else None)
        return
    yield Wanted(LABELS, VERIFIED, None)
    yield Wanted(ANNOTATIONS, VERIFIED_BOOT, None)
    is_tainted = value_at(node, TAINTS, UNVERIFIED) is not None
    unseen = standing.fitness is Fitness.UNSEEN
    if unseen and is_tainted and value_at(node, ANNOTATIONS, BECAUSE) is not None:
        return  # what was found wrong with it before is still the best that is known
    if not (unseen and is_tainted):
        yield Wanted(TAINTS, UNVERIFIED, standing.rule)
    yield Wanted(ANNOTATIONS, BECAUSE, standing.why)


def opens(node: Mapping[str, Any], why_not: str | None) -> Iterator[Wanted]:
    """The taint goes, or stays where it is with what is missing still."""
    if why_not is None:
        yield Wanted(TAINTS, UNVERIFIED, None)
        yield Wanted(ANNOTATIONS, BECAUSE, None)
    elif value_at(node, TAINTS, UNVERIFIED) is not None:
        yield Wanted(ANNOTATIONS, BECAUSE, why_not)


def mark_shown(edit: Edit) -> str:
    """One line for people."""
    kind = _KINDS[edit.within]
    if edit.after is None:
        return f"- {kind} {_edit_in_words(edit, edit.before)}"
    was = f" (was {edit.before or 'without a value'})" if edit.before is not None else ""
    return f"+ {kind} {_edit_in_words(edit, edit.after)}{was}"


def _edit_in_words(edit: Edit, value: str | None) -> str:
    if edit.within != TAINTS:
        return f"{edit.name}={value}"
    key, _, effect = edit.name.rpartition(":")
    return f"{key}={value}:{effect}" if value else edit.name

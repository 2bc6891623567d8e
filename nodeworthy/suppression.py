"""A finding that somebody decided to live with, and why."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from itertools import accumulate

from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import Finding, Place, Verdict

# Whose verdict of what is not known: the file, the object, the rule.
Undecided = Collection[tuple[str | None, str | None, str]]


@dataclass(frozen=True, slots=True)
class Suppression:
    """`# nodeworthy: ignore RULE-ID reason…`, or the annotation `nodeworthy/ignore.RULE-ID: reason…`."""

    rule: str
    reason: str
    # Where it stands.
    place: Place
    # The lines whose findings it suppresses; None for a whole object.
    lines: range | None = None
    # Why it can never have an effect (no reason given, no such rule); None where it may.
    fault: str | None = None
    # Of a file that was only read for another one: what of it has no effect is that file's own matter.
    is_borrowed: bool = False

    def covers(self, where: Place, rule: str) -> bool:
        if self.fault is not None or rule != self.rule:
            return False
        if (where.path, where.host, where.object) != (self.place.path, self.place.host, self.place.object):
            return False
        return self.lines is None or (where.line is not None and where.line in self.lines)


class _OfARule:
    """The suppressions of one rule. A finding is compared with those about its own line and about no line."""

    def __init__(self, every: Iterable[Suppression]) -> None:
        some = list(every)
        self._of_objects = [each for each in some if each.lines is None]
        self._lined = sorted((each for each in some if each.lines is not None), key=lambda each: _lines(each).start)
        self._starts = [_lines(each).start for each in self._lined]
        # The last line that one of those up to here is about.
        self._until = list(accumulate((_lines(each).stop for each in self._lined), max))

    def covering(self, where: Place, rule: str) -> list[Suppression]:
        return [each for each in self._near(where.line) if each.covers(where, rule)]

    def _near(self, line: int | None) -> Iterator[Suppression]:
        yield from self._of_objects
        at = bisect_right(self._starts, line) if line is not None else 0
        while at > 0 and line is not None and self._until[at - 1] > line:
            at -= 1
            yield self._lined[at]


def _lines(suppression: Suppression) -> range:
    return suppression.lines if suppression.lines is not None else range(0)


class Suppressed:
    """Lays the suppressions of a scene over its findings, and remembers which had an effect."""

    def __init__(self, suppressions: Iterable[Suppression]) -> None:
        self._every = tuple(suppressions)
        by_rule: dict[str, list[Suppression]] = defaultdict(list)
        for each in self._every:
            by_rule[each.rule].append(each)
        self._by_rule = {rule: _OfARule(some) for rule, some in by_rule.items()}
        self._used: set[int] = set()
        # Where what nothing suppresses stands, by rule and file.
        self._open: dict[tuple[str, str | None], list[int]] = defaultdict(list)

    def applied(self, found: Finding) -> Finding:
        """Suppresses a failure where somebody asked for it. An unknown or a crash is never suppressed."""
        if found.verdict is not Verdict.FAIL:
            return found
        of_rule = self._by_rule.get(found.rule)
        covering = of_rule.covering(found.where, found.rule) if of_rule is not None else []
        self._used.update(id(each) for each in covering)
        if not covering and found.where.line is not None:
            insort(self._open[found.rule, found.where.path], found.where.line)
        return replace(found, suppressed=True) if covering else found

    def without_effect(self, ran: Collection[str], undecided: Undecided) -> Iterator[tuple[Suppression, str]]:
        """The suppressions that changed nothing, each with the reason. A suppression is left out here if its rule did
        not run or could not decide."""
        for each in (one for one in self._every if not one.is_borrowed):
            nobody_knows = each.rule not in ran or (each.place.path, each.place.object, each.rule) in undecided
            if each.fault is not None:
                yield each, each.fault
            elif id(each) not in self._used and not nobody_knows:
                yield each, f"{each.rule} finds nothing here{self._elsewhere(each)}"

    def _elsewhere(self, suppression: Suppression) -> str:
        """The place of the finding that a misplaced comment was most likely meant for."""
        if suppression.lines is None or len(suppression.lines) != 1:
            return ""
        here, lines = suppression.place.line or 1, self._open[suppression.rule, suppression.place.path]
        if not lines:
            return ""
        at = bisect_left(lines, here)
        return f", but in line {min(lines[max(at - 1, 0) : at + 1], key=lambda line: abs(line - here))}"

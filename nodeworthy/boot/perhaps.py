"""What directives of a template decide about whole lines: under which conditions a line is there."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from nodeworthy.boot.conditions import Asks, Condition, Guard, Question
from nodeworthy.boot.origin import Origin
from nodeworthy.boot.shell.templates import Directive, directives_of
from nodeworthy.boot.text import Hole
from nodeworthy.records import dataclass, field

# More conditions than anybody nests: of a line that is deeper, these are told.
_DEEPEST = 40


@dataclass(frozen=True)
class Arm:
    """One of the branches under which a line stands, and the directives that lead into it and out of its group."""

    group: int
    # Where the group begins.
    line: int
    # Conditions, each with the answer that leads here.
    asks: tuple[tuple[str, bool], ...]
    is_loop: bool
    # Each with its line.
    enters: tuple[tuple[str, int], ...]
    leaves: str


Arms = tuple[Arm, ...]


@dataclass(frozen=True)
class Perhaps:
    """What holds from each line on at which a branch of a template begins or ends."""

    lines: Sequence[int] = ()
    arms: Sequence[Arms] = ()
    # The lines of which nothing is left: nothing but directives stands there.
    directives: frozenset[int] = field(default_factory=frozenset)

    def at(self, line: int) -> Arms:
        found = bisect_right(self.lines, line)
        return self.arms[found - 1] if found else ()

    def hole(self, arms: Arms, raw: str) -> Hole:
        asked, _ = arms[-1].asks[-1]
        return Hole(raw, f"{asked} decides whether it is there")


NOTHING = Perhaps()


def perhaps(text: str, *, jinja: bool) -> Perhaps:
    mark = ("{%", "{{") if jinja else ("%{",)
    if not any(each in text for each in mark):
        return NOTHING
    lines: list[int] = []
    arms: list[Arms] = []
    alone: set[int] = set()
    stack: list[Arm] = []
    line, at = 1, 0
    for number, each in enumerate(directives_of(text, jinja=jinja)):
        line, at = line + text.count("\n", at, each.start), each.start
        if each.alone or each.marks == ():
            alone.add(line)
        if each.alone and _stepped(number, line, each, text[each.start : each.end], stack):
            lines.append(line + text.count("\n", each.start, each.end) + 1)
            arms.append(tuple(stack[:_DEEPEST]))
    return Perhaps(lines, arms, frozenset(alone))


def _stepped(number: int, line: int, directive: Directive, raw: str, stack: list[Arm]) -> bool:
    keyword = directive.keyword
    if keyword in ("if", "for"):
        # How one leaves it is known at its end alone; all that Terraform and Jinja write is their own.
        stack.append(Arm(number, line, (directive.positive,), keyword == "for", ((raw, line),), _leaves(keyword, raw)))
        return True
    if not stack:
        return False
    last = stack.pop()
    if keyword in ("else", "elif"):
        *before, (asked, is_yes) = last.asks
        asks = (*before, (asked, not is_yes), *([directive.positive] if keyword == "elif" else []))
        stack.append(
            Arm(
                last.group,
                last.line,
                asks[-_DEEPEST:],
                last.is_loop,
                (*last.enters, (raw, line))[:_DEEPEST],
                last.leaves,
            )
        )
    return True


def _leaves(keyword: str, raw: str) -> str:
    if raw.startswith("{{"):
        return "{{ end }}"
    open_, close = ("{%", "%}") if raw.startswith("{%") else ("%{", "}")
    return f"{open_} end{keyword} {close}"


def guard_of(arms: Arms, origin: Origin) -> Guard:
    return tuple(
        Condition(
            Question(asked, origin.at(each.line), Asks.LOOP if each.is_loop else Asks.STATE), "yes" if is_yes else "no"
        )
        for each in arms
        for asked, is_yes in each.asks
    )


def between(before: Arms, after: Arms) -> list[tuple[str, int]]:
    """The directives that lead from one line to another, each with its own, where both stand in one script."""
    common = 0
    while common < min(len(before), len(after)) and before[common] == after[common]:
        common += 1
    told = [(each.leaves, each.line) for each in reversed(before[common + 1 :])]
    if len(before) > common:
        here = before[common]
        there = after[common] if len(after) > common else None
        if there is not None and there.group == here.group and len(there.enters) > len(here.enters):
            told += there.enters[len(here.enters) :]
            common += 1
        else:
            told.append((here.leaves, here.line))
    for each in after[common:]:
        told += each.enters
    return told

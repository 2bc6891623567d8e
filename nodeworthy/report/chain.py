"""The chain from card to pod of a node: each link well, broken or not known, and which one broke first.

A link is broken where a rule failed it, and well where it was looked at and no rule said otherwise. What hangs behind
the first broken one is its victim, and is told as that, whatever is seen of it.
"""

from __future__ import annotations

import textwrap
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cache, cached_property
from typing import Any

from nodeworthy.engine import Judgement
from nodeworthy.facts.chain import Walk
from nodeworthy.known.chain import Link, by_rule, links
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.report.printable import escape_commands, on_one_line, printable, shorten
from nodeworthy.report.text import WIDTH, Paint
from nodeworthy.verdict import Finding, Severity, Verdict

_NAMED = pattern(r"node '([^']{1,253})'")
# So many nodes of one fault are named, and so many faults told to who did not ask for a node.
_SHOWN, _MOST = 3, 20
# Where the evidence of a broken link begins.
_AT = 6


class Colour(StrEnum):
    GREEN = "green"
    RED = "red"
    GREY = "grey"


_MARKS = {Colour.GREEN: "✓", Colour.RED: "✗", Colour.GREY: "·"}
_PAINTS = {Colour.GREEN: "pass", Colour.RED: "fail", Colour.GREY: "dim"}


@dataclass(frozen=True)
class ChainStep:
    link: Link
    colour: Colour
    says: str
    # What broke it.
    finding: Finding | None = None


@dataclass(frozen=True)
class Chain:
    walk: Walk
    steps: tuple[ChainStep, ...]

    @cached_property
    def broken(self) -> ChainStep | None:
        return next((each for each in self.steps if each.colour is Colour.RED), None)

    @property
    def behind(self) -> Sequence[ChainStep]:
        """What hangs by the broken one."""
        first = self.broken
        return self.steps[self.steps.index(first) + 1 :] if first is not None else ()


@dataclass(frozen=True)
class Whereabouts:
    """The nodes of a cluster that a finding is about."""

    nodes: Sequence[str]
    # The nodes of a pod, or of the pods of a DaemonSet, by object.
    nodes_of: Callable[[str], Sequence[str]]
    # Kinds whose objects are about every node.
    everywhere: frozenset[str] = frozenset(("ClusterPolicy",))

    def of(self, finding: Finding, judgement: Judgement) -> Iterable[str]:
        """What it says itself counts, then what it names, then whom its subject is about."""
        named = finding.nodes or _objects_of(finding) or self._of_objects(_pods(finding))
        return named or _of_subject(judgement) or self._of_place(finding.where.object or "")

    def _of_objects(self, objects: Iterable[str]) -> Iterable[str]:
        return dict.fromkeys(name for each in objects for name in self.nodes_of(each))

    def _of_place(self, object_: str) -> Iterable[str]:
        if object_.partition("/")[0] in self.everywhere:
            return self.nodes
        return self._of_objects([object_])


def _objects_of(finding: Finding) -> Iterable[str]:
    objects = (finding.where.object, *(each.place.object for each in finding.related))
    told = (each.removeprefix("Node/") for each in objects if each is not None and each.startswith("Node/"))
    return dict.fromkeys((*(name for said in finding.on for name in _NAMED.findall(said)), *told))


def _pods(finding: Finding) -> Iterator[str]:
    return (each for each in (finding.where.object, *finding.victims) if each is not None and each.startswith("Pod/"))


def _of_subject(judgement: Judgement) -> Iterable[str]:
    own = getattr(judgement.subject, "nodes", ())
    if isinstance(own, str | Mapping) or not isinstance(own, Iterable):
        return ()
    return [each if isinstance(each, str) else str(getattr(each, "name", "")) for each in own]


def chains_of_nodes(
    known: Whereabouts, judgements: Iterable[Judgement], walk: Callable[[str], Walk | None], only: str | None = None
) -> list[Chain]:
    """The chains of the nodes that something was found of, or of the one node that was asked for. Most nodes of a large
    cluster are well, and nobody wants their chains."""
    found: dict[str, list[Finding]] = defaultdict(list)
    for judgement in judgements:
        for finding in filter(_counts, judgement.findings):
            for name in known.of(finding, judgement):
                found[name].append(finding)
    names = [only] if only is not None else [name for name in known.nodes if name in found]
    walks = (each for each in map(walk, names) if each is not None)
    return [_chain(each, found.get(each.name, ())) for each in walks]


def chains_of_hosts(walks: Sequence[Walk], judgements: Iterable[Judgement]) -> list[Chain]:
    """The chains of hosts that were asked themselves."""
    found: dict[str, list[Finding]] = defaultdict(list)
    for judgement in judgements:
        for finding in filter(_counts, judgement.findings):
            found[finding.where.host or ""].append(finding)
    return [_chain(each, found.get(each.name, ())) for each in walks]


def _counts(finding: Finding) -> bool:
    return _link(finding) in _ids() and not finding.suppressed and finding.verdict in (Verdict.FAIL, Verdict.UNKNOWN)


@cache
def _ids() -> frozenset[str]:
    return frozenset(link.id for link in links())


def _link(finding: Finding) -> str:
    return finding.link or by_rule().get(finding.rule, "")


def _breaks(finding: Finding) -> bool:
    return finding.verdict is Verdict.FAIL and finding.severity is Severity.ERROR


def _chain(walk: Walk, findings: Iterable[Finding]) -> Chain:
    told: dict[str, list[Finding]] = defaultdict(list)
    for each in findings:
        told[_link(each)].append(each)
    return Chain(walk, tuple(_steps(walk, told)))


def _steps(walk: Walk, told: Mapping[str, Sequence[Finding]]) -> Iterator[ChainStep]:
    is_broken = False
    for link in links():
        own = told.get(link.id, ())
        fault = next(filter(_breaks, own), None)
        if is_broken:
            also = f"; also: {fault.message} ({fault.rule})" if fault is not None else ""
            yield ChainStep(link, Colour.GREY, f"behind the broken one{also}")
        elif fault is not None:
            is_broken = True
            yield ChainStep(link, Colour.RED, fault.message, fault)
        else:
            yield _unbroken(walk, link, own)


def _unbroken(walk: Walk, link: Link, own: Sequence[Finding]) -> ChainStep:
    open_ = next((each for each in own if each.verdict is Verdict.UNKNOWN), None)
    if open_ is not None:
        return ChainStep(link, Colour.GREY, f"not known: {open_.message}")
    sight = walk.sights.get(link.id)
    if sight is None:
        return ChainStep(link, Colour.GREY, f"not looked at; {link.look}")
    return ChainStep(link, Colour.GREEN if sight.is_well else Colour.GREY, sight.says)


# For people


def picture(chain: Chain, *, colour: bool = False) -> str:
    """One link a line; under the broken one its evidence."""
    paint = Paint(colour)
    return "\n".join(_lines(chain, paint)) + "\n"


def _lines(chain: Chain, paint: Paint) -> Iterator[str]:
    name = paint("bold", on_one_line(str(chain.walk.place)))
    yield f"{name}: from card to pod, {_in_short(chain)}"
    wide = max(len(each.link.title) for each in chain.steps)
    for step in chain.steps:
        mark, style = _MARKS[step.colour], _PAINTS[step.colour]
        title = f"{step.link.title:<{wide}}"
        first, *more = _wrapped(step.says, WIDTH - wide - 6)
        yield f"  {paint(style, mark)} {paint(style, title)}  {first}"
        evidence = _evidence(step.finding) if step.finding is not None else ()
        yield from (f"{' ' * (wide + 6)}{each}" for each in more)
        yield from (f"{' ' * _AT}{each}" for each in evidence)


def _in_short(chain: Chain) -> str:
    if chain.broken is not None:
        return f"broken at: {chain.broken.link.title}"
    well = sum(each.colour is Colour.GREEN for each in chain.steps)
    return f"{well} of {len(chain.steps)} links seen, and none of them broken" if well else "nothing of it was seen"


def _wrapped(text: str, wide: int) -> list[str]:
    told = textwrap.wrap(on_one_line(shorten(text)), wide, break_long_words=False, break_on_hyphens=False)
    return [escape_commands(each) for each in told] or [""]


def _evidence(finding: Finding) -> Iterator[str]:
    """The evidence under the broken link, as far left as the links are, for it is long."""
    for label, said in (("is", finding.is_), ("why", finding.cause), ("fix", finding.remedy)):
        if said:
            first, *more = _wrapped(said, WIDTH - _AT - 5)
            yield from (f"{label:<4} {first}", *(f"     {each}" for each in more))
    yield f"rule {finding.rule}"


def in_lines(chains: Iterable[Chain]) -> str:
    """Which link broke first on the nodes that give no GPUs, those together that broke alike. Empty where none did."""
    alike: dict[tuple[str, str, str], list[Chain]] = defaultdict(list)
    for each in chains:
        if each.broken is not None and each.broken.finding is not None:
            finding = each.broken.finding
            alike[each.broken.link.id, finding.rule, finding.message].append(each)
    if not alike:
        return ""
    told = [_one_line(some) for some in list(alike.values())[:_MOST]]
    more = [f"  and {len(alike) - _MOST} more kinds"] if len(alike) > _MOST else []
    return "\n".join(["The first broken link from card to pod (--node NAME draws all of them):", *told, *more]) + "\n"


def _one_line(alike: Sequence[Chain]) -> str:
    first = alike[0]
    assert first.broken is not None
    names = ", ".join(each.walk.name for each in alike[:_SHOWN])
    more = f" and {len(alike) - _SHOWN} more" if len(alike) > _SHOWN else ""
    rule = first.broken.finding.rule if first.broken.finding is not None else ""
    return on_one_line(f"  {names}{more}: {first.broken.link.title}: {first.broken.says} ({rule})")


# So many are drawn on a page, the broken ones first.
_DRAWN = 50


def for_page(chains: Sequence[Chain]) -> Sequence[Chain]:
    """The chains that somebody has to see, or the one that was asked for."""
    broken = [each for each in chains if each.broken is not None]
    return (broken or chains if len(chains) == 1 else broken)[:_DRAWN]


# For programs


def as_data(chain: Chain) -> dict[str, Any]:
    return {
        "node": chain.walk.name,
        "broken": chain.broken.link.id if chain.broken is not None else None,
        "links": [_step_as_data(each) for each in chain.steps],
    }


def _step_as_data(step: ChainStep) -> dict[str, Any]:
    data: dict[str, Any] = {
        "id": step.link.id,
        "title": step.link.title,
        "state": step.colour.value,
        "says": printable(step.says),
    }
    return data | ({"rule": step.finding.rule} if step.finding is not None else {})

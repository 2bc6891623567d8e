"""Judges the resources of a stack as a preview does, first each by itself and in the end all of them together.

In an update each resource is judged before it is made, so that what a preview could not know still blocks in time;
rules that need to see several resources wait for the whole stack. What was said once is not said again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import Any

from nodeworthy.collect.pack.enforcement import Allowed, Enforcement, Level
from nodeworthy.collect.pack.stack import Stack
from nodeworthy.collect.plan.plan import PreviewedPlan, Resource
from nodeworthy.collect.plan.protocol import Wire
from nodeworthy.collect.plan.scene import scene_of
from nodeworthy.engine import Judgement, judge
from nodeworthy.facts.boot.script import BootPool, PromisedPool
from nodeworthy.facts.secrets.plain_text import PlainText
from nodeworthy.fleet.model import Fleet
from nodeworthy.records import dataclass
from nodeworthy.rule import BoundCheck, Rule
from nodeworthy.rules import CRASHED, LOOKED_AT, UNUSED, ids, rule
from nodeworthy.scene import Scene
from nodeworthy.verdict import Finding, Place, Verdict, fail, unknown


@dataclass(frozen=True)
class Violation:
    finding: Finding
    level: Level


@dataclass
class CallOutcome:
    """What came of one call: what to report, and what does not apply, with why."""

    violations: list[Violation] = field(default_factory=list)
    not_applicable: list[tuple[str, str]] = field(default_factory=list)


@dataclass
class Judge:
    rules: Sequence[Rule]
    enforcement: Mapping[str, Enforcement]
    stack: Stack
    _seen: dict[str, Resource] = field(default_factory=dict)
    _reported: set[tuple[str, str, str]] = field(default_factory=set)

    @cached_property
    def _enforced(self) -> list[Rule]:
        return [each for each in self.rules if self.enforcement[each.id].failure is not Level.DISABLED]

    @cached_property
    def _alone(self) -> list[Rule]:
        """The rules, with only those checks that ask for nothing beside one resource and the fleet."""
        scene = self._scene([], self.stack.fleet)
        # A boot script brings the pools that it is judged by.
        given = {*scene.told.kinds, *scene.missing, BootPool, PromisedPool}
        local = [each.with_checks(c for c in each.checks if _is_local(c, given, scene)) for each in self._enforced]
        return [each for each in local if each.checks]

    def one(self, resource: Resource) -> CallOutcome:
        """A resource with its inputs, before anything is done to it."""
        self._seen[resource.urn] = resource
        if not self._scene([resource], None).facts:
            return CallOutcome()  # most resources bring nothing: a large fleet is not laid beside each of them
        return self._said(self._judged([resource], self._alone))

    def all(self, resources: Iterable[Resource]) -> CallOutcome:
        """The whole stack. The engine tells outputs here; the inputs that were seen before are what was written."""
        told = list(resources)
        known = [self._as_written(each) for each in told]
        judgements = self._judged_whole(known, next((each.inputs for each in told if each.is_stack), {}))
        said = self._said(judgements)
        said.not_applicable += sorted({(each.rule.id, each.why) for each in judgements if each.why})
        # A fleet beside a program that makes nothing proves nothing about the program.
        if not any(map(_is_made, known)) or all(each.verdict is Verdict.SKIP for each in judgements):
            said.violations.append(_nothing_judged(judgements))
        said.violations += self._unused(judgements)
        said.violations = [each for each in said.violations if self._speaks(each)]
        self._seen.clear()
        self._reported.clear()
        return said

    def _as_written(self, resource: Resource) -> Resource:
        seen = self._seen.get(resource.urn)
        if seen is None:
            return resource
        return replace(seen, property_dependencies=resource.property_dependencies, outputs=resource.inputs)

    def _judged_whole(self, resources: Sequence[Resource], outputs: Mapping[str, Wire]) -> list[Judgement]:
        """Judges the stack with what is told of itself: its outputs, and its file where that can be reached."""
        scene = self._scene(resources, self.stack.fleet, outputs, self.stack.file)
        return judge([scene], self._enforced, rule(CRASHED), rule(UNUSED))

    def _judged(self, resources: Sequence[Resource], rules: Sequence[Rule]) -> list[Judgement]:
        return judge([self._scene(resources, self.stack.fleet)], rules, rule(CRASHED))

    def _scene(
        self,
        resources: Iterable[Resource],
        fleet: Fleet | None,
        outputs: Mapping[str, Wire] | None = None,
        file: PlainText | None = None,
    ) -> Scene:
        planned = sorted((each for each in resources if not each.is_stack), key=lambda each: each.urn)
        stack = self.stack
        no_fleet = f"the config of stack {stack.name} declares no fleet" if stack.name else "no stack config was given"
        plan = PreviewedPlan(stack.project, stack.name, tuple(planned), outputs or {})
        suppressions = stack.suppressions(ids())
        return scene_of(plan, folder=stack.folder, fleet=fleet, no_fleet=no_fleet, file=file, suppressions=suppressions)

    def _said(self, judgements: Iterable[Judgement]) -> CallOutcome:
        said = CallOutcome()
        for found in (each for judgement in judgements for each in judgement.findings):
            allowed = self._allowed(found)
            if found.suppressed:
                said.not_applicable.append((found.rule, f"suppressed by a comment at {found.where}"))
            elif allowed is not None:
                said.not_applicable.append((found.rule, f"allowed on {found.where.urn}: {allowed.reason}"))
            elif self._is_new(found):
                said.violations.append(Violation(found, self.enforcement[found.rule].of(found.verdict)))
        return said

    def _allowed(self, found: Finding) -> Allowed | None:
        if found.verdict is not Verdict.FAIL:
            return None
        return self.enforcement[found.rule].allows(found.where.urn)

    def _is_new(self, found: Finding) -> bool:
        key = (found.rule, str(found.where), found.sentence())
        new = key not in self._reported
        self._reported.add(key)
        return new

    def _speaks(self, violation: Violation) -> bool:
        """A crash is never silenced; what the engine and the pack say of themselves may be."""
        enforced = self.enforcement[violation.finding.rule].failure
        return violation.finding.verdict is Verdict.ERROR or enforced is not Level.DISABLED

    def _unused(self, judgements: Sequence[Judgement]) -> Iterator[Violation]:
        """What is allowed and does not happen any more is told, but not while its rule could not decide."""
        undecided = {each.rule.id for each in judgements if each.verdict in (Verdict.UNKNOWN, Verdict.ERROR)}
        broken = [found for each in judgements for found in each.findings if found.verdict is Verdict.FAIL]
        for each in self._enforced:
            for allowed in self.enforcement[each.id].allowed:
                covers = any(found.rule == each.id and allowed.covers(found.where.urn) for found in broken)
                if not covers and each.id not in undecided:
                    yield Violation(_unused_allowance(each, allowed), self.enforcement[UNUSED].failure)


def _is_made(resource: Resource) -> bool:
    """Whether a program asked for it: the stack and its default providers are there in any case."""
    return not resource.is_stack and not resource.type.startswith("pulumi:providers:")


def _is_local(check: BoundCheck, of_the_fleet: set[type[Any]], scene: Scene) -> bool:
    """Whether one resource is enough: facts that join several say so of themselves."""
    asked = (check.subject, *(each.type for each in check.context))
    if any(getattr(each, "whole_stack", False) for each in asked):
        return False
    known = (each.type in of_the_fleet or bool(scene.told.of(each.type)) for each in check.context)
    return check.subject not in of_the_fleet and not scene.told.of(check.subject) and all(known)


def _nothing_judged(judgements: Iterable[Judgement]) -> Violation:
    why = "; ".join(sorted({each.why for each in judgements if each.why}))
    text = "nothing of this stack could be judged, so nothing of it is proven"
    found = unknown(Place(), f"{text}{f': {why}' if why else ''}")
    return Violation(Finding.of(found, LOOKED_AT), Level.ADVISORY)


def _unused_allowance(broken: Rule, allowed: Allowed) -> Finding:
    why = f"{broken.id} is allowed on {allowed.resource}, and nothing there breaks it any more ({allowed.reason})"
    found = fail(Place(), why, remedy="remove the entry from the pack's config")
    return Finding.of(found, UNUSED)

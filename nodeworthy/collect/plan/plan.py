"""What a program registered, in an order that does not depend on its threads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import field, replace
from functools import cached_property
from typing import Any

from nodeworthy.collect.plan.protocol import Wire, count_unknown, redact_wire
from nodeworthy.known.secrets import HIDDEN
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

STACK_TYPE = "pulumi:pulumi:Stack"
# Providers that rules are about, and Pulumi's own: stack references, the providers themselves.
JUDGED = frozenset({"aws", "kubernetes", "pulumi"})


@dataclass(frozen=True)
class Resource:
    urn: str
    type: str
    name: str
    parent: str | None
    # As the program gave them (wire form): unknowns, secrets and assets are still in them.
    inputs: Mapping[str, Wire]
    custom: bool = True
    # A component that only its own provider can open.
    remote: bool = False
    # It exists already and is only read (`.get()`).
    read: bool = False
    provider: str = ""
    dependencies: tuple[str, ...] = ()
    property_dependencies: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # The project's lines that led to it, from the one that registers it outwards.
    trail: tuple[Place, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    # Inputs that may hold secrets, and do not say where.
    hidden: frozenset[str] = frozenset()
    # What is known of it beside its inputs, of one that exists already.
    outputs: Mapping[str, Any] = field(default_factory=dict)

    @property
    def place(self) -> Place:
        return replace(self.trail[0], urn=self.urn) if self.trail else Place(urn=self.urn)

    @property
    def package(self) -> str:
        """The name of its provider."""
        return self.type.partition(":")[0]

    @property
    def layer(self) -> str:
        """The module that the program's entry called for it."""
        below = self.trail[-2:]
        return below[0].file if below else ""

    @property
    def order(self) -> tuple[int | str, ...]:
        """The position in the program, read from the program's entry on."""
        outwards = [each.line or 0 for each in reversed(self.trail)]
        entry, layer = ([*outwards, 0, 0])[:2]
        return (entry, layer, self.name, outwards[-1] if outwards else 0, self.urn)

    @property
    def is_stack(self) -> bool:
        return self.type == STACK_TYPE

    @cached_property
    def shown_inputs(self) -> Mapping[str, Any]:
        """What may be written of them: no secret."""
        shown: Mapping[str, Any] = redact_wire(self.inputs)
        return {name: HIDDEN if name in self.hidden else each for name, each in shown.items()}

    @cached_property
    def unknowns(self) -> int:
        return count_unknown(self.inputs)


@dataclass(frozen=True)
class PreviewedPlan:
    project: str
    stack: str
    # Sorted by URN, without the stack itself.
    resources: tuple[Resource, ...]
    outputs: Mapping[str, Wire]
    # The program came to its end: only then is the plan the whole plan.
    complete: bool = True
    # What it asked while it ran: each call with its arguments and what it was told.
    asked: tuple[tuple[str, Mapping[str, Any], Mapping[str, Any]], ...] = ()

    @cached_property
    def not_judged(self) -> Mapping[str, int]:
        """How many resources are of providers that no rule is about, by provider."""
        return Counter(each.package for each in self.resources if each.custom and each.package not in JUDGED)

    @cached_property
    def by_urn(self) -> Mapping[str, Resource]:
        return {each.urn: each for each in self.resources}


def urn_of(stack: str, project: str, parent: str | None, kind: str, name: str) -> str:
    """The URN that the real engine would give."""
    qualified = kind
    if parent:
        above = parent.split("::")[2]
        if above != STACK_TYPE:
            qualified = f"{above}${kind}"
    return f"urn:pulumi:{stack}::{project}::{qualified}::{name}"

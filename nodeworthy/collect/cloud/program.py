"""What the program of a stack declares of AWS: it is run as in a preview, and asks nobody anything."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from nodeworthy.collect.plan.aws import stack_of
from nodeworthy.collect.plan.plan import PreviewedPlan, Resource
from nodeworthy.collect.plan.planted import LATER
from nodeworthy.collect.plan.preview import PreviewRequest, prepare
from nodeworthy.collect.plan.project import find_project
from nodeworthy.collect.plan.protocol import UNKNOWN, Wire
from nodeworthy.collect.plan.runs import ProgramFailed
from nodeworthy.documents.files import text_of
from nodeworthy.documents.plain import mapping_at, mappings_at, text_at
from nodeworthy.errors import CouldNotLook, InputError
from nodeworthy.facts.aws.stack import AwsStack
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

Show = Callable[[str], None]
# AWS counts it up with each change of a launch template, whose content is compared itself.
_COUNTED = "version"
NO_STACK = "no program was named that says what should run (--stack NAME, --terraform FILE)"


@dataclass(frozen=True)
class Program:
    """What it declares, by region; or why it is not known, or need not be."""

    by_region: Mapping[str | None, AwsStack] = field(default_factory=dict)
    ids: Mapping[str, str] = field(default_factory=dict)
    # Why there is none.
    none: str = ""
    # Why it could not be run.
    unseen: str = ""
    place: Place = field(default_factory=Place)


def run_declaring(stack: str, fleet_file: str | None, state: State, timeout: float, show: Show) -> Program:
    """A stack of a project whose programs we do not run, or that has none here, declares nothing that we could know."""
    try:
        find_project(Path())
    except InputError as problem:
        return Program(none=str(problem))
    place = Place(subject=f"the program of stack {stack}")
    try:
        preview = prepare(PreviewRequest(Path(), stack, fleet_file, simulate=False, timeout=timeout), frozenset())
        seen = preview.run(None, show)
    except ProgramFailed:
        return Program(unseen="the program ended with an error, so what it declares is not known", place=place)
    except (InputError, CouldNotLook) as problem:
        return Program(unseen=f"the program could not be run: {problem}", place=place)
    if not seen.plan.complete:
        return Program(unseen="the program left before its end, so what it declares is not known", place=place)
    return Program(dict(_by_region(seen.plan, preview.config.region, state)), state.ids, place=place)


def _by_region(plan: PreviewedPlan, own: str | None, state: State) -> Mapping[str | None, AwsStack]:
    filled = [_with_state(each, state) for each in plan.resources]
    regions = dict.fromkeys(_region_of(each, plan, own) for each in filled if each.package == "aws")
    found: dict[str | None, AwsStack] = {}
    for region in regions:
        of_region = tuple(each for each in filled if _region_of(each, plan, own) == region)
        stack = stack_of(replace(plan, resources=of_region), None, LATER)
        if stack is not None:
            found[region] = stack.resources
    return found


def _with_state(resource: Resource, state: State) -> Resource:
    """Fills a resource in from the state, its id included: others in the program may name it by that."""
    identifier = state.ids.get(resource.urn)
    outputs = {**resource.outputs, "id": identifier} if identifier else resource.outputs
    return replace(resource, inputs=_filled(resource.inputs, state.inputs.get(resource.urn)), outputs=outputs)


def _region_of(resource: Resource, plan: PreviewedPlan, own: str | None) -> str | None:
    """The region of the resource, else its provider's, else the stack's."""
    said = resource.inputs.get("region")
    if isinstance(said, str) and UNKNOWN not in said:
        return said
    provider = plan.by_urn.get(resource.provider.rpartition("::")[0])
    of_provider = provider.inputs.get("region") if provider is not None else None
    return of_provider if isinstance(of_provider, str) and UNKNOWN not in of_provider else own


def _filled(said: Any, kept: Any) -> Any:
    """What the program knows only after deployment, as the state kept it."""
    if isinstance(said, str):
        return kept if UNKNOWN in said and _is_plain(kept) else said
    if isinstance(said, Mapping):
        beside = kept if isinstance(kept, Mapping) else {}
        return {name: each if name == _COUNTED else _filled(each, beside.get(name)) for name, each in said.items()}
    if isinstance(said, list) and isinstance(kept, list) and len(said) == len(kept):
        return [_filled(one, other) for one, other in zip(said, kept, strict=True)]
    return said


def _is_plain(kept: Wire) -> bool:
    """No secret, which a state keeps encrypted."""
    if isinstance(kept, list):
        return all(_is_plain(each) for each in kept)
    return isinstance(kept, (str, int, float, bool))


# What `pulumi stack export` writes: of each resource its id, and with which inputs it was last made.


_LARGEST = 256 * 1024 * 1024
_CALLED = "a state of Pulumi"


@dataclass(frozen=True)
class State:
    """What a stack's state keeps, by URN."""

    ids: Mapping[str, str] = field(default_factory=dict)
    inputs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def read_state(named: str | None) -> State:
    """`-` is standard input. Raises InputError for what is no state."""
    if named is None:
        return State()
    shown = "standard input" if named == "-" else named
    text = sys.stdin.read(_LARGEST) if named == "-" else text_of(Path(named), named, _LARGEST, _CALLED)
    try:
        said = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as problem:
        raise InputError(f"{shown}: not JSON, which `pulumi stack export` writes: {problem}") from None
    if not isinstance(said, dict) or not isinstance(said.get("deployment"), dict):
        raise InputError(f"{shown}: no `deployment` is in it, which `pulumi stack export` writes")
    # Of one that is just being replaced, the old one is there, too, and on its way out.
    every = [each for each in mappings_at(said, "deployment", "resources") if not each.get("delete")]
    ids = {text_at(each, "urn"): text_at(each, "id") for each in every if text_at(each, "id")}
    return State(ids, {text_at(each, "urn"): mapping_at(each, "inputs") for each in every})

"""Manifests of a program: raw ones, and charts that its SDK or its provider makes them of."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any

from nodeworthy.collect.objects import facts_of, objects
from nodeworthy.collect.plan.plan import PreviewedPlan, Resource
from nodeworthy.collect.plan.planted import Planter
from nodeworthy.collect.plan.project import shown_path
from nodeworthy.collect.plan.protocol import SECRET, SIGNATURE, UNKNOWN, Wire
from nodeworthy.collect.plan.standins import StandIns
from nodeworthy.documents.tree import Tree, plain, plant
from nodeworthy.documents.yaml import NotYaml, read_all
from nodeworthy.facts.not_seen import NotLookedAt, UnreadableInput
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.facts.secrets.planned_secret import in_plain_sight
from nodeworthy.known.secret_names import is_default
from nodeworthy.known.secrets import what_is
from nodeworthy.scene import Fact
from nodeworthy.verdict import Place, Unknown

TEMPLATE = "kubernetes:helm:template"
CHART = "kubernetes:helm.sh/v3:Chart"


def options_of(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """The options that are known; none where they are not known yet."""
    told = arguments.get("jsonOpts")
    try:
        options = json.loads(told) if isinstance(told, str) else None
    except ValueError:
        return {}
    if not isinstance(options, dict):
        return {}
    # One that lies beside the program is named by its folder.
    path = options.get("path")
    named = {"chart": PurePath(path).name} if isinstance(path, str) else {}
    return {**named, **{name: value for name, value in options.items() if value is not None}}


def with_what_it_was_given(resource: Resource, charts: Iterable[Mapping[str, Any]]) -> Resource:
    """The component itself is registered without any inputs."""
    if resource.type != CHART:
        return resource
    told = next((each for each in charts if each.get("release_name") == resource.name), {})
    return replace(resource, inputs={**resource.inputs, **_doubted(told)}, hidden=frozenset({"values"}))


def _doubted(data: Wire, name: str = "") -> Wire:
    """Which of its values the program keeps secret nobody says: what looks like a secret is never shown."""
    if isinstance(data, str):
        looks_like_one = what_is(name, data) is not None and not is_default(data)
        return {SIGNATURE: SECRET, "value": data} if looks_like_one else data
    if isinstance(data, list):
        return [_doubted(each, name if isinstance(each, str) else "") for each in data]
    if isinstance(data, dict):
        beside = data.get("name")
        return {key: _doubted(each, beside if key == "value" and beside else key) for key, each in data.items()}
    return data


def known_later(plan: PreviewedPlan, later: PreviewedPlan, made: StandIns) -> PreviewedPlan:
    """A chart that could not ask yet is the one that asks in the simulated run; its values are not known before."""
    return replace(
        plan, resources=tuple(_known_later(each, later.by_urn.get(each.urn), made) for each in plan.resources)
    )


def _known_later(resource: Resource, later: Resource | None, made: StandIns) -> Resource:
    if resource.type != CHART or resource.inputs or later is None or not later.inputs:
        return resource
    chart = later.inputs.get("chart")
    return replace(resource, inputs={"chart": UNKNOWN if made.inside(chart) else chart, "values": UNKNOWN})


DECODE = "kubernetes:yaml:decode"
# Components whose inputs are the manifests.
GROUPS = ("kubernetes:yaml/v2:ConfigGroup", "kubernetes:yaml/v2:ConfigFile")


def decode_call(call: str, arguments: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The answer to what the older components ask their provider: the objects in a text. None for another question."""
    text = arguments.get("text")
    if call != DECODE or not isinstance(text, str):
        return None
    try:
        return {"result": [plain(each) for each in read_all(text, Place()) if each.is_mapping]}
    except (NotYaml, ValueError):
        return None


def manifests(resource: Resource, planter: Planter, folder: Path) -> Iterator[Fact]:
    """The facts of such a component; paths are relative to the folder where the program runs."""
    inputs = planter.tree(dict(resource.inputs))
    for name in ("yaml", "objs", "files", "file"):
        given = inputs.get(name)
        entries = given.sequence or ([] if given.says_nothing or given.is_sequence else [given])
        for each in entries:
            yield from _of_entry(each, name, planter, folder)


def _of_entry(entry: Tree, name: str, planter: Planter, folder: Path) -> Iterator[Fact]:
    if isinstance(entry.value, Unknown):
        yield NotLookedAt(planter.place, f"the manifests under `{name}` are not known: {entry.value.why}")
    elif entry.is_mapping:
        yield from _facts_in(entry)
    elif entry.text is not None and name == "yaml":
        yield from _of_inline(entry.text, planter.place)
    elif entry.text is not None:
        yield from _of_files(entry.text, planter, folder)


def _of_files(pattern: str, planter: Planter, folder: Path) -> Iterator[Fact]:
    found = [] if pattern.startswith(("/", "http:", "https:")) else sorted(folder.glob(pattern))
    if not found:
        yield NotLookedAt(planter.place, f"the manifest {pattern} lies elsewhere, or is not there")
    for path in found:
        place = Place(path=shown_path(path), urn=planter.place.urn)
        try:
            yield from _of_text(path.read_text(encoding="utf-8-sig"), place)
        except (OSError, UnicodeDecodeError) as problem:
            yield UnreadableInput(place, f"it can't be read: {problem}")


def _of_inline(text: str, place: Place) -> Iterator[Fact]:
    """The facts of an inline manifest. Its lines are not lines of the program's file: all of it is placed where the
    program names it."""
    try:
        documents = [plant(plain(each), place) for each in read_all(text, Place())]
    except (NotYaml, ValueError) as problem:
        yield UnreadableInput(place, f"a manifest of it can't be read: {problem}")
        return
    for each in documents:
        yield from _facts_in(each)


def _of_text(text: str, place: Place) -> Iterator[Fact]:
    try:
        documents = read_all(text, place)
    except NotYaml as problem:
        yield UnreadableInput(problem.place, problem.why)
        return
    for each in documents:
        yield from _facts_in(each)


def _facts_in(document: Tree) -> Iterator[Fact]:
    for each in objects(document):
        yield from facts_of_object(each)


def facts_of_object(tree: Tree, title: str = "") -> Iterator[Fact]:
    """The facts of one object, and its secrets. Where it holds the GPU operator's values, these are looked at as
    such."""
    found = list(facts_of(tree))
    yield from found
    if not any(isinstance(each, OperatorValues) for each in found):
        kind, name = tree.get("kind").text or "a manifest", tree.get("metadata", "name").text or title
        yield from in_plain_sight(tree, f"{kind} '{name}'" if name else kind)

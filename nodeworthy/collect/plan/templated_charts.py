"""Charts that the older component has its provider template: what it asks the provider is what it was given."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from nodeworthy.collect.plan.plan import Plan, Resource
from nodeworthy.collect.plan.protocol import SECRET, SIGNATURE, UNKNOWN
from nodeworthy.collect.plan.standins import StandIns
from nodeworthy.collect.plan.wire import Wire
from nodeworthy.known.secret_names import is_default
from nodeworthy.known.secrets import what_is

TEMPLATE = "kubernetes:helm:template"
CHART = "kubernetes:helm.sh/v3:Chart"


def options_of(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """Nothing where it is not known yet."""
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


def known_later(plan: Plan, later: Plan, made: StandIns) -> Plan:
    """A chart that could not ask yet is the one that asks in the simulated run; its values are not known before."""
    return replace(
        plan, resources=tuple(_known_later(each, later.by_urn.get(each.urn), made) for each in plan.resources)
    )


def _known_later(resource: Resource, later: Resource | None, made: StandIns) -> Resource:
    if resource.type != CHART or resource.inputs or later is None or not later.inputs:
        return resource
    chart = later.inputs.get("chart")
    return replace(resource, inputs={"chart": UNKNOWN if made.inside(chart) else chart, "values": UNKNOWN})

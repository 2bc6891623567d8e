"""What CDK hands to a cluster: charts with their values, and manifests, both as JSON in a text."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.collect.objects import facts_of, facts_of_release, objects
from nodeworthy.collect.source.cloudformation.template import Resource, Template
from nodeworthy.documents.release import Release
from nodeworthy.documents.tree import Tree, absent
from nodeworthy.facts.aws.node_drainer import HANDLER, Handler, is_handler
from nodeworthy.hcl.calling import Calling
from nodeworthy.hcl.codings import jsondecode
from nodeworthy.hcl.scope import Scope
from nodeworthy.hcl.trees import tree
from nodeworthy.hcl.values import Hole, Obj, Refusal, Str, Value, Waits
from nodeworthy.scene import Fact
from nodeworthy.verdict import Place

CHART, MANIFEST = "Custom::AWSCDK-EKS-HelmChart", "Custom::AWSCDK-EKS-KubernetesResource"


def facts_in(template: Template) -> Iterator[Fact]:
    for each in template.resources.values():
        if each.type == CHART:
            yield from facts_of_release(_release(template, each))
        elif each.type == MANIFEST:
            yield from _manifests(template, each)


def handlers_in(template: Template) -> Iterator[Handler]:
    """What cordons and drains nodes that are about to end, where CDK installs it."""
    for each in template.resources.values():
        if each.type == CHART:
            release = _release(template, each)
            if is_handler(release.chart):
                yield Handler(f"{HANDLER} '{each.name}'", release.place, release.values, release.elsewhere)


def _release(template: Template, resource: Resource) -> Release:
    said = template.properties(resource)
    place = resource.spot.place
    title = f"HelmChart '{resource.name}'"
    values, elsewhere = Tree({}, place), None
    given = said.items.get("Values") if isinstance(said, Obj) else None
    if given is not None:
        try:
            values = tree(_read(template, given))
        except Waits as waits:
            elsewhere = f"the values may hold it: {waits.hole.why}"
        except Refusal as refusal:
            elsewhere = f"the values can't be read: {refusal}"
    chart, version, name = (_said(said, each, place) for each in ("Chart", "Version", "Release"))
    return Release(title, title, place, chart, version, values, elsewhere, name.text, Tree({"name": name}, place))


def _said(properties: Value, name: str, place: Place) -> Tree:
    found = properties.items.get(name) if isinstance(properties, Obj) else None
    return tree(found, name) if found is not None else absent(place.about(name))


def _read(template: Template, said: Value) -> Value:
    """An object, or its JSON, in which tokens are parts that are not known."""
    if isinstance(said, Obj):
        return said
    if isinstance(said, Hole):
        raise Waits(said)
    if not isinstance(said, Str):
        raise Refusal("it is no text")
    return jsondecode(Calling(Scope(template.file, template, {}), said.spot), said)  # type: ignore[arg-type]


def _manifests(template: Template, resource: Resource) -> Iterator[Fact]:
    said = template.properties(resource)
    given = said.items.get("Manifest") if isinstance(said, Obj) else None
    if given is None:
        return
    try:
        made = tree(_read(template, given))
    except (Waits, Refusal):
        return
    for document in made.sequence or [made]:
        for each in objects(document):
            yield from facts_of(each)

"""The charts that a template has a cluster install: CDK's, whose values are JSON in a text, and those of
`AWSQS::Kubernetes::Helm`, which takes YAML in a text and single values by Helm's `--set` names over it."""

from __future__ import annotations

from nodeworthy.collect.source.cloudformation.template import Resource, Template
from nodeworthy.documents.release import Release, document_inside
from nodeworthy.documents.set_syntax import NotSetSyntax, lay_at, steps, type_value
from nodeworthy.documents.tree import Tree, absent, merge
from nodeworthy.hcl.calling import Calling
from nodeworthy.hcl.codings import jsondecode
from nodeworthy.hcl.scope import Scope
from nodeworthy.hcl.trees import tree
from nodeworthy.hcl.values import Hole, Obj, Refusal, Str, Value, Waits
from nodeworthy.verdict import Place

CHART, QUICK_START = "Custom::AWSCDK-EKS-HelmChart", "AWSQS::Kubernetes::Helm"
CHARTS = frozenset((CHART, QUICK_START))
# Its values lie behind an address.
_ELSEWHERE = "ValueOverrideURL"


def release_of(template: Template, resource: Resource) -> Release:
    said, place = template.properties(resource), resource.spot.place
    is_cdks = resource.type == CHART
    title = f"HelmChart '{resource.name}'" if is_cdks else f"Helm '{resource.name}'"
    values, elsewhere = _values_of_cdk(template, said, place) if is_cdks else _values_of_quick_start(said, place)
    named = "Release" if is_cdks else "Name"
    chart, version, name = (property_tree(said, each, place) for each in ("Chart", "Version", named))
    return Release(title, title, place, chart, version, values, elsewhere, name.text, Tree({"name": name}, place))


def _values_of_cdk(template: Template, said: Value, place: Place) -> tuple[Tree, str | None]:
    given = said.items.get("Values") if isinstance(said, Obj) else None
    if given is None:
        return Tree({}, place), None
    try:
        return tree(object_of(template, given)), None
    except Waits as waits:
        return Tree({}, place), f"the values may hold it: {waits.hole.why}"
    except Refusal as refusal:
        return Tree({}, place), f"the values can't be read: {refusal}"


def _values_of_quick_start(said: Value, place: Place) -> tuple[Tree, str | None]:
    under, over = property_tree(said, "ValueYaml", place), property_tree(said, "Values", place)
    whole = document_inside(under) if under.text is not None else Tree({}, place)
    elsewhere = None if property_tree(said, _ELSEWHERE, place).is_absent else f"{_ELSEWHERE} may say it"
    if under.is_unknown or over.is_unknown or not whole.is_mapping:
        return Tree({}, place), "its values are not known here"
    laid = Tree({}, place)
    for name, value in over.mapping.items():
        try:
            laid = lay_at(laid, steps(name), type_value(value, as_string=False))
        except NotSetSyntax:
            continue
    return merge(whole, laid), elsewhere


def property_tree(properties: Value, name: str, place: Place) -> Tree:
    found = properties.items.get(name) if isinstance(properties, Obj) else None
    return tree(found, name) if found is not None else absent(place.about(name))


def object_of(template: Template, said: Value) -> Value:
    """An object, or its JSON, in which tokens are parts that are not known."""
    if isinstance(said, Obj):
        return said
    if isinstance(said, Hole):
        raise Waits(said)
    if not isinstance(said, Str):
        raise Refusal("it is no text")
    return jsondecode(Calling(Scope(template.file, template, {}), said.spot), said)  # type: ignore[arg-type]

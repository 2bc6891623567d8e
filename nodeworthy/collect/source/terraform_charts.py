"""What resources of Terraform's declare in a cluster: charts, manifests, objects as blocks; as planned ones do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from nodeworthy.collect.charts import facts_of_release
from nodeworthy.collect.objects import facts_of, facts_of_given, objects
from nodeworthy.documents.release import Release
from nodeworthy.documents.set_syntax import NotSetSyntax, lay_at, steps, type_value
from nodeworthy.documents.tree import Tree, absent, merge
from nodeworthy.hcl.instances import Instance
from nodeworthy.hcl.scope import Scope
from nodeworthy.hcl.trees import document, tree
from nodeworthy.hcl.values import Hole, Obj, Refusal, Seq, Str, Value, Waits
from nodeworthy.scene import Fact

if TYPE_CHECKING:
    from nodeworthy.facts.aws.node_drainer import Handler

_RELEASE = "helm_release"
_WRITTEN = "local_file"
_MANIFESTS = {"kubernetes_manifest": "manifest", "kubectl_manifest": "yaml_body", _WRITTEN: "content"}
# Resources that are objects of Kubernetes, as blocks.
_AS_BLOCKS = ("kubernetes_", "argocd_application")


class _Declaring(frozenset[str]):
    """The types that declare something in a cluster. Which of them are blocks is looked up where one may be."""

    def __contains__(self, name: object) -> bool:
        if super().__contains__(name) or not (isinstance(name, str) and name.startswith(_AS_BLOCKS)):
            return super().__contains__(name)
        from nodeworthy.collect.source.terraform_kubernetes import declaring_types

        return name in declaring_types()


# What declares something in a cluster.
DECLARING = _Declaring({_RELEASE, *_MANIFESTS})
_SETS = ("set", "set_list", "set_sensitive")


def facts_declared_by(instances: Iterable[Instance | Hole]) -> Iterator[Fact]:
    """What these charts and manifests bring."""
    for each in instances:
        if isinstance(each, Instance) and not each.is_data:
            yield from _declared_by(each)


def _declared_by(instance: Instance) -> Iterator[Fact]:
    if instance.type == _RELEASE:
        yield from _release(instance)
    elif instance.type in _MANIFESTS:
        yield from _manifest(instance)
    else:
        from nodeworthy.collect.source.terraform_kubernetes import object_of

        yield from facts_of(object_of(instance))


def handlers_declared_by(instances: Iterable[Instance | Hole]) -> Iterator[Handler]:
    """What drains nodes, of the charts among them."""
    for each in instances:
        if isinstance(each, Instance) and not each.is_data and each.type == _RELEASE:
            from nodeworthy.facts.aws.node_drainer import HANDLER, Handler, is_handler

            if is_handler(argument(each, "chart")):
                values, elsewhere = _values(each)
                yield Handler(f"{HANDLER} '{each.name}'", each.place, values, elsewhere)


# Manifests


def _manifest(instance: Instance) -> Iterator[Fact]:
    said = instance.values.items.get(_MANIFESTS[instance.type])
    if said is None or (instance.type == _WRITTEN and _is_read_itself(instance)):
        return
    try:
        value = said if isinstance(said, Obj) else document(said, _scope(instance))
    except (Waits, Refusal):
        return
    for each in objects(tree(value)):
        yield from facts_of_given(each)


def _is_read_itself(instance: Instance) -> bool:
    """Whether what Terraform writes lies there already, where it is read as any other file; a plan can't tell."""
    if instance.is_planned:
        return True
    name = instance.values.items.get("filename")
    if not isinstance(name, Str) or name.known is None:
        return False
    try:
        return instance.module.exists(name.known, name.spot)
    except Waits:
        return False


def _scope(instance: Instance) -> Scope:
    return instance.module.scope(instance.block.file, instance.names)


# Releases


def _release(instance: Instance) -> Iterator[Fact]:
    values, elsewhere = _values(instance)
    title = f"{_RELEASE} '{instance.address.removeprefix(f'{_RELEASE}.')}'"
    chart, version = argument(instance, "chart"), argument(instance, "version")
    name = argument(instance, "name").text
    named = Tree({"name": argument(instance, "name")}, instance.place)
    yield from facts_of_release(
        Release(title, title, instance.place, chart, version, values, elsewhere, name, metadata=named)
    )


def argument(instance: Instance, name: str) -> Tree:
    found = instance.values.items.get(name)
    return tree(found, name) if found is not None else absent(instance.place.about(name))


def _values(instance: Instance) -> tuple[Tree, str | None]:
    """The values of a release in the provider's order: documents from left to right, then what is set."""
    merged, elsewhere = Tree({}, instance.place), None
    said = instance.values.items.get("values")
    for each in said.items if isinstance(said, Seq) else [said] if isinstance(said, Hole) else ():
        _note_files(each)
        try:
            found = _document(each, instance)
            merged = merge(merged, _laid(found))
            hole = found.rest if isinstance(found, Obj) else None
            elsewhere = f"the values may hold it, and {hole.why}" if hole is not None else elsewhere
        except Waits as waits:
            # It may say otherwise than what stands before it; only what is laid over it is sure.
            merged, elsewhere = Tree({}, instance.place), f"the values may hold it: {waits.hole.why}"
        except Refusal as refusal:
            merged, elsewhere = Tree({}, instance.place), f"the values can't be read: {refusal}"
    for name in _SETS:
        merged, elsewhere = _with_set(instance, name, merged, elsewhere)
    return merged, elsewhere


def _document(said: Value, instance: Instance) -> Value:
    """Raises Waits for a text of which nothing is known, and Refusal."""
    found = document(said, _scope(instance))
    if isinstance(found, Hole):
        raise Waits(found)
    return found


def _note_files(said: Value) -> None:
    """What a file of values says counts as far as what is laid over it leaves it."""
    for each in said.pieces if isinstance(said, Str) else ():
        each.spot.file.is_of_a_release = True


def _laid(found: Value) -> Tree:
    made = tree(found)
    return made if made.is_mapping else absent(made.place)


def _with_set(instance: Instance, kind: str, merged: Tree, elsewhere: str | None) -> tuple[Tree, str | None]:
    said = instance.values.items.get(kind)
    if isinstance(said, Hole):
        return merged, elsewhere or f"`{kind}` may hold it: {said.why}"
    for each in said.items if isinstance(said, Seq) else ():
        entry = tree(each)
        path, value = entry.get("name").text, entry.get("value")
        if entry.is_unknown or path is None:
            elsewhere = elsewhere or f"`{kind}` may hold it, and one of its names is not known"
            continue
        as_string = entry.get("type").text == "string"
        try:
            merged = lay_at(merged, steps(path), _typed(value, as_string, kind))
        except NotSetSyntax:
            elsewhere = elsewhere or f"`{kind}` may hold it: {path} is no name that Helm takes"
    return merged, elsewhere


def _typed(value: Tree, as_string: bool, kind: str) -> Tree:
    if kind == "set_sensitive":
        value = Tree(value.value, value.place, value.key, True)
    if isinstance(value.value, bool):
        value = Tree("true" if value.value else "false", value.place, value.key, value.secret)
    elif isinstance(value.value, int | float):
        value = Tree(str(value.value), value.place, value.key, value.secret)
    return type_value(value, as_string=as_string)

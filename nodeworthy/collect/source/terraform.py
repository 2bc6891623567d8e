"""Roots of Terraform and OpenTofu: the charts that they install, their manifests, and the GPU nodes that they start.

A root is judged as a whole, and each fact stands where its literal does. A folder that another one calls is a part of
that one's root; one that nobody here calls is a root of its own.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from nodeworthy.collect.objects import facts_of, facts_of_release, objects
from nodeworthy.collect.source.files import Source, Unreadable, read_bytes, shown_path
from nodeworthy.collect.source.parsing import Refused
from nodeworthy.documents.files import tree_of
from nodeworthy.documents.release import Release
from nodeworthy.documents.set_syntax import NotSetSyntax, lay_at, steps, type_value
from nodeworthy.documents.tree import Tree, absent, merge
from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.facts.not_seen import NotLookedAt
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.hcl.disk import Disk, Unread, read_file
from nodeworthy.hcl.evaluate import Scope, TooMuch
from nodeworthy.hcl.root import Instance, Module, open_root
from nodeworthy.hcl.trees import document, tree
from nodeworthy.hcl.values import Hole, Obj, Refusal, Seq, Value, Waits
from nodeworthy.records import dataclass
from nodeworthy.scene import Fact
from nodeworthy.verdict import Place

_RELEASE = "helm_release"
_MANIFESTS = {"kubernetes_manifest": "manifest", "kubectl_manifest": "yaml_body"}
# What declares something in a cluster.
DECLARING = frozenset({_RELEASE, *_MANIFESTS})
_SETS = ("set", "set_list", "set_sensitive")


@dataclass
class TerraformRoot:
    folder: str
    module: Module
    disk: Disk
    # Those who were asked for all that it brings.
    told: set[str] = field(default_factory=set)

    @cached_property
    def facts(self) -> Sequence[Fact]:
        return list(self._facts())

    @cached_property
    def pools(self) -> Sequence[GpuPool]:
        """Imported only where there is something to judge by them."""
        from nodeworthy.collect.source.terraform_nodes import gpu_pools

        return gpu_pools(self.module, [each for each in self.facts if isinstance(each, OperatorValues)])

    def _facts(self) -> Iterator[Fact]:
        try:
            yield from facts_declared_by(self.module.everything(DECLARING))
        except TooMuch as problem:
            yield NotLookedAt(Place(self.disk.shown(self.folder)), f"this root was not read to its end: {problem}")


def facts_declared_by(instances: Iterable[Instance | Hole]) -> Iterator[Fact]:
    """What these charts and manifests bring."""
    for each in instances:
        if isinstance(each, Instance) and not each.is_data:
            yield from _release(each) if each.type == _RELEASE else _manifest(each)


class Brought(NamedTuple):
    facts: Sequence[Fact]
    root: TerraformRoot


def facts_in(source: Source) -> Brought | None:
    """What the root of a file brings, once for all its files; of one that somebody names, what stands in it."""
    root = _root(source)
    if root is None:
        return None
    _refuse(source, root)
    if source.named:
        return Brought([each for each in root.facts if each.place.path == source.shown], root)
    first = not root.told
    root.told.add(source.lies)
    return Brought(root.facts if first else [], root)


def _root(source: Source) -> TerraformRoot | None:
    folder = os.path.dirname(source.lies)  # noqa: PTH120 - a path as text
    roots: dict[str, TerraformRoot] = source.scopes.roots
    called = next((each for each in roots.values() if folder in each.disk.folders), None)
    if called is not None:
        return called
    disk = Disk(tree_of(folder, source.below), lambda path: _shown(path, source), lambda path: _read(path, source))
    try:
        module = open_root(folder, disk)
    except TooMuch:
        return None
    roots[folder] = TerraformRoot(folder, module, disk)
    return roots[folder]


def _shown(path: str, source: Source) -> str:
    if not source.path.is_absolute():
        return shown_path(Path(os.path.relpath(path)))
    return shown_path(Path(path))


def _read(path: str, source: Source) -> bytes:
    """What an editor holds is what counts."""
    if path == source.lies:
        try:
            return read_bytes(source)
        except Unreadable as problem:
            raise Unread(problem.why) from None
    other = source.others.get(_shown(path, source))
    return other if other is not None else read_file(path)


def _refuse(source: Source, root: TerraformRoot) -> None:
    if source.path.name.endswith((".tfvars", ".tfvars.json")):
        return
    for fault in root.module.faults:
        if fault.place.path == source.shown:
            raise Refused(fault.place, f"this is no HCL that Terraform reads: {fault.why}")


# Manifests


def _manifest(instance: Instance) -> Iterator[Fact]:
    said = instance.values.items.get(_MANIFESTS[instance.type])
    if said is None:
        return
    try:
        value = said if isinstance(said, Obj) else document(said, _scope(instance))
    except (Waits, Refusal):
        return
    for each in objects(tree(value)):
        yield from facts_of(each)


def _scope(instance: Instance) -> Scope:
    return instance.module.scope(instance.block.file, instance.names)


# Releases


def _release(instance: Instance) -> Iterator[Fact]:
    values, elsewhere = _values(instance)
    title = f"{_RELEASE} '{instance.address.removeprefix(f'{_RELEASE}.')}'"
    chart, version = _said(instance, "chart"), _said(instance, "version")
    name = _said(instance, "name").text
    named = Tree({"name": _said(instance, "name")}, instance.place)
    yield from facts_of_release(
        Release(title, title, instance.place, chart, version, values, elsewhere, name, metadata=named)
    )


def _said(instance: Instance, name: str) -> Tree:
    found = instance.values.items.get(name)
    return tree(found, name) if found is not None else absent(instance.place.about(name))


def _values(instance: Instance) -> tuple[Tree, str | None]:
    """Those of a release in the provider's order: documents from left to right, then what is set."""
    merged, elsewhere = Tree({}, instance.place), None
    said = instance.values.items.get("values")
    for each in said.items if isinstance(said, Seq) else [said] if isinstance(said, Hole) else ():
        try:
            found = document(each, _scope(instance))
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

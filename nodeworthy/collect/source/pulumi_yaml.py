"""A program of Pulumi that is written in YAML: its resources of AWS as a stack, and what it gives Kubernetes.

Each value stands where it is written, one of a stack's config in the stack's file. What only a run tells (an id, what
the stacks say differently, what is looked up) is a hole, a part of what it stands in.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from nodeworthy.collect.aws.stack import Stack
from nodeworthy.collect.charts import facts_of_release
from nodeworthy.collect.objects import facts_of, objects
from nodeworthy.collect.source.cloudformation.functions import holes_in
from nodeworthy.collect.source.cloudformation.nodes import Node, child, items, pairs, scalar, scalar_text, spot_of
from nodeworthy.collect.source.cloudformation.user_data import reads_scripts
from nodeworthy.collect.source.comments import comments
from nodeworthy.collect.source.pulumi_functions import FUNCTIONS, with_references
from nodeworthy.collect.source.pulumi_stacks import StackConfig, agreed_value, stacks_beside
from nodeworthy.documents.release import Release
from nodeworthy.documents.tree import Tree
from nodeworthy.documents.yaml import compose
from nodeworthy.facts.aws.node_drainer import HANDLER, Handler, is_handler
from nodeworthy.facts.aws.stack import AskedImage, AwsResource, AwsStack
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.not_seen import NotLookedAt
from nodeworthy.facts.secrets.plain_text import IN_A_STACK, PlainText
from nodeworthy.facts.surroundings import Surroundings
from nodeworthy.hcl.source import File, Spot
from nodeworthy.hcl.trees import tree
from nodeworthy.hcl.values import Hole, Lit, Obj, Seq, Str, Value
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, replace
from nodeworthy.scene import Fact
from nodeworthy.suppression import Suppression
from nodeworthy.verdict import Place

_AWS = pattern(r"aws:(\w+):([A-Z]\w*)")
_COMMAND = pattern(r"command:(remote|local):Command")
_KUBERNETES = pattern(r"kubernetes:([\w./]+):([A-Z]\w*)")
_RELEASES = frozenset({"helm.sh/v3", "helm.sh/v4"})
# Components, whose resources only their provider tells.
_COMPONENTS = ("eks:", "awsx:")
# They open other files, or charts whose objects nobody sees here.
_OPENED_LATER = ("kubernetes:yaml", "kubernetes:kustomize")
_LATER = "it is known only after deployment"
_LOOK_UPS = {"aws:ssm:getParameter": "value", "aws:ec2:getAmi": "id"}
_MOST_DEEP = 60


@dataclass(frozen=True)
class ReadProgram:
    facts: Sequence[Fact]
    stacks: Sequence[Stack]
    suppressions: Sequence[Suppression]
    # What it has a machine run by ssh, and what it runs beside itself.
    on_machines: Sequence[BootScript] = ()
    beside_itself: Sequence[BootScript] = ()


def read_program(
    text: str,
    shown: str,
    rules: frozenset[str],
    around: Surroundings | None,
    lies: Path,
    *,
    stack_name: str | None = None,
) -> ReadProgram | None:
    """None for a document that makes nothing which is judged. Raises NotYaml. It lies there, and its stacks beside: of
    one that is named, no other one says anything."""
    place = Place(shown)
    roots = compose(text, place)
    if len(roots) != 1 or not _is_program(roots[0]):
        return None
    program = Program(File(shown, text), roots[0], stacks_beside(around, lies, shown, stack_name), around, lies)
    facts = list(_facts(program))
    stack = _stack(program, around)
    commands = list(_commands(program, around))
    if not facts and not stack.starts_nodes and not commands:
        return None
    facts.append(PlainText(place, text, "a program", IN_A_STACK))
    told = list(comments(text, place, rules, is_yaml=True))
    there = [script for kind, script in commands if kind == "remote"]
    here = [script for kind, script in commands if kind != "remote"]
    return ReadProgram(facts, [stack] if stack.starts_nodes else [], told, there, here)


def _commands(program: Program, around: Surroundings | None) -> Iterator[tuple[str, BootScript]]:
    """What a command runs when its resource is made, in a shell of its own."""
    for name, (_, node) in program.resources.items():
        kind = _COMMAND.fullmatch(scalar_text(child(node, "type")) or "")
        made = program.inputs[name] if kind is not None else None
        told = made.items.get("create") if isinstance(made, Obj) else None
        if kind is None or not isinstance(told, Str):
            continue
        from nodeworthy.collect.aws.filled_in import script_of

        head = [] if told.shown.startswith("#!") else [Lit("#!/bin/sh\n", told.spot)]
        script = script_of(Str([*head, *told.pieces], told.spot), around, called="the command")
        yield kind[1], replace(script, of_an_object=False, by_hand=True, on_ec2=False)


def _is_program(root: Node) -> bool:
    runtime = child(root, "runtime")
    named = scalar_text(runtime) or scalar_text(child(runtime, "name"))
    types = (scalar_text(child(each, "type")) or "" for _, each in pairs(child(root, "resources")).values())
    return named in (None, "yaml") and any(each.count(":") > 1 for each in types)


class Program:
    """A program with its configuration, variables and resources, each evaluated on demand."""

    def __init__(
        self,
        file: File,
        root: Node,
        stacks: Sequence[StackConfig] = (),
        around: Surroundings | None = None,
        lies: Path = Path(),
    ) -> None:
        self.file = file
        self._around, self._folder = around, lies.parent
        self._project, self._stacks = scalar_text(child(root, "name")) or "", stacks
        self._config = pairs(child(root, "config") or child(root, "configuration"))
        self._variables = pairs(child(root, "variables"))
        self.resources: Mapping[str, tuple[Node, Node]] = pairs(child(root, "resources"))
        self._made: dict[str, Value] = {}
        self._deep = 0
        # What is looked up as an image's id: by what stands for it.
        self.images: dict[str, AskedImage] = {}

    def value(self, node: Node) -> Value:
        if self._deep > _MOST_DEEP:
            return Hole("it is nested deeper than is read", spot_of(node, self.file))
        self._deep += 1
        try:
            return self._value(node)
        finally:
            self._deep -= 1

    def _value(self, node: Node) -> Value:
        spot = spot_of(node, self.file)
        if (called := _function(node)) is not None:
            name, argument = called
            made = FUNCTIONS.get(name)
            return made(self, argument, spot) if made is not None else Hole(f"fn::{name} makes it", spot, f"fn::{name}")
        if scalar_text(node) is not None:
            made_of = scalar(node, self.file)
            return with_references(self, made_of) if isinstance(made_of, Str) else made_of
        if said := pairs(node):
            keys = {name: spot_of(key, self.file) for name, (key, _) in said.items()}
            return Obj("object", {name: self.value(each) for name, (_, each) in said.items()}, spot, keys)
        return Seq("list", [self.value(each) for each in items(node)], spot)

    def named(self, name: str, spot: Spot) -> Value:
        """What `${name}` stands for."""
        if name in self._made:
            return self._made[name]
        self._made[name] = Hole(f"{name} refers to itself", spot, name)
        self._made[name] = self._look_up(name, spot)
        return self._made[name]

    def _look_up(self, name: str, spot: Spot) -> Value:
        if name in self._variables:
            node = self._variables[name][1]
            return self.asked(name, node) or self.value(node)
        if name in self.resources:
            return Hole(f"{_LATER}: {name}", spot, name, name)
        default = child(self._config[name][1], "default") if name in self._config else None
        said = agreed_value(default, self._stacks, name, self._project, spot)
        if said is not None:
            return said
        if default is not None:
            return scalar(default, self.file) if scalar_text(default) is not None else self.value(default)
        return Hole(f"the stack's config says it: {name}", spot, name)

    def property_of(self, name: str, path: str, spot: Spot) -> Value:
        """An output of a resource: an input of the same name, where that is set."""
        said = child(self.resources[name][1], "properties", path)
        if said is not None:
            return self.value(said)
        return Hole(f"{_LATER}: {name}.{path}", spot, f"{name}.{path}", name)

    def file_at(self, path: str) -> File | None:
        """A file that it reads, by its path from here."""
        lies = Path(os.path.normpath(self._folder / path))
        data = self._around.read(lies) if self._around is not None else None
        try:
            text = data.decode("utf-8-sig") if data is not None else None
        except UnicodeDecodeError:
            return None
        shown = os.path.normpath(os.path.join(os.path.dirname(self.file.shown), path))  # noqa: PTH118, PTH120
        return File(shown, text) if text is not None else None

    def is_resource(self, name: str) -> bool:
        return name in self.resources

    def asked(self, name: str, node: Node) -> Value | None:
        """What is looked up in AWS: of an image what it is looked up by is known."""
        called = _function(node)
        if called is None or called[0].lower() != "invoke":
            return None
        function = scalar_text(child(called[1], "function")) or ""
        spot = spot_of(node, self.file)
        if function in _LOOK_UPS:
            given = child(called[1], "arguments")
            told = scalar_text(child(given, "name")) or _filtered(given)
            owners = frozenset(filter(None, (scalar_text(each) for each in items(child(given, "owners")))))
            if told:
                self.images[name] = AskedImage(told, owners)
        return Hole(f"it is looked up when the program runs: {function}", spot, name, name)

    @cached_property
    def inputs(self) -> Mapping[str, Value]:
        return {name: self._inputs(node) for name, (_, node) in self.resources.items()}

    def _inputs(self, node: Node) -> Value:
        said = child(node, "properties")
        return self.value(said) if said is not None else Obj("object", {}, spot_of(node, self.file), {})


def _function(node: Node) -> tuple[str, Node] | None:
    """Reads `fn::toBase64: …`, which may be written `Fn::ToBase64`, and the short form of an invoke."""
    said = pairs(node)
    if len(said) != 1:
        return None
    name, (_, argument) = next(iter(said.items()))
    return (name[4:], argument) if name[:4].lower() == "fn::" else None


def _filtered(given: Node | None) -> str:
    for each in items(child(given, "filters")):
        values = items(child(each, "values"))
        if scalar_text(child(each, "name")) == "name" and len(values) == 1:
            return scalar_text(values[0]) or ""
    return ""


# Resources of AWS


def _stack(program: Program, around: Surroundings | None) -> Stack:
    found = [each for name in program.resources if (each := _resource(program, name)) is not None]
    place = Place(program.file.shown)
    by_name = program.inputs
    stack = AwsStack(place, found, program.images)
    handlers = list(_handlers(program))
    return Stack(stack, reads_scripts(lambda one: by_name[one.urn], around), handlers)


def _resource(program: Program, name: str) -> AwsResource | None:
    key, node = program.resources[name]
    said = scalar_text(child(node, "type")) or ""
    short = _AWS.fullmatch(said)
    kind = f"aws:{short[1]}/{short[2][0].lower()}{short[2][1:]}:{short[2]}" if short else said
    if not kind.startswith("aws:"):
        return None
    inputs = program.inputs[name]
    depends = {
        each: tuple(dict.fromkeys(hole.of for hole in holes_in(value) if hole.of))
        for each, value in (inputs.items.items() if isinstance(inputs, Obj) else ())
    }
    is_read = child(node, "get") is not None
    place = spot_of(key, program.file).place
    return AwsResource(
        kind, name, name, place, lambda: _planted(inputs, program.images), dependencies=depends, is_read=is_read
    )


def _planted(value: Value, images: Mapping[str, AskedImage]) -> Tree:
    """What is looked up is an image's id by where it is looked up."""
    if isinstance(value, Hole) and value.of in images:
        return Tree(value.of, value.spot.place)
    if isinstance(value, Obj):
        found = {name: _planted(each, images) for name, each in value.items.items()}
        return Tree(found, value.spot.place)
    if isinstance(value, Seq):
        return Tree([_planted(each, images) for each in value.items], value.spot.place)
    return tree(value)


# What it gives Kubernetes


def _facts(program: Program) -> Iterator[Fact]:
    for name, (key, node) in program.resources.items():
        said = scalar_text(child(node, "type")) or ""
        place = spot_of(key, program.file).place
        found = _KUBERNETES.fullmatch(said)
        if found is not None and found[1] in _RELEASES:
            yield from facts_of_release(_release(program, name, place))
        elif said.startswith(_OPENED_LATER):
            yield NotLookedAt(place, f"{said} '{name}' opens other files, which are not read from here")
        elif found is not None:
            yield from _object(program, name, found[1], found[2], place)
        elif said.startswith(_COMPONENTS):
            why = f"{name} is a component of {said.partition(':')[0]}, and what that makes only its provider says"
            yield NotLookedAt(place, why)


def _object(program: Program, name: str, api: str, kind: str, place: Place) -> Iterator[Fact]:
    made = tree(program.inputs[name])
    if not made.is_mapping:
        return
    head = {"apiVersion": Tree(api.removeprefix("core/"), place), "kind": Tree(kind, place)}
    for each in objects(Tree({**head, **made.mapping}, place)):
        yield from facts_of(each)


def _release(program: Program, name: str, place: Place) -> Release:
    said = tree(program.inputs[name])
    values = said.get("values")
    kind = scalar_text(child(program.resources[name][1], "type")) or ""
    title = f"{kind.rpartition(':')[2]} '{name}'"
    files = said.get("valueYamlFiles")
    elsewhere = None if files.is_absent else "a file of valueYamlFiles may hold it"
    told = said.get("name").text or name
    named = Tree({"name": Tree(told, place)}, place)
    given = values if values.is_mapping or values.is_unknown else Tree({}, place)
    place = place if values.is_absent else values.place
    return Release(title, title, place, said.get("chart"), said.get("version"), given, elsewhere, told, named)


def _handlers(program: Program) -> Iterator[Handler]:
    for name, (key, node) in program.resources.items():
        found = _KUBERNETES.fullmatch(scalar_text(child(node, "type")) or "")
        if found is not None and found[1] in _RELEASES:
            release = _release(program, name, spot_of(key, program.file).place)
            if is_handler(release.chart):
                yield Handler(f"{HANDLER} '{name}'", release.place, release.values, release.elsewhere)

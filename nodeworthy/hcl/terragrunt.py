"""A unit of Terragrunt: a root that calls one module, and gives it its inputs and those of what it includes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property

from nodeworthy.hcl.disk import UNIT
from nodeworthy.hcl.evaluate import quietly
from nodeworthy.hcl.root import Module, Root
from nodeworthy.hcl.scope import Scope
from nodeworthy.hcl.source import File, Spot
from nodeworthy.hcl.syntax import Block, Body, Literal, Setting
from nodeworthy.hcl.values import Hole, Obj, Seq, Str, Value, Waits, first_hole
from nodeworthy.known.terraform_modules import KnownModule
from nodeworthy.limits import HCL_MODULES_DEEP
from nodeworthy.patterns import pattern

_REGISTRY = pattern(r"tfr://[^/]*/(?P<module>[^?]+)(?:\?version=(?P<version>[\w.+-]+))?")
# What a unit says of another one, which has its outputs once it is applied.
_OTHERS = ("dependency", "dependencies")
# Of what a unit looks for above itself: it is a pattern of units, which others are made of, and lies elsewhere then.
NOT_ABOVE = "it lies in no folder above"


class Unit(Module):
    """One file of Terragrunt's: the unit itself, or what it includes and reads."""

    def __init__(self, root: Root, path: str, depth: int = 0) -> None:
        parsed = root.disk.body(path)
        self.file: File | None = parsed.file if parsed is not None else None
        self.body: Body = parsed.body if parsed is not None else Body()
        super().__init__(root, os.path.dirname(path), depth=depth)

    @cached_property
    def blocks(self) -> Sequence[Block]:
        """Its locals, and the module that it calls."""
        called = [] if self.depth else [each for each in (self._call(),) if each is not None]
        return [*self.body.of("locals"), *called]

    @cached_property
    def included(self) -> Sequence[tuple[str, Unit]]:
        """What it includes, by its labels, as far as it is here."""
        found: list[tuple[str, Unit]] = []
        for block in self.body.of("include") if self.depth < HCL_MODULES_DEEP else ():
            said = block.body.settings.get("path")
            path = quietly(said.expression, self.scope(block.file)) if said is not None else None
            unit = self.read(path.known) if isinstance(path, Str) and path.known else None
            if unit is not None:
                found.append((block.labels[0] if block.labels else "", unit))
        return found

    @cached_property
    def before(self) -> Sequence[str]:
        """The folders of the units that it depends on, as far as they are said here."""
        found: list[Value] = []
        for kind, name in (("dependency", "config_path"), ("dependencies", "paths")):
            said = [(each.file, each.body.settings.get(name)) for each in self.body.of(kind)]
            found += [quietly(one.expression, self.scope(file)) for file, one in said if one is not None]
        texts = [each for value in found for each in (value.items if isinstance(value, Seq) else [value])]
        known = [each.known for each in texts if isinstance(each, Str) and each.known]
        return [os.path.normpath(os.path.join(self.folder, each)) for each in known]

    def read(self, path: str) -> Unit | None:
        """Another file of its kind; None where it is not here."""
        where = os.path.normpath(os.path.join(self.folder, path))
        if self.depth >= HCL_MODULES_DEEP or self.root.disk.body(where) is None:
            return None
        return Unit(self.root, where, self.depth + 1)

    @cached_property
    def inputs(self) -> Mapping[str, Value]:
        """What its module is given: its own word counts before that of what it includes."""
        given: dict[str, Value] = {}
        for _, unit in self.included:
            given |= unit.inputs
        own = self._own_inputs
        return {**given, **own.items} if isinstance(own, Obj) else given

    @cached_property
    def _own_inputs(self) -> Value | None:
        said = self.body.settings.get("inputs")
        return quietly(said.expression, self.scope(self.file)) if said is not None and self.file is not None else None

    @cached_property
    def source(self) -> Str | None:
        """Where its module lies, by itself or by what it includes; None where nobody says so, or nobody knows."""
        for block in self.body.of("terraform"):
            said = block.body.settings.get("source")
            found = quietly(said.expression, self.scope(block.file)) if said is not None else None
            if isinstance(found, Str) and found.known:
                return found
        return next((unit.source for _, unit in self.included if unit.source is not None), None)

    @property
    def _lies_elsewhere(self) -> bool:
        """By its locals: what it includes gives it a provider and a state, and is often left where it was."""
        said = [(each.file, one.expression) for each in self.body.of("locals") for one in each.body.settings.values()]
        holes = (first_hole(quietly(expression, self.scope(file))) for file, expression in said)
        return any(each is not None and each.why == NOT_ABOVE for each in holes)

    def _call(self) -> Block | None:
        source = self.source
        if source is None or source.known is None or self.file is None or self._lies_elsewhere:
            return None
        said = self.body.settings.get("inputs")
        at = said.at if said is not None else 0
        settings = {name: Setting(at, name, Literal(at, text)) for name, text in self._address(source.known).items()}
        return Block(at, "module", [os.path.basename(self.folder) or "unit"], Body(settings), self.file)

    @property
    def folder_called(self) -> str | None:
        """Where the module lies that it calls; None for one that does not lie here."""
        said = next((each.body.settings["source"].expression for each in self.blocks if each.kind == "module"), None)
        source = said.value if isinstance(said, Literal) else None
        is_here = isinstance(source, str) and source.startswith("./")
        return os.path.normpath(os.path.join(self.folder, source)) if is_here and isinstance(source, str) else None

    def _address(self, source: str) -> Mapping[str, str]:
        """As Terraform would call it. A folder is cut in two by `//`, where its copy begins."""
        found = _REGISTRY.match(source)
        if found is not None:
            version = {"version": found["version"]} if found["version"] else {}
            return {"source": found["module"], **version}
        if source.startswith(("/", "./", "../")):
            return {"source": f"./{os.path.relpath(os.path.join(self.folder, source), self.folder)}"}
        return {"source": source}

    # As a module

    def resolve(self, root: str, steps: Sequence[str | None], spot: Spot) -> tuple[Value, int] | None:
        if root in _OTHERS:
            shown = ".".join((root, *(each or "[…]" for each in steps)))
            return Hole("what another unit makes is known once it is applied", spot, shown), len(steps)
        if root == "include":
            return self._resolve_included(steps, spot)
        return super().resolve(root, steps, spot)

    def _resolve_included(self, steps: Sequence[str | None], spot: Spot) -> tuple[Value, int]:
        for label, unit in self.included:
            if label and steps and steps[0] == label:
                return unit.as_value(spot), 1
        return Hole("what is included is not here", spot, "include"), len(steps)

    def as_value(self, spot: Spot) -> Obj:
        """What others refer to of it."""
        inputs = Obj("object", self.inputs, spot, {})
        own = {name: self._local_value(name) for name in self._locals}
        told = Obj("object", {name: each for name, each in own.items() if each is not None}, spot, {})
        return Obj("object", {"locals": told, "inputs": inputs}, spot, {})

    def _child_module(self, block: Block, folder: str | KnownModule, key: str, names: Mapping[str, Value]) -> Module:
        if isinstance(folder, str):
            # Terragrunt runs a copy of the module's folder: for it that is the root.
            root = Root(self.root.disk, folder, self.budget, self.root.disk.installed(folder))
            child = Module(root, folder, f"module.{block.labels[0]}{key}.", self.depth + 1)
        else:
            child = super()._child_module(block, folder, key, names)
        child.given = {name: _known_value(value) for name, value in self.inputs.items()}
        return child

    def unread_calls(self) -> Iterator[tuple[Obj, Hole]]:
        for given, hole in super().unread_calls():
            yield Obj(given.kind, self.inputs, given.spot, {}), hole


def _known_value(value: Value) -> Callable[[], Value]:
    return lambda: value


def open_unit(root: Root) -> Unit:
    return Unit(root, os.path.join(root.folder, UNIT))


def unit_of(scope: Scope, spot: Spot) -> Unit:
    """The file of Terragrunt's that calls one of its functions. Raises Waits."""
    if not isinstance(scope.world, Unit):
        raise Waits(Hole("Terragrunt alone knows it", spot))
    return scope.world

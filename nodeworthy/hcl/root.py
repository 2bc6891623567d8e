"""A folder of Terraform: its variables, locals, modules and resources, each evaluated when somebody asks for it."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from nodeworthy.hcl.blocks import (
    META,
    any_repetition,
    body_value,
    is_many,
    key_of,
    repetitions,
    rest_of,
    turn_each,
)
from nodeworthy.hcl.disk import Disk
from nodeworthy.hcl.evaluate import quietly
from nodeworthy.hcl.instances import LATER, Instance, address_of, known_later, with_what_follows
from nodeworthy.hcl.kinds import ANY, Defaults, HclType, convert, type_of
from nodeworthy.hcl.scope import Budget, MadeOnce, Scope
from nodeworthy.hcl.source import File, Malformed, Spot
from nodeworthy.hcl.syntax import Block, Expression, Literal, Setting
from nodeworthy.hcl.values import (
    Hole,
    Lit,
    Obj,
    Refusal,
    Seq,
    Str,
    Value,
    Waits,
    hide_sensitive,
    is_null,
    text,
)
from nodeworthy.records import dataclass, field

if TYPE_CHECKING:
    from nodeworthy.hcl.models import Model
    from nodeworthy.known.terraform_modules import KnownModule

# What stands in a call of a module beside that which the module is given.
_OF_A_CALL = META | {"providers", "source", "version"}
# Why something is not known that no file here declares, where the files are only some of their root.
_ELSEWHERE = "it is declared in a file of this root that is not here"
# In an address, in place of a key that nobody knows.
_ANY = "[…]"
_OWN_WORDS = frozenset({"each", "count", "self"})


@dataclass
class Root:
    """What all modules of one root share."""

    disk: Disk
    folder: str
    budget: Budget = field(default_factory=Budget)
    # Where `init` has put the modules of registries, by their addresses.
    installed: Mapping[str, str] = field(default_factory=dict)


class Module:
    """A folder within a root, with what it was called with."""

    def __init__(self, root: Root, folder: str, prefix: str = "", depth: int = 0, model: Model | None = None) -> None:
        self.root = root
        self.budget = root.budget
        self.folder = folder
        # Of a module whose files are not here: a table says what it makes.
        self.model = model
        self.prefix = prefix
        self.depth = depth
        # The arguments of the call that it was made by; None for the root.
        self.given: Mapping[str, Callable[[], Value]] | None = None
        # The variables that files of variables set; of several files the last one counts.
        self.set: dict[str, Value] = {}
        self._bodies = root.disk.bodies(folder) if model is None else model.bodies
        self._values = MadeOnce()
        self._instances: dict[str, Sequence[Instance] | Hole] = {}
        self._children: dict[str, Sequence[tuple[Value | None, Module]] | Hole] = {}
        self.budget.step(20 * (1 + len(self.blocks)))

    @cached_property
    def blocks(self) -> Sequence[Block]:
        return self._bodies.blocks

    def scope(self, file: File, names: Mapping[str, Value] | None = None) -> Scope:
        return Scope(file, self, names or {})

    @cached_property
    def _blocks_by_name(self) -> Mapping[str, Block]:
        """Blocks by what they are referred to as."""
        found: dict[str, Block] = {}
        for each in self.blocks:
            if each.kind in ("resource", "data") and len(each.labels) == 2:
                found[address_of(each)] = each
            elif each.kind in ("variable", "output", "module") and len(each.labels) == 1:
                found[f"{each.kind}.{each.labels[0]}"] = each
        return found

    @cached_property
    def _locals(self) -> Mapping[str, tuple[File, Setting]]:
        blocks = [each for each in self.blocks if each.kind == "locals"]
        return {name: (each.file, said) for each in blocks for name, said in each.body.settings.items()}

    @cached_property
    def _types(self) -> frozenset[str]:
        return frozenset(each.labels[0] for each in self.blocks if each.kind == "resource" and each.labels)

    # What expressions refer to

    def resolve(self, root: str, steps: Sequence[str | None], spot: Spot) -> tuple[Value, int] | None:
        if root == "resource" and len(steps) > 1 and steps[0]:
            found = self.resolve(steps[0], steps[1:], spot)
            return (found[0], found[1] + 1) if found is not None else None
        if root in {"path", "terraform"}:
            return self._resolve_path(root, steps, spot), 1
        if root in ("var", "local", "module") and steps and steps[0]:
            return self._resolve_own(root, steps, spot)
        if root == "data" and len(steps) > 1 and steps[0] and steps[1]:
            return self._resolve_resource(f"data.{steps[0]}.{steps[1]}", steps[2:], 2, spot)
        if steps and steps[0] and (root in self._types or root not in _OWN_WORDS):
            return self._resolve_resource(f"{root}.{steps[0]}", steps[1:], 1, spot)
        return None

    def _resolve_own(self, root: str, steps: Sequence[str | None], spot: Spot) -> tuple[Value, int] | None:
        name = steps[0]
        assert name is not None
        if root == "module":
            return self._resolve_module(name, steps[1:], spot)
        if root == "var" and self.model is not None:
            found = self._values.once(f"var.{name}", lambda: self._variable_of_model(name), spot)
            return (found, 1) if found is not None else None
        look_up = self._variable_value if root == "var" else self._local_value
        found = self._values.once(f"{root}.{name}", lambda: look_up(name), spot)
        return (found, 1) if found is not None else self._hole_of_missing(f"{root}.{name}", spot, len(steps))

    def _hole_of_missing(self, called: str, spot: Spot, steps: int) -> tuple[Value, int] | None:
        """A hole for what nothing here declares: a file that can't be parsed, or one that is not here, may do so. None
        where all files were read."""
        if self._bodies.faults:
            why = f"it may stand in {self._bodies.faults[0].place.path}, which can't be parsed"
            return Hole(why, spot, called), steps
        return (Hole(_ELSEWHERE, spot, called), steps) if self._is_a_part else None

    @cached_property
    def _is_a_part(self) -> bool:
        """Whether these are only some files of a root: an example of a page, or one file of many. Nothing here declares
        a variable then, or there is one file, and names what stands in none."""
        if self.given is not None or self.model is not None:
            return False
        files = {each.file.shown for each in self.blocks}
        return len(files) == 1 or not any(each.kind == "variable" for each in self.blocks)

    def _resolve_path(self, root: str, steps: Sequence[str | None], spot: Spot) -> Value:
        name = steps[0] if steps else None
        if root == "terraform":
            return Hole("which workspace it is, the files don't say", spot, f"terraform.{name}")
        told = os.path.relpath(self.folder, self.root.folder) if name == "module" else "."
        return Str((Lit(told, spot),), spot)

    def _local_value(self, name: str) -> Value | None:
        said = self._locals.get(name)
        return quietly(said[1].expression, self.scope(said[0])) if said is not None else None

    def _variable_value(self, name: str) -> Value | None:
        block = self._blocks_by_name.get(f"variable.{name}")
        if block is None:
            return None
        spot = Spot(block.file, block.at)
        kind = type_of(block.body.settings["type"].expression) if "type" in block.body.settings else ANY
        value = self._given_value(name, block, spot)
        if is_null(value) and _is_false(block, "nullable"):
            value = self._default(block) or value
        made = self._converted(kind, value, block)
        return hide_sensitive(made) if _is_true(block, "sensitive") else made

    def _variable_of_model(self, name: str) -> Value | None:
        """A model has the variables that the module above it hands on, and those that every model has."""
        given = self.given or {}
        if name in given:
            return given[name]()
        assert self.model is not None
        return self.model.given(given) if name == "given" else self.model.says(name)

    def _given_value(self, name: str, block: Block, spot: Spot) -> Value:
        if self.given is not None:
            given = self.given.get(name)
            found = given() if given is not None else self._default(block)
            return found if found is not None else Hole(f"the module is not given `{name}`", spot, f"var.{name}")
        found = self.set.get(name) or self._default(block)
        if found is not None:
            return found
        return Hole(f"the variable `{name}` has no default, and no file here sets it", spot, f"var.{name}")

    def _default(self, block: Block) -> Value | None:
        said = block.body.settings.get("default")
        return quietly(said.expression, self.scope(block.file)) if said is not None else None

    def _converted(self, kind: HclType, value: Value, block: Block) -> Value:
        try:
            return convert(value, kind, _DefaultsOf(self.scope(block.file)))
        except Waits as waits:
            return waits.hole
        except Refusal as refusal:
            return Hole(f"Terraform refuses what is set: {refusal}", value.spot, f"var.{block.labels[0]}")

    # Resources

    def _resolve_resource(
        self, called: str, steps: Sequence[str | None], taken: int, spot: Spot
    ) -> tuple[Value, int] | None:
        block = self._blocks_by_name.get(called)
        if block is None:
            return self._hole_of_missing(called, spot, taken + len(steps))
        address = f"{self.prefix}{called}"
        made = self._values.once(called, lambda: self._value_of(block), spot)
        if isinstance(made, Obj) and not is_many(block) and steps and steps[0] and steps[0] not in made.items:
            return known_later(address, steps, spot, block.kind == "data"), taken + len(steps)
        return made, taken

    def _value_of(self, block: Block) -> Value:
        instances = self.instances_of(block)
        spot = Spot(block.file, block.at)
        if isinstance(instances, Hole):
            return instances
        made = [(each, with_what_follows(each)) for each in instances]
        if "count" in block.body.settings:
            return Seq("tuple", [each for _, each in made], spot)
        if "for_each" in block.body.settings:
            items = {each.key[2:-2]: value for each, value in made}
            return Obj("object", items, spot, {}, rest_of(instances))
        return made[0][1]

    def instances_of(self, block: Block) -> Sequence[Instance] | Hole:
        """What a block makes; a hole where nobody knows how many."""
        key = address_of(block)
        if key not in self._instances:
            made = repetitions(block, self.scope(block.file))
            self._instances[key] = (
                made if isinstance(made, Hole) else turn_each(made, lambda each: Instance(self, block, *each))
            )
        return self._instances[key]

    # Modules

    def _resolve_module(self, name: str, steps: Sequence[str | None], spot: Spot) -> tuple[Value, int] | None:
        block = self._blocks_by_name.get(f"module.{name}")
        if block is None:
            return self._hole_of_missing(f"module.{name}", spot, 1 + len(steps))
        children = self.children(block)
        if isinstance(children, Hole):
            shown = f"module.{name}" + "".join(f".{each}" if each else "[…]" for each in steps)
            return Hole(children.why, spot, shown, f"{self.prefix}module.{name}"), 1 + len(steps)
        if not is_many(block) and steps and steps[0]:
            return children[0][1].output(steps[0], spot), 2
        made = [(key, each.outputs(spot)) for key, each in children]
        if "count" in block.body.settings:
            return Seq("tuple", [each for _, each in made], spot), 1
        if "for_each" in block.body.settings:
            return Obj(
                "object", {text(key): each for key, each in made if key is not None}, spot, {}, rest_of(children)
            ), 1
        return made[0][1], 1

    def output(self, name: str, spot: Spot) -> Value:
        block = self._blocks_by_name.get(f"output.{name}")
        if block is None and self.model is not None:
            address = f"{self.prefix}{name}"
            return Hole(f"{LATER}: {address}", spot, address, self.prefix.removesuffix("."))
        if block is None or "value" not in block.body.settings:
            return Hole(f"the module has no output `{name}`", spot)
        said = block.body.settings["value"].expression
        return self._values.once(f"output.{name}", lambda: quietly(said, self.scope(block.file)), spot)

    def outputs(self, spot: Spot) -> Value:
        names = [each.labels[0] for each in self.blocks if each.kind == "output" and each.labels]
        made = self.prefix.removesuffix(".")
        # A registry's module has outputs of which nothing stands here.
        rest = Hole(f"{LATER}: {made}", spot, made, made) if self.model is not None else None
        return Obj("object", {each: self.output(each, spot) for each in names}, spot, {}, rest)

    def children(self, block: Block) -> Sequence[tuple[Value | None, Module]] | Hole:
        """The modules that a block calls; a hole where they are not here, or nobody knows how many."""
        name = block.labels[0]
        if name not in self._children:
            self._children[name] = self._called_modules(block)
        return self._children[name]

    def _called_modules(self, block: Block) -> Sequence[tuple[Value | None, Module]] | Hole:
        spot = Spot(block.file, block.at)
        folder = self._folder_called(block, spot)
        if isinstance(folder, Hole):
            return folder
        keys = repetitions(block, self.scope(block.file))
        if isinstance(keys, Hole):
            return keys
        return turn_each(keys, lambda each: (key_of(each[1]), self._child_module(block, folder, *each)))

    def _folder_called(self, block: Block, spot: Spot) -> str | KnownModule | Hole:
        """Imported only where a root calls modules."""
        from nodeworthy.hcl.module_calls import folder_called

        return folder_called(self, block, spot)

    def _child_module(self, block: Block, folder: str | KnownModule, key: str, names: Mapping[str, Value]) -> Module:
        prefix, depth = f"{self.prefix}module.{block.labels[0]}{key}.", self.depth + 1
        if isinstance(folder, str):
            child = Module(self.root, folder, prefix, depth)
        else:
            from nodeworthy.hcl.models import Model

            called = key_of(names)
            title = called.known if isinstance(called, Str) and called.known else block.labels[0]
            place = called.spot if called is not None else Spot(block.file, block.at)
            child = Module(self.root, self.folder, prefix, depth, Model(folder, place, title))
        scope = self.scope(block.file, names)
        child.given = {
            name: _later_value(said.expression, scope)
            for name, said in block.body.settings.items()
            if name not in _OF_A_CALL
        }
        return child

    # Files

    def open(self, path: str, spot: Spot) -> File:
        return self.root.disk.open(os.path.join(self.root.folder, path), spot)

    def listed(self, folder: str, spot: Spot) -> Sequence[str]:
        return self.root.disk.listed(os.path.join(self.root.folder, folder), spot)

    def exists(self, path: str, spot: Spot) -> bool:
        return self.root.disk.exists(os.path.join(self.root.folder, path), spot)

    # All that is made

    def everything(self, types: Collection[str] | None = None) -> Iterator[Instance | Hole]:
        """The resources and data sources, of these types or all, with those of the modules within; a hole where nobody
        knows what there is."""
        for block in self._declaring(types):
            if block.kind == "module":
                children = self.children(block)
                if isinstance(children, Hole):
                    yield children
                else:
                    for _, child in children:
                        yield from child.everything(types)
                    yield from filter(None, [rest_of(children)])
            else:
                found = self.instances_of(block)
                yield from [found] if isinstance(found, Hole) else found
                yield from filter(None, [None if isinstance(found, Hole) else rest_of(found)])

    def unread_calls(self) -> Iterator[tuple[Obj, Hole]]:
        """What modules are given of which nobody knows what they make, and why."""
        for block in self._declaring(()):
            folder = self._folder_called(block, Spot(block.file, block.at))
            if isinstance(folder, Hole):
                yield body_value(block.body, self.scope(block.file), block.at), folder
                continue
            for child in self._possible_children(block):
                yield from child.unread_calls()

    def possibly(self, types: Collection[str] | None = None) -> Iterator[Instance]:
        """The same, where each thing that nobody can count stands for one instance. What depends on which instance it
        is is not known."""
        for block in self._declaring(types):
            if block.kind == "module":
                for child in self._possible_children(block):
                    yield from child.possibly(types)
            else:
                found = self.instances_of(block)
                rest = found if isinstance(found, Hole) else rest_of(found)
                yield from () if isinstance(found, Hole) else found
                if rest is not None:
                    yield Instance(self, block, _ANY, any_repetition(rest))

    def absent(self, types: Collection[str] | None = None) -> Iterator[Instance]:
        """Resources of which it makes none (`count = 0`), as they would be; also those of modules that it does not
        call."""
        for block in self._declaring(types):
            nothing = Hole("there is none of it", Spot(block.file, block.at))
            if block.kind != "module":
                if not self.instances_of(block):
                    yield Instance(self, block, _ANY, any_repetition(nothing))
                continue
            children = self.children(block)
            if not isinstance(children, Hole):
                yield from (each for _, child in children for each in child.absent(types))
            folder = self._folder_called(block, nothing.spot) if not children else nothing
            if isinstance(folder, str):
                child = self._child_module(block, folder, _ANY, any_repetition(nothing))
                yield from (*child.possibly(types), *child.absent(types))

    def _possible_children(self, block: Block) -> Iterator[Module]:
        children = self.children(block)
        rest = children if isinstance(children, Hole) else rest_of(children)
        if not isinstance(children, Hole):
            yield from (child for _, child in children)
        folder = self._folder_called(block, Spot(block.file, block.at)) if rest is not None else rest
        if rest is not None and folder is not None and not isinstance(folder, Hole):
            yield self._child_module(block, folder, _ANY, any_repetition(rest))

    def _declaring(self, types: Collection[str] | None) -> Iterator[Block]:
        for block in self.blocks:
            if block.kind in ("resource", "data") and len(block.labels) == 2:
                if types is None or block.labels[0] in types:
                    yield block
            elif block.kind == "module" and len(block.labels) == 1:
                yield block

    def has_any(self, beginnings: tuple[str, ...]) -> bool:
        """Whether anything of these providers may stand in it, or in a module that it calls."""
        return any(
            each.kind == "module" or (each.kind == "resource" and each.labels and each.labels[0].startswith(beginnings))
            for each in self.blocks
        )

    @property
    def faults(self) -> Sequence[Malformed]:
        return self._bodies.faults


class _DefaultsOf(Defaults):
    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    def of(self, expression: Expression) -> Value | None:
        return quietly(expression, self._scope)


def _is_true(block: Block, name: str) -> bool:
    said = block.body.settings.get(name)
    return said is not None and isinstance(said.expression, Literal) and said.expression.value is True


def _is_false(block: Block, name: str) -> bool:
    said = block.body.settings.get(name)
    return said is not None and isinstance(said.expression, Literal) and said.expression.value is False


def _later_value(expression: Expression, scope: Scope) -> Callable[[], Value]:
    return lambda: quietly(expression, scope)


def open_root(folder: str, disk: Disk, var_files: Sequence[str] = ()) -> Module:
    """The root in a folder. Files of variables beside those that Terraform takes by itself: the last one wins."""
    root = Root(disk, folder, installed=disk.installed(folder))
    if disk.is_unit(folder):
        from nodeworthy.hcl.terragrunt import open_unit

        return open_unit(root)
    module = Module(root, folder)
    for path in [*disk.var_files(folder), *var_files]:
        body = disk.body(path)
        if body is None:
            continue
        scope = Scope(body.file, module)
        for name, said in body.body.settings.items():
            module.set[name] = quietly(said.expression, scope)
    return module

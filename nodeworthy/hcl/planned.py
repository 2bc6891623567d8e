"""A plan as `terraform show -json` writes it: its resources as instances, whose values are known or wait for something.

The plan knows what was set only as a value, and of what it does not know yet only to which other resources that refers.
Where the root lies beside it, the source says more: the line of each literal, and the parts of a text of which the plan
knows nothing as a whole.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

from nodeworthy.hcl.instances import Instance
from nodeworthy.hcl.planned_references import Configuration, mapping_or_empty
from nodeworthy.hcl.scope import Budget, Scope
from nodeworthy.hcl.source import File, Malformed
from nodeworthy.hcl.syntax import Block, Body
from nodeworthy.hcl.values import Hole, Obj, Value
from nodeworthy.verdict import Place

# What a resource comes to that is not there afterwards.
_GONE = ({"delete"}, {"forget"})
_DEEPEST = 60
_MOST_SECRETS = 5_000
_LONGEST_SECRET = 400


class PlannedFile(File):
    """What stands in for a line: an address. Where the block is known that makes it, its line as well."""

    def __init__(self, shown: str, address: str, place: Place | None = None) -> None:
        super().__init__(shown, "")
        at = place or Place(shown)
        self._at = Place(at.path, at.line, at.column, urn=address)

    def place(self, at: int) -> Place:  # noqa: ARG002 - there is but one
        return self._at


class AddressedFile(File):
    """A file of the root, in which a literal stands that a resource of this address has."""

    def __init__(self, file: File, address: str) -> None:
        super().__init__(file.shown, file.text)
        self._file = file
        self._address = address

    def place(self, at: int) -> Place:
        place = self._file.place(at)
        return Place(place.path, place.line, place.column, urn=self._address, subject=place.subject)


class Planned(Instance):
    """A resource of a plan, as it will be."""

    is_planned: ClassVar[bool] = True

    def __init__(self, plan: TerraformPlan, said: Mapping[str, Any], file: PlannedFile) -> None:
        labels = [str(said.get("type", "")), str(said.get("name", ""))]
        kind = "data" if said.get("mode") == "data" else "resource"
        self.plan = plan
        self.said = said
        self.module = plan  # type: ignore[assignment]
        self.block = Block(0, kind, labels, Body(), file)
        self.key = ""
        self.names = {}
        # The same resource as the source beside it makes it.
        self.source: Instance | None = None
        self._addressed: dict[str, AddressedFile] = {}

    @property
    def address(self) -> str:
        return str(self.said["address"])

    @property
    def title(self) -> str:
        return self.address

    @property
    def place(self) -> Place:
        return self.block.file.place(0)

    def stand_with(self, source: Instance) -> None:
        """The source has the line of its block."""
        self.source = source
        file = PlannedFile(self.plan.shown, self.address, source.place)
        self.block = Block(0, self.block.kind, self.block.labels, self.block.body, file)

    @property
    def prefix(self) -> str:
        """The address of its module, as a prefix."""
        module = self.said.get("module_address")
        return f"{module}." if module else ""

    @cached_property
    def values(self) -> Obj:
        from nodeworthy.hcl.planned_values import Building

        return Building(self.plan, self).values()

    def addressed(self, file: File) -> AddressedFile:
        if file.shown not in self._addressed:
            self._addressed[file.shown] = AddressedFile(file, self.address)
        return self._addressed[file.shown]


class TerraformPlan:
    """All of a plan that anybody asks for. It answers what a module of a root does."""

    prefix = ""
    blocks: Sequence[Block] = ()
    faults: Sequence[Malformed] = ()

    def __init__(self, shown: str, folder: str, data: Mapping[str, Any]) -> None:
        self.shown = shown
        self.folder = folder
        self.budget = Budget()
        self.tool = str(data.get("terraform_version") or "")
        self.errored = data.get("errored") is True
        self.configuration = Configuration(mapping_or_empty(data.get("configuration")))
        self._data = data

    def scope(self, file: File, names: Mapping[str, Value] | None = None) -> Scope:
        return Scope(file, self, names or {})  # type: ignore[arg-type]

    # What it makes

    @cached_property
    def instances(self) -> Sequence[Planned]:
        return [Planned(self, each, self._file(each)) for each in self._changes()]

    def everything(self, types: Collection[str] | None = None) -> Iterator[Instance | Hole]:
        yield from (each for each in self.instances if types is None or each.type in types)

    def _file(self, said: Mapping[str, Any]) -> PlannedFile:
        return PlannedFile(self.shown, str(said["address"]))

    def _changes(self) -> Iterator[Mapping[str, Any]]:
        for each in map(mapping_or_empty, _sequence(self._data.get("resource_changes"))):
            change = mapping_or_empty(each.get("change"))
            actions = {str(one) for one in _sequence(change.get("actions"))}
            if actions not in _GONE and isinstance(each.get("address"), str) and "deposed" not in each:
                yield each
        state = mapping_or_empty(mapping_or_empty(self._data.get("prior_state")).get("values"))
        yield from self._looked_up(mapping_or_empty(state.get("root_module")), 0)

    def _looked_up(self, module: Mapping[str, Any], depth: int) -> Iterator[Mapping[str, Any]]:
        """Data sources that were read while it was planned."""
        for each in map(mapping_or_empty, _sequence(module.get("resources"))):
            if each.get("mode") == "data" and isinstance(each.get("address"), str):
                change = {"after": each.get("values"), "after_sensitive": each.get("sensitive_values")}
                yield {**each, "module_address": module.get("address"), "change": change}
        for each in _sequence(module.get("child_modules")) if depth < _DEEPEST else ():
            yield from self._looked_up(mapping_or_empty(each), depth + 1)

    @cached_property
    def by_address(self) -> Mapping[str, Planned]:
        return {each.address: each for each in self.instances}

    @cached_property
    def by_block(self) -> Mapping[str, Sequence[Planned]]:
        """All that one block makes, in whichever instance of its module."""
        found: dict[str, list[Planned]] = defaultdict(list)
        for each in self.instances:
            found[without_keys(each.address)].append(each)
        return found

    # Secrets

    @cached_property
    def sensitive(self) -> Sequence[str]:
        """What of it is sensitive, by its name; of that, nothing is ever shown."""
        return [name for name, _ in self._secrets]

    @cached_property
    def secrets(self) -> frozenset[str]:
        """Their texts, as far as one can tell one from any other word."""
        return frozenset(text for _, text in self._secrets if text and len(text) <= _LONGEST_SECRET)

    @cached_property
    def _secrets(self) -> Sequence[tuple[str, str]]:
        found: list[tuple[str, str]] = []
        for each in self._marked():
            found.append(each)
            if len(found) >= _MOST_SECRETS:
                break
        return found

    def _marked(self) -> Iterator[tuple[str, str]]:
        given = mapping_or_empty(self._data.get("variables"))
        for name, said in self.configuration.variables.items():
            if mapping_or_empty(said).get("sensitive") is True:
                value = mapping_or_empty(given.get(name)).get("value")
                yield from ((f"var.{name}", text) for text in texts_in(value))
        for each in map(mapping_or_empty, _sequence(self._data.get("resource_changes"))):
            change, address = (
                mapping_or_empty(mapping_or_empty(each).get("change")),
                mapping_or_empty(each).get("address"),
            )
            for when in ("after", "before"):
                yield from _sensitive(change.get(when), change.get(f"{when}_sensitive"), str(address), 0)
        for name, each in mapping_or_empty(self._data.get("output_changes")).items():
            change = mapping_or_empty(each)
            yield from _sensitive(change.get("after"), change.get("after_sensitive"), f"output.{name}", 0)
        for looked_up in self._looked_up_anywhere():
            change = mapping_or_empty(looked_up["change"])
            yield from _sensitive(change["after"], change["after_sensitive"], str(looked_up["address"]), 0)

    def _looked_up_anywhere(self) -> Iterator[Mapping[str, Any]]:
        state = mapping_or_empty(mapping_or_empty(self._data.get("prior_state")).get("values"))
        yield from self._looked_up(mapping_or_empty(state.get("root_module")), 0)


def _sensitive(value: Any, marked: Any, name: str, depth: int) -> Iterator[tuple[str, str]]:
    if marked is True:
        yield from ((name, text) for text in texts_in(value, depth))
    elif isinstance(marked, dict) and isinstance(value, dict) and depth < _DEEPEST:
        for key, each in marked.items():
            yield from _sensitive(value.get(key), each, f"{name}.{key}", depth + 1)
    elif isinstance(marked, list) and isinstance(value, list) and depth < _DEEPEST:
        for index, (each, one) in enumerate(zip(value, marked, strict=False)):
            yield from _sensitive(each, one, f"{name}[{index}]", depth + 1)


def texts_in(value: Any, depth: int = 0) -> Iterator[str]:
    """Every text and number in it."""
    if isinstance(value, str) and value:
        yield value
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield str(value)
    elif isinstance(value, (dict, list)) and depth < _DEEPEST:
        for each in value.values() if isinstance(value, dict) else value:
            yield from texts_in(each, depth + 1)


def without_keys(address: str) -> str:
    """`module.a["x.y"].aws_b.c[0]` is `module.a.aws_b.c`, whatever stands in the keys."""
    found: list[str] = []
    quoted = inside = False
    escaped = False
    for each in address:
        if inside:
            if quoted:
                quoted = escaped or each != '"'
                escaped = each == "\\" and not escaped
            elif each == '"':
                quoted = True
            elif each == "]":
                inside = False
        elif each == "[":
            inside = True
        else:
            found.append(each)
    return "".join(found)


def _sequence(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else ()

"""A resource or a data source that a block makes: what is set in it, and what is known of it only later."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from nodeworthy.hcl.blocks import body_value
from nodeworthy.hcl.source import Spot
from nodeworthy.hcl.syntax import Block
from nodeworthy.hcl.values import BLOCK, Hole, InnerBlock, Obj, Scalar, Seq, Value, string
from nodeworthy.known.terraform import is_version
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import Place

if TYPE_CHECKING:
    from nodeworthy.hcl.root import Module

LATER = "it is known only after it is applied"
# Data sources that look nothing up.
_RENDERING = frozenset(
    "cloudinit_config template_cloudinit_config template_file kubectl_file_documents kubectl_path_documents".split()
)


@dataclass
class Instance:
    """One resource or data source that a block makes."""

    module: Module
    block: Block
    # Its key in `count` or `for_each`, as an address shows it: `[0]`, `["a"]`.
    key: str
    names: Mapping[str, Value]
    # Whether it stands in a plan, of which what lies around is not known.
    is_planned: ClassVar[bool] = False

    @property
    def type(self) -> str:
        return self.block.labels[0]

    @property
    def name(self) -> str:
        return self.block.labels[1]

    @property
    def is_data(self) -> bool:
        return self.block.kind == "data"

    @property
    def address(self) -> str:
        return f"{self.module.prefix}{address_of(self.block)}{self.key}"

    @property
    def title(self) -> str:
        """How a reader knows it: what a module makes whose files are not here, by what he calls that."""
        return self.module.model.title if self.module.model is not None else self.address

    @property
    def place(self) -> Place:
        return self.block.file.place(self.block.at)

    @cached_property
    def values(self) -> Obj:
        """What is set in it; its blocks are lists of objects."""
        return _versions_as_texts(
            body_value(self.block.body, self.module.scope(self.block.file, self.names), self.block.at)
        )


def _versions_as_texts(said: Obj) -> Obj:
    """A version without its quotes is a number until its provider has it: `version = 1.30` asks for 1.3."""
    made = {name: string(each) for name, each in said.items.items() if is_version(name) and _is_number(each)}
    return replace(said, items={**said.items, **made}) if made else said


def _is_number(value: Value) -> bool:
    return isinstance(value, Scalar) and not isinstance(value.value, bool | None)


def with_what_follows(instance: Instance) -> Obj:
    found = instance.values
    later = known_later(instance.address, (), found.spot, instance.is_data)
    items: Mapping[str, Value] = {name: _inner(name, each, later) for name, each in found.items.items()}
    if instance.is_data and instance.type in _RENDERING:
        from nodeworthy.hcl.providers import render

        items = {**items, **render(instance.type, found, instance.module.scope(instance.block.file, instance.names))}
    return Obj("object", items, found.spot, found.keys, found.rest or later)


def known_later(address: str, steps: Sequence[str | None], spot: Spot, is_data: bool) -> Hole:
    named = "".join(f".{each}" if each else "[…]" for each in steps)
    why = "it is looked up when Terraform runs" if is_data else LATER
    return Hole(f"{why}: {address}{named}", spot, f"{address}{named}", address)


def _inner(name: str, value: Value, later: Hole) -> Value:
    """The blocks of a resource have attributes, too, that are known later."""
    if not isinstance(value, Seq) or not any(isinstance(each, Obj) and each.kind == BLOCK for each in value.items):
        return value
    rest = Hole(f"{later.why}.{name}", later.spot, f"{later.shown}.{name}", later.of, later.secret)
    blocks = [
        InnerBlock(BLOCK, each.items, each.spot, each.keys, each.rest, later=rest) if isinstance(each, Obj) else each
        for each in value.items
    ]
    return Seq(value.kind, blocks, value.spot)


def address_of(block: Block) -> str:
    return f"{'data.' if block.kind == 'data' else ''}{block.labels[0]}.{block.labels[1]}"

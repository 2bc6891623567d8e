"""What is to be changed: which object, which of its values, and the findings that ask for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, Protocol

from nodeworthy.documents.plain import at
from nodeworthy.records import dataclass
from nodeworthy.repair.edit import Edit, NotEditable, ValuePath, merge_json_patch, merge_patch, value_at
from nodeworthy.repair.owner import Owner
from nodeworthy.verdict import Finding

_PATHS = {
    "Node": "/api/v1/nodes",
    "Namespace": "/api/v1/namespaces",
    "ClusterPolicy": "/apis/nvidia.com/v1/clusterpolicies",
}
KINDS = tuple(_PATHS)


@dataclass(frozen=True)
class Target:
    """An object of a kind that belongs to no namespace."""

    kind: str
    name: str

    @property
    def url(self) -> str:
        return f"{_PATHS[self.kind]}/{self.name}"

    def __str__(self) -> str:
        return f"{self.kind}/{self.name}"


class World(Protocol):
    """The cluster as it is, or as it was recorded."""

    def object(self, target: Target) -> Mapping[str, Any] | None: ...

    def phase_of_pod(self, namespace: str, name: str) -> str | None:
        """None where there is no such pod."""


@dataclass(frozen=True)
class Wanted:
    within: ValuePath
    name: str
    value: str | None
    # Whether another value may be replaced; kubectl, too, wants that said.
    overwrite: bool = True
    # Only where it is there already: another spelling of a setting must not disagree.
    if_there: bool = False


@dataclass(frozen=True)
class Wish:
    """What findings ask of an object, before anybody looked at it."""

    target: Target
    wanted: tuple[Wanted, ...]
    causes: tuple[Finding, ...]
    # Rules that must find nothing new afterwards.
    watched: tuple[str, ...] = ()


@dataclass(frozen=True)
class Change:
    target: Target
    edits: tuple[Edit, ...]
    causes: tuple[Finding, ...]
    # The object as it was looked at.
    was: Mapping[str, Any] = field(repr=False)
    owner: Owner | None = None
    watched: tuple[str, ...] = ()

    @property
    def patch(self) -> dict[str, Any]:
        return merge_patch(self.was, self.edits)

    @property
    def becomes(self) -> Any:
        return merge_json_patch(self.was, self.patch)

    @property
    def made_lists(self) -> tuple[ValuePath, ...]:
        """Lists that were not there before."""
        made = {edit.within for edit in self.edits if at(self.was, *edit.within) is None}
        return tuple(sorted(made))


@dataclass(frozen=True)
class Left:
    """A finding that is not mended, and why not."""

    finding: Finding
    why: str = ""


def change_of(wish: Wish, was: Mapping[str, Any], owner: Owner | None) -> Change | str:
    """What differs from what is wanted; or why nothing is done."""
    try:
        edits = [
            Edit(each.within, each.name, value_at(was, each.within, each.name), each.value) for each in wish.wanted
        ]
    except NotEditable as problem:
        return str(problem)
    for each, edit in zip(wish.wanted, edits, strict=True):
        if not each.overwrite and edit.before not in (None, edit.after):
            return f"{edit.where} is {edit.before} already, and the remedy does not say to replace it"
    needed = [
        edit
        for each, edit in zip(wish.wanted, edits, strict=True)
        if not edit.is_idle and not (each.if_there and edit.before is None)
    ]
    if not needed:
        return "the object is as the remedy wants it already"
    return Change(wish.target, tuple(needed), wish.causes, was, owner, wish.watched)


def causes_told(causes: Sequence[Finding]) -> str:
    return "; ".join(dict.fromkeys(f"{each.rule}: {each.sentence()}" for each in causes))

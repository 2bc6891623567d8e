"""What `pulumi preview --json` prints: the resources that a program makes, in whatever language it is written.

A secret stands there as `[secret]`, and what is known only after deployment as the engine's own sign for it. What stays
as it is is left out, unless `--show-sames` was given.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from nodeworthy.collect.aws.stack import Stack
from nodeworthy.collect.plan.aws import stack_of
from nodeworthy.collect.plan.plan import STACK_TYPE, PreviewedPlan, Resource
from nodeworthy.collect.plan.planted import LATER
from nodeworthy.collect.plan.protocol import SECRET, SIGNATURE, UNKNOWN, Wire
from nodeworthy.collect.plan.releases import Releases
from nodeworthy.collect.plan.scene import facts_of_resources
from nodeworthy.collect.source.files import Source, shown_path
from nodeworthy.collect.source.parsing import parse_json
from nodeworthy.facts.not_seen import NotLookedAt
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field
from nodeworthy.scene import Fact
from nodeworthy.verdict import Place

# Of these steps nothing is left behind.
_GONE = frozenset({"delete", "delete-replaced", "discard", "discard-replaced", "remove-pending-replace"})
_READ = frozenset({"read", "read-replacement"})
_SAME = "same"
# What a provider took a default for, which it keeps beside the inputs.
_DEFAULTS = "__defaults"
_HIDDEN = "[secret]"
_AT = pattern(r"project:///(?P<path>[^#]+)#(?P<line>\d+)(?:,(?P<column>\d+))?")
_URN = pattern(r"urn:pulumi:(?P<stack>[^:]+)::(?P<project>[^:]+)::")
_UNKNOWN = f"{LATER}, or a secret, which a preview does not print"
_ALL = "`pulumi preview --json --show-sames` prints them, too"


@dataclass
class ReadPreview:
    facts: list[Fact] = field(default_factory=list)
    stacks: Sequence[Stack] = ()
    # The files of the program that were looked for.
    asked: Sequence[Path] = ()


def read_preview(source: Source, data: bytes) -> ReadPreview | None:
    """None for what is none. Raises InputRefused for one that can't be read."""
    said = _parsed(data, Place(source.shown))
    if said is None:
        return None
    program = _Program(source)
    steps = [each for each in said["steps"] if isinstance(each, Mapping)]
    made = {each.urn: each for each in map(program.resource, steps) if each is not None}
    first = _URN.match(next(iter(made), ""))
    stack, project = (first["stack"], first["project"]) if first is not None else ("", "")
    plan = PreviewedPlan(project, stack, tuple(made[urn] for urn in sorted(made)), {})
    facts = [*facts_of_resources(plan, Releases(program.folder, None), None, _UNKNOWN)]
    facts += _not_whole(said, steps, Place(source.shown))
    aws = stack_of(plan, None, _UNKNOWN)
    return ReadPreview(facts, [aws] if aws is not None and aws.starts_nodes else [], program.asked)


def _parsed(data: bytes, place: Place) -> Mapping[str, Any] | None:
    said = parse_json(data, place, "this preview of Pulumi")
    is_one = isinstance(said, dict) and isinstance(said.get("steps"), list)
    return said if is_one else None


def _not_whole(said: Mapping[str, Any], steps: Sequence[Mapping[str, Any]], place: Place) -> Iterator[NotLookedAt]:
    told = said.get("changeSummary")
    same = told.get(_SAME) if isinstance(told, Mapping) else None
    left_out = same - sum(each.get("op") == _SAME for each in steps) if isinstance(same, int) else 0
    if left_out > 0:
        why = f"{left_out} resources stay as they are, and this preview leaves them out"
        yield NotLookedAt(place, why, remedy=_ALL)
    for each in said.get("diagnostics") or ():
        if isinstance(each, Mapping) and each.get("severity") == "error":
            yield NotLookedAt(place, "the program failed in this preview, so there may be more than it says")
            return


@dataclass
class _Program:
    source: Source
    asked: list[Path] = field(default_factory=list)

    @property
    def folder(self) -> Path:
        return Path(self.source.lies).parent

    def resource(self, step: Mapping[str, Any]) -> Resource | None:
        """The resource as it is afterwards; None for one that is removed, and for the stack itself."""
        state, urn = step.get("newState"), step.get("urn")
        if step.get("op") in _GONE or not isinstance(state, Mapping) or not isinstance(urn, str):
            return None
        kind, inputs = state.get("type"), state.get("inputs")
        if not isinstance(kind, str) or kind == STACK_TYPE:
            return None
        made_of = state.get("propertyDependencies")
        return Resource(
            urn,
            kind,
            urn.rsplit("::", 1)[-1],
            _text(state.get("parent")),
            _as_given(inputs) if isinstance(inputs, Mapping) else {},
            custom=state.get("custom") is True,
            read=step.get("op") in _READ or state.get("external") is True,
            provider=_text(state.get("provider")) or "",
            property_dependencies=_by_property(made_of if isinstance(made_of, Mapping) else {}),
            trail=(self._place(state.get("sourcePosition")),),
            outputs={"id": state["id"]} if isinstance(state.get("id"), str) else {},
        )

    def _place(self, said: object) -> Place:
        """The line of the program, where its file lies beside; else the preview itself."""
        found = _AT.fullmatch(said) if isinstance(said, str) else None
        if found is None or posixpath.normpath(found["path"]).startswith(".."):
            return Place(self.source.shown)
        lies = self.folder / found["path"]
        self.asked.append(lies)
        if not lies.is_file():
            return Place(self.source.shown)
        shown = shown_path(Path(self.source.shown).parent / found["path"])
        return Place(shown, int(found["line"]), int(found["column"]) if found["column"] else None)


def _text(said: object) -> str | None:
    return said if isinstance(said, str) and said else None


def _by_property(said: Mapping[str, Any]) -> Mapping[str, tuple[str, ...]]:
    return {
        name: tuple(each for each in urns if isinstance(each, str))
        for name, urns in said.items()
        if isinstance(urns, list)
    }


def _as_given(data: Wire) -> Wire:
    """The data as the program gave it, without what the provider keeps for itself."""
    if isinstance(data, Mapping):
        return {name: _as_given(each) for name, each in data.items() if name != _DEFAULTS}
    if isinstance(data, list):
        return [_as_given(each) for each in data]
    return {SIGNATURE: SECRET, "value": UNKNOWN} if data == _HIDDEN else data

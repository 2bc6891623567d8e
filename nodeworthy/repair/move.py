"""Brings an object from what it was to what it is to be, and refuses where it is neither."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nodeworthy.documents.plain import number_at
from nodeworthy.repair.edit import Edit, NotEditable, merge_patch, value_at
from nodeworthy.repair.record import Record
from nodeworthy.repair.refused import Refused, Untouched
from nodeworthy.repair.server import Said, Server, uid_of, version_of

# Of writes that came between our look and our own: kubelets and operators write a status now and then.
_TRIES = 4


def move(server: Server, record: Record) -> bool:
    """Whether anything had to be changed. Raises Untouched where the object is not as it was left."""
    for _ in range(_TRIES):
        now = as_it_was_left(server, record)
        if now is None:
            return False
        patch = merge_patch(now, record.edits, record.made_lists)
        said = server.patch(record.target, patch, version_of(now))
        if said.is_yes:
            _check(said, record)
            return True
        if not said.is_conflict:
            raise Untouched(f"the server refused to change {record.target}: {said.why}")
    raise Untouched(f"{record.target} is being changed by somebody else again and again: look once more")


def as_it_was_left(server: Server, record: Record) -> Mapping[str, Any] | None:
    """The object, if all of what is to be changed is as it was; None if it is already as it is to be."""
    now = server.object(record.target)
    if now is None:
        raise Untouched(f"{record.target} is not there any more")
    if record.uid and uid_of(now) != record.uid:
        raise Untouched(f"{record.target} is another object of the same name: it was made anew since")
    found = [_value(now, each) for each in record.edits]
    if found == [each.after for each in record.edits]:
        return None
    for edit, value in zip(record.edits, found, strict=True):
        if value != edit.before:
            said = f"{edit.where} is {_shown(value)}, and was {_shown(edit.before)}"
            raise Untouched(f"somebody else has changed {record.target} since it was looked at: {said}")
    generation = number_at(now, "metadata", "generation")
    if record.generation is not None and generation not in (None, record.generation):
        raise Untouched(f"somebody else has changed {record.target} since it was looked at: look at it again")
    return now


def _value(now: Mapping[str, Any], edit: Edit) -> str | None:
    try:
        return value_at(now, edit.within, edit.name)
    except NotEditable as problem:
        raise Untouched(f"somebody else has changed what is to be changed: {problem}") from None


def _shown(value: str | None) -> str:
    return "absent" if value is None else value or '""'


def _check(said: Said, record: Record) -> None:
    """An admission webhook may have had the last word."""
    for edit in record.edits:
        if _value(said.body, edit) != edit.after:
            raise Refused(f"the server took the change of {record.target} and wrote something else at {edit.where}")

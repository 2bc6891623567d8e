"""One value of an object, as it was and as it is to be: a label, an annotation, a taint, a variable of a list.

Only the value itself is written and put back: whatever else stands in the object, others may change meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any, ClassVar

from nodeworthy.documents.plain import at, mapping_at, strings_at
from nodeworthy.errors import Ends
from nodeworthy.records import dataclass

# A change that is not made, because the cluster is not as it was looked at, or does not let us.


class RepairRefused(Ends):
    exit_code: ClassVar[int] = 3


class Untouched(RepairRefused):
    """Refused before anything was changed."""


class NotNow(Untouched):
    """The server refuses it now, and may take it in a while."""


ValuePath = tuple[str, ...]

LABELS = ("metadata", "labels")
ANNOTATIONS = ("metadata", "annotations")
TAINTS = ("spec", "taints")
TOOLKIT_ENV = ("spec", "toolkit", "env")


class NotEditable(Exception):
    """What stands there has not the shape that it should have."""


@dataclass(frozen=True)
class Edit:
    """A value in a mapping or in a list of named entries; None where there is none."""

    within: ValuePath
    name: str
    before: str | None
    after: str | None

    @property
    def reversed(self) -> Edit:
        return replace(self, before=self.after, after=self.before)

    @property
    def is_idle(self) -> bool:
        return self.before == self.after

    @property
    def where(self) -> str:
        return f"{'.'.join(self.within)}[{self.name}]"

    def as_data(self) -> dict[str, Any]:
        return {"within": list(self.within), "name": self.name, "before": self.before, "after": self.after}


def value_at(data: Mapping[str, Any], within: ValuePath, name: str) -> str | None:
    """What stands there now."""
    if within == TAINTS:
        key, effect = _taint(name)
        found = _first(data, within, lambda each: (each.get("key"), each.get("effect")) == (key, effect))
        return None if found is None else str(found.get("value") or "")
    if within == TOOLKIT_ENV:
        found = _first(data, within, lambda each: each.get("name") == name)
        return None if found is None else _plain(found, name)
    return strings_at(data, *within).get(name)


def _plain(entry: Mapping[str, Any], name: str) -> str:
    if "valueFrom" in entry:
        raise NotEditable(f"{name} takes its value from another object")
    value = entry.get("value")
    if value is not None and not isinstance(value, str):
        raise NotEditable(f"{name} is no string")
    return value or ""


def _first(data: Mapping[str, Any], within: ValuePath, fits: Any) -> Mapping[str, Any] | None:
    return next((each for each in _entries(data, within) if isinstance(each, dict) and fits(each)), None)


def _entries(data: Mapping[str, Any], within: ValuePath) -> Sequence[Any]:
    found = at(data, *within)
    if found is None:
        return ()
    if not isinstance(found, list):
        raise NotEditable(f"{'.'.join(within)} is no list")
    return found


def _taint(name: str) -> tuple[str, str]:
    key, _, effect = name.rpartition(":")
    return key, effect


def merge_patch(data: Mapping[str, Any], edits: Iterable[Edit], ours: Iterable[ValuePath] = ()) -> dict[str, Any]:
    """What to send to the API server. A list is sent whole: as it is now, with our entries. A list of `ours`, one that
    was not there before, is removed with its last entry."""
    patch: dict[str, Any] = {}
    for edit in edits:
        if edit.within in (LABELS, ANNOTATIONS):
            _put(patch, edit.within, {**mapping_at(patch, *edit.within), edit.name: edit.after})
            continue
        so_far = patch if at(patch, *edit.within) is not None else data
        _put(patch, edit.within, _list_with(_entries(so_far, edit.within), edit))
    for within in ours:
        if at(patch, *within) == []:
            _put(patch, within, None)
    return patch


def _list_with(entries: Sequence[Any], edit: Edit) -> list[Any]:
    fits = _is_taint(edit) if edit.within == TAINTS else _is_named(edit)
    kept, done = [], False
    for each in entries:
        if done or not fits(each):
            kept.append(deepcopy(each))
            continue
        done = True
        if edit.after is not None:
            kept.append({**each, "value": edit.after})
    if not done and edit.after is not None:
        kept.append(_entry(edit))
    return kept


def _is_named(edit: Edit) -> Any:
    return lambda each: isinstance(each, dict) and each.get("name") == edit.name


def _is_taint(edit: Edit) -> Any:
    return lambda each: isinstance(each, dict) and (each.get("key"), each.get("effect")) == _taint(edit.name)


def _entry(edit: Edit) -> dict[str, Any]:
    if edit.within != TAINTS:
        return {"name": edit.name, "value": edit.after}
    key, effect = _taint(edit.name)
    return {"key": key, **({"value": edit.after} if edit.after else {}), "effect": effect}


def _put(patch: dict[str, Any], within: ValuePath, value: Any) -> None:
    for name in within[:-1]:
        patch = patch.setdefault(name, {})
    patch[within[-1]] = value


def merge_json_patch(data: Any, patch: Any) -> Any:
    """RFC 7396: what the object will be."""
    if not isinstance(patch, dict):
        return deepcopy(patch)
    whole = dict(data) if isinstance(data, dict) else {}
    for name, value in patch.items():
        if value is None:
            whole.pop(name, None)
        else:
            whole[name] = merge_json_patch(whole.get(name), value)
    return whole

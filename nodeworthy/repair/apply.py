"""Makes a change and puts it back, by the way that it has to go, and refuses where the object is neither."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from nodeworthy.documents.plain import number_at
from nodeworthy.repair.edit import Edit, NotEditable, NotNow, RepairRefused, Untouched, merge_patch, value_at
from nodeworthy.repair.helm import Helm
from nodeworthy.repair.record import Record, record_of
from nodeworthy.repair.server import PatchAnswer, Server, uid_of, version_of
from nodeworthy.repair.way import ThroughHelm, ToObject


def record_way(way: ToObject | ThroughHelm) -> Record:
    return record_of(way.change, way.release if isinstance(way, ThroughHelm) else None)


def try_dry(way: ToObject | ThroughHelm, server: Server) -> str | None:
    """The server's own answer: None for a yes, else its words."""
    change = way.change
    # Of whatever version: a status may be written at any time, and whoever really writes looks once more.
    said = server.patch(change.target, change.patch, "", dry=True)
    if not said.is_yes:
        return said.why
    if isinstance(way, ThroughHelm):
        try:
            way.helm.upgrade(way.owner, way.chart, way.env, dry=True)
        except RepairRefused as problem:
            return str(problem)
    return None


def apply(way: ToObject | ThroughHelm, record: Record, server: Server) -> Record:
    """What was done. Raises RepairRefused."""
    if isinstance(way, ToObject):
        move(server, record)
        return record
    assert record.release is not None
    release = record.release
    now = way.helm.state(release.name, release.namespace)
    if now.revision != release.before or now.status != "deployed":
        raise Untouched(f"{release.title} is at revision {now.revision} ({now.status}): somebody else has changed it")
    as_it_was_left(server, record)
    way.helm.upgrade(way.owner, way.chart, way.env)
    return _after_upgrade(way, record, server)


def _after_upgrade(way: ThroughHelm, record: Record, server: Server) -> Record:
    assert record.release is not None
    now = way.helm.state(record.release.name, record.release.namespace)
    if as_it_was_left(server, replace(record, generation=None)) is not None:
        raise RepairRefused(f"{record.release.title} was upgraded, and {record.target} did not follow")
    return replace(record, release=replace(record.release, after=now.revision))


def put_back(record: Record, server: Server, helm: Helm | None) -> bool:
    """Whether anything had to be put back. Raises RepairRefused where it is not as it was left."""
    if record.release is None:
        return move(server, record.reversed)
    release = record.release
    if helm is None:
        raise RepairRefused(
            f"there is no helm on PATH: helm rollback {release.name} {release.before} --namespace {release.namespace}"
        )
    now = helm.state(release.name, release.namespace)
    if now.revision == release.before:
        return False
    if now.revision != (release.after or release.before + 1):
        raise RepairRefused(f"{release.title} is at revision {now.revision}: somebody else has changed it since")
    if release.after is not None:
        as_it_was_left(server, record.reversed)
    helm.rollback(release.name, release.namespace, release.before)
    return True


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
            refused = NotNow if said.is_for_now else Untouched
            raise refused(f"the server refused to change {record.target}: {said.why}")
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
            said = f"{edit.where} is {_value_in_words(value)}, and was {_value_in_words(edit.before)}"
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


def _value_in_words(value: str | None) -> str:
    return "absent" if value is None else value or '""'


def _check(said: PatchAnswer, record: Record) -> None:
    """Raises RepairRefused if the server wrote something else, which an admission webhook may do."""
    for edit in record.edits:
        if _value(said.body, edit) != edit.after:
            raise RepairRefused(
                f"the server took the change of {record.target} and wrote something else at {edit.where}"
            )

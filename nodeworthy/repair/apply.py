"""Makes a change and puts it back, by the way that it has to go."""

from __future__ import annotations

from dataclasses import replace

from nodeworthy.repair.helm import Helm
from nodeworthy.repair.move import as_it_was_left, move
from nodeworthy.repair.record import Record, record_of
from nodeworthy.repair.refused import Refused, Untouched
from nodeworthy.repair.server import Server
from nodeworthy.repair.way import ThroughHelm, ToObject


def recorded(way: ToObject | ThroughHelm) -> Record:
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
        except Refused as problem:
            return str(problem)
    return None


def apply(way: ToObject | ThroughHelm, record: Record, server: Server) -> Record:
    """What was done. Raises Refused."""
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
        raise Refused(f"{record.release.title} was upgraded, and {record.target} did not follow")
    return replace(record, release=replace(record.release, after=now.revision))


def put_back(record: Record, server: Server, helm: Helm | None) -> bool:
    """Whether anything had to be put back. Raises Refused where it is not as it was left."""
    if record.release is None:
        return move(server, record.reversed)
    release = record.release
    if helm is None:
        raise Refused(
            f"there is no helm on PATH: helm rollback {release.name} {release.before} --namespace {release.namespace}"
        )
    now = helm.state(release.name, release.namespace)
    if now.revision == release.before:
        return False
    if now.revision != (release.after or release.before + 1):
        raise Refused(f"{release.title} is at revision {now.revision}: somebody else has changed it since")
    if release.after is not None:
        as_it_was_left(server, record.reversed)
    helm.rollback(release.name, release.namespace, release.before)
    return True

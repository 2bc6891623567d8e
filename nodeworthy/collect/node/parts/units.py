"""What `systemctl show` printed of a node's units, and of nodeadm's with the file that they write."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TypeVar

from nodeworthy.collect.node.recording import Recording
from nodeworthy.facts.node.nodeadm import CONFIG, RUN, NodeNodeadm
from nodeworthy.facts.node.units import NodeUnits, UnitState
from nodeworthy.scene import Missing
from nodeworthy.verdict import Known, Located, Place, ToGive, Unknown

T = TypeVar("T")


def printed_value(recording: Recording, name: str, place: Place, what: str) -> Located[str] | None:
    """None where the recording is older than the question."""
    part = recording.part(name)
    if part is None:
        return None
    if part.code != 0:
        return Located.unknown(f"{what} could not be read: {part.why}", place)
    return Located.known(part.stdout, place)


def older(what: str, place: Place) -> Missing:
    """Why a recording lacks a part: it was made before that was read."""
    return Missing(ToGive(f"this recording was made before {what} was read", "record the node anew"), place=place)


def rows(
    recording: Recording, name: str, place: Place, what: str, row: Callable[[str], T | None]
) -> Located[tuple[T, ...]] | None:
    """What its lines say, those aside that say nothing."""
    said = printed_value(recording, name, place, what)
    if said is None:
        return None
    if isinstance(said.state, Unknown):
        return Located(said.state, place)
    return Located.known(tuple(each for each in map(row, said.state.value.splitlines()) if each is not None), place)


def lines(recording: Recording, name: str) -> list[str]:
    part = recording.part(name)
    return [line.strip() for line in part.stdout.splitlines() if line.strip()] if part else []


def units(recording: Recording, name: str, host: Place) -> NodeUnits | None:
    """The units of one answer; None where it was not asked for."""
    place = host.about("systemd")
    said = printed_value(recording, name, place, "what systemd says of its units")
    if said is None:
        return None
    if isinstance(said.state, Unknown):
        return NodeUnits(place, Located(said.state, place))
    blocks = (_properties(block) for block in said.state.value.split("\n\n"))
    reached = recording.part("reached at boot")
    boot = frozenset(reached.stdout.split()) if reached is not None and reached.code == 0 else None
    found = {each["Id"]: _state(each, host, boot or None) for each in blocks if each.get("Id")}
    return NodeUnits(place, Located(Known(found), place))


# Most of a node's units are as they are on the other nodes of its pool.
@lru_cache(maxsize=1024)
def _properties(block: str) -> Mapping[str, str]:
    return dict(line.split("=", 1) for line in block.splitlines() if "=" in line)


def _state(said: Mapping[str, str], host: Place, boot: frozenset[str] | None) -> UnitState:
    return UnitState(
        place=host.about(said["Id"]),
        name=said["Id"],
        load=said.get("LoadState", ""),
        active=said.get("ActiveState", ""),
        sub=said.get("SubState", ""),
        enabled=said.get("UnitFileState", ""),
        result=said.get("Result", ""),
        asked_by=tuple(f"{said.get('WantedBy', '')} {said.get('RequiredBy', '')}".split()),
        triggered_by=tuple(f"{said['TriggeredBy']} {said.get('UpheldBy', '')} {said.get('BoundBy', '')}".split())
        if "TriggeredBy" in said
        else None,
        boot=boot,
    )


TIMES = "nodeadm times"
_OPERATORS = ("/run/nvidia/", "/usr/local/nvidia/")
_BEGAN, _ENDED = "ExecMainStartTimestampMonotonic", "ExecMainExitTimestampMonotonic"


def nodeadm(recording: Recording, host: Place) -> NodeNodeadm | Missing:
    place = host.about("nodeadm")
    states = units(recording, "nodeadm", host)
    if states is None:
        return Missing("there is no nodeadm here, or nobody asked for it", place=place)
    told = [line.partition(" ") for line in lines(recording, TIMES)]
    by_operator = (each for each in lines(recording, "toolkit") if each.startswith(_OPERATORS))
    return NodeNodeadm(
        place=place,
        units=states,
        younger_by=_younger_by(recording, {name: value for name, _, value in told}, place),
        repeated_by=tuple(value for name, _, value in told if name == "again"),
        toolkit=next(by_operator, ""),
    )


def _younger_by(recording: Recording, told: Mapping[str, str], place: Place) -> Located[float | None]:
    ran = printed_value(recording, "nodeadm", place, "when nodeadm ran")
    read = printed_value(recording, TIMES, place, "when nodeadm ran")
    if ran is None or read is None:
        return Located.unknown("when nodeadm ran was not read", place)
    if isinstance(ran.state, Unknown):
        return Located(ran.state, place)
    if isinstance(read.state, Unknown):
        return Located(read.state, place)
    if "changed" not in told:
        return Located.known(None, place)
    try:
        changed = float(told["changed"])
        last = _last_run(ran.state.value, changed, float(told["uptime"]), int(told["drop-ins"]))
    except (KeyError, ValueError):
        return Located.unknown(f"systemd does not say when {CONFIG} ran at this boot", place)
    return Located.known(last - changed, place)


def _last_run(said: str, changed: float, uptime: float, drop_ins: int) -> float:
    """How long ago nodeadm wrote it last. With drop-ins of its own it writes once more, right before it runs."""
    blocks = [dict(line.split("=", 1) for line in block.splitlines() if "=" in line) for block in said.split("\n\n")]
    since = {each.get("Id", ""): _since(each, uptime) for each in blocks}
    if drop_ins and RUN in since and since[RUN][0] >= changed >= since[RUN][1]:
        return changed
    if since[CONFIG][1] >= uptime:
        raise ValueError
    return since[CONFIG][1]


def _since(said: Mapping[str, str], uptime: float) -> tuple[float, float]:
    """How long ago it began and ended."""
    began, ended = (uptime - int(said[each]) / 1e6 for each in (_BEGAN, _ENDED))
    return began, ended

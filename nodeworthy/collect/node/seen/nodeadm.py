"""nodeadm's units and the file that they write, by their times."""

from __future__ import annotations

from collections.abc import Mapping

from nodeworthy.collect.node.recording import Recording
from nodeworthy.collect.node.seen.parts import lines, printed
from nodeworthy.collect.node.seen.units import units
from nodeworthy.facts.node.nodeadm import CONFIG, RUN, NodeNodeadm
from nodeworthy.verdict import Located, Place, Unknown

TIMES = "nodeadm times"
_OPERATORS = ("/run/nvidia/", "/usr/local/nvidia/")
_BEGAN, _ENDED = "ExecMainStartTimestampMonotonic", "ExecMainExitTimestampMonotonic"


def nodeadm(recording: Recording, host: Place) -> NodeNodeadm | None:
    """None where it is not there, or where the recording is older than the question."""
    place = host.about("nodeadm")
    states = units(recording, "nodeadm", host)
    if states is None:
        return None
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
    ran = printed(recording, "nodeadm", place, "when nodeadm ran")
    read = printed(recording, TIMES, place, "when nodeadm ran")
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

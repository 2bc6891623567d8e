"""What `systemctl show` printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nodeworthy.collect.node.processes import Process
from nodeworthy.collect.node.recording import Recording
from nodeworthy.collect.node.seen.parts import printed
from nodeworthy.facts.node.kubelet import NodeKubelet
from nodeworthy.facts.node.units import NodeUnits, UnitState
from nodeworthy.verdict import Known, Located, Place, Unknown

_KUBELETS = ("kubelet", "kubelite", "k3s", "k3s-agent", "k3s-server")


def kubelet(recording: Recording, running: Sequence[Process], host: Place) -> NodeKubelet | None:
    states = units(recording, "starts", host)
    if states is None:
        return None
    own = [each for each in running if each.name in _KUBELETS]
    unit = next((each.unit for each in own if each.unit), None)
    return NodeKubelet(host.about("kubelet"), states, bool(own), unit)


def units(recording: Recording, name: str, host: Place) -> NodeUnits | None:
    """The units of one answer; None where it was not asked for."""
    place = host.about("systemd")
    said = printed(recording, name, place, "what systemd says of its units")
    if said is None:
        return None
    if isinstance(said.state, Unknown):
        return NodeUnits(place, Located(said.state, place))
    blocks = (_properties(block) for block in said.state.value.split("\n\n"))
    reached = recording.part("reached at boot")
    boot = frozenset(reached.stdout.split()) if reached is not None and reached.code == 0 else None
    found = {each["Id"]: _state(each, host, boot or None) for each in blocks if each.get("Id")}
    return NodeUnits(place, Located(Known(found), place))


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

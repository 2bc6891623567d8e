"""Whether and how the boot ended."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from nodeworthy.collect.node.recording import Recording
from nodeworthy.collect.node.seen.parts import lines, printed
from nodeworthy.collect.node.seen.units import units
from nodeworthy.facts.node.boot import NodeBoot, StepError
from nodeworthy.verdict import Known, Located, Place, Unknown

STATUS = "/run/cloud-init/status.json"


def boot_ended(recording: Recording, host: Place) -> Located[bool]:
    return Located.known(bool(set(lines(recording, "boot")) & {"none", "finished"}), host.about("boot"))


def boot(recording: Recording, host: Place) -> NodeBoot | None:
    if recording.part("cloud") is None:
        return None
    status = _status(recording, host.about(STATUS))
    stages = status.state.value if isinstance(status.state, Known) else {}
    stage = stages.get("stage")
    system = lines(recording, "system")
    return NodeBoot(
        place=host.about("boot"),
        has_cloud_init="none" not in lines(recording, "boot"),
        errors=Located(
            status.state if isinstance(status.state, Unknown) else Known(tuple(_errors(stages))), status.place
        ),
        stage=str(stage) if stage else None,
        told=tuple(lines(recording, "cloud log")),
        system=system[-1] if system and system[-1] != "offline" else None,
        failed=units(recording, "failed", host),
        at=tuple(dict.fromkeys(lines(recording, "step"))),
    )


def _status(recording: Recording, place: Place) -> Located[Mapping[str, Any]]:
    if "none" in lines(recording, "boot"):
        return Located.known({}, place)
    said = printed(recording, "cloud", place, "cloud-init's status")
    if said is None or isinstance(said.state, Unknown):
        return Located.unknown(said.state.why if said is not None and isinstance(said.state, Unknown) else "", place)
    try:
        data = json.loads(said.state.value)
    except (ValueError, RecursionError):
        return Located.unknown(f"{STATUS} is not JSON", place)
    stages = data.get("v1") if isinstance(data, dict) else None
    if not isinstance(stages, dict):
        return Located.unknown(f"{STATUS} is of a version that we don't know", place)
    return Located.known(stages, place)


def _errors(stages: Mapping[str, Any]) -> list[StepError]:
    return [
        StepError(name, str(error))
        for name, row in stages.items()
        if isinstance(row, dict)
        for error in row.get("errors") or ()
    ]

"""Whether a configuration of containerd switches off what kubelet talks to: `disabled_plugins`."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.facts.containerd.config import ConfigFile
from nodeworthy.facts.containerd.schema import possible_eras
from nodeworthy.known.containerd_schema import CRI, FIRST, OLD, Era
from nodeworthy.verdict import Draft, fail, unknown

KEY = "disabled_plugins"
SWITCHED_OFF = "containerd runs without its CRI: kubelet finds no runtime, and the node never becomes ready"
REFUSED = f'containerd does not start: invalid disabled plugin URI "{FIRST}"'


def disabled_flaws(file: ConfigFile, version: str | None) -> Iterator[Draft]:
    """Docker's package of containerd comes with `disabled_plugins = ["cri"]`: Docker needs no CRI, and kubelet does."""
    given = file.reading.mapping.get(KEY)
    possible = possible_eras(file, version)
    for name in (each for each in given if isinstance(each, str)) if isinstance(given, list) else ():
        switching = [each for each in possible if _switches_off(each, file.version, name)]
        if not switching:
            continue
        place = file.reading.line_of(KEY)
        if len(switching) < len(possible):
            who = " and ".join(each.called for each in switching)
            yield unknown(place, f"{who} run without the CRI by this {KEY}, and which containerd this is, nobody says")
            continue
        cause = REFUSED if name == FIRST and file.version > 1 else SWITCHED_OFF
        says = f"containerd's CRI plugin is among its {KEY}"
        yield fail(
            place,
            says,
            should=f"{KEY} without {name}",
            cause=cause,
            is_=name,
            remedy=f"take {name} out of {KEY}, and restart containerd",
        )


def _switches_off(era: Era, version: int, name: str) -> bool:
    """`cri` is its name in the first version of the file; containerd 1.x translates no other name there."""
    if name == FIRST:
        return True
    if era.newest is None:
        return name == OLD and version > 1
    return name in CRI

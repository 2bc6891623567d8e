"""The order in which things happened, against the order in which the timeline tells them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from nodeworthy.boot.effects import Effect, How, Installs, LoadsModule, Stage, Unit, Writes
from nodeworthy.lab.difference import Difference
from nodeworthy.lab.observation import Observation
from nodeworthy.lab.told import Told, real
from nodeworthy.lab.units import acts_of
from nodeworthy.lab.watch import Event

Key = tuple[str, ...]


def differences(told: Told, seen: Observation) -> Iterator[Difference]:
    """Of what was told once and seen once, or of the first time where more often says nothing."""
    happened = _first([key for event in seen.events for key in _seen(event)])
    last: tuple[int, Key, Effect] | None = None
    for key, effect in _told(told):
        position = happened.get(key)
        if position is None:
            continue
        if last is not None and position < last[0] and not _one_command(last[2], effect):
            says = f"{_shown(last[1])} (line {last[2].place.line}), then {_shown(key)}"
            yield Difference(says, "the other way round", effect)
        else:
            last = position, key, effect


def _told(told: Told) -> list[tuple[Key, Effect]]:
    """What surely happens, and when it happens for the first time."""
    keys = [
        (key, effect, told.happens(effect))
        for effect in told.timeline.effects
        if not effect.detached
        for key in _of(effect)
    ]
    counted = Counter(key for key, _, happens in keys if happens is not False)
    firsts: dict[Key, Effect] = {}
    open_ = {key for key, _, happens in keys if happens is None}
    for key, effect, _happens in keys:
        if key not in open_ and (counted[key] == 1 or key[0] in ("load", "write")):
            firsts.setdefault(key, effect)
    return list(firsts.items())


def _of(effect: Effect) -> Iterator[Key]:
    if isinstance(effect, Writes) and effect.path.known and effect.how in (How.WRITE, How.APPEND):
        yield "write", real(effect.path.known)
    if isinstance(effect, LoadsModule) and not effect.unloads:
        yield "load", effect.module
    if isinstance(effect, Unit) and effect.unit.known:
        yield "systemctl", effect.act, effect.unit.known
    if isinstance(effect, Installs) and not effect.removes:
        yield from (("installed", each.known) for each in effect.packages if each.known)


def _seen(event: Event) -> Iterator[Key]:
    if event.path:
        yield "write", event.path
    elif event.words[0] == "systemctl":
        yield from (("systemctl", act, unit) for act, unit in acts_of(event.words[1:]))
    else:
        yield event.words[:2]


def _first(keys: list[Key]) -> dict[Key, int]:
    positions: dict[Key, int] = {}
    for position, key in enumerate(keys):
        positions.setdefault(key, position)
    return positions


def _one_command(one: Effect, other: Effect) -> bool:
    """What one command does, it may do in any order."""
    same_list = one.stage is other.stage is Stage.PACKAGES
    return same_list or (one.place, one.via) == (other.place, other.via)


def _shown(key: Key) -> str:
    return " ".join(key)

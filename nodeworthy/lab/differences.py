"""Where a boot went another way than its timeline said: its files, units, failures, and the order of them all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from nodeworthy.boot.effects import Act, Effect, Failure, How, Installs, LoadsModule, Stage, Unit, Writes
from nodeworthy.boot.timeline import Timeline
from nodeworthy.lab.files import Difference, files_otherwise, modules_otherwise
from nodeworthy.lab.observation import Observation
from nodeworthy.lab.told import Course, Told, real
from nodeworthy.lab.watch import Event


def differences(timeline: Timeline, seen: Observation, course: Course) -> list[Difference]:
    told = Told(timeline, course)
    ways = (files_otherwise, modules_otherwise, _units_otherwise, _failures_otherwise, _order_otherwise)
    return [found for each in ways for found in each(told, seen)]


def _failures_otherwise(told: Told, _seen: Observation) -> Iterator[Difference]:
    for effect in told.timeline.effects:
        stops = effect.failure is Failure.STOPS
        if effect.place.line == told.course.stopped and not stops:
            yield Difference(f"where it fails, {effect.failure.value}", "the script stopped", effect)
        if effect.place.line in told.course.failed and stops:
            yield Difference(f"where it fails, {effect.failure.value}", "the script went on", effect)


STATES = {Act.ENABLE: ("enabled", "alias"), Act.DISABLE: ("disabled", "static"), Act.MASK: ("masked",)}


def _units_otherwise(told: Told, seen: Observation) -> Iterator[Difference]:
    last: dict[str, tuple[Unit, bool | None]] = {}
    for effect, happens in told.of(Unit):
        if effect.act in STATES and effect.unit.known and happens is not False:
            last[effect.unit.known] = effect, happens
    for name, (effect, happens) in last.items():
        state = seen.enabled.get(name, "not there")
        if happens and state not in STATES[effect.act]:
            yield Difference(f"{name} is {STATES[effect.act][0]} in the end", f"it is {state}", effect)
    yield from _acts_told(told, seen)
    yield from _acts_seen(told, seen)


def _acts_told(told: Told, seen: Observation) -> Iterator[Difference]:
    asked = acts_seen(seen)
    for effect, happens in told.of(Unit):
        if happens and effect.unit.known and (effect.act, effect.unit.known) not in asked:
            yield Difference(f"{effect.act} {effect.unit.known}", "nobody asked systemctl for it", effect)


def _acts_seen(told: Told, seen: Observation) -> Iterator[Difference]:
    known = [
        (effect.act, effect.unit) for effect, happens in told.of(Unit) if happens is not False or told.failed(effect)
    ]
    for act, unit in acts_seen(seen):
        if not any(act is each and text.could_be(unit) for each, text in known):
            yield Difference("nothing", f"systemctl {act} {unit}")


def acts_seen(seen: Observation) -> list[tuple[Act, str]]:
    """What scripts asked systemctl for, in order; what packages asked for is their own business."""
    return [act for event in seen.events if event.words[:1] == ("systemctl",) for act in _acts_of(event.words[1:])]


ACTS = {act.value: (act,) for act in Act} | {"try-restart": (Act.RESTART,), "reload-or-restart": (Act.RESTART,)}
NOW = {Act.ENABLE: Act.START, Act.DISABLE: Act.STOP, Act.MASK: Act.STOP}


def _acts_of(words: Sequence[str]) -> list[tuple[Act, str]]:
    """`enable --now a b` is four acts."""
    options = [word for word in words if word.startswith("-")]
    verb, *units = [word for word in words if not word.startswith("-")] or [""]
    acts = list(ACTS.get(verb, ()))
    if "--now" in options:
        acts += [NOW[act] for act in acts if act in NOW]
    return [(act, unit if "." in unit else f"{unit}.service") for unit in units for act in acts]


Key = tuple[str, ...]


def _order_otherwise(told: Told, seen: Observation) -> Iterator[Difference]:
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
        yield from (("systemctl", act, unit) for act, unit in _acts_of(event.words[1:]))
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

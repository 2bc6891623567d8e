"""The units that a boot enabled and started, against those that its timeline named."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.boot.effects import Act, Unit
from nodeworthy.lab.difference import Difference
from nodeworthy.lab.observation import Observation
from nodeworthy.lab.told import Told

STATES = {Act.ENABLE: ("enabled", "alias"), Act.DISABLE: ("disabled", "static"), Act.MASK: ("masked",)}


def differences(told: Told, seen: Observation) -> Iterator[Difference]:
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
    return [act for event in seen.events if event.words[:1] == ("systemctl",) for act in acts_of(event.words[1:])]


ACTS = {act.value: (act,) for act in Act} | {"try-restart": (Act.RESTART,), "reload-or-restart": (Act.RESTART,)}
NOW = {Act.ENABLE: Act.START, Act.DISABLE: Act.STOP, Act.MASK: Act.STOP}


def acts_of(words: Sequence[str]) -> list[tuple[Act, str]]:
    """`enable --now a b` is four acts."""
    options = [word for word in words if word.startswith("-")]
    verb, *units = [word for word in words if not word.startswith("-")] or [""]
    acts = list(ACTS.get(verb, ()))
    if "--now" in options:
        acts += [NOW[act] for act in acts if act in NOW]
    return [(act, unit if "." in unit else f"{unit}.service") for unit in units for act in acts]

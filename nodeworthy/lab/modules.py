"""What NVIDIA's module was loaded with, against what the timeline says stood on the disk by then."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence

from nodeworthy.boot.effects import Effect, How, LoadsModule, Stage, Writes
from nodeworthy.lab.difference import Difference
from nodeworthy.lab.observation import Observation
from nodeworthy.lab.told import Told

OPTION = "NVreg_RestrictProfilingToAdminUsers"
LOADED = "RmProfilingAdminOnly"
FOLDERS = ("/etc/modprobe.d", "/run/modprobe.d", "/usr/local/lib/modprobe.d", "/lib/modprobe.d")


def differences(told: Told, seen: Observation) -> Iterator[Difference]:
    if told.course.image_loads_module:
        yield from _by_the_image(told, seen)
        return
    loads = [(each, happens) for each, happens in told.of(LoadsModule) if each.module == "nvidia"]
    sure = _load(loads)
    if sure and not seen.loads:
        yield Difference("the module nvidia is loaded", "nothing has loaded it", sure)
    if seen.loads and all(happens is False for _, happens in loads):
        yield Difference("nothing loads the module nvidia", f"it was loaded: {seen.loads[0]}")
    if sure and seen.params and all(happens is not None for _, happens in loads):
        yield from _value(told, sure, seen.params[LOADED])


def _load(loads: Sequence[tuple[LoadsModule, bool | None]]) -> LoadsModule | None:
    """What loads it for good: the first of these, or the first one after it was unloaded."""
    last: LoadsModule | None = None
    for effect, happens in loads:
        if happens and (effect.unloads or last is None):
            last = None if effect.unloads else effect
    return last


def _by_the_image(told: Told, seen: Observation) -> Iterator[Difference]:
    said = option_after(told, [each for each in told.timeline.effects if each.stage <= Stage.IMAGE])
    loaded = seen.params.get(LOADED, "of no module")
    if said is not None and said != loaded:
        yield Difference(f"{LOADED} is {said} when the image loads the module", f"it is {loaded}")


def _value(told: Told, load: LoadsModule, loaded: str) -> Iterator[Difference]:
    said = _option_at(told, load)
    if said is not None and said != loaded:
        yield Difference(f"{LOADED} is {said}", f"it is {loaded}", load)


def _option_at(told: Told, load: LoadsModule) -> str | None:
    given = [option.partition("=")[2] for option in load.options if option.startswith(f"{OPTION}=")]
    return given[-1] if given else option_after(told, told.timeline.before(load))


def option_after(told: Told, effects: Sequence[Effect]) -> str | None:
    """The value that stands on the disk after these; None where that can't be told."""
    last: dict[str, Writes] = {}
    for effect in effects:
        path = effect.path.known if isinstance(effect, Writes) else None
        if isinstance(effect, Writes) and path and posixpath.dirname(path) in FOLDERS and path.endswith(".conf"):
            happens = told.happens(effect)
            if happens is None:
                return None
            if happens:
                last[path] = effect
    value = "1"
    for _path, effect in sorted(last.items(), key=lambda each: each[0].rsplit("/", 1)[-1]):
        if effect.how is How.DELETE:
            continue
        if effect.whole is None or effect.whole.known is None:
            return None
        value = _given(effect.whole.known) or value
    return value


def _given(text: str) -> str | None:
    found = None
    for line in text.replace("\\\n", " ").splitlines():
        words = line.split()
        if words[:2] == ["options", "nvidia"]:
            values = [word.partition("=")[2] for word in words[2:] if word.startswith(f"{OPTION}=")]
            found = values[-1] if values else found
    return found

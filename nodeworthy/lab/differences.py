"""Where a boot went another way than its timeline said: its files, units, failures, and the order of them all."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterator, Sequence

from nodeworthy.boot.effects import Act, Effect, Failure, How, Installs, LoadsModule, Stage, Unit, Writes
from nodeworthy.boot.timeline import Timeline
from nodeworthy.lab.observation import Observation, ObservedPath, PathKind
from nodeworthy.lab.told import Course, Told, real
from nodeworthy.lab.watch import Event
from nodeworthy.records import dataclass

# What a boot left, against what its timeline said: the files, and with which options NVIDIA's module was loaded.


@dataclass(frozen=True)
class Difference:
    """What the timeline said, what was seen, and by which line of the script."""

    says: str
    seen: str
    effect: Effect | None = None

    def __str__(self) -> str:
        where = f"line {self.effect.place.line}: " if self.effect else ""
        command = f" ({self.effect.command})" if self.effect and self.effect.command else ""
        return f"{where}the timeline says: {self.says}{command}; seen: {self.seen}"


# On no disk: what stands there is asked of the running node.
IN_MEMORY = ("/run/", "/proc/", "/sys/", "/dev/")
LONG = 300


def files_otherwise(told: Told, seen: Observation) -> Iterator[Difference]:
    for path, writes in told.writes().items():
        last, happens = writes[-1]
        if happens and not path.startswith(IN_MEMORY[1:]) and not _is_in_doubt(path, told):
            yield from _file(path, last, seen)
    for path, found in seen.files.items():
        if path in seen.usual or _of_a_unit(path, told) or _is_in_doubt(path, told):
            continue
        if found.kind is not PathKind.GONE and not told.may_write(path):
            yield Difference("nothing", f"{path} appeared: {_shown_file(found)}")
        if found.kind is PathKind.GONE and path not in told.writes():
            yield Difference("nothing", f"{path} was removed")


def paths_in_memory(told: Told) -> list[str]:
    """The paths that only a running node can be asked for."""
    return [path for path in told.writes() if path.startswith("/run/")]


def _file(path: str, last: Writes, seen: Observation) -> Iterator[Difference]:
    found = _observed_path(path, seen)
    is_there = found is not None and found.kind is not PathKind.GONE
    if last.how is How.DELETE:
        if is_there:
            yield Difference(f"{path} is deleted", "it is there", last)
        return
    if found is None or not is_there:
        yield Difference(f"{last.how} {path}", "it is not there", last)
        return
    if last.how is How.LINK:
        yield from _link(path, last, found)
        return
    yield from _content(path, last, found)
    if last.mode and last.mode.isdigit() and int(last.mode, 8) != found.mode and found.mode:
        yield Difference(f"{path} has the mode {last.mode}", f"it is {found.mode:o}", last)


def _content(path: str, last: Writes, found: ObservedPath) -> Iterator[Difference]:
    text = found.content.decode(errors="replace")
    if last.whole is not None and last.whole.known is not None:
        if last.whole.known.rstrip("\n") != text.rstrip("\n"):
            yield Difference(f"{path} is {last.whole.known[:LONG]!r}", f"it is {text[:LONG]!r}", last)
    elif last.content is not None and last.content.known is not None and last.content.known.strip() not in text:
        yield Difference(f"{path} has {last.content.known[:LONG]!r}", f"it is {text[:LONG]!r}", last)


def _link(path: str, last: Writes, found: ObservedPath) -> Iterator[Difference]:
    target = last.expressions[0].known if last.expressions else None
    if found.kind is not PathKind.LINK:
        yield Difference(f"{path} is a link to {target}", "it is none", last)
    elif target is not None and found.target != target:
        yield Difference(f"{path} is a link to {target}", f"it is one to {found.target}", last)


def _observed_path(path: str, seen: Observation) -> ObservedPath | None:
    if path.startswith("/run/"):
        text = seen.contents.get(path)
        return None if text is None else ObservedPath(PathKind.FILE, text.encode())
    return seen.files.get(path)


def _is_in_doubt(path: str, told: Told) -> bool:
    """Whether the timeline itself says that something of which it knows no more may concern this file."""
    return told.timeline.not_understood(path.rsplit("/", 1)[-1]) is not None


def _of_a_unit(path: str, told: Told) -> bool:
    """What systemctl makes and removes where it enables, disables or masks."""
    name = path.rsplit("/", 1)[-1]
    units = [effect.unit for effect, happens in told.of(Unit) if happens is not False]
    return path.startswith("/etc/systemd/system/") and any(unit.could_be(name) for unit in units)


def _shown_file(found: ObservedPath) -> str:
    return (
        f"a link to {found.target}"
        if found.kind is PathKind.LINK
        else repr(found.content[:LONG].decode(errors="replace"))
    )


OPTION = "NVreg_RestrictProfilingToAdminUsers"
LOADED = "RmProfilingAdminOnly"
FOLDERS = ("/etc/modprobe.d", "/run/modprobe.d", "/usr/local/lib/modprobe.d", "/lib/modprobe.d")


def modules_otherwise(told: Told, seen: Observation) -> Iterator[Difference]:
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
    said = _option_after(told, [each for each in told.timeline.effects if each.stage <= Stage.IMAGE])
    loaded = seen.params.get(LOADED, "of no module")
    if said is not None and said != loaded:
        yield Difference(f"{LOADED} is {said} when the image loads the module", f"it is {loaded}")


def _value(told: Told, load: LoadsModule, loaded: str) -> Iterator[Difference]:
    said = _option_at(told, load)
    if said is not None and said != loaded:
        yield Difference(f"{LOADED} is {said}", f"it is {loaded}", load)


def _option_at(told: Told, load: LoadsModule) -> str | None:
    given = [option.partition("=")[2] for option in load.options if option.startswith(f"{OPTION}=")]
    return given[-1] if given else _option_after(told, told.timeline.before(load))


def _option_after(told: Told, effects: Sequence[Effect]) -> str | None:
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
        value = _module_option(effect.whole.known) or value
    return value


def _module_option(text: str) -> str | None:
    found = None
    for line in text.replace("\\\n", " ").splitlines():
        words = line.split()
        if words[:2] == ["options", "nvidia"]:
            values = [word.partition("=")[2] for word in words[2:] if word.startswith(f"{OPTION}=")]
            found = values[-1] if values else found
    return found


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
    """The effects whose order was told otherwise than seen: those told and seen once, or by their first time where
    repetition says nothing."""
    happened = _first([key for event in seen.events for key in _keys_of_event(event)])
    last: tuple[int, Key, Effect] | None = None
    for key, effect in _sure_effects(told):
        position = happened.get(key)
        if position is None:
            continue
        if last is not None and position < last[0] and not _one_command(last[2], effect):
            says = f"{_key_in_words(last[1])} (line {last[2].place.line}), then {_key_in_words(key)}"
            yield Difference(says, "the other way round", effect)
        else:
            last = position, key, effect


def _sure_effects(told: Told) -> list[tuple[Key, Effect]]:
    """What surely happens, and when it happens for the first time."""
    keys = [
        (key, effect, told.happens(effect))
        for effect in told.timeline.effects
        if not effect.detached
        for key in _keys_of_effect(effect)
    ]
    counted = Counter(key for key, _, happens in keys if happens is not False)
    firsts: dict[Key, Effect] = {}
    open_ = {key for key, _, happens in keys if happens is None}
    for key, effect, _happens in keys:
        if key not in open_ and (counted[key] == 1 or key[0] in ("load", "write")):
            firsts.setdefault(key, effect)
    return list(firsts.items())


def _keys_of_effect(effect: Effect) -> Iterator[Key]:
    if isinstance(effect, Writes) and effect.path.known and effect.how in (How.WRITE, How.APPEND):
        yield "write", real(effect.path.known)
    if isinstance(effect, LoadsModule) and not effect.unloads:
        yield "load", effect.module
    if isinstance(effect, Unit) and effect.unit.known:
        yield "systemctl", effect.act, effect.unit.known
    if isinstance(effect, Installs) and not effect.removes:
        yield from (("installed", each.known) for each in effect.packages if each.known)


def _keys_of_event(event: Event) -> Iterator[Key]:
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


def _key_in_words(key: Key) -> str:
    return " ".join(key)

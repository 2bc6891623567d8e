"""What Bottlerocket refuses of its settings around GPUs, labels and taints: by one such value it takes none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from nodeworthy.boot.userdata import FaultKind, UserDataFault
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Known

if TYPE_CHECKING:
    from nodeworthy.boot.bottlerocket import Settings

# bottlerocket.dev: settings of 1.54.x; what its API lists in its refusals.
_NVIDIA = ("kubelet-device-plugins", "nvidia")
_CHOICES = {
    "device-list-strategy": ("volume-mounts", "envvar", "cdi-cri"),
    "device-id-strategy": ("index", "uuid"),
    "device-sharing-strategy": ("none", "time-slicing", "mps"),
    "device-partitioning-strategy": ("none", "mig"),
}
_SWITCHES = ("pass-device-specs", "enabled")
# A table counts only where the strategy of its name is chosen.
_BY_STRATEGY = {
    "time-slicing": "device-sharing-strategy",
    "mps": "device-sharing-strategy",
    "mig": "device-partitioning-strategy",
}
_OF_PLUGIN = frozenset((*_CHOICES, *_SWITCHES, *_BY_STRATEGY))
_OF_RUNTIME = ("visible-devices-as-volume-mounts", "visible-devices-envvar-when-unprivileged")
_RUNTIME = "nvidia-container-runtime"
# Tables that are written otherwise by a letter or two.
_MISSPELT = {
    "kubelet-device-plugin": "kubelet-device-plugins",
    "kubelet_device_plugins": "kubelet-device-plugins",
    "nvidia-container-runtimes": _RUNTIME,
    "nvidia_container_runtime": _RUNTIME,
    "kubernets": "kubernetes",
}
_TAINT = pattern(r"[^:\s]{0,63}:(?:NoSchedule|PreferNoSchedule|NoExecute)")
_NONE_OF_THEM = "Bottlerocket takes none of its settings then, and the node does not join"
_LEAST = 2


def refused_settings(settings: Settings) -> Iterator[UserDataFault]:
    for name, meant in _MISSPELT.items():
        if name in settings.values:
            yield _refused(settings, (name,), f"there is no table settings.{name}", f"call it settings.{meant}")
    yield from _of_plugin(settings)
    yield from _of_runtime(settings)
    yield from _of_labels(settings)
    yield from _of_taints(settings)


def _refused(settings: Settings, path: tuple[str, ...], what: str, remedy: str) -> UserDataFault:
    place = settings.place_of(*path)
    return UserDataFault(FaultKind.NOT_READABLE, place, f"{what}: {_NONE_OF_THEM}", remedy)


def _value_of(settings: Settings, *path: str) -> Any:
    """None where nobody wrote it, or where something else fills it in."""
    found = settings.get(*path)
    return found.state.value if found is not None and isinstance(found.state, Known) else None


def _table(settings: Settings, *path: str) -> Mapping[str, Any]:
    found = _value_of(settings, *path)
    return found if isinstance(found, Mapping) else {}


def _of_plugin(settings: Settings) -> Iterator[UserDataFault]:
    plugin = _table(settings, *_NVIDIA)
    for name in plugin:
        path = (*_NVIDIA, name)
        if name not in _OF_PLUGIN:
            yield _refused(
                settings,
                path,
                f"the device plugin has no setting {name}",
                f"its settings are {', '.join(sorted(_OF_PLUGIN))}",
            )
        elif name in _CHOICES:
            yield from _of_choice(settings, path, _CHOICES[name])
        elif name in _SWITCHES:
            yield from _of_switch(settings, path)
        else:
            yield from _of_strategy(settings, path)


def _of_choice(settings: Settings, path: tuple[str, ...], choices: tuple[str, ...]) -> Iterator[UserDataFault]:
    value = _value_of(settings, *path)
    for each in value if isinstance(value, list) else [value]:
        known = settings.fillings.text(each).known if isinstance(each, str) else each
        if known is not None and known not in choices:
            yield _refused(
                settings, path, f"{path[-1]} is {known!r}, which it does not know", f"write {' or '.join(choices)}"
            )


def _of_switch(settings: Settings, path: tuple[str, ...]) -> Iterator[UserDataFault]:
    value = _value_of(settings, *path)
    if value is not None and not isinstance(value, bool):
        yield _refused(settings, path, f"{path[-1]} is {value!r}, and must be true or false", "write it without quotes")


def _of_strategy(settings: Settings, path: tuple[str, ...]) -> Iterator[UserDataFault]:
    """What a table says that nothing chooses is kept, and counts for nothing."""
    strategy, wanted = (*_NVIDIA, _BY_STRATEGY[path[-1]]), path[-1]
    replicas = _value_of(settings, *path, "replicas")
    if isinstance(replicas, int) and not isinstance(replicas, bool) and replicas < _LEAST:
        yield _refused(
            settings,
            (*path, "replicas"),
            f"{wanted}.replicas is {replicas}, and must be {_LEAST} or more",
            f"share by {_LEAST} or more, or leave the table out",
        )
    if settings.get(*strategy) is None:
        what = f"{wanted} counts for nothing: no {strategy[-1]} chooses it, and by default there is none"
        remedy = f'set {strategy[-1]} = "{wanted}" in settings.{".".join(_NVIDIA)}'
        yield UserDataFault(FaultKind.NOBODY_READS_IT, settings.place_of(*path), what, remedy)


def _of_runtime(settings: Settings) -> Iterator[UserDataFault]:
    for name in _table(settings, _RUNTIME):
        if name in _OF_RUNTIME:
            yield from _of_switch(settings, (_RUNTIME, name))
        else:
            yield _refused(
                settings,
                (_RUNTIME, name),
                f"the container runtime has no setting {name}",
                f"its settings are {' and '.join(_OF_RUNTIME)}",
            )


def _of_labels(settings: Settings) -> Iterator[UserDataFault]:
    path = ("kubernetes", "node-labels")
    for name, value in _table(settings, *path).items():
        if not isinstance(value, str):
            is_split = isinstance(value, Mapping)
            remedy = "write its whole name in quotes" if is_split else "write its value in quotes"
            yield _refused(settings, (*path, name), f"the label {name} is no text", remedy)


def _of_taints(settings: Settings) -> Iterator[UserDataFault]:
    path = ("kubernetes", "node-taints")
    for name, value in _table(settings, *path).items():
        for each in value if isinstance(value, list) else [value]:
            known = settings.fillings.text(each).known if isinstance(each, str) else ""
            if known is not None and not _TAINT.fullmatch(known):
                yield _refused(
                    settings,
                    (*path, name),
                    f"the taint {name} has no effect behind a colon",
                    'write it as "VALUE:NoSchedule" (or PreferNoSchedule, NoExecute)',
                )

"""Old and new settings of registries in one configuration: `mirrors` or TLS of `configs` beside `config_path`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.written_text import Reading
from nodeworthy.facts.containerd.config import ConfigFile, Role
from nodeworthy.facts.registry.config_path import config_path
from nodeworthy.known.containerd import Containerd, containerd_of
from nodeworthy.verdict import Draft, Related, fail

NO_CRI = "the CRI plugin does not load: `mirrors` cannot be set when `config_path` is provided; kubelet has no runtime"


def two_ways_to_a_registry(
    file: ConfigFile, files: Sequence[ConfigFile], runtime: Containerd | None
) -> Iterator[Draft]:
    """Empty tables are the default's own, and legal."""
    for name, section in file.sections.items():
        old = _old_setting(section)
        beside = _who_sets_it(file, files, runtime) if old is not None else ""
        if old is not None and beside:
            yield _flaw(file.reading, name, old, beside)


def added_beside_config_path(
    file: ConfigFile, timeline: Timeline, runtime: Containerd | None, version: str | None
) -> Iterator[Draft]:
    """The old settings that lines add to a file. Of what stands above these lines, nothing but config_path may be
    known."""
    known = runtime or containerd_of("kubeadm")
    guard = file.write.conditions if file.write is not None else ()
    for name, section in file.sections.items():
        old = _old_setting(section)
        path = config_path(timeline.effects, known, version, guard) if old is not None else None
        if old is None or path is None or not path.folders:
            continue
        if path.step is not None:
            yield _flaw(file.reading, name, old, "is set too", (Related(path.step.place, "it is set here"),))
        elif known.registry_hosts:
            yield _flaw(file.reading, name, old, f"the config of {known.distribution} sets")


def _flaw(reading: Reading, name: str, old: str, beside: str, related: tuple[Related, ...] = ()) -> Draft:
    place = reading.line_of(f"registry.{old}", old)
    says = f"`{old}` of {name} stands beside config_path, which {beside}"
    remedy = f"remove `{old}`, and say the same in HOST/hosts.toml under the folder that config_path names"
    return fail(place, says, should="one of the two", cause=NO_CRI, remedy=remedy, related=related)


def _old_setting(section: Mapping[str, object]) -> str | None:
    registry = section.get("registry")
    if not isinstance(registry, Mapping):
        return None
    if registry.get("mirrors"):
        return "mirrors"
    told = registry.get("configs")
    hosts = told.values() if isinstance(told, Mapping) else ()
    return "configs" if any(isinstance(each, Mapping) and each.get("tls") for each in hosts) else None


def _who_sets_it(file: ConfigFile, files: Sequence[ConfigFile], runtime: Containerd | None) -> str:
    """Where config_path is set, in a reader's words; empty where nothing sets it."""
    told = [
        (each, section["registry"]) for each in files for section in each.sections.values() if "registry" in section
    ]
    values = [(each, registry.get("config_path")) for each, registry in told if isinstance(registry, Mapping)]
    setting = next((each for each, value in values if value), None)
    if setting is not None:
        return "is set in the same file" if setting.path == file.path else f"is set in {setting.path}"
    emptied = any(value == "" for each, value in values if each.path == file.path)
    if file.role is Role.MERGED and not emptied:
        return "nodeadm sets in the config that it lays this over"
    if file.role is Role.DROP_IN and runtime is not None and runtime.registry_hosts and runtime.drop_ins:
        return f"the config of {runtime.distribution} sets"
    return ""

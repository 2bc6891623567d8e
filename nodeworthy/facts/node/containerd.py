"""What is wrong with the configuration of kubelet's containerd on a node, by the daemon, its log and its files."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nodeworthy.facts.containerd.config import ConfigFile, Role
from nodeworthy.facts.containerd.drop_ins import UNREAD, drop_in_flaws
from nodeworthy.facts.containerd.registry_settings import two_ways_to_a_registry
from nodeworthy.facts.containerd.runtime_types import runtime_type_flaws
from nodeworthy.facts.containerd.schema import schema_flaws, tls_flaws
from nodeworthy.facts.node.boot import BootEnd
from nodeworthy.facts.node.runtimes import IdleContainerd, NodeRuntimes, RuntimeProcess
from nodeworthy.facts.registry.config_path import KEY, registry_tables
from nodeworthy.patterns import pattern
from nodeworthy.records import replace
from nodeworthy.verdict import (
    Draft,
    Findings,
    Known,
    Place,
    Related,
    Unknown,
    fail,
    need,
    skip,
    unknown,
    value_if_known,
)

IGNORED = "Ignoring unknown key"
NO_NODE = "kubelet finds no runtime on its socket, or ends for want of it: the node is NotReady, or never joins"
_FIELD = pattern(r"\b(?P<name>key|plugin)=(?:\"(?P<quoted>(?:[^\"\\]|\\.)*)\"|(?P<bare>\S+))")
_TWO_WAYS, _NO_DEFAULT = "`config_path` is provided", "no corresponding runtime configured"


def containerd_drafts(runtimes: NodeRuntimes, end: BootEnd) -> Findings:
    judged, victims = runtimes.containerd_to_judge(), (runtimes.kubelet,)
    if isinstance(judged, IdleContainerd):
        yield from _idle(judged, end, victims)
        return
    if not judged.is_containerd:
        skip(f"kubelet talks to {judged.name}, and not to containerd")
    told = list(_ignored(judged))
    yield from told
    if judged.said.refuses is not None:
        yield _refused(judged, judged.said.refuses, victims)
    elif judged.is_without_cri:
        yield _without_cri(judged, victims)
    else:
        yield from _running(judged, said_by_itself=bool(told))


def _running(used: RuntimeProcess, *, said_by_itself: bool) -> Findings:
    need(used.handlers)
    for _, flaw in () if said_by_itself else unread_files(used):
        yield _told_here(used, flaw)
    version = release(used)
    for file in used.said.files:
        if file.reading.unknown:
            yield unknown(used, f"whether containerd reads {file.path} as it stands is not known: it could not be read")
        elif not file.reading.fault:
            flaws = list(runtime_type_flaws(file, version))
            flaws += two_ways_to_a_registry(file, used.said.files, None) if used.is_older else ()
            yield from (_told_here(used, each) for each in flaws)
    yield from _programs(used)
    if used.said.cri is not None:
        need(used.said.cri)
    if used.is_older:
        yield unknown(used, used.is_older)


def _told_here(used: RuntimeProcess, flaw: Draft) -> Draft:
    """A report shows a host's name, and not where on it: the file and the line are told in words."""
    spot = str(flaw.where.subject)
    restart = f"then systemctl restart {used.service}"
    return replace(
        flaw,
        is_=f"{spot}: {flaw.is_}" if flaw.is_ and flaw.is_ not in spot else spot,
        remedy=f"{flaw.remedy}, {restart}" if flaw.remedy else f"mend it, {restart}",
        related=tuple(_related(each.place, each.says) for each in flaw.related),
    )


def _related(place: Place, says: str) -> Related:
    spot = str(place.subject)
    return Related(place, says if spot.partition(":")[0] in says else f"{spot}: {says}")


def _ignored(used: RuntimeProcess) -> Findings:
    ignored = [_key_in_line(line) for line in used.warnings if IGNORED in line]
    if ignored:
        yield fail(
            used,
            f"containerd passes over {len(ignored)} of the keys that were written for it",
            is_="; ".join(dict.fromkeys(ignored)),
            should="plugin names and keys of this release",
            cause="what it passes over counts as if nobody had written it",
            remedy=f"containerd config migrate shows {used.config} as this release writes it; then restart "
            f"{used.service}",
        )


def _key_in_line(line: str) -> str:
    fields = {each["name"]: each["quoted"] or each["bare"] for each in _FIELD.finditer(line)}
    return f"{fields['key']} of {fields.get('plugin', 'a plugin')}" if "key" in fields else line


def _refused(used: RuntimeProcess, why: str, victims: Sequence[str]) -> Draft:
    return fail(
        used,
        "containerd can't read its files any more: it runs with what it read before, and does not start again",
        is_=why,
        should="files that `containerd config dump` reads",
        cause=NO_NODE,
        remedy=f"mend it before {used.service} is restarted or the node reboots",
        victims=victims,
    )


def _without_cri(used: RuntimeProcess, victims: Sequence[str]) -> Draft:
    said = value_if_known(used.said.cri)
    restart = f"then systemctl restart {used.service}"
    if used.handlers.state == Known(()):
        return fail(
            used,
            "containerd runs without its CRI plugin, and kubelet has no runtime",
            is_="disabled_plugins names it",
            should="the CRI plugin on",
            cause='Docker\'s package of containerd writes disabled_plugins = ["cri"] into its config',
            remedy=f"take it out of disabled_plugins in {used.config}, {restart}",
            victims=victims,
        )
    return fail(
        used,
        "containerd runs, its CRI plugin did not load, and kubelet has no runtime",
        is_=said,
        should="the CRI plugin loaded: ok, in `ctr plugins ls`",
        related=[_related(each.where, each.message) for each in _behind(used, said or "")],
        cause=NO_NODE,
        remedy=f"{_mend(used, said or '')}, {restart}",
        victims=victims,
    )


def _behind(used: RuntimeProcess, said: str) -> Iterator[Draft]:
    """What in its files explains it."""
    files = used.said.files
    if _TWO_WAYS in said:
        yield from (each for file in files for each in two_ways_to_a_registry(file, files, None))
    if _NO_DEFAULT in said:
        yield from (flaw for _, flaw in unread_files(used))
        for file in files:
            named = _tables(file).get("default_runtime_name")
            if named:
                yield fail(file.reading.line_of("default_runtime_name"), f"{named} is made the default runtime here")


def _mend(used: RuntimeProcess, said: str) -> str:
    if used.is_older:
        return f"see whether it is mended already ({used.is_older.partition(':')[0]})"
    if _TWO_WAYS in said:
        return f"take `mirrors` and `configs` out of {used.config}, and say the same in HOST/hosts.toml"
    if _NO_DEFAULT in said:
        return f"write that runtime into {used.config_to_write}, or default_runtime_name of one that is there"
    return f"mend {used.config}"


def _programs(used: RuntimeProcess) -> Findings:
    for name, (path, fault) in (used.said.programs or {}).items():
        if isinstance(fault.state, Unknown):
            yield unknown(used, f"whether the runtime {name} can run is not known: {fault.state.why}")
        elif fault.state.value:
            yield fail(
                used,
                f"the program of the runtime {name} {fault.state.value}",
                is_=f'BinaryName = "{path}"',
                should="a file that can be executed",
                cause=f"containerd has the runtime {name}, and every pod of it stays in ContainerCreating: "
                f"exec {path} fails",
                remedy=f"ls -lL {path}; install what brings it (nvidia-container-toolkit, or the operator's toolkit "
                f"pod), or name the right one in {used.config_to_write}, then systemctl restart "
                f"{used.service}",
            )


def _idle(idle: IdleContainerd, end: BootEnd, victims: Sequence[str]) -> Findings:
    if not need(end.reached):
        yield unknown(idle, f"{idle.unit.name} does not run, and the boot has not ended yet", is_=idle.unit.says)
        return
    refuses = idle.said.refuses
    if refuses is not None:
        yield fail(
            idle,
            "containerd does not start: it can't read its configuration",
            is_=refuses,
            should="files that `containerd config dump` reads",
            related=[idle.unit.related()],
            cause=NO_NODE,
            remedy=f"mend it (containerd --config {idle.config} config dump reads it and starts nothing), then "
            f"systemctl restart {idle.unit.name}",
            victims=victims,
        )
        return
    is_masked = idle.unit.enabled.startswith("masked")
    start = f"systemctl {'unmask' if is_masked else 'start'} {idle.unit.name}"
    yield fail(
        idle,
        "containerd does not start" if idle.has_tried else "containerd does not run",
        is_=idle.unit.says,
        should="active (running)",
        related=[Related(idle.place, f"its journal: {idle.last}")] if idle.last else [],
        cause=NO_NODE,
        remedy=f"journalctl -u {idle.unit.name} -b says why it ended; then systemctl restart {idle.unit.name}"
        if idle.has_tried
        else start,
        victims=victims,
    )


def unread_files(used: RuntimeProcess) -> Iterator[tuple[ConfigFile, Draft]]:
    """The files that this containerd passes over, or loses something of, though nobody is told."""
    version = release(used)
    roots = [each for each in used.said.files if each.role is Role.ROOT]
    for file in used.said.files:
        if file.reading.fault or file.reading.unknown:
            continue
        flaws = [*schema_flaws(file, version), *tls_flaws(file, version)]
        if file.role is Role.DROP_IN and roots and not flaws:
            flaws += [_renamed(file, each, roots) for each in drop_in_flaws([*roots, file], None, version)]
        elif file.role is Role.DROP_IN and not flaws:
            flaws.append(_of_no_root(file, used))
        yield from ((file, each) for each in flaws if not each.is_unknown and not _is_there_all_the_same(file, used))


def _of_no_root(file: ConfigFile, used: RuntimeProcess) -> Draft:
    """A file that no root file imports. containerd's dump shows the imports of its defaults all the same (seen of 2.2
    and 2.3)."""
    imports = f'imports = ["{posixpath.dirname(file.path)}/*.toml"]'
    return fail(
        file.place,
        f"nothing imports {file.path}: {used.config} is not there",
        should=imports,
        cause=f"without that file {UNREAD}; "
        "the imports that `containerd config dump` shows then are followed by nobody",
        remedy=f"write {used.config}, with `{imports}` above its first table",
    )


def _renamed(file: ConfigFile, flaw: Draft, roots: list[ConfigFile]) -> Draft:
    """The flaw of a file whose ending is wrong, where the root file imports its folder: its name has to change."""
    stem, ending = posixpath.splitext(file.path)
    folder = posixpath.dirname(file.path)
    if ending == ".toml" or not any(each.startswith(folder) for root in roots for each in root.imports):
        return flaw
    return replace(flaw, should=f"{stem}.toml", is_=file.path, remedy=f"mv {file.path} {stem}.toml")


def _is_there_all_the_same(file: ConfigFile, used: RuntimeProcess) -> bool:
    """Whether something else sets the same: then it changes nothing that nobody reads this file."""
    handlers = value_if_known(used.handlers) or ()
    default = value_if_known(used.default)
    folders = value_if_known(used.registry_folders) or ()
    tables, paths = _tables(file), [each.get(KEY) for each in registry_tables(file.reading.mapping)]
    runtimes = tables.get("runtimes")
    said = [name in handlers for name in runtimes] if isinstance(runtimes, Mapping) else []
    said += [tables["default_runtime_name"] == default] if "default_runtime_name" in tables else []
    said += [set(str(path).split(":")) <= set(folders) for path in paths if path]
    others = set(tables) - {"runtimes", "default_runtime_name"}
    return bool(said) and all(said) and not others


def _tables(file: ConfigFile) -> Mapping[str, Any]:
    tables = (section.get("containerd") for section in file.sections.values())
    return {key: value for table in tables if isinstance(table, Mapping) for key, value in table.items()}


def lost_runtime(used: RuntimeProcess, handler: str) -> ConfigFile | None:
    """The file that configures this runtime, and that containerd does not read."""
    return next((file for file, _ in unread_files(used) if handler in (_tables(file).get("runtimes") or ())), None)


def lost_config_path(used: RuntimeProcess) -> ConfigFile | None:
    lost = (file for file, _ in unread_files(used))
    return next((each for each in lost if any(r.get(KEY) for r in registry_tables(each.reading.mapping))), None)


def release(used: RuntimeProcess) -> str | None:
    """Debian says 1.6.20~ds1."""
    said = value_if_known(used.version)
    return said.lstrip("v").partition("~")[0] if said else None

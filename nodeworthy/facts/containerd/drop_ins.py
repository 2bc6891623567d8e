"""Whether containerd reads the drop-ins that a boot writes, and what they do to the root file."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nodeworthy.facts.containerd.config import ConfigFile, Role, is_imported
from nodeworthy.facts.registry.config_path import KEY, registry_tables
from nodeworthy.known.containerd import Containerd, drop_in_folder
from nodeworthy.known.containerd_schema import NEW, OLD, era_of
from nodeworthy.known.releases import numbers
from nodeworthy.verdict import Draft, Related, fail, unknown

UNREAD = "containerd starts as if it were not there: nothing it says has an effect, and nothing reports it"
# From here on the default config imports its folder of drop-ins.
DEFAULT_IMPORTS = (2, 2)
RUNTIMES, DEFAULT = "runtimes", "default_runtime_name"
# What `containerd config default` says of them.
PRINTED: Mapping[str, Any] = {RUNTIMES: {"runc": {}}, DEFAULT: "runc"}
ONLY_THE_ROOT = (
    "of a key that stands in both, containerd keeps the root file's, and the drop-in's is gone without a word"
)
NO_SUCH_DEFAULT = (
    "its default_runtime_name stays and its runtime is gone: the CRI plugin does not load "
    "(no corresponding runtime configured), and kubelet has no runtime"
)
# What the config of these images imports, we have read.
IMPORTS_ARE_KNOWN = ("eks-al2023", "eks-al2")


def drop_in_flaws(files: Sequence[ConfigFile], runtime: Containerd | None, version: str | None) -> Iterator[Draft]:
    roots = [each for each in files if each.role is Role.ROOT]
    for file in (each for each in files if each.role is Role.DROP_IN):
        flaw = _unread(file, roots, files, runtime, version)
        if flaw is not None:
            yield flaw
            continue
        for root in roots:
            yield from _loses(file, root, version)
            if not root.reading.unknown and not root.is_default:
                yield from _beside(file, root, version)


def _unread(
    file: ConfigFile,
    roots: list[ConfigFile],
    files: Sequence[ConfigFile],
    runtime: Containerd | None,
    version: str | None,
) -> Draft | None:
    folder = posixpath.dirname(file.path)
    reads = is_imported(file, roots)
    merged = [glob for each in files if each.role is Role.MERGED for glob in each.imports]
    if reads or any(glob.startswith(folder) for glob in merged) or _edited_in(folder, roots):
        return None
    # Of a file that is not TOML nobody knows what it was to import, and that is told.
    if any(root.reading.fault for root in roots):
        return None
    wanted = f'imports = ["{folder}/*.toml"]'
    if reads is False:
        root = next(each for each in roots if not each.reading.unknown)
        says = f"nothing imports {file.path}"
        written = Related(
            root.place, f"{root.path} is written here, and imports {', '.join(root.imports) or 'nothing'}"
        )
        remedy = f"add `{wanted}` above the first table of {root.path}"
        return fail(file.place, says, should=wanted, cause=UNREAD, remedy=remedy, related=(written,))
    if runtime is not None and runtime.distribution in IMPORTS_ARE_KNOWN and not roots:
        return _by_the_image(file, runtime, folder, wanted)
    return _by_the_default(file, roots, folder, wanted, version)


def _edited_in(folder: str, roots: Sequence[ConfigFile]) -> bool:
    """Whether sed puts it among the imports of a file of which no more is known."""
    return any("imports" in edit and folder in edit for root in roots for edit in root.edits)


def _by_the_image(file: ConfigFile, runtime: Containerd, folder: str, wanted: str) -> Draft | None:
    if folder in runtime.drop_ins:
        return None
    imports = f"only what lies in {', '.join(runtime.drop_ins)}" if runtime.drop_ins else "no drop-ins"
    says = f"nothing imports {file.path}: the config of {runtime.distribution} imports {imports}"
    remedy = "say it in containerd.config of the NodeConfig" if runtime.written_by == "nodeadm" else f"add `{wanted}`"
    return fail(file.place, says, should=wanted, cause=UNREAD, remedy=remedy)


def _by_the_default(
    file: ConfigFile, roots: Sequence[ConfigFile], folder: str, wanted: str, version: str | None
) -> Draft | None:
    asked = numbers(version or "")
    if not any(root.is_default for root in roots) or asked is None:
        why = f"whether {file.path} is imported is not known: the config that would do it is not here"
        return unknown(file.place, why, remedy=f"write `{wanted}` to the root file")
    if asked >= DEFAULT_IMPORTS and folder == drop_in_folder():
        return None
    says = f"what `containerd config default` of {version} prints does not import {file.path}"
    return fail(file.place, says, should=wanted, cause=UNREAD, remedy=f"add `{wanted}` to it")


def _beside(file: ConfigFile, root: ConfigFile, version: str | None) -> Iterator[Draft]:
    """What the two versions do to each other."""
    if version is None or file.reading.unknown or file.reading.fault or root.reading.fault:
        return
    era = era_of(version)
    if era is None:
        return
    stands = Related(root.version_place, f"the root file says version = {root.version}")
    if era.newer_drop_ins_fatal_before is not None and file.version > root.version:
        yield from _newer(file, root, version, era.newer_drop_ins_fatal_before, stands)
    if era.newest is None:
        yield from _replaces(file, root, stands)


def _loses(file: ConfigFile, root: ConfigFile, version: str | None) -> Iterator[Draft]:
    """The keys that a drop-in loses: beside the new names, containerd takes nothing of the same key from the old
    one."""
    era = era_of(version) if version is not None else None
    if era is None or not era.loses_older_drop_ins or file.version != 2:
        return
    mine, theirs = _table(file.sections.get(OLD, {})), _of_the_root(root)
    lost = [name for name in (RUNTIMES, DEFAULT) if name in mine and name in theirs and mine[name] != theirs[name]]
    if not lost:
        return
    told = " and ".join("the runtimes" if name == RUNTIMES else name for name in lost)
    says = f"containerd {version} loses {told} of a drop-in of version 2 under a config of version 3"
    runtimes = theirs.get(RUNTIMES)
    fatal = DEFAULT in mine and DEFAULT not in theirs and isinstance(runtimes, dict) and mine[DEFAULT] not in runtimes
    cause = NO_SUCH_DEFAULT if fatal else ONLY_THE_ROOT
    says_root = "is what `containerd config default` prints" if root.is_default else "says version = 3"
    stands = Related(root.version_place, f"the root file {says_root}, with {' and '.join(lost)} of its own")
    yield fail(file.version_place, says, should="version = 3 with the new names", cause=cause, related=(stands,))


def _of_the_root(root: ConfigFile) -> Mapping[str, Any]:
    if root.is_default:
        return PRINTED
    if root.version != 3 or root.reading.fault or root.reading.unknown:
        return {}
    tables = [_table(section) for name, section in root.sections.items() if name in NEW]
    return {key: value for table in tables for key, value in table.items()}


def _table(section: Mapping[str, Any]) -> Mapping[str, Any]:
    table = section.get("containerd")
    return table if isinstance(table, Mapping) else {}


def _newer(file: ConfigFile, root: ConfigFile, version: str, until: str, stands: Related) -> Iterator[Draft]:
    cause = "2.3.0 to 2.3.4 refuse a drop-in that is newer than the root file, and do not start"
    says = f"this drop-in is of version {file.version}, newer than the root file's {root.version}"
    asked, mended = numbers(version) or (), numbers(until) or ()
    if len(asked) < len(mended):
        yield unknown(file.version_place, f"{says}: {cause}; which of {version} this is, nobody says")
    elif asked < mended:
        yield fail(file.version_place, says, should=f"version = {root.version}", cause=cause, related=(stands,))


def _replaces(file: ConfigFile, root: ConfigFile, stands: Related) -> Iterator[Draft]:
    """containerd 1.x puts the section of a drop-in in the place of the root's, whole."""
    if OLD not in file.sections or OLD not in root.sections:
        return
    mine, theirs = file.sections[OLD], root.sections[OLD]
    lost = [name for name in theirs if name not in mine]
    has_path = any(each.get(KEY) for each in registry_tables(root.reading.mapping))
    if has_path and not any(each.get(KEY) for each in registry_tables(file.reading.mapping)):
        lost = [each for each in lost if each != "registry"] + [f"registry.{KEY}"]
    if lost:
        says = f"this drop-in takes the place of the whole section of the root file, of which {', '.join(lost)} is lost"
        cause = "containerd 1.x does not merge the sections of a plugin: the last one counts"
        yield fail(
            file.section_place(OLD), says, should="the whole section, or one file", cause=cause, related=(stands,)
        )

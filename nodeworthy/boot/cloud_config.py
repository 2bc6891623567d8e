"""Reads `#cloud-config` into the steps that cloud-init takes for it, in their order over the boot."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from nodeworthy.boot.cloud_files import is_true, ran, written_files
from nodeworthy.boot.cloud_merge import Piece, Steps, merge_documents
from nodeworthy.boot.cloud_steps import (
    CloudConfig,
    CloudStep,
    Mount,
    NotRead,
    PackageInstall,
    Ran,
    Reboot,
    Repository,
    WrittenFile,
)
from nodeworthy.boot.conditions import Guard
from nodeworthy.boot.effects import Stage
from nodeworthy.boot.fillings import Fillings
from nodeworthy.boot.origin import Origin
from nodeworthy.boot.scalars import Document, read_filled
from nodeworthy.boot.text import Text
from nodeworthy.boot.userdata import FaultKind, Part, UserDataFault
from nodeworthy.documents.tree import Tree
from nodeworthy.documents.yaml import NotYaml, read_all
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import Place

# Keys that a cloud-config writes once in each branch of a template: YAML keeps the last, the node gets one of them.

_KEY = pattern(r"(?m)^([A-Za-z_][\w-]*):")
# Nobody writes more branches.
_MOST = 20


def twins(document: Document) -> Iterator[tuple[str, Piece]]:
    """The values of keys that stand there again further down, in another branch."""
    if not document.perhaps.lines:
        return
    blocks = _blocks(document.text)
    last = {key: start for key, start, _ in blocks}
    earlier = [each for each in blocks if last[each[0]] != each[1] and document.perhaps.at(each[1] + 1)]
    for key, start, end in earlier[:_MOST]:
        tree = _alone(document, start, end, key)
        if tree is not None:
            yield key, tree


def _blocks(text: str) -> list[tuple[str, int, int]]:
    """The outermost keys, each with its first line and the one behind its last, from zero."""
    line = at = 0
    keys: list[tuple[str, int]] = []
    for found in _KEY.finditer(text):
        line, at = line + text.count("\n", at, found.start()), found.start()
        keys.append((found[1], line))
    ends = [start for _, start in keys[1:]] + [text.count("\n") + 1]
    return [(key, start, end) for (key, start), end in zip(keys, ends, strict=True)]


def _alone(document: Document, start: int, end: int, key: str) -> Piece | None:
    rows = document.text.split("\n")
    text = "\n" * start + "\n".join(rows[start:end]) + "\n"
    try:
        trees = [each for each in read_all(text, Place()) if not each.is_null]
    except NotYaml:
        return None
    return Piece(trees[0].get(key), replace(document, text=text)) if len(trees) == 1 else None


# Packages, drivers and repositories of cloud-config.


def repositories(steps: Steps) -> None:
    for piece in steps.pieces.get("apt", ()):
        for name, entry in piece.tree.get("sources").mapping.items():
            _repository(steps, piece.document, name, entry.get("source"), "apt")
    for entry, document in steps.entries("apt_sources"):
        _repository(steps, document, "cloud_init_source", entry.get("source"), "apt")
    for piece in steps.pieces.get("yum_repos", ()):
        for name, entry in piece.tree.mapping.items():
            _repository(steps, piece.document, name, entry.get("baseurl"), "yum")


def _repository(steps: Steps, document: Document, name: str, source: Tree, kind: str) -> None:
    called = document.fillings.text(name)
    text = Text() if source.is_absent else document.scalar(source)
    place, guard = document.place(source), document.guard(source)
    steps.steps.append(Repository(place=place, stage=Stage.PACKAGES, guard=guard, kind=kind, name=called, source=text))


def packages(steps: Steps) -> None:
    """Drivers come before the distribution's packages; both before any script."""
    for piece in steps.pieces.get("drivers", ()):
        accepted = piece.tree.get("nvidia", "license-accepted")
        if is_true(accepted):
            driver = (Text.of("nvidia-driver"),)
            place, guard = piece.document.place(accepted), piece.document.guard(accepted)
            stage, manager = Stage.PACKAGES, "ubuntu-drivers"
            install = PackageInstall(place=place, stage=stage, guard=guard, manager=manager, packages=driver)
            steps.steps.append(install)
    for key in ("package_upgrade", "apt_upgrade"):
        for piece in steps.pieces.get(key, ()):
            if is_true(piece.tree):
                place, guard = piece.place, piece.guard
                steps.steps.append(PackageInstall(place=place, stage=Stage.PACKAGES, guard=guard))
    for entry, document in steps.entries("packages"):
        steps.steps += _packages(entry, document)


def _packages(entry: Tree, document: Document) -> Iterator[PackageInstall]:
    """A name, a name with a version, or names by their manager."""
    if not entry.is_mapping:
        yield _package(entry, document, "")
    for manager, named in entry.mapping.items():
        for each in named.sequence:
            yield _package(each, document, manager)


def _package(entry: Tree, document: Document, manager: str) -> PackageInstall:
    names = [document.scalar(word) for word in (entry.sequence or [entry])]
    package = names[0] + Text.of("=") + names[1] if len(names) > 1 else names[0]
    place, guard = document.place(entry), document.guard(entry)
    return PackageInstall(place=place, stage=Stage.PACKAGES, guard=guard, manager=manager, packages=(package,))


__all__ = [
    "CloudConfig",
    "CloudStep",
    "Mount",
    "NotRead",
    "PackageInstall",
    "Ran",
    "Reboot",
    "Repository",
    "WrittenFile",
    "read_cloud_config",
    "read_cloud_configs",
]

# What cloud-init gives a mount that says nothing else.
_MOUNT_OPTIONS = "defaults,nofail,x-systemd.requires=cloud-init.service,_netdev"
# Modules that run programs of which nothing is known here.
_NOT_READ = ("ansible", "chef", "landscape", "lxd", "mcollective", "puppet", "rhsubscription", "salt_minion")


def read_cloud_config(text: str, origin: Origin, *, template: bool = False) -> CloudConfig:
    return _read_sources([_Source(text, origin)], template)


def read_cloud_configs(parts: Sequence[Part], *, template: bool = False) -> CloudConfig:
    """Several are merged before any of them acts: by default, a later one's key replaces an earlier one's."""
    return _read_sources(
        [_Source(part.text, part.origin, part.merge, part.jinja, part.guard) for part in parts], template
    )


@dataclass(frozen=True)
class _Source:
    text: str
    origin: Origin
    merge: str = ""
    jinja: bool = False
    guard: Guard = ()


def _read_sources(sources: Sequence[_Source], template: bool) -> CloudConfig:
    faults: list[UserDataFault] = []
    missing: list[CloudStep] = []
    documents = [each for source in sources if (each := _document(source, template, faults, missing))]
    pieces = merge_documents(documents, faults)
    for root, _ in documents:
        for key, piece in reversed(list(twins(root.document))):
            pieces.setdefault(key, []).insert(0, piece)
    _unfold_the_installer(pieces)
    faults += _misspelt(pieces)
    steps = Steps(pieces, faults, missing)
    for add in (
        _boot_commands,
        _files,
        _mounts,
        _snaps,
        repositories,
        packages,
        _installer_commands,
        _run_commands,
        _others,
    ):
        add(steps)
    return CloudConfig(tuple(sorted(steps.steps, key=_turn)), tuple(faults))


# Keys of cloud-init that do something to a node, and that people write otherwise (`run_cmd`, `write-files`, `package`).
_KEYS: Final = (
    "runcmd bootcmd write_files packages package_update package_upgrade mounts users groups ssh_authorized_keys "
    "disk_setup fs_setup power_state yum_repos"
).split()
_OTHERWISE: Final = {re.sub(r"[-_]|s$", "", key): key for key in _KEYS}
# What looks like one of them, and is a key of its own.
_ITS_OWN: Final = ("user", *_KEYS)


def _misspelt(pieces: Mapping[str, Sequence[Piece]]) -> Iterator[UserDataFault]:
    for key, found in pieces.items():
        meant = _OTHERWISE.get(re.sub(r"[-_]|s$", "", key.lower()))
        if meant is not None and key not in _ITS_OWN and found:
            what = f"cloud-init has no {key}: it leaves out what stands there, with a warning in its log"
            yield UserDataFault(FaultKind.NOBODY_READS_IT, _key_of(found[0]), what, f"write {meant}")


def _key_of(piece: Piece) -> Place:
    at = piece.tree.heading
    return piece.document.origin.at(at.line or 1, at.column or 1)


def _turn(step: CloudStep) -> tuple[Stage, bool]:
    """Files that are deferred until there are packages come behind these."""
    return step.stage, isinstance(step, WrittenFile) and step.stage is Stage.PACKAGES


# Words of the scanner for what one line gets wrong by itself.
_OF_ITS_LINE = ("while scanning a block scalar", "that cannot start any token")
_FILLED_IN = ("{{", "{%", "%{", "${")


def _no_filling_mends(why: str, text: str, line: int | None) -> bool:
    """`content: |.`, on a line into which nothing is filled."""
    lines = text.split("\n")
    own = lines[line - 1] if line is not None and line <= len(lines) else ""
    return bool(own) and any(each in why for each in _OF_ITS_LINE) and not any(mark in own for mark in _FILLED_IN)


def _document(
    source: _Source, template: bool, faults: list[UserDataFault], steps: list[CloudStep]
) -> tuple[Piece, str] | None:
    fillings = Fillings(jinja=source.jinja, terraform=template, names=not source.jinja)
    try:
        read = read_filled(source.text, source.origin, fillings, template=template, given=source.guard)
    except NotYaml as problem:
        at = problem.place
        what = f"the cloud-config is {problem.why}: cloud-init does nothing of it"
        place, remedy = (
            source.origin.at(at.line or 1, at.column or 1),
            "mend the YAML (cloud-init schema -c FILE shows it)",
        )
        is_doubt = bool(fillings.raws) and not _no_filling_mends(problem.why, source.text, at.line)
        faults.append(UserDataFault(FaultKind.NOT_READABLE, place, what, remedy, is_doubt=is_doubt))
        return None
    faults += [each.fault() for each in read.missing]
    steps += [NotRead(place=each.place, stage=Stage.BOOTCMD, key=each.text) for each in read.missing]
    if not read.trees:
        if not read.missing:
            what = "the cloud-config is empty: cloud-init does nothing for it"
            faults.append(UserDataFault(FaultKind.EMPTY, source.origin.at(1), what, is_doubt=True))
        return None
    root = Piece(read.trees[0], read.document)
    if not root.tree.is_mapping:
        what = f"the cloud-config is {root.tree.kind()}, not a mapping: cloud-init does nothing of it"
        faults.append(UserDataFault(FaultKind.NOT_READABLE, root.place, what, "give it keys: runcmd, write_files …"))
        return None
    return root, source.merge


def _boot_commands(steps: Steps) -> None:
    steps.steps += ran("bootcmd", steps.pieces.get("bootcmd", ()), Stage.BOOTCMD, steps.faults)


def _run_commands(steps: Steps) -> None:
    steps.steps += ran("runcmd", steps.pieces.get("runcmd", ()), Stage.SCRIPTS, steps.faults, name="runcmd")


# What Ubuntu's installer is told within a cloud-config of its own: packages, commands for the system that it has put on
# the disk, and what that system is to be given as user data.
_INSTALLER, _LATE, _FOR_LATER = "autoinstall", "late-commands", "user-data"


def _unfold_the_installer(pieces: dict[str, list[Piece]]) -> None:
    for piece in pieces.pop(_INSTALLER, ()):
        for key in (_LATE, "packages"):
            tree = piece.tree.get(key)
            if tree.is_sequence:
                pieces.setdefault(key, []).append(Piece(tree, piece.document))
        for key, tree in piece.tree.get(_FOR_LATER).mapping.items():
            pieces.setdefault(key, []).append(Piece(tree, piece.document))


def _installer_commands(steps: Steps) -> None:
    """Adds the installer's late commands. The first that fails ends the installation."""
    told = [replace(each, tree=_that_stops(each.tree)) for each in steps.pieces.get(_LATE, ())]
    steps.steps += ran(_LATE, told, Stage.SCRIPTS, steps.faults)


def _that_stops(commands: Tree) -> Tree:
    return replace(commands, value=[Tree("set -e", commands.place), *commands.sequence])


def _snaps(steps: Steps) -> None:
    commands = [
        Piece(commands, piece.document)
        for piece in steps.pieces.get("snap", ())
        if not (commands := piece.tree.get("commands")).is_absent
    ]
    steps.steps += ran("snap.commands", commands, Stage.PACKAGES, steps.faults, program="snap")


def _files(steps: Steps) -> None:
    for entry, document in steps.entries("write_files"):
        steps.steps += written_files(entry, document, steps.faults)


def _mounts(steps: Steps) -> None:
    defaults = [document.scalar(field) for field, document in steps.entries("mount_default_fields")]
    for entry, document in steps.entries("mounts"):
        fields = [document.scalar(field) for field in entry.sequence]
        if len(fields) < 2 or not fields[1]:
            continue  # takes a mount of the image's own away
        kind = _field(fields, defaults, 2, "auto")
        options = _field(fields, defaults, 3, _MOUNT_OPTIONS)
        what = Mount(
            place=document.place(entry),
            stage=Stage.WRITE_FILES,
            guard=document.guard(entry),
            what=fields[0],
            where=fields[1],
            kind=kind,
            options=options,
        )
        steps.steps.append(what)


def _field(fields: Sequence[Text], defaults: Sequence[Text], index: int, otherwise: str) -> Text:
    for given in (fields, defaults):
        if len(given) > index and given[index]:
            return given[index]
    return Text.of(otherwise)


def _others(steps: Steps) -> None:
    for piece in steps.pieces.get("power_state", ()):
        condition = piece.tree.get("condition")
        why = "" if condition.is_absent or condition.value is True else f"condition: {piece.document.shown(condition)}"
        mode = piece.document.shown(piece.tree.get("mode")) or "reboot"
        if condition.value is not False:
            place, guard = piece.place, piece.guard
            steps.steps.append(Reboot(place=place, stage=Stage.NODEADM_RUN, guard=guard, mode=mode, only_if=why))
    for key in ("package_reboot_if_required", "apt_reboot_if_required"):
        for piece in steps.pieces.get(key, ()):
            if is_true(piece.tree):
                why = "a package asks for it (/var/run/reboot-required)"
                place, guard = piece.place, piece.guard
                steps.steps.append(Reboot(place=place, stage=Stage.PACKAGES, guard=guard, mode="reboot", only_if=why))
    for key in _NOT_READ:
        for piece in steps.pieces.get(key, ()):
            steps.steps.append(NotRead(place=piece.place, stage=Stage.SCRIPTS, guard=piece.guard, key=key))

"""Mounts: now by a program, or at every boot by a line of fstab."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.boot.commands.call import NOTHING, Call, Did, Given, Handler, ask_node, run_on_node, split_options
from nodeworthy.boot.commands.names import fields
from nodeworthy.boot.content import Content
from nodeworthy.boot.effects import Effect, Mounts, Runs
from nodeworthy.boot.text import EMPTY, Hole, Text
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

FSTAB = "/etc/fstab"
_TAKES = frozenset(
    "-t -o -L -U -O -T -N --types --options --label --uuid --source --target --fstab --namespace".split()
)
_MOVES = ("--make-shared", "--make-rshared", "--make-private", "--make-rprivate", "--make-slave", "-M", "--move")
_DEFAULTS = Text.of("defaults")


@dataclass(frozen=True, slots=True)
class FstabEntry:
    """A line of fstab."""

    what: Text
    where: Text
    kind: Text
    options: Text
    place: Place
    # The whole of it, as sed would find it.
    text: Text


def fstab_mounts(content: Content) -> Iterator[FstabEntry]:
    """What a piece of fstab mounts; a line that is a hole as a whole is none."""
    for line in content.lines:
        columns = fields(line.text)
        if len(columns) < 2 or (columns[0].shown()).startswith("#"):
            continue
        what, where, kind, options = (*columns, EMPTY, EMPTY)[:4]
        yield FstabEntry(what, where, kind, options or _DEFAULTS, line.place, line.text)


def mount(call: Call) -> Did:
    arguments = split_options(call.arguments[1:], _TAKES)
    if arguments.has("-a", "--all"):
        return Did(list(_all(call)), output=NOTHING)
    options = _options(arguments)
    if arguments.has(*_MOVES) or "remount" in options.string:
        return Did([call.does(Runs, arguments=call.arguments)], output=NOTHING)
    named = arguments.value("-L", "--label", "-U", "--uuid", "--source")
    operands = (named, *arguments.operands) if named else arguments.operands
    if not operands:
        return ask_node(call)
    if len(operands) == 1:
        return Did([_of_fstab(call, operands[0])], output=NOTHING)
    kind = arguments.value("-t", "--types") or EMPTY
    return Did([_mounts(call, operands[0], call.path(operands[1]), kind, options)], output=NOTHING)


def mount_helper(call: Call) -> Did:
    """`mount.efs WHAT WHERE -o …`."""
    arguments = split_options(call.arguments[1:], _TAKES)
    if len(arguments.operands) < 2:
        return run_on_node(call)
    what, where = arguments.operands[:2]
    kind = Text.of(call.program.removeprefix("mount."))
    return Did([_mounts(call, what, call.path(where), kind, _options(arguments))], output=NOTHING)


def systemd_mount(call: Call) -> Did:
    arguments = split_options(call.arguments[1:], _TAKES | {"-p", "--property", "--timeout-idle-sec", "--bind-device"})
    if not arguments.operands or arguments.has("-u", "--umount", "--list"):
        return run_on_node(call)
    what, where = (*arguments.operands, Text.of(Hole("/run/media/…", "systemd-mount picks the folder")))[:2]
    kind = arguments.value("-t", "--type") or EMPTY
    return Did([_mounts(call, what, where, kind, _options(arguments))], output=NOTHING)


def _options(arguments: Given) -> Text:
    told = arguments.values("-o", "--options")
    joined = EMPTY
    for each in told:
        joined = joined + Text.of(",") + each if joined else each
    return joined or (Text.of("bind") if arguments.has("--bind", "-B", "--rbind", "-R") else _DEFAULTS)


def _all(call: Call) -> Iterator[Effect]:
    content = call.files.content(Text.of(FSTAB))
    if content is None:
        yield call.does(Runs, arguments=call.arguments)
        return
    for entry in fstab_mounts(content):
        if "noauto" not in entry.options.string.split(","):
            yield _mounts(call, entry.what, entry.where, entry.kind, entry.options)


def _of_fstab(call: Call, named: Text) -> Mounts:
    """A mount of which one end is named: the other stands in fstab."""
    content = call.files.content(Text.of(FSTAB)) or NOTHING
    for entry in fstab_mounts(content):
        if named in (entry.where, entry.what):
            return _mounts(call, entry.what, entry.where, entry.kind, entry.options)
    hole = Text.of(Hole("…", f"{FSTAB} says it"))
    return _mounts(call, hole, call.path(named), hole, hole)


def _mounts(call: Call, what: Text, where: Text, kind: Text, options: Text) -> Mounts:
    return call.does(Mounts, what=what, where=where, kind=kind, options=options)


HANDLERS: dict[str, Handler] = {
    "mount": mount,
    **dict.fromkeys(
        ("mount.efs", "mount.nfs", "mount.nfs4", "mount.lustre", "mount.cifs", "mount.ceph", "mount-s3", "s3fs"),
        mount_helper,
    ),
    "systemd-mount": systemd_mount,
}

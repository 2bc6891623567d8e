"""What one mount of network storage does to a boot in which the storage can't be reached."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.boot.conditions import together
from nodeworthy.boot.effects import Act, Failure, Joins, Stage, Unit
from nodeworthy.boot.timeline import Timeline
from nodeworthy.edit import Edit, EditKind
from nodeworthy.facts.boot.storage_mounts import By, StorageMount, unit_named_for
from nodeworthy.known.filesystems import needs_netdev
from nodeworthy.verdict import Draft, Related, fail, unknown

# systemd.mount(5), "fstab"; systemd-user-sessions.service comes behind remote-fs.target, and slurmd.service does, too.
WAITS = (
    "while the storage is away, the next boot waits until its mount gives up: before that nobody but root is let in "
    "and no slurmd starts, and then remote-fs.target fails with all that requires it"
)
EMERGENCY = (
    "systemd takes it for a local filesystem and mounts it before there is a network: it can't, and without nofail "
    "the boot ends in emergency mode, where nobody can log in"
)
NEEDED = "while the storage is away, what requires the mount does not start either"
TOO_EARLY = "systemd takes it for a local filesystem and mounts it before there is a network, which fails at every boot"
FOR_EVER = "where the storage can't be reached, this boot waits for ever, and the node never joins"
GIVE_UP = "give up after some tries (`for try in 1 2 3; do mount … && break; sleep 5; done`)"
STOPS = "where the storage can't be reached, this step fails, the script ends here, and the node never joins"


def flaws_of(mount: StorageMount, timeline: Timeline) -> Iterator[Draft]:
    if mount.by is By.FSTAB:
        yield from _entry(mount)
    elif mount.by is By.UNIT:
        yield from _unit(mount)
    elif mount.by is By.PROGRAM:
        yield from _now(mount, timeline)


def _mount_in_words(mount: StorageMount) -> str:
    return f"{mount.where.shown()} ({mount.kind.shown() or 'a network filesystem'})"


def _entry(mount: StorageMount) -> Iterator[Draft]:
    if mount.has("noauto") or mount.has("x-systemd.automount") or _is_tried_behind_the_boot(mount):
        return
    missing = [option for option in _wanted(mount) if mount.has(option) is False]
    unsure = [option for option in _wanted(mount) if mount.has(option) is None]
    if missing:
        local = "_netdev" in missing
        cause = (EMERGENCY if "nofail" in missing else TOO_EARLY) if local else WAITS
        says = f"the fstab entry of {_mount_in_words(mount)} has no {' and no '.join(missing)}"
        options = mount.options.shown()
        kept = "" if options == "defaults" else f"{options},"
        should = f"{kept}{','.join(missing)}" if kept else ",".join(("defaults", *missing))
        remedy = f"add {','.join(missing)} to its options"
        edit = Edit(EditKind.WORD, mount.place, options, should, remedy.capitalize()) if kept else None
        yield fail(mount.place, says, should=should, cause=cause, is_=options, remedy=remedy, edit=edit)
    elif unsure:
        yield unknown(
            mount.place, f"whether the fstab entry of {_mount_in_words(mount)} has {' and '.join(unsure)} is not known"
        )


def _is_tried_behind_the_boot(mount: StorageMount) -> bool:
    """systemd's generator reads NFS' own `bg` as nofail."""
    return mount.kind.string.startswith("nfs") and mount.has("bg") is True


def _wanted(mount: StorageMount) -> tuple[str, ...]:
    return ("nofail", "_netdev") if needs_netdev(mount.kind.string) else ("nofail",)


def _unit(mount: StorageMount) -> Iterator[Draft]:
    where = mount.where.known
    if where and "\\" not in mount.unit and mount.unit != unit_named_for(where):
        should, cause = unit_named_for(where), "systemd refuses a mount unit whose name is not that of its folder"
        says = f"{mount.unit} mounts {where}, whose unit is called {should}"
        yield fail(mount.place, says, should=should, cause=cause, is_=mount.unit, remedy=f"call the file {should}")
    if mount.required_by:
        says = f"{mount.required_by} can't be without {_mount_in_words(mount)}"
        wanted = "WantedBy=remote-fs.target"
        yield fail(
            mount.place,
            says,
            should=wanted,
            cause=NEEDED,
            is_=f"RequiredBy={mount.required_by}",
            remedy=f"write {wanted} instead",
        )
    if needs_netdev(mount.kind.string) and mount.has("_netdev") is False:
        says = f"the mount unit of {_mount_in_words(mount)} has no _netdev"
        yield fail(mount.place, says, should="Options=_netdev", cause=TOO_EARLY, is_=mount.options.shown())


def _now(mount: StorageMount, timeline: Timeline) -> Iterator[Draft]:
    if mount.effect.detached:
        return
    join = next((each for each in timeline.after(mount.effect) if isinstance(each, Joins) and not each.tells), None)
    if mount.effect.failure is Failure.REPEATED:
        yield from _for_ever(mount, join or _told_to_join(timeline))
    if mount.effect.failure is not Failure.STOPS:
        return
    if join is None or join.stage is not mount.effect.stage or join.stage is Stage.NODEADM_RUN:
        return
    says = f"the script ends where {_mount_in_words(mount)} can't be mounted"
    remedy = "let it fail by itself (`mount … || echo …`), or mount it after the node has joined"
    related = (Related(join.place, "the node would join here"),)
    yield fail(
        mount.place,
        says,
        should="a step whose failure is reported and not fatal",
        cause=STOPS,
        remedy=remedy,
        related=related,
    )


def _told_to_join(timeline: Timeline) -> Joins | None:
    """A NodeConfig, by which the node joins behind all scripts unless one of them has done it."""
    found = list(timeline.of(Joins))
    return found[0] if found and all(each.tells for each in found) else None


def _for_ever(mount: StorageMount, join: Joins | None) -> Iterator[Draft]:
    if join is None:
        return
    says = f"a loop waits until {_mount_in_words(mount)} is mounted, and nothing ends it"
    where = (
        "nodeadm is told here how to join, which waits for the scripts" if join.tells else "the node would join here"
    )
    related = (Related(join.place, where),)
    yield fail(
        mount.place,
        says,
        should="a number of tries",
        cause=FOR_EVER,
        is_=mount.effect.command,
        remedy=GIVE_UP,
        related=related,
    )


def is_enabled(mount: StorageMount, timeline: Timeline) -> bool:
    """A mount unit that nobody enables is mounted at no boot."""
    if mount.by is not By.UNIT:
        return True
    automount = mount.unit.removesuffix("mount") + "automount"
    acts = [each for each in timeline.of(Unit) if each.unit.known in (mount.unit, automount)]
    return any(each.act is Act.ENABLE for each in acts)


def mounts_of_one_folder(mounts: Sequence[StorageMount]) -> Iterator[tuple[StorageMount, StorageMount]]:
    """Two entries that both want the same folder at every boot."""
    lasting = [each for each in mounts if each.by is not By.PROGRAM and each.where.known]
    for index, one in enumerate(lasting):
        for other in lasting[index + 1 :]:
            same = (
                one.where.known and other.where.known and one.where.known.rstrip("/") == other.where.known.rstrip("/")
            )
            if same and together(one.effect.conditions, other.effect.conditions):
                yield one, other

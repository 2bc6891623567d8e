"""What a node has mounted across the network: what it has to have, and whether a boot without it would end."""

from __future__ import annotations

from typing import ClassVar

from nodeworthy.facts.boot.storage_flaws import EMERGENCY, WAITS
from nodeworthy.facts.node.boot import BootEnd
from nodeworthy.facts.node.identity import NodeIdentity
from nodeworthy.fleet.model import Storage
from nodeworthy.known.filesystems import needs_netdev
from nodeworthy.records import dataclass
from nodeworthy.verdict import Findings, Located, Place, Related, fail, need, skip, unknown


@dataclass(frozen=True)
class Mounted:
    source: str
    where: str
    kind: str
    # False where it was asked for its size, and did not answer.
    answers: bool


@dataclass(frozen=True)
class FstabLine:
    """A line of fstab."""

    place: Place
    source: str
    where: str
    kind: str
    options: tuple[str, ...]

    def has(self, option: str) -> bool:
        return any(each == option or each.startswith(f"{option}=") for each in self.options)


@dataclass(frozen=True)
class NodeStorage:
    called: ClassVar[str] = "a node's storage across the network"

    place: Place
    mounted: Located[tuple[Mounted, ...]]
    fstab: Located[tuple[FstabLine, ...]]

    def at(self, path: str) -> Mounted | None:
        known = getattr(self.mounted.state, "value", ())
        return next((each for each in known if each.where.rstrip("/") == path.rstrip("/")), None)


def storage_drafts(storage: NodeStorage, identity: NodeIdentity, end: BootEnd, missing: str) -> Findings:
    fleet = identity.fleet
    declared = fleet.storage if fleet is not None and need(identity.pool) is not None else None
    mounted, entries = need(storage.mounted), need(storage.fstab)
    if declared is None and not mounted and not entries:
        skip("nothing is mounted across the network here, and no fleet says that it should be")
    if declared is not None:
        yield from _the_fleets(storage, end, declared, missing)
    for each in mounted:
        if not each.answers:
            yield fail(
                storage.place.about(each.where),
                f"the storage at {each.where} does not answer",
                is_=f"{each.source} ({each.kind}) is mounted, and silent for 5 s",
                should="an answer at once",
                cause="whoever looks into it hangs, kubelet too where a pod mounts it",
                remedy=f"see whether the server of {each.source} can be reached: name, port, security group",
            )
    for entry in entries:
        yield from _entry(storage, end, entry, declared)


def _the_fleets(storage: NodeStorage, end: BootEnd, declared: Storage, missing: str) -> Findings:
    if storage.at(declared.mount) is not None:
        return
    if not need(end.reached):
        yield unknown(storage, f"{declared.mount} is not mounted, and the boot has not ended yet")
        return
    yield fail(
        storage.place.about(declared.mount),
        f"the shared storage is not mounted at {declared.mount}",
        is_=", ".join(f"{each.where} ({each.kind})" for each in need(storage.mounted)) or "nothing across the network",
        should=f"{declared.kind} at {declared.mount}",
        related=[Related(declared.place, "the fleet says that every node has it")],
        cause=missing,
        remedy=f"mount {declared.mount}; journalctl -b -g mount says why it was not",
    )


def _entry(storage: NodeStorage, end: BootEnd, entry: FstabLine, declared: Storage | None) -> Findings:
    if entry.has("noauto") or entry.has("x-systemd.automount"):
        return
    wanted = ("nofail", "_netdev") if needs_netdev(entry.kind) else ("nofail",)
    lacking = [option for option in wanted if not entry.has(option)]
    if lacking:
        yield fail(
            entry,
            f"the fstab entry of {entry.where} ({entry.kind}) has no {' and no '.join(lacking)}",
            is_=",".join(entry.options),
            should=",".join((*entry.options, *lacking)),
            cause=EMERGENCY if "_netdev" in lacking else WAITS,
            remedy=f"add {','.join(lacking)} to its options",
        )
    told = declared is not None and declared.mount.rstrip("/") == entry.where.rstrip("/")
    if not told and storage.at(entry.where) is None and need(end.reached):
        yield fail(
            entry,
            f"{entry.where} stands in fstab and is not mounted",
            is_=f"{entry.source} is not mounted",
            should=f"{entry.source} at {entry.where}",
            remedy=f"mount {entry.where} says why",
        )

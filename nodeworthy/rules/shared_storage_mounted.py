"""Shared storage is mounted, and a boot in which it can't be reached still ends.

An entry of fstab without `nofail` makes every boot depend on a server elsewhere: while it is away, the boot waits, and
a filesystem that systemd takes for a local one (efs, lustre) without `_netdev` ends it in emergency mode. systemd
knows nfs, cifs and their like as network filesystems by their type: `_netdev` is implied there, and it reads `bg` of
nfs as `nofail`. Ansible's module `mount` writes such a line as well (`state: mounted` or `present`). A step that mounts
before the node joins must not end the script. And where the fleet promises the storage, it has to be there after
the next reboot too, which a bare `mount` does not see to: user data runs once. On a node, what is mounted is asked for
its size, and has to answer; its fstab says what the next boot would do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.boot.commands.mounts import FSTAB
from nodeworthy.boot.conditions import always, together, who_decides
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.final_files import speaking_of, without_own_questions
from nodeworthy.facts.boot.flaw import shown_guard
from nodeworthy.facts.boot.remote_script import RemoteScript
from nodeworthy.facts.boot.runtime import ready
from nodeworthy.facts.boot.script import BootScript, PromisedPool
from nodeworthy.facts.boot.storage_flaws import flaws_of, is_enabled, mounts_of_one_folder
from nodeworthy.facts.boot.storage_mounts import (
    By,
    StorageMount,
    mounts_taken_out,
    network_mounts,
    storage_mounts,
)
from nodeworthy.facts.node.boot import BootEnd
from nodeworthy.facts.node.identity import NodeIdentity
from nodeworthy.facts.node.storage import NodeStorage, storage_drafts
from nodeworthy.fleet.model import Storage
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Known, Place, Related, Severity, fail, skip, unknown

RULE = Rule(
    "shared-storage-mounted",
    severity=Severity.ERROR,
    title="Shared storage is mounted, and a boot without it still ends",
    remedy=f"mount it by a line of {FSTAB} with nofail and _netdev",
    mends=True,
)

MISSING = "pods and users find an empty folder on the node's own disk, and what they write there goes with the node"


@RULE.check
def no_boot_waits_for_it(script: BootScript) -> Findings:
    mounts = network_mounts(storage_mounts(script.timeline))
    if not mounts:
        skip("the script mounts nothing across the network")
    for mount in mounts:
        yield from flaws_of(mount, script.timeline)
    for one, other in mounts_of_one_folder(mounts):
        says = f"{other.where.shown()} is mounted twice at every boot"
        first = Related(one.place, f"here by {one.by.value}")
        cause = "systemd makes one unit of a folder, and which of the two it takes is luck"
        yield fail(other.place, says, should="once", cause=cause, remedy="take one of them out", related=(first,))


@RULE.check
def no_boot_over_there_waits_for_it(script: RemoteScript) -> Findings:
    return no_boot_waits_for_it(script)


@RULE.check
def the_fleets_storage_is_there(script: BootScript, pool: PromisedPool) -> Findings:
    storage = pool.fleet.storage
    if storage is None:
        skip("the fleet has no shared storage")
    if pool.pool.distribution.state == Known("bottlerocket"):
        skip("Bottlerocket runs no script that could mount it")
    says = Related(storage.place, f"the fleet has {storage.kind} at {storage.mount}")
    for flaw in _of_fleet(script, storage):
        yield flaw.with_more(on=pool.title, related=(says,))


def _of_fleet(script: BootScript, storage: Storage) -> Iterator[Draft]:
    timeline = script.timeline
    mounts = [each for each in storage_mounts(timeline) if each.is_at(storage.mount)]
    if not mounts:
        yield _gone(timeline, storage) or _nothing(timeline, storage, script.place)
        return
    surely = [each for each in mounts if each.where.known is not None]
    if not surely:
        yield unknown(mounts[0].place, f"whether {mounts[0].where.shown()} is {storage.mount} is not known")
        return
    lasting = [each for each in surely if each.lasts and is_enabled(each, timeline)]
    if not lasting:
        yield _gone(timeline, storage) or _until_the_reboot(surely[0], storage)
        return
    doubtful = [each.out for each in lasting if each.out is not None]
    if len(doubtful) == len(lasting):
        step = doubtful[0].by
        yield unknown(
            step.place, f"whether {FSTAB} still has its line for {storage.mount} behind this step is not known"
        )
        return
    yield from _on_every_way(timeline, lasting, storage)


def _gone(timeline: Timeline, storage: Storage) -> Draft | None:
    for mount, out in mounts_taken_out(timeline):
        if mount.is_at(storage.mount):
            says = f"{FSTAB} loses its line for {storage.mount} again"
            written = Related(mount.place, "the line is written here")
            remedy = "add the line behind this step"
            return fail(
                out.by.place,
                says,
                should=f"a line of {FSTAB}",
                cause=MISSING,
                is_=out.by.command,
                remedy=remedy,
                related=(written,),
            )
    return None


def _nothing(timeline: Timeline, storage: Storage, script: Place) -> Draft:
    step = timeline.not_understood(storage.mount, "fstab", ".mount") or speaking_of(timeline, storage.mount, FSTAB)
    if step is not None:
        return unknown(step.place, f"whether this step mounts {storage.mount} is not known")
    says = f"nothing mounts the fleet's shared storage at {storage.mount}"
    wanted = f"fs-…:/ {storage.mount} {storage.kind} _netdev,nofail,tls 0 0"
    return fail(
        script, says, should=f"a line of {FSTAB}", cause=MISSING, remedy=f"mkdir -p {storage.mount}, and add `{wanted}`"
    )


def _until_the_reboot(mount: StorageMount, storage: Storage) -> Draft:
    if mount.by is By.UNIT:
        says = f"{mount.unit}, which mounts {storage.mount}, is not enabled"
        return fail(mount.place, says, should="enabled", cause=MISSING, remedy=f"systemctl enable --now {mount.unit}")
    says = f"{storage.mount} is mounted only until the next reboot"
    if mount.has("noauto"):
        says = f"{storage.mount} stands in fstab with noauto, and no boot mounts it"
    return fail(mount.place, says, should=f"a line of {FSTAB} as well", cause=MISSING, is_=mount.options.shown())


def _on_every_way(timeline: Timeline, lasting: Sequence[StorageMount], storage: Storage) -> Iterator[Draft]:
    for moment in ready(timeline):
        here = [each for each in lasting if together(each.effect.conditions, moment.when)]
        guards = [without_own_questions(each.effect.conditions, (FSTAB,)) for each in here]
        if always(guards, moment.when) is False:
            first = lasting[0]
            says = f"{storage.mount} is mounted only if {shown_guard(first.effect.conditions)}"
            yield fail(first.place, says, should="on every node", cause=MISSING)
        elif decides := who_decides(guards, moment.when):
            yield unknown(lasting[0].place, f"whether {storage.mount} is mounted is not known: {decides}")


@RULE.check
def it_is_there_and_answers(storage: NodeStorage, identity: NodeIdentity, end: BootEnd) -> Findings:
    yield from storage_drafts(storage, identity, end, MISSING)

"""Volumes and shared storage are encrypted at rest.

What lies on a node's disk is what its jobs read and write: data sets, weights, tokens in files. Encryption costs
nothing and can't be turned on afterwards: a volume or a file system is made anew for it. What is not said follows
from the account's default and, for a root volume, from the image; a program shows neither, and so it fails unless the
stack sets the account's default itself (`aws.ebs.EncryptionByDefault`). A volume made from a snapshot is as encrypted
as that. FSx encrypts always and is not asked.
"""

from __future__ import annotations

from nodeworthy.facts.aws.disk import FILES, Disk
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Severity, fail, need

RULE = Rule(
    "disks-encrypted",
    severity=Severity.WARNING,
    incident="D",
    title="Volumes and shared storage are encrypted",
    remedy='encrypted=True (in the `ebs` of a launch template\'s mapping: encrypted="true"), '
    "or aws.ebs.EncryptionByDefault in this stack",
    of_a_program=True,
)


@RULE.check
def it_is_encrypted(disk: Disk) -> Findings:
    told = disk.encrypted
    said = need(told)
    if said or need(disk.by_default):
        return
    if said is None and disk.has_snapshot and need(disk.of_an_encrypted_snapshot):
        return
    of = f" of {disk.nodes.title}" if disk.nodes is not None else ""
    yield fail(
        told,
        f"{disk.title}{of} is not encrypted" if said is False else f"nothing says that {disk.title}{of} is encrypted",
        is_="encrypted: false" if said is False else "no `encrypted`",
        should="encrypted: true",
        related=disk.nodes.declared if disk.nodes is not None else (),
        cause="its data lies readable in whatever copy is made of it: a snapshot, a backup, a disk that is thrown away",
        remedy="encrypted=True; the file system is made anew for it" if disk.holder.type == FILES else None,
    )

"""Disks and shared storage that a stack makes, and whether each is encrypted at rest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from nodeworthy.documents.tree import Tree, absent
from nodeworthy.facts.aws.node_group import CONFIGURATION, INSTANCES, NodeGroup
from nodeworthy.facts.aws.stack import AwsResource, AwsStack
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located, Place, Unknown

VOLUME = "aws:ebs/volume:Volume"
FILES = "aws:efs/fileSystem:FileSystem"
SNAPSHOT = "aws:ebs/snapshot:Snapshot"
COPY = "aws:ebs/snapshotCopy:SnapshotCopy"
DEFAULT = "aws:ebs/encryptionByDefault:EncryptionByDefault"
_TRUTH = {True: True, False: False, "true": True, "false": False, "": None, None: None}


@dataclass(frozen=True, eq=False)
class Disk:
    called: ClassVar[str] = "a disk"
    whole_stack: ClassVar[bool] = True

    title: str
    place: Place
    stack: AwsStack
    holder: AwsResource
    # The property in which it stands, and its own part of it.
    top: str
    tree: Tree
    # Which nodes start with it, if any do.
    nodes: NodeGroup | None = None

    @property
    def encrypted(self) -> Located[bool | None]:
        """True or false where somebody says so, None where it is left to others."""
        told = self.tree.get("encrypted").located()
        if isinstance(told.state, Unknown):
            return told
        if told.state.value is not None and told.state.value not in _TRUTH:
            return Located.unknown(f"{told.shown()} is neither true nor false", told.place)
        return Located(Known(_TRUTH[told.state.value]), told.place, written=told.written)

    @property
    def by_default(self) -> Located[bool]:
        """Whether this stack has the account encrypt each new volume. File systems are not volumes."""
        for each in self.stack.of(DEFAULT) if self.holder.type != FILES else ():
            enabled = each.get("enabled").located()
            if isinstance(enabled.state, Unknown):
                return Located(enabled.state, enabled.place)
            if enabled.state.value is not False:
                return Located.known(True, each.place)
        return Located.known(False, self.place)

    @property
    def snapshot(self) -> Tree:
        return self.tree.get("snapshotId")

    @property
    def has_snapshot(self) -> bool:
        return not self.snapshot.says_nothing

    @property
    def of_an_encrypted_snapshot(self) -> Located[bool | None]:
        """A volume is as encrypted as the snapshot that it is made from."""
        unseen = Located.unknown(
            "whether the snapshot that it is made from is encrypted is not known", self.snapshot.place
        )
        source = self.stack.links(self.holder, self.top or "snapshotId", self.snapshot, SNAPSHOT, COPY).only
        if source is not None and source.type == SNAPSHOT:
            source = self.stack.links(source, "volumeId", source.get("volumeId"), VOLUME).only
        if source is None or source.is_read:
            return unseen
        return Disk(source.title, source.place, self.stack, source, "", source.inputs).encrypted


def disks(stack: AwsStack, groups: Iterable[NodeGroup]) -> Iterator[Disk]:
    """The disks of each template once, whichever group starts nodes from it."""
    for each in (each for each in stack.of(VOLUME, FILES) if not each.is_read):
        yield Disk(each.title, each.place, stack, each, "", each.inputs)
    seen: set[str] = set()
    for nodes in groups:
        starts_from = nodes.template or nodes.resource
        if starts_from.urn not in seen:
            seen.add(starts_from.urn)
            yield from _of_nodes(nodes)


def _of_nodes(nodes: NodeGroup) -> Iterator[Disk]:
    holder = nodes.template
    if holder is None:
        if nodes.is_managed and nodes.groups("launchTemplate").is_absent:
            yield Disk("the disk", nodes.place, nodes.stack, nodes.resource, "", absent(nodes.place), nodes)
        return
    root = nodes.templates("rootBlockDevice")
    # What an instance says itself goes before the template that it is started from.
    if holder.type in (*INSTANCES, CONFIGURATION) and (nodes.base is None or not root.says_nothing):
        yield Disk("the root volume", root.place, nodes.stack, holder, "rootBlockDevice", root, nodes)
    else:
        yield from _of_template(nodes, nodes.base or holder)
    for each in nodes.templates("ebsBlockDevices").sequence:
        yield _mapped(nodes, holder, "ebsBlockDevices", each, each)


def _of_template(nodes: NodeGroup, holder: AwsResource) -> Iterator[Disk]:
    top = "blockDeviceMappings"
    mapped = nodes.templates(top)
    if not mapped.sequence:
        yield Disk("the root volume", mapped.place, nodes.stack, holder, top, mapped, nodes)
    for each in mapped.sequence:
        volume = each.get("ebs")
        if each.is_unknown or not volume.says_nothing:
            yield _mapped(nodes, holder, top, each, volume)


def _mapped(nodes: NodeGroup, holder: AwsResource, top: str, mapping: Tree, volume: Tree) -> Disk:
    device = mapping.get("deviceName").text
    title = f"the volume {device}" if device else "a volume"
    return Disk(title, volume.place, nodes.stack, holder, top, volume, nodes)

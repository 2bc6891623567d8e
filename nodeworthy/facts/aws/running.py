"""The machines that run in a group, and what the group would start now: of what both are made, laid side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from nodeworthy.facts.aws.joined import JoinedNode
from nodeworthy.facts.aws.node_group import NodeGroup
from nodeworthy.records import dataclass, field
from nodeworthy.verdict import Located, Place


@dataclass(frozen=True)
class Makeup:
    """What a machine is made of, or would be. What is None is left to AWS, and is not compared."""

    image: Located[str | None]
    # Of a group that takes what it can get, several.
    types: Located[frozenset[str]]
    profile: Located[str | None]
    doors: Located[frozenset[str] | None]
    script: Located[str | None]
    # By device.
    encrypted: Mapping[str, Located[bool]] = field(default_factory=dict)
    sizes: Mapping[str, Located[int]] = field(default_factory=dict)
    # Of the metadata service, by name.
    metadata: Mapping[str, Located[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class RunningMachine:
    id: str
    place: Place
    made_of: Makeup
    # The number of the version that it says it was started from.
    version: str = ""
    # The machine whose boot script was read for all that were started alike.
    read_at: Place | None = None


@dataclass(frozen=True, eq=False)
class RunningNodes:
    called: ClassVar[str] = "the running nodes of a group"
    whole_stack: ClassVar[bool] = True

    place: Place
    nodes: NodeGroup
    machines: Located[Sequence[RunningMachine]]
    # What the group would start now, or why that is not known.
    now: Located[Makeup]
    # The number of the version that it starts from now; empty where it has no template.
    version: str = ""
    # Of a group that follows the default version: the newest, where that is another one with another content.
    newer: Located[str] | None = None
    # Why its nodes are just being replaced; empty where they are not.
    renewed: str = ""
    # A parameter by which the image is looked up at launch.
    image_by: str = ""
    # By machine, as their cluster knows them, where it was asked.
    joined: Mapping[str, JoinedNode] = field(default_factory=dict)

    @property
    def title(self) -> str:
        return self.nodes.title

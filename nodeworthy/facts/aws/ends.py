"""What comes to its end: images, versions of Kubernetes, machines that AWS is about to stop."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import ClassVar

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.aws.node_group import NodeGroup
from nodeworthy.records import dataclass
from nodeworthy.verdict import Located, Place


@dataclass(frozen=True, eq=False)
class ImageAge:
    called: ClassVar[str] = "the image that machines run"
    whole_stack: ClassVar[bool] = True

    place: Place
    id: str
    nodes: NodeGroup
    # As AWS describes it; None where it is there no more.
    tree: Located[Tree | None]
    # Of one of EKS' own: when it was released, and when the one that AWS recommends now.
    released: date | None
    recommended: Located[date] | None
    seen_at: datetime


@dataclass(frozen=True, eq=False)
class ClusterRelease:
    called: ClassVar[str] = "the version of a cluster"
    whole_stack: ClassVar[bool] = True

    place: Place
    name: str
    version: Located[str]
    # What AWS says of this version; None where it is not in its list.
    tree: Located[Tree | None]
    insights: Located[Sequence[Tree]]
    seen_at: datetime
    # Its owner wants no extended support: EKS upgrades it as soon as the standard one ends.
    no_extension: bool = False


@dataclass(frozen=True, eq=False)
class AnnouncedEvents:
    called: ClassVar[str] = "what AWS announces of machines"
    whole_stack: ClassVar[bool] = True

    place: Place
    nodes: NodeGroup
    # Of each machine of which it says something.
    statuses: Located[Sequence[Tree]]

"""What a program declares of the cloud, and what the cloud has of it: laid side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from nodeworthy.facts.aws.stack import AwsResource, AwsStack
from nodeworthy.records import dataclass
from nodeworthy.verdict import Located, Place


@dataclass(frozen=True, eq=False)
class Deployment:
    """A program's resources, and those that stand for them in an account."""

    declared: AwsStack
    live: AwsStack
    # By the URN of what is declared, the id of what AWS has of it.
    ids: Mapping[str, str]


@dataclass(frozen=True, eq=False)
class DeclaredResource:
    called: ClassVar[str] = "a resource that a program declares"
    whole_stack: ClassVar[bool] = True

    place: Place
    resource: AwsResource
    # What AWS has of it, None where it is there no more. Of a launch template there may be several versions, the one
    # that its groups start from first.
    live: Located[Sequence[AwsResource] | None]
    deployment: Deployment

    @property
    def title(self) -> str:
        return self.resource.title


@dataclass(frozen=True, eq=False)
class UnseenProgram:
    """A program that should say what runs, and could not."""

    called: ClassVar[str] = "a program that declares what runs"

    place: Place
    why: str

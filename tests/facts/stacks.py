"""AWS resources of a stack that no program made: as the provider spells them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nodeworthy.documents.tree import plant
from nodeworthy.facts.aws.stack import AwsResource, AwsStack
from nodeworthy.verdict import Place, Unknown

LATER = Unknown("it is known only after deployment")


def resource(
    kind: str, name: str, inputs: Mapping[str, Any], *, read: bool = False, **dependencies: list[str]
) -> AwsResource:
    """`dependencies`: by property, the names of the resources that it was made of."""
    urn = f"urn:{name}"
    place = Place(path="__main__.py", line=1, urn=urn)
    made_of = {top: [f"urn:{each}" for each in names] for top, names in dependencies.items()}
    return AwsResource(kind, name, urn, place, lambda: plant(inputs, Place(urn=urn)), made_of, is_read=read)


def of(value: str) -> Unknown:
    """An output of the resource of this name."""
    return Unknown("it is known only after deployment", f"urn:{value}")


def stack(*resources: AwsResource) -> AwsStack:
    return AwsStack(Place(subject="stack dev"), resources)

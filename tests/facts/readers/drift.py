"""What a program says of a resource, what AWS has of it, and in what the two differ: also what a security group lets through."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from nodeworthy.documents.tree import Tree, absent
from nodeworthy.documents.yaml import read_all
from nodeworthy.facts.aws.deployment import Deployment
from nodeworthy.facts.aws.drift import differences
from nodeworthy.facts.aws.stack import AwsResource, AwsStack
from nodeworthy.rules.cloud_matches_plan import door_differences
from nodeworthy.verdict import Place
from tests.facts.shown import shown

HERE, GROUP = Place("program.yaml"), "aws:ec2/securityGroup:SecurityGroup"


def _drift(given: str) -> Iterator[str]:
    """First its `type`, the properties whose changes the program `ignores`, and by property the resources that lie
    `beside` it, each a type with the id that AWS gave it (none: it is not known); then what the program says, and what AWS
    says."""
    about, said, live = read_all(given, HERE)
    beside = {top: [*map(_beside, each.sequence)] for top, each in about.get("beside").mapping.items()}
    others = {one.urn: (one, id_) for some in beside.values() for one, id_ in some}
    resource = AwsResource(
        about.get("type").string,
        "it",
        "it",
        said.place,
        lambda: said,
        {top: [one.urn for one, _ in some] for top, some in beside.items()},
        ignored=frozenset(each.string for each in about.get("ignores").sequence),
    )
    declared = AwsStack(HERE, [resource, *(one for one, _ in others.values())])
    ids = {urn: id_ for urn, (_, id_) in others.items() if id_ is not None}
    found = AwsResource(resource.type, "it", "it", live.place, lambda: live, outputs={"id": "sg-own"})
    there = [
        AwsResource(one.type, id_, id_, HERE, one.plant, outputs={"id": id_}) for one, id_ in others.values() if id_
    ]
    deployment = Deployment(declared, AwsStack(HERE, [found, *there]), {"it": "sg-own", **ids})
    doors = door_differences(resource, found, deployment) if resource.type == GROUP else ()
    for each in (*differences(resource, found, deployment), *doors):
        yield f"{each.path} {shown(each.place)}: {each.is_}, and should be {each.should}"


def _beside(given: Tree) -> tuple[AwsResource, str | None]:
    ((kind, id_),) = given.mapping.items()
    return AwsResource(
        kind, kind, f"{kind} {given.place.line}:{given.place.column}", HERE, partial(absent, HERE)
    ), id_.text


READERS = {"aws_drift": _drift}

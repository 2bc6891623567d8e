"""What a security group opens, against what its program says: rules that are gone, that came, and that are others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from nodeworthy.facts.aws.deployment import Deployment
from nodeworthy.facts.aws.drift import Difference
from nodeworthy.facts.aws.security_group import ALL, Opening, SecurityGroup, Way, is_the_world, network_of
from nodeworthy.facts.aws.stack import AwsResource
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located, Place

_IdOf = Callable[[AwsResource], str]
_NOTHING = "no such rule"


@dataclass(frozen=True)
class _Door:
    """One rule for one source, as AWS tells rules apart."""

    ports: str
    source: str

    @property
    def told(self) -> str:
        return f"{self.ports} {self.source}"

    def is_like(self, other: _Door) -> bool:
        return self.ports == other.ports or self.source == other.source


@dataclass(frozen=True)
class _Declared:
    doors: dict[_Door, Place]
    # Not all of them are known.
    is_open: bool


def door_differences(resource: AwsResource, live: AwsResource, deployment: Deployment) -> Iterator[Difference]:
    declared = SecurityGroup(resource, deployment.declared)
    if declared.unread is not None or not declared.openings:
        return
    theirs = SecurityGroup(live, deployment.live).openings
    for way in Way:
        said = _of_program([each for each in declared.openings if each.way is way], deployment)
        found = {door for each in theirs if each.way is way for door in _doors_of(each, _live_id)}
        yield from _of_way(way, said, _without_default(way, said, found), resource.place)


def _of_program(openings: Sequence[Opening], deployment: Deployment) -> _Declared:
    def id_of(group: AwsResource) -> str:
        return deployment.ids.get(group.urn, "")

    doors: dict[_Door, Place] = {}
    is_open = False
    for each in openings:
        is_open = is_open or not _is_known(each, deployment)
        doors |= {door: each.place for door in _doors_of(each, id_of) if _is_known(each, deployment)}
    return _Declared(doors, is_open)


def _live_id(group: AwsResource) -> str:
    return str(group.outputs.get("id", ""))


def _is_known(opening: Opening, deployment: Deployment) -> bool:
    said = (opening.protocol, opening.first, opening.last, *opening.ranges, *opening.prefix_lists)
    grouped = [deployment.ids.get(each.urn) for each in opening.groups.found]
    return all(isinstance(each.state, Known) for each in said) and all(grouped) and not opening.groups.open


def _doors_of(opening: Opening, id_of: _IdOf) -> Iterator[_Door]:
    ports = "all traffic" if opening.protocol.state == Known(ALL) else opening.ports
    sources = [_range(each) for each in opening.ranges]
    sources += [id_of(each) for each in opening.groups.found] + [each.shown() for each in opening.prefix_lists]
    word = "from" if opening.way is Way.IN else "to"
    yield from (_Door(ports, f"{word} {each}") for each in sources if each)


def _range(said: Located[str]) -> str:
    network = network_of(said.shown())
    return str(network) if network is not None else said.shown()


def _without_default(way: Way, said: _Declared, found: set[_Door]) -> set[_Door]:
    """AWS lets everything out of a new group: of a program that says nothing of this way, that is nobody's doing."""
    if way is Way.IN or said.doors:
        return found
    return {each for each in found if each.ports != "all traffic" or not is_the_world(each.source.removeprefix("to "))}


def _of_way(way: Way, said: _Declared, found: set[_Door], group: Place) -> Iterator[Difference]:
    path = "ingress" if way is Way.IN else "egress"
    gone = [each for each in said.doors if each not in found]
    come = sorted((each for each in found if each not in said.doors), key=lambda each: each.told)
    for each in gone:
        other = next((one for one in come if one.is_like(each)), None) if not said.is_open else None
        if other is not None:
            come.remove(other)
        yield Difference(path, said.doors[each], other.told if other is not None else _NOTHING, each.told)
    for each in come if not said.is_open else ():
        yield Difference(path, group, each.told, _NOTHING)

"""What runs in AWS is what the program declares.

Somebody widens a security group by hand, sets a size in the console, writes a new version of a launch template: from
then on two things say what the cluster is, and the next `pulumi up` takes back what an incident was ended with. Every
input that the program knows is laid beside what AWS has, each by itself.

What the program leaves out is AWS's own business, tags that others add and the order of lists as well. Inputs that are
known only after deployment are not compared, unless they name another resource of the same program, or a state tells
them (`--state`). What the program itself leaves as it is (`ignore_changes`) stays out, too.

How many nodes a group wants that may have more or fewer is a warning: an autoscaler may have said it, and the next
`pulumi up` says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from nodeworthy.facts.aws.deployment import DeclaredResource, Deployment, UnseenProgram
from nodeworthy.facts.aws.drift import Difference, differences
from nodeworthy.facts.aws.security_group import ALL, GROUP, Opening, SecurityGroup, Way, is_the_world, network_of
from nodeworthy.facts.aws.stack import AwsResource
from nodeworthy.records import dataclass
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Known, Located, Place, Related, Severity, fail, need, unknown

RULE = Rule(
    "cloud-matches-plan",
    severity=Severity.ERROR,
    incident="D",
    title="What runs in AWS is what the program declares",
    remedy="where the program is right: pulumi up; where the cloud is: write it into the program, and pulumi refresh",
)

_REMEDY_OF_TERRAFORM = (
    "where the plan is right: terraform apply; where the cloud is: write it into the configuration, and "
    "terraform plan -refresh-only"
)
_DESIRED = ("desiredCapacity", "scalingConfig.desiredSize")
_LEAST, _MOST = ("minSize", "scalingConfig.minSize"), ("maxSize", "scalingConfig.maxSize")


@RULE.check
def each_known_input_is_as_declared(declared: DeclaredResource) -> Findings:
    live = need(declared.live)
    if live is None:
        yield fail(
            declared,
            f"{declared.title} is declared, and AWS has no such thing",
            is_="it is not there",
            should="as the program declares it",
            cause="somebody deleted it, or the program was not brought up since",
            remedy=_remedy(declared),
        )
        return
    for each, found in _first_that_differs(declared, live):
        yield _draft_of_difference(declared, each, found)


def _first_that_differs(
    declared: DeclaredResource, live: Sequence[AwsResource]
) -> Iterator[tuple[AwsResource, Difference]]:
    """The first of the live resources that differs. Of a launch template's versions, those that machines start from
    come first."""
    for each in live:
        found = differences(declared.resource, each, declared.deployment)
        if declared.resource.type == GROUP:
            found += door_differences(declared.resource, each, declared.deployment)
        yield from ((each, one) for one in found)
        if found:
            return


def _draft_of_difference(declared: DeclaredResource, live: AwsResource, found: Difference) -> Draft:
    is_moved = found.path in _DESIRED and _may_move(declared)
    return fail(
        found.place,
        f"{found.path} of {declared.title} is not what the program says",
        is_=found.is_,
        should=found.should,
        related=[Related(live.place, "what runs")],
        cause=f"an autoscaler or somebody set it; the next {_again(declared)} sets it back"
        if is_moved
        else f"the next {_again(declared)} takes it back, whoever did it and why",
        severity=Severity.WARNING if is_moved else Severity.ERROR,
        remedy=f"leave it to whoever scales: ignore_changes=['{found.path}'] in the program"
        if is_moved
        else _remedy(declared),
    )


def _again(declared: DeclaredResource) -> str:
    return "`terraform apply`" if declared.resource.is_translated else "`pulumi up`"


def _remedy(declared: DeclaredResource) -> str | None:
    return _REMEDY_OF_TERRAFORM if declared.resource.is_translated else None


def _may_move(declared: DeclaredResource) -> bool:
    least, most = (_first_known(declared, names) for names in (_LEAST, _MOST))
    return least is not None and most is not None and least != most


def _first_known(declared: DeclaredResource, names: Sequence[str]) -> object:
    found = (declared.resource.get(*each.split(".")).value for each in names)
    return next((each for each in found if isinstance(each, (int, str))), None)


@RULE.check
def the_program_says_it(program: UnseenProgram) -> Findings:
    yield unknown(program, program.why)


# What a security group opens, against what its program says: rules that are gone, that came, and that are others.


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

"""What runs is what the program says.

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

from collections.abc import Iterator, Sequence

from nodeworthy.facts.aws.deployment import DeclaredResource, UnseenProgram
from nodeworthy.facts.aws.drift import Difference, differences
from nodeworthy.facts.aws.drift_of_doors import door_differences
from nodeworthy.facts.aws.security_group import GROUP
from nodeworthy.facts.aws.stack import AwsResource
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Related, Severity, fail, need, unknown

RULE = Rule(
    "cloud-matches-plan",
    severity=Severity.ERROR,
    incident="D",
    title="What runs is what the program says",
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
        yield _told(declared, each, found)


def _first_that_differs(
    declared: DeclaredResource, live: Sequence[AwsResource]
) -> Iterator[tuple[AwsResource, Difference]]:
    """Of the versions of a launch template, the one that machines start from says it first."""
    for each in live:
        found = differences(declared.resource, each, declared.deployment)
        if declared.resource.type == GROUP:
            found += door_differences(declared.resource, each, declared.deployment)
        yield from ((each, one) for one in found)
        if found:
            return


def _told(declared: DeclaredResource, live: AwsResource, found: Difference) -> Draft:
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

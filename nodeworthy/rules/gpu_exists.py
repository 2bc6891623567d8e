"""The GPU and the instance type of a pool exist and go together.

A pool of a GPU that nobody makes, or on an instance type that has another, never gets a node: pods wait for it
for ever, and the scheduler can only say that there is none. GPU names are read in any case. Instance types are those
of EC2's API; of one that exists and whose GPUs we don't know, nothing is claimed. Nor does every region offer every
type: which do is what AWS said when it was last asked, and of a region that was not asked nothing is claimed either.
In a plan, what starts the nodes of a pool starts the instances that the fleet gives it; what is of no pool, and what a
fleet of EC2 takes, or an object of Cluster API's, Crossplane's, kops', Rancher's or OpenShift's, exists at least. One
that is called as the next of its series would be may be newer than the list.
A node pool of GKE or AKS is told what its cloud has retired; one of GKE also of accelerators that are called otherwise,
or that its machine can't have.
"""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.facts.aws.node_group import NodeGroup
from nodeworthy.facts.aws.node_types import (
    Ec2Fleet,
    does_not_exist,
    instance_types,
    not_of_its_pool,
    written_types,
)
from nodeworthy.facts.fleet.gpu_pool import AskedTypes, RefusedMachines, RetiredMachines
from nodeworthy.facts.fleet.pool_claim import PoolClaim
from nodeworthy.known import instances
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Located, Related, Severity, Unknown, fail, need, skip, unknown

RULE = Rule(
    "gpu-exists",
    severity=Severity.ERROR,
    incident="D",
    title="The GPU and the instance type of a pool exist and go together",
    remedy="name a GPU and an instance type that exist and go together; "
    "beside an instanceType, gpu and gpusPerNode may be left out",
)

CAUSE = "no node of this pool can ever be, and pods that wait for its GPUs stay Pending"


@RULE.check
def what_the_pool_claims_can_be(claim: PoolClaim) -> Findings:
    if claim.gpu is None and claim.instance_type is None:
        skip(f"{claim.title} names neither a GPU nor an instance type")
    for each in claim.impossible:
        stands = Related(claim.place, f"{claim.title} stands here")
        yield fail(each.place, each.message, is_=each.is_, should=each.should, related=[stands], cause=CAUSE)
    if claim.impossible:
        return
    if claim.instance_type is not None and _is_newer(claim.instance_type):
        yield _may_be_newer(claim.instance_type)
        return
    for located in (claim.gpu, claim.instance_type):
        if located is not None and isinstance(located.state, Unknown):
            yield unknown(located, f"what {claim.title} claims is not known: {located.state.why}")
            return
    if claim.instance_type is not None and claim.unheard_of is not None:
        yield _of_the_region(claim.unheard_of, claim.instance_type)
    if claim.gpu is not None and claim.instance_type is not None:
        yield from _pair(claim, need(claim.gpu), claim.instance_type)


def _of_the_region(region: str, instance_type: Located[str]) -> Draft:
    from nodeworthy.known.offerings import offerings_source

    kind = need(instance_type)
    return unknown(
        instance_type,
        f"whether {region} offers {kind} is not known ({offerings_source()})",
        remedy=f"look at `aws ec2 describe-instance-type-offerings --region {region} "
        f"--filters Name=instance-type,Values={kind}`",
    )


def _pair(claim: PoolClaim, gpu: str, instance_type: Located[str]) -> Findings:
    kind = need(instance_type)
    if instances.gpus_of(kind) is None:
        yield unknown(
            instance_type,
            f"{kind} exists, and we know of no GPUs in it, so whether {claim.title} has {gpu} is not known",
            remedy=f"look at `aws ec2 describe-instance-types --instance-types {kind}`",
        )


@RULE.check
def it_is_built_of_what_the_fleet_says(nodes: NodeGroup) -> Findings:
    pool = nodes.pool
    if pool is None:
        yield from _of_no_pool(nodes)
        return
    if pool.instance_type is None and pool.gpu is None:
        skip(f"the fleet does not say of which instances {nodes.title} is")
    for each in not_of_its_pool(nodes):
        said = pool.instance_type or pool.gpu
        assert said is not None
        yield fail(
            each,
            f"{nodes.title} is built of other instances than the fleet says",
            should=need(said) if pool.instance_type is not None else f"a type with {need(said)}",
            related=nodes.declared,
            cause="all that follows from the fleet (GPUs a node, driver, interfaces) is made for another machine",
            remedy="take the instance type from the fleet, or change it there",
        )
    for each in instance_types(nodes):
        if isinstance(each.state, Unknown):
            yield unknown(each, f"which instances {nodes.title} starts is not known: {each.state.why}")


def _of_no_pool(nodes: NodeGroup) -> Findings:
    """Types of a group that no fleet mentions: the instances exist or they do not."""
    said = written_types(nodes)
    exists_already = nodes.template is not None and nodes.template.is_read
    if not said or exists_already:
        skip(nodes.no_pool)
    yield from _each_exists(said, nodes.title)


@RULE.check
def a_fleet_of_ec2_takes_what_there_is(fleet: Ec2Fleet) -> Findings:
    if not fleet.types:
        skip(f"{fleet.title} names no instance type")
    yield from _each_exists(fleet.types, fleet.title)


@RULE.check
def what_is_asked_for_is_there(asked: AskedTypes) -> Findings:
    yield from _each_exists(asked.types, asked.title)


@RULE.check
def its_cloud_has_not_retired_it(retired: RetiredMachines) -> Findings:
    gone = retired.gone
    yield fail(
        gone.what,
        f"{retired.pool.title} asks for {need(gone.what)}, which {gone.cloud} has no more",
        should="what it starts today",
        cause=f"{gone.cloud} retired it on {gone.since}: {CAUSE}",
        remedy=f"name another: `{gone.listed_by}` lists what there is",
    )


@RULE.check
def its_cloud_starts_it(machines: RefusedMachines) -> Findings:
    refused = machines.refused
    yield fail(
        refused.what,
        f"{machines.pool.title} asks for machines that its cloud does not start: {refused.why}",
        should=refused.should,
        cause=f"the cloud refuses the pool when it is made: {CAUSE}",
        remedy="ask for a machine and an accelerator that go together: `gcloud compute accelerator-types list`, "
        "`gcloud compute machine-types list` and `az vm list-skus` list what there is",
    )


def _is_newer(said: Located[str] | Located[str | None]) -> bool:
    return does_not_exist(said) and instances.may_be_newer(str(need(said)))


def _may_be_newer(said: Located[str] | Located[str | None]) -> Draft:
    return unknown(
        said,
        f"whether there is a type {need(said)} is not known: it may be newer than {instances.instance_types_source()}",
        remedy=f"look at `aws ec2 describe-instance-types --instance-types {need(said)}`",
    )


def _each_exists(said: Sequence[Located[str] | Located[str | None]], title: str) -> Findings:
    for each in said:
        if _is_newer(each):
            yield _may_be_newer(each)
        elif does_not_exist(each):
            meant = instances.near(str(need(each)))
            yield fail(
                each,
                f"{title} starts instances of a type that does not exist",
                should=f"{meant[0]}, perhaps" if meant else f"a type of {instances.instance_types_source()}",
                cause="AWS refuses it when the group is made, or starts only the other types of the list",
                remedy="name an instance type that exists: `aws ec2 describe-instance-types --instance-types TYPE`",
            )
        elif isinstance(each.state, Unknown):
            yield unknown(each, f"which instances {title} starts is not known: {each.state.why}")

"""Whether a queue of AWS ParallelCluster's asks for its capacity block as that wants it."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.facts.aws.parallel_cluster import CAPACITY_BLOCK, VALIDATED_BY, ComputeResource, ParallelCluster
from nodeworthy.rules.capacity_block_placed import CAUSE, RULE
from nodeworthy.verdict import Draft, Findings, Related, Severity, fail, skip

_REFUSED = "ParallelCluster refuses the file, and makes nothing: the block is paid for all the same"


@RULE.check
def a_queue_runs_in_its_block(cluster: ParallelCluster) -> Findings:
    of_blocks = [each for each in cluster.resources if each.is_of_a_block]
    if not of_blocks:
        skip("no queue of it runs in a capacity block")
    for each in of_blocks:
        yield from _is_named(each)
        yield from _is_whole(each)
        yield from _stands_alone(each)


def _is_named(each: ComputeResource) -> Iterator[Draft]:
    kind = each.queue.get("CapacityType")
    if each.reservation.get("CapacityReservationId").says_nothing:
        yield fail(
            kind,
            f"{each.title} is to run in a capacity block, and nothing says in which",
            is_=f"CapacityType: {CAPACITY_BLOCK}",
            should="CapacityReservationTarget: {CapacityReservationId: cr-…} beside it",
            cause=_REFUSED,
            remedy=f"write what should be there; {VALIDATED_BY}",
        )


def _is_whole(each: ComputeResource) -> Iterator[Draft]:
    least, most = each.count("MinCount"), each.count("MaxCount")
    if least is None or most is None or (least == most and least > 0):
        return
    said = next((one for name in ("MinCount", "MaxCount") if not (one := each.tree.get(name)).says_nothing), each.tree)
    yield fail(
        said.heading,
        f"{each.title} runs in a capacity block, and its number of nodes may change",
        is_=f"MinCount {least}, MaxCount {most}",
        should="MinCount and MaxCount both of the block's number of machines",
        related=[Related(each.queue.get("CapacityType").place, "its queue runs in a block")],
        cause=_REFUSED,
        remedy=f"write what should be there; {VALIDATED_BY}",
    )


def _stands_alone(each: ComputeResource) -> Iterator[Draft]:
    strategy = each.queue.get("AllocationStrategy")
    if not strategy.says_nothing:
        yield fail(
            strategy,
            f"{each.title} runs in a capacity block, and its queue says how machines are chosen",
            is_=f"AllocationStrategy: {strategy.string}",
            should="no AllocationStrategy",
            cause=_REFUSED,
            remedy=f"write what should be there; {VALIDATED_BY}",
        )
    if each.is_grouped:
        yield fail(
            each.group.heading,
            f"{each.title} has a capacity block and a placement group",
            is_="PlacementGroup",
            should="no placement group: what runs in a block stands together already",
            cause=CAUSE,
            remedy="remove it",
            severity=Severity.WARNING,
        )

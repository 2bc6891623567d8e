"""Whether AWS ParallelCluster gives nodes that work together EFA, and takes what is said of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from nodeworthy.facts.aws.parallel_cluster import VALIDATED_BY, ComputeResource, ParallelCluster
from nodeworthy.known.efa import efa_of
from nodeworthy.known.instances import gpus_of
from nodeworthy.records import replace
from nodeworthy.rules.efa_complete import RULE, SLOW
from nodeworthy.verdict import Draft, Findings, Related, Severity, fail

_REFUSED = "ParallelCluster refuses the file, and makes nothing"
_SHOWN = 6


@RULE.check
def a_queue_has_it_where_it_can(cluster: ParallelCluster) -> Findings:
    with_efa = [each for each in cluster.resources if each.has_efa]
    yield from _told_once(one for each in with_efa for one in _of_such_a_type(each))
    yield from _told_once(one for each in with_efa for one in _close_together(each))
    yield from _told_once(one for each in cluster.resources if not each.has_efa for one in _works_together(each))


def _told_once(found: Iterable[Draft]) -> Iterator[Draft]:
    """What is said of a queue is mostly said of all."""
    kinds: dict[str, list[Draft]] = {}
    for each in found:
        kinds.setdefault(f"{each.is_} {each.should}", []).append(each)
    for first, *others in kinds.values():
        yield replace(first, related=(*first.related, *(Related(one.where, one.message) for one in others[:_SHOWN])))


def _of_such_a_type(each: ComputeResource) -> Iterator[Draft]:
    said = each.tree.get("Efa", "Enabled")
    for one in each.types:
        has = efa_of(one.string)
        if has is not None and not has.interfaces:
            yield fail(
                said,
                f"{each.title} asks for EFA, which {one.string} does not have",
                is_="Enabled: true",
                should="a type with EFA, or no Efa",
                related=[Related(one.place, f"its nodes are {one.string}")],
                cause=_REFUSED,
                remedy=f"write what should be there; {VALIDATED_BY}",
            )
            return


def _close_together(each: ComputeResource) -> Iterator[Draft]:
    efa = each.tree.get("Efa")
    subnets = each.queue.get("Networking", "SubnetIds")
    if each.is_in_several_zones:
        yield fail(
            efa.heading,
            f"{each.title} has EFA, and its queue subnets of several zones",
            is_=f"{len(subnets.sequence)} SubnetIds",
            should="one subnet",
            related=[Related(subnets.heading, "here are its subnets")],
            cause=f"EFA does not leave its zone: {_REFUSED}",
            remedy=f"write what should be there; {VALIDATED_BY}",
        )
    elif each.group.says_nothing and not each.is_of_a_block:
        yield fail(
            efa.heading,
            f"{each.title} has EFA, and nothing says whether its nodes stand together",
            is_="no PlacementGroup",
            should="PlacementGroup: {Enabled: true} in the Networking of its queue",
            cause=f"of nodes with EFA ParallelCluster wants that said, and be it `Enabled: false`: {_REFUSED}",
            remedy=f"write what should be there; {VALIDATED_BY}",
        )
    public = each.queue.get("Networking", "AssignPublicIp")
    several = next((one for one in each.types if (has := efa_of(one.string)) is not None and has.interfaces > 1), None)
    if public.value is True and several is not None:
        yield fail(
            public,
            f"{each.title} has several network cards, and its queue asks for a public address",
            is_="AssignPublicIp: true",
            should="AssignPublicIp: false, in a subnet with a NAT gateway",
            related=[Related(several.place, f"its nodes are {several.string}")],
            cause=f"AWS gives none to a machine of several interfaces: {_REFUSED}",
            remedy=f"write what should be there; {VALIDATED_BY}",
        )


def _works_together(each: ComputeResource) -> Iterator[Draft]:
    """GPUs that talk through NVSwitches are bought to work together, where there are several nodes of them."""
    switched = [one for one in each.types if (has := gpus_of(one.string)) is not None and has.nvswitch and has.efa]
    if not switched or (each.count("MaxCount") or 0) < 2 or each.is_in_several_zones:
        return
    said = each.tree.get("Efa")
    if said.is_unknown or said.get("Enabled").is_unknown:
        return
    yield fail(
        said.heading if not said.says_nothing else switched[0].place,
        f"{each.title} has nodes of {switched[0].string} without EFA",
        is_="Efa: {Enabled: false}" if not said.says_nothing else "no Efa",
        should="Efa: {Enabled: true}, and a PlacementGroup in the Networking of its queue",
        cause=f"without EFA {SLOW}",
        remedy=f"write what should be there; {VALIDATED_BY}",
        severity=Severity.WARNING,
    )

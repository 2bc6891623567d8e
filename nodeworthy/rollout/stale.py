"""Which machines of a group are not what it would start now, and whether there is room for one more: as audit says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from nodeworthy.collect.cloud import calls
from nodeworthy.collect.cloud.answers import Page, RegionAnswers, Source
from nodeworthy.collect.cloud.calls import Call
from nodeworthy.collect.cloud.region import Region, version_of
from nodeworthy.collect.cloud.scenes import Wanted, look
from nodeworthy.documents.plain import at, mapping_at, mappings_at, text_at
from nodeworthy.engine import Judgement, judge
from nodeworthy.errors import CouldNotLook, InputError
from nodeworthy.facts.aws.node_drainer import hooks
from nodeworthy.facts.aws.node_group import NodeGroup
from nodeworthy.facts.aws.room import NodeReservation, QuotaRoom, SubnetRoom
from nodeworthy.facts.aws.running import RunningNodes
from nodeworthy.records import dataclass
from nodeworthy.rules import rule
from nodeworthy.verdict import Known, Verdict

_RULES = ("nodes-current", "quota-suffices", "addresses-left", "capacity-lasts", "rollout-drains")
Data = Mapping[str, Any]


@dataclass(frozen=True)
class AuditedGroup:
    """A group as an audit sees it."""

    data: Data
    running: RunningNodes
    # By machine, in what it is old.
    stale: Mapping[str, str]
    # Why it is not known which are.
    unknown: str = ""
    # Why there is no room for one node more, or why that is not known; empty where there is.
    no_room: str = ""
    # Whether its capacity is reserved: what it gives up stays its own.
    is_reserved: bool = False
    warnings: Sequence[str] = field(default_factory=tuple)
    # Why an instance refresh would not drain its nodes, or why that is not known; empty where it would.
    no_drain: str = ""

    @property
    def name(self) -> str:
        return text_at(self.data, "AutoScalingGroupName")


class Versioned:
    """AWS as it would be if a group named another version of its template."""

    def __init__(self, source: Source, group: str, version: str) -> None:
        self._source, self._group, self._version = source, group, version
        self.region, self.account, self.seen_at = source.region, source.account, source.seen_at

    def pages(self, call: Call, arguments: Mapping[str, Any]) -> Sequence[Page]:
        found = self._source.pages(call, arguments)
        return [self._versioned(page) for page in found] if call is calls.SCALING_GROUPS else found

    def _versioned(self, page: Page) -> Page:
        key = calls.SCALING_GROUPS.key
        return {**page, key: [self._one(each) for each in mappings_at(page, key)]}

    def _one(self, data: Data) -> Data:
        if text_at(data, "AutoScalingGroupName") != self._group or not at(data, "LaunchTemplate"):
            return data
        return {**data, "LaunchTemplate": {**mapping_at(data, "LaunchTemplate"), "Version": self._version}}


def find_group(source: Source, wanted: Wanted, group: str | None) -> AuditedGroup:
    """Raises InputError where there is none, or more than one; CouldNotLook where AWS does not say."""
    region = Region(RegionAnswers(source))
    looked = look(region, wanted)
    if region.scaling_groups.refused:
        raise CouldNotLook(region.scaling_groups.refused)
    every = [each for scene in looked.scenes for each in scene.facts if isinstance(each, RunningNodes)]
    running = _chosen(every, wanted.pool, group)
    judgements = judge(looked.scenes, [rule(each) for each in _RULES], rule("rule-crashed"))
    data = next(each for each in region.groups if text_at(each, "AutoScalingGroupARN") == running.place.urn)
    stale, unknown = _stale(running, judgements)
    no_room, reserved = _no_room(running.nodes, judgements), _is_reserved(running.nodes, judgements)
    no_drain = _no_drain(running.nodes, judgements)
    return AuditedGroup(data, running, stale, unknown, no_room, reserved, _ends(judgements, running), no_drain)


def _chosen(every: Sequence[RunningNodes], pool: str | None, group: str | None) -> RunningNodes:
    named = [each for each in every if group in (None, _name(each))]
    if len(named) == 1:
        return named[0]
    what = f"--asg {group}" if group else f"--pool {pool}"
    if not named:
        there = ", ".join(sorted(map(_name, every))) or "none"
        raise InputError(f"{what}: no group of nodes is of that name; there is {there}")
    raise InputError(f"{what} has several groups, and one is rolled at a time: --asg {' or '.join(map(_name, named))}")


def _name(running: RunningNodes) -> str:
    return str(running.place.urn).rpartition("autoScalingGroupName/")[2]


def _stale(running: RunningNodes, judgements: Sequence[Judgement]) -> tuple[Mapping[str, str], str]:
    found = [one for each in judgements if each.rule.id == "nodes-current" for one in _findings_about(each, running)]
    unknown = [each.message for each in found if each.verdict in (Verdict.UNKNOWN, Verdict.ERROR)]
    stale = {one: each.is_ or each.message for each in found if each.verdict is Verdict.FAIL for one in each.victims}
    return stale, "; ".join(unknown)


def _findings_about(judgement: Judgement, running: RunningNodes) -> Sequence[Any]:
    return judgement.findings if judgement.subject.place.urn == running.place.urn else ()


def _no_room(nodes: NodeGroup, judgements: Sequence[Judgement]) -> str:
    """Why there is no room for one node more, by the rules on quota and addresses."""
    told, judged = [], set()
    for each in judgements:
        subject = each.subject
        if isinstance(subject, QuotaRoom | SubnetRoom) and _is_about(subject, nodes):
            judged.add(each.rule.id)
            told += [f"{one.rule}: {one.message}" for one in each.findings if each.verdict is not Verdict.PASS]
    missing = [each for each in ("quota-suffices", "addresses-left") if each not in judged]
    told += [f"{each} had nothing to judge here" for each in missing]
    return "; ".join(dict.fromkeys(told))


def _no_drain(nodes: NodeGroup, judgements: Sequence[Judgement]) -> str:
    """Why nothing waits while a node drains. A hook that nothing in AWS answers is no fault: the rollout empties a node
    before it ends it."""
    if not hooks(nodes):
        return "auto scaling waits at no hook (autoscaling:EC2_INSTANCE_TERMINATING) before it ends a machine of it"
    of_it = (each for each in judgements if each.rule.id == "rollout-drains" and each.subject is nodes)
    return "; ".join(one.message for each in of_it for one in each.findings if one.verdict is Verdict.FAIL)


def _is_about(room: QuotaRoom | SubnetRoom, nodes: NodeGroup) -> bool:
    return nodes in room.nodes if isinstance(room, QuotaRoom) else room.nodes is nodes


def _is_reserved(nodes: NodeGroup, judgements: Sequence[Judgement]) -> bool:
    return any(
        isinstance(each.subject, NodeReservation) and each.subject.only_here > 0 and nodes in each.subject.nodes
        for each in judgements
    )


def _ends(judgements: Sequence[Judgement], running: RunningNodes) -> Sequence[str]:
    """What ends soon of its capacity."""
    about = (
        each for each in judgements if isinstance(each.subject, NodeReservation) and running.nodes in each.subject.nodes
    )
    return tuple(one.message for each in about for one in each.findings if one.verdict is Verdict.FAIL)


def former_version(found: AuditedGroup) -> str:
    """The number that most of the stale ones were started from; empty where they do not say."""
    machines = found.running.machines.state
    there = machines.value if isinstance(machines, Known) else ()
    versions = [each.version for each in there if each.id in found.stale and each.version.isdecimal()]
    return max(sorted(set(versions), key=int, reverse=True), key=versions.count, default="")


def with_version(data: Data, source: Source, version: str | None) -> Source:
    """Raises InputError where a group has no version that could be set."""
    if version is None:
        return source
    if version_of(data) is None or not at(data, "LaunchTemplate"):
        name = text_at(data, "AutoScalingGroupName")
        raise InputError(f"{name} names no one version of a launch template, which --to would set")
    return Versioned(source, text_at(data, "AutoScalingGroupName"), version)

"""Why a kind of fact is not there, in a cluster: one answer for all of them."""

from __future__ import annotations

import pytest

from nodeworthy.collect.cluster.kinds import NODES, PODS, PROMETHEUSES, RUNTIME_CLASSES, ObjectKind
from nodeworthy.collect.cluster.not_seen import NotSeen
from nodeworthy.collect.cluster.seen import ClusterObjects
from nodeworthy.facts.cluster.classes import RuntimeClass
from nodeworthy.facts.cluster.pending_causes import Waiting
from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.facts.services.monitoring_stack import MonitoringStack
from nodeworthy.verdict import Verdict
from tests.cluster.objects import node

ALL = {"nodes", "pods", "prometheuses", "runtimeclasses"}


def test_all_of_it_was_seen() -> None:
    missing = NotSeen(ClusterObjects(kinds=ALL)).missing(MonitoringStack, "there is none", PROMETHEUSES)
    assert (missing.verdict, missing.why) == (Verdict.SKIP, "there is none")


@pytest.mark.parametrize(
    ("fact", "asked", "verdict"),
    [
        (MonitoringStack, (), Verdict.SKIP),
        (MonitoringStack, (MonitoringStack,), Verdict.UNKNOWN),
        (MonitoringStack, (RuntimeClass,), Verdict.SKIP),
    ],
)
def test_a_kind_that_nobody_wrote_down_is_missed_where_its_rule_was_named(
    fact: type, asked: tuple[type, ...], verdict: Verdict
) -> None:
    missing = NotSeen(ClusterObjects(kinds=ALL - {"prometheuses"}), asked).missing(fact, "there is none", PROMETHEUSES)
    assert missing.verdict is verdict
    assert "no prometheuses.monitoring.coreos.com are in what was read" in missing.why


@pytest.mark.parametrize(("blind", "verdict"), [(False, Verdict.SKIP), (True, Verdict.UNKNOWN)])
def test_a_core_kind_that_nobody_wrote_down_is_told_by_one_rule_and_by_those_that_are_blind(
    blind: bool, verdict: Verdict
) -> None:
    not_seen = NotSeen(ClusterObjects(kinds=ALL - {"nodes"}))
    assert not_seen.missing(GpuPool, "there is none", NODES, blind=blind).verdict is verdict
    assert next(each.place.subject for each in not_seen.not_looked_at()) == "nodes"


def test_no_other_kind_is_missed_by_the_blind() -> None:
    not_seen = NotSeen(ClusterObjects(kinds=ALL - {"prometheuses"}))
    assert not_seen.missing(MonitoringStack, "there is none", PROMETHEUSES, blind=True).verdict is Verdict.SKIP


@pytest.mark.parametrize(
    ("namespace", "kind", "verdict"),
    [
        (None, RUNTIME_CLASSES, Verdict.UNKNOWN),
        ("training", RUNTIME_CLASSES, Verdict.SKIP),
        ("training", PODS, Verdict.UNKNOWN),
    ],
)
def test_who_looks_into_one_namespace_is_rightly_refused_what_belongs_to_none(
    namespace: str | None, kind: ObjectKind, verdict: Verdict
) -> None:
    seen = ClusterObjects(namespace=namespace, kinds=ALL - {kind.plural}, refused={kind.plural: "forbidden"})
    missing = NotSeen(seen, (RuntimeClass,)).missing(RuntimeClass, "there is none", kind)
    assert (missing.verdict, missing.place.subject) == (verdict, kind.plural)
    assert "forbidden" in missing.why


def test_a_kind_that_was_cut_off_is_unknown() -> None:
    seen = ClusterObjects(kinds=ALL, cut={"runtimeclasses": "its file ends within an object"})
    missing = NotSeen(seen).missing(RuntimeClass, "there is none", RUNTIME_CLASSES)
    assert (missing.verdict, missing.why) == (Verdict.UNKNOWN, "its file ends within an object")


def test_what_was_looked_for_in_vain_goes_before_what_nobody_wrote_down() -> None:
    seen = ClusterObjects(kinds=ALL - {"pods", "nodes"}, refused={"nodes": "forbidden"})
    assert NotSeen(seen).missing(Waiting, "there is none", PODS, NODES).verdict is Verdict.UNKNOWN


def test_nodes_that_only_pods_name_were_not_seen() -> None:
    seen = ClusterObjects(kinds=ALL)
    seen.add(PODS, {"metadata": {"name": "a", "namespace": "b"}, "spec": {"nodeName": "gpu-1"}})
    missing = NotSeen(seen).missing(GpuPool, "there is none", NODES, blind=True)
    assert (missing.verdict, "none of these nodes" in missing.why) == (Verdict.UNKNOWN, True)
    seen.add(NODES, node())
    assert NotSeen(seen).missing(GpuPool, "there is none", NODES, blind=True).why == "there is none"

"""`--taint`: which marks a node gets by what was seen of it, and where it is left as it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from nodeworthy.repair.change import Target
from nodeworthy.repair.server import PatchAnswer
from nodeworthy.repair.standing import Fitness, Standing
from nodeworthy.repair.tainting import Host, Looked, Tainting, node_of
from tests.repair.stand_in_server import Object, StandIn

NOW = datetime(2026, 11, 22, 2, 59, tzinfo=UTC)
A = Target("Node", "a")
FRESH = {"key": "nodeworthy/unverified", "effect": "NoSchedule"}
OTHER = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
WRONG = {**FRESH, "value": "containerd-paths"}
BECAUSE = "nodeworthy/unverified-because"
FIT = Standing(Fitness.FIT)
UNFIT = Standing(Fitness.UNFIT, "containerd-paths", "containerd-paths: kubelet uses another containerd")
UNSEEN = Standing(Fitness.UNSEEN, "looked-at", "looked-at: the host was not reached: no route")


def node(name: str, *taints: Object, boot: str = "", labels: Object | None = None, because: str = "") -> Object:
    annotations = {BECAUSE: because} if because else {}
    metadata = {"name": name, "labels": {"team": "ml", **(labels or {})}, "annotations": annotations}
    return {
        "metadata": metadata,
        "spec": {"taints": list(taints)},
        "status": {"nodeInfo": {"bootID": boot}},
    }


class Cluster(StandIn):
    def __init__(self, *nodes: Object) -> None:
        super().__init__({Target("Node", each["metadata"]["name"]): each for each in nodes})
        self.told = ""
        self.asked: list[str] = []

    def nodes(self) -> Sequence[Mapping[str, Any]]:
        return list(self.objects.values())

    def mark(self, *looked: tuple[str | Host, Standing], dry: bool = False, agrees: bool = True) -> bool:
        def agreed(question: str) -> bool:
            self.asked.append(question)
            return agrees

        def say(text: str) -> None:
            self.told += text

        hosts = [Looked(Host(host) if isinstance(host, str) else host, seen) for host, seen in looked]
        return Tainting(self, agreed, say, NOW).mark(hosts, dry=dry)

    def taints(self, target: Target = A) -> list[Object]:
        found: list[Object] = self.objects[target]["spec"]["taints"]
        return found

    def labels(self, target: Target = A) -> Object:
        found: Object = self.objects[target]["metadata"]["labels"]
        return found

    @property
    def because(self) -> str | None:
        found: str | None = self.objects[A]["metadata"]["annotations"].get(BECAUSE)
        return found


def test_who_passes_is_labelled_and_untainted_and_nothing_else_changes() -> None:
    cluster = Cluster(node("a", OTHER, WRONG, because="it was wrong"))
    assert cluster.mark(("node://a", FIT))
    assert cluster.taints() == [OTHER]
    assert cluster.labels() == {"team": "ml", "nodeworthy/verified": "20261122T025900Z"}
    assert cluster.because is None
    assert "node a (node://a) passes:\n  + label nodeworthy/verified=20261122T025900Z\n" in cluster.told
    assert "  - taint nodeworthy/unverified=containerd-paths:NoSchedule\n" in cluster.told
    assert cluster.told.endswith("changed node a\n")


def test_who_fails_is_tainted_with_the_reason() -> None:
    cluster = Cluster(node("a", OTHER, labels={"nodeworthy/verified": "20261001T000000Z"}))
    assert cluster.mark(("node://a", UNFIT))
    assert cluster.taints() == [OTHER, WRONG]
    assert cluster.labels() == {"team": "ml"}
    assert cluster.because == UNFIT.why


def test_the_taint_of_its_registration_gets_the_reason() -> None:
    cluster = Cluster(node("a", FRESH))
    assert cluster.mark(("node://a", UNFIT))
    assert cluster.taints() == [WRONG]
    assert "+ taint nodeworthy/unverified=containerd-paths:NoSchedule (was without a value)" in cluster.told


def test_who_was_not_seen_gets_the_taint() -> None:
    cluster = Cluster(node("a", labels={"nodeworthy/verified": "20261001T000000Z"}))
    assert cluster.mark(("node://a", UNSEEN))
    assert cluster.taints() == [{**FRESH, "value": "looked-at"}]
    assert cluster.labels() == {"team": "ml"}
    assert cluster.because == UNSEEN.why


def test_who_was_not_seen_keeps_the_taint_with_what_is_known() -> None:
    cluster = Cluster(node("a", WRONG, because="it was wrong"))
    assert cluster.mark(("node://a", UNSEEN))
    assert (cluster.taints(), cluster.because, cluster.asked) == ([WRONG], "it was wrong", [])
    assert cluster.told == "node a is not known to be fit, and is marked so already\n"


def test_the_taint_of_its_registration_stays_and_is_explained() -> None:
    cluster = Cluster(node("a", FRESH))
    assert cluster.mark(("node://a", UNSEEN))
    assert (cluster.taints(), cluster.because) == ([FRESH], UNSEEN.why)


def test_two_hosts_that_are_one_node_count_as_the_worse() -> None:
    cluster = Cluster(node("a", FRESH))
    assert cluster.mark(("node://a", FIT), (Host("ssh://10.0.0.1", "a"), UNFIT))
    assert cluster.taints() == [WRONG]


@pytest.mark.parametrize("label", ["nodeworthy/verify", "coreweave.com/hpc-verify"])
def test_who_opted_out_is_left(label: str) -> None:
    cluster = Cluster(node("a", labels={label: "disabled"}))
    assert cluster.mark(("node://a", UNFIT))
    assert cluster.told == f"node a is left as it is: it has the label {label}=disabled\n"
    assert cluster.taints() == []


def test_a_dry_run_changes_nothing_and_asks_nobody() -> None:
    cluster = Cluster(node("a", FRESH))
    before = cluster.object(A)
    assert cluster.mark(("node://a", FIT), dry=True)
    assert "- taint nodeworthy/unverified:NoSchedule" in cluster.told
    assert (cluster.object(A), cluster.asked) == (before, [])


def test_who_says_no() -> None:
    cluster = Cluster(node("a", FRESH))
    assert cluster.mark(("node://a", FIT), agrees=False)
    assert cluster.asked == ["change 1 node of https://stand-in?"]
    assert (cluster.taints(), "nothing was changed" in cluster.told) == ([FRESH], True)


def test_somebody_writes_a_status_meanwhile() -> None:
    cluster = Cluster(node("a", FRESH, OTHER))
    beats = [{"status": {"phase": "new"}}]

    def beat(target: Target) -> None:
        if beats:
            cluster.touch(target, beats.pop())

    cluster.before_patch = beat
    assert cluster.mark(("node://a", FIT))
    assert cluster.taints() == [OTHER]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"spec": {"taints": [WRONG]}}, "spec.taints[nodeworthy/unverified:NoSchedule] is containerd-paths"),
        (
            {"metadata": {"labels": {"nodeworthy/verify": "disabled"}}},
            "[nodeworthy/verify] is disabled, and was absent",
        ),
    ],
)
def test_somebody_was_faster(change: Object, said: str) -> None:
    cluster = Cluster(node("a", FRESH), node("b", FRESH))

    def meanwhile(target: Target) -> None:
        if target == A:
            cluster.before_patch = lambda _: None
            cluster.touch(A, change)

    cluster.before_patch = meanwhile
    assert not cluster.mark(("node://a", FIT), ("node://b", FIT))
    assert said in cluster.told
    assert "nodeworthy/verified" not in cluster.labels()
    assert "nodeworthy/verified" in cluster.labels(Target("Node", "b"))


def test_the_server_refuses() -> None:
    cluster = Cluster(node("a", FRESH))
    refusing = PatchAnswer(403, {"message": "nodes is forbidden"})
    cluster.before_patch = lambda _: refusing
    assert not cluster.mark(("node://a", FIT))
    assert "the server refused to change Node/a: nodes is forbidden" in cluster.told
    assert cluster.taints() == [FRESH]


@pytest.mark.parametrize("name", ["b", "../namespaces/kube-system", "a?x=y"])
def test_no_such_node(name: str) -> None:
    cluster = Cluster(node("a"))
    assert not cluster.mark((f"node://{name}", UNFIT))
    assert f"node://{name}: no node is changed: there is no node '{name}'" in cluster.told


def test_a_machine_of_another_boot_is_another_machine() -> None:
    cluster = Cluster(node("a", FRESH, boot="2"))
    assert not cluster.mark((Host("node://a", "a", boot="1"), FIT))
    assert "node a runs another boot (2) than the machine that was looked at (1): look again" in cluster.told
    assert cluster.taints() == [FRESH]


NODES = [
    {
        "metadata": {"name": f"ip-10-0-0-{n}.ec2.internal", "labels": {"kubernetes.io/hostname": "same"}},
        "spec": {"providerID": f"aws:///us-east-2a/i-0{n}"},
        "status": {"addresses": [{"type": "InternalIP", "address": f"10.0.0.{n}"}], "nodeInfo": {"bootID": f"b{n}"}},
    }
    for n in (1, 2)
]


@pytest.mark.parametrize(
    "host",
    [
        Host("ssh://gpu", "ip-10-0-0-1.ec2.internal"),
        Host("ssh://gpu", "ip-10-0-0-1"),
        Host("ssh://gpu", "ip-10-0-0-1", boot="b1"),
        Host("ssh://10.0.0.1:2222"),
        Host("ssm://i-01", "elsewhere"),
        Host("local://ip-10-0-0-1", "ip-10-0-0-1"),
    ],
)
def test_which_node_it_is(host: Host) -> None:
    assert node_of(host, NODES) is NODES[0]


@pytest.mark.parametrize(
    ("host", "why"),
    [
        (Host("ssh://10.0.0.9", "gpu"), "no node has its name, its address or its identifier"),
        (Host("ssh://10", "10"), "no node has its name, its address or its identifier"),
        (Host("ssh://gpu", "same"), "2 nodes fit it (ip-10-0-0-1.ec2.internal, ip-10-0-0-2.ec2.internal)"),
        (Host("ssh://10.0.0.1", "ip-10-0-0-2"), "2 nodes fit it"),
        (Host("ssh://10.0.0.1", "gpu", boot="b7"), "runs another boot (b1)"),
    ],
)
def test_which_node_it_is_can_not_be_told(host: Host, why: str) -> None:
    found = node_of(host, NODES)
    assert isinstance(found, str)
    assert why in found

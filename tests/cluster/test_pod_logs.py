"""Whose logs are asked for: few, of pods that matter, and of the run that failed."""

from __future__ import annotations

from typing import Any

import pytest

from nodeworthy.collect.cluster import live
from nodeworthy.collect.cluster.connection import Connection
from nodeworthy.collect.cluster.kinds import DAEMONSETS, NODES, PODS
from nodeworthy.collect.cluster.seen import ClusterObjects
from tests.cluster.incident import toolkit_pod
from tests.cluster.objects import Object, daemonset, node, pod, running

CTR = "nvidia-container-toolkit-ctr"
FAILED = {"terminated": {"exitCode": 1, "reason": "Error"}}


class Answers(Connection):
    """Without a server: what it says to each path."""

    def __init__(self, status: int = 200, said: bytes = b"level=error msg=boom\n") -> None:
        self.said = status, said
        self.asked: list[str] = []

    def text(self, path: str, query: dict[str, str], most: int) -> tuple[int, bytes]:
        self.asked.append(path)
        return self.said


def crashing(name: str, **status: Any) -> Object:
    share = {"nvidia.com/gpu": "1"}
    container = {"name": "main", "image": "i", "resources": {"limits": share}}
    told = {"name": "main", "ready": False, "restartCount": 3, "lastState": FAILED}
    state = {"waiting": {"reason": "CrashLoopBackOff"}}
    made = {"phase": "Running", "containerStatuses": [{**told, "state": state, **status}]}
    return pod(name, "ml", containers=[container], status=made)


def seen(*pods: Object) -> ClusterObjects:
    found = ClusterObjects()
    found.add(DAEMONSETS, daemonset())
    for each in pods:
        found.add(PODS, each)
    return found


def test_of_pods_that_one_maker_made_a_few_will_do() -> None:
    found = seen(*(toolkit_pod(f"p{number}") for number in range(9)))
    assert [each.pod[-2:] for each in found.wanted_logs()] == ["p0", "p1", "p2", "p3", "p4"]
    assert {(each.container, each.previous) for each in found.wanted_logs()} == {(CTR, False)}


def test_parts_of_the_stack_that_no_daemonset_makes_are_read_too() -> None:
    operator = crashing("gpu-operator-1")
    operator["spec"]["containers"][0] = {"name": "main", "image": "nvcr.io/nvidia/gpu-operator:v25.3.4"}
    assert [each.pod for each in seen(operator).wanted_logs()] == ["gpu-operator-1"]


def test_who_runs_or_has_nothing_to_do_with_it_is_left_alone() -> None:
    other = crashing("web")
    del other["spec"]["containers"][0]["resources"]
    waits = crashing("waits", lastState={}, restartCount=0, state={"waiting": {"reason": "ImagePullBackOff"}})
    assert seen(toolkit_pod("well", status=running(CTR)), other, waits).wanted_logs() == []


def test_of_one_that_was_started_again_it_is_the_run_before() -> None:
    crashed, again = crashing("a"), crashing("b", state={"running": {}})
    again["status"]["initContainerStatuses"] = [{"name": "init", "ready": False, "state": FAILED}]
    found = {(each.pod, each.container): each.previous for each in seen(crashed, again).wanted_logs()}
    assert found == {("a", "main"): False, ("b", "main"): True, ("b", "init"): False}


@pytest.mark.parametrize("name", ["../../etc", "a/b", "A", "", "a?b", ".."])
def test_what_is_no_name_becomes_no_path(name: str) -> None:
    assert seen(crashing(name)).wanted_logs() == []
    made = crashing("a")
    made["status"]["containerStatuses"][0]["name"] = name
    assert seen(made).wanted_logs() == []


def test_no_more_than_so_many_are_read_and_the_others_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "MOST_PODS", 2)
    found, server = seen(*(crashing(name) for name in "abc")), Answers()
    live.read(server, found, 4, None)
    assert sorted(server.asked) == ["/api/v1/namespaces/ml/pods/a/log", "/api/v1/namespaces/ml/pods/b/log"]
    assert found.no_logs == {"Pod/ml/c": "the logs of 2 pods were read, and no more"}


def test_when_the_time_is_over_nobody_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "SECONDS", 0.0)
    found, server = seen(crashing("a")), Answers()
    live.read(server, found, 4, None)
    assert (server.asked, found.no_logs) == ([], {"Pod/ml/a": "it did not come within 0 s"})


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (b'{"kind": "Status", "message": "container is waiting"}', "container is waiting"),
        (b"no route to host\n", "no route to host"),
        (b"", "the server answered 500"),
        (b"[" * 100_000, "[" * 200),
    ],
)
def test_why_there_is_no_log_is_kept(said: bytes, why: str) -> None:
    found = seen(crashing("a"))
    live.read(Answers(500, said), found, 1, None)
    assert found.no_logs == {"Pod/ml/a": why}


def test_what_a_log_says_is_kept_without_its_secrets() -> None:
    found = seen(crashing("a"))
    live.read(Answers(said=b"\xff\x00start\nMY_PASSWORD=hunter2hunter2\n"), found, 1, None)
    assert found.hami.logs["Pod/ml/a"].last_line == "MY_PASSWORD=(secret)"


def ready_plugin(offered: str) -> ClusterObjects:
    container = {"name": "plugin", "image": "nvcr.io/nvidia/k8s-device-plugin:v0.18.0"}
    told = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}], "containerStatuses": []}
    found = seen(pod("plugin-1", daemonset="plugin", containers=[container], status=told))
    dark = node()
    dark["status"]["allocatable"]["nvidia.com/gpu"] = offered
    found.add(NODES, dark)
    return found


def test_a_part_that_is_ready_where_no_gpus_are_offered_is_asked_for_its_log() -> None:
    found, server = ready_plugin("0"), Answers(said=b"I0901 main.go:317] No devices found. Waiting indefinitely.\n")
    live.read(server, found, 1, None)
    assert server.asked == ["/api/v1/namespaces/gpu-operator/pods/plugin-1/log"]
    assert found.words_while_ready["Pod/gpu-operator/plugin-1"].endswith("No devices found. Waiting indefinitely.")


def test_one_whose_node_offers_them_is_not() -> None:
    server = Answers()
    live.read(server, ready_plugin("8"), 1, None)
    assert server.asked == []

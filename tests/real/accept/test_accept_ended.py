"""What is left of a run of `accept` that was ended, that lost its turn, or that lacks a right."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from nodeworthy.collect.in_cluster.job import RUN
from nodeworthy.collect.workload.live import turn
from tests.real.accept.stage import HOME, JOBS, LEFT, MAPS, MERGE, ONE_TEST, PODS, accept, left, states
from tests.real.control_plane import ControlPlane
from tests.real.gpu_kubelets import GpuKubelets, RunsLauncher
from tests.real.kube_client import wait_for
from tests.real.stand_in_kubelet import Object, hangs


def begun(nodes: GpuKubelets, *more: str, sent: int = 0, at: int = 0, when: str = "before") -> subprocess.Popen[str]:
    program = str(Path(__file__).with_name("killed_accept.py"))
    given = ("accept", "--on", "kubernetes", "--image", "registry.example/t:1", "--yes", "--yes-last", *ONE_TEST)
    command = [sys.executable, program, str(sent), str(at), when, *given, *more]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_whose_turn_is_lost_makes_room(
    nodes: GpuKubelets, plane: ControlPlane, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody deletes its Lease, or has it now; what is his then stays."""
    monkeypatch.setattr(turn, "RENEWED_SECONDS", 0.2)
    leases = LEFT[-1]

    def deletes(pod: Object) -> Any:
        for each in plane.client.get(leases)["items"]:
            plane.client.request("DELETE", f"{leases}/{each['metadata']['name']}")
        return hangs(pod)

    def takes(pod: Object) -> Any:
        theirs = {"metadata": {"labels": {RUN: "theirs"}}, "spec": {"holderIdentity": "ada"}}
        for each in plane.client.get(leases)["items"]:
            plane.client.expect("PATCH", f"{leases}/{each['metadata']['name']}", theirs, content_type=MERGE)
        return hangs(pod)

    nodes.add_gpu_node("gpu-1", deletes)
    ran = accept("gpu-1")
    assert states(ran)["gpu-1"][0] == "not run"
    assert "its turn is lost (Lease nodeworthy/nodeworthy-accept-" in states(ran)["gpu-1"][1]
    assert "somebody has deleted it" in states(ran)["gpu-1"][1]
    nodes.nodes["gpu-1"] = takes
    taken = accept("gpu-1")
    assert "it is that of ada now" in states(taken)["gpu-1"][1]
    (lease,) = plane.client.get(leases)["items"]
    plane.client.request("DELETE", f"{leases}/{lease['metadata']['name']}")


def test_two_runs_refuse_each_other(nodes: GpuKubelets) -> None:
    nodes.add_gpu_node("gpu-1", hangs)
    first = begun(nodes, "gpu-1")
    wait_for(lambda: bool(nodes.taken), seconds=120)
    second = accept("gpu-1")
    first.send_signal(signal.SIGINT)
    _, told = first.communicate(timeout=120)
    # The node is in use by then, which alone would keep the second off it: the turn is asked for before.
    assert second.code == 3
    assert "another run of accept is under way on this pool, by " in second.err
    assert f"process {first.pid}, run " in second.err
    assert (first.returncode, "removed what this run had made: 2 objects of nodeworthy/run=" in told) == (130, True)


# At which of its questions to the server it is ended: from what it looks at first to the removal of what it made.
POINTS = [(at, when) for at in (6, 8, 10, 12, 14, 15, 16, 18, 20) for when in ("before", "after")]
SIGNALS = pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM])


def ended_at(nodes: GpuKubelets, points: Sequence[tuple[int, str]], sent: signal.Signals) -> list[str]:
    """Each on a pool of its own, some side by side: this machine has few processors. What they said."""
    told = []
    for first in range(0, len(points), 6):
        running = []
        for number, (at, when) in enumerate(points[first : first + 6], start=first):
            nodes.add_gpu_node(f"gpu-{number}", hangs, labels={"nodeworthy/pool": f"p{number}"})
            running.append(begun(nodes, f"gpu-{number}", "--job-deadline", "40s", sent=sent, at=at, when=when))
        for each in running:
            told.append(each.communicate(timeout=240)[1])
            assert each.returncode == (-sent if sent == signal.SIGKILL else 128 + sent), told[-1]
    return told


def cleared_away(nodes: GpuKubelets, plane: ControlPlane) -> None:
    """By the next run, wherever it looks; and nothing of anybody else's."""
    jobs = plane.client.get(JOBS)["items"]
    assert {each["spec"]["ttlSecondsAfterFinished"] for each in jobs} <= {600}
    for name in nodes.nodes:
        nodes.nodes[name] = RunsLauncher(nodes)
    foreign = {"metadata": {"name": "theirs", "labels": {"app.kubernetes.io/managed-by": "nodeworthy"}}, "data": {}}
    plane.client.create(MAPS, foreign)
    time.sleep(5.1)  # until their turns are over
    try:
        ran = accept("gpu-0")
        assert ran.code == 3, ran.err
        assert ran.err.count(", which a run had left that was killed") >= len(jobs)
        wait_for(lambda: left(plane) == ["theirs"], seconds=60)
    finally:
        plane.client.request("DELETE", f"{MAPS}/theirs")


@SIGNALS
def test_whoever_ends_it_somewhere_leaves_nothing(
    nodes: GpuKubelets, plane: ControlPlane, sent: signal.Signals
) -> None:
    """At some of the points that are all tried at night."""
    ended_at(nodes, random.Random(sent).sample(POINTS[6:], 1), sent)
    if sent == signal.SIGTERM:
        wait_for(lambda: left(plane) == [], seconds=60)
    else:
        assert left(plane) != []
        cleared_away(nodes, plane)


@pytest.mark.night
@SIGNALS
def test_whatever_ends_it_nothing_stays(nodes: GpuKubelets, plane: ControlPlane, sent: signal.Signals) -> None:
    """Whoever is asked to end leaves nothing; what one that was killed leaves holds no GPU beyond its deadline, and
    the next run removes it, by its uid."""
    ended_at(nodes, POINTS, sent)
    if sent == signal.SIGTERM:
        wait_for(lambda: left(plane) == [], seconds=60)
        return
    assert plane.client.get(JOBS)["items"] != []
    wait_for(lambda: plane.client.get(PODS)["items"] == [], seconds=110)
    cleared_away(nodes, plane)


# A group's Service, and a turn that a dead run has left, are of other tests.
RIGHTS = [
    ("clusterroles", "nodes", "list"),
    ("clusterroles", "pods", "list"),
    ("clusterroles", "priorityclasses", "get"),
    *[("roles", kind, verb) for kind in ("jobs", "configmaps") for verb in ("create", "list", "delete")],
    ("roles", "services", "list"),
    ("roles", "pods/log", "get"),
    *[("roles", "leases", verb) for verb in ("get", "list", "create", "delete")],
]


@contextmanager
def without(plane: ControlPlane, kind: str, resource: str, verb: str) -> Iterator[None]:
    rbac = "/apis/rbac.authorization.k8s.io/v1"
    path = f"{rbac}/{kind}" if kind == "clusterroles" else f"{rbac}/namespaces/{HOME}/{kind}"
    rules = plane.client.get(f"{path}/nodeworthy-accept")["rules"]
    less = [
        {**each, "verbs": [one for one in each["verbs"] if one != verb or resource not in each["resources"]]}
        for each in rules
    ]
    patch = {"rules": [each for each in less if each["verbs"]]}
    plane.client.expect("PATCH", f"{path}/nodeworthy-accept", patch, content_type=MERGE)
    try:
        wait_for(lambda: not may(plane, kind, resource, verb), seconds=60)
        yield
    finally:
        plane.client.expect("PATCH", f"{path}/nodeworthy-accept", {"rules": rules}, content_type=MERGE)
        wait_for(lambda: may(plane, kind, resource, verb), seconds=60)


def remove_all(plane: ControlPlane) -> None:
    for path in (JOBS, MAPS, LEFT[-1]):
        for each in plane.client.get(path)["items"]:
            if each["metadata"]["name"] != "kube-root-ca.crt":
                plane.client.request("DELETE", f"{path}/{each['metadata']['name']}?propagationPolicy=Background")
    wait_for(lambda: left(plane) == [], seconds=60)


@pytest.mark.night
def test_each_right_is_needed(nodes: GpuKubelets, plane: ControlPlane) -> None:
    """With all of them it leaves nothing (every test here); without one it says which."""
    nodes.add_gpu_node("gpu-1", RunsLauncher(nodes))
    missed = []
    for kind, resource, verb in RIGHTS:
        with without(plane, kind, resource, verb):
            ran = accept("gpu-1")
        said = f"{ran.err} {ran.out}"
        if f"cannot {verb} resource" not in said and "not to be read" not in said:
            missed.append((resource, verb))
        remove_all(plane)
    assert missed == []


GROUPS = {"jobs": "batch", "leases": "coordination.k8s.io", "priorityclasses": "scheduling.k8s.io"}


def may(plane: ControlPlane, kind: str, resource: str, verb: str) -> bool:
    name, _, sub = resource.partition("/")
    where = {"namespace": HOME} if kind == "roles" else {}
    named = {"name": "nodeworthy-verification"} if resource == "priorityclasses" else {}
    asked = {"group": GROUPS.get(resource, ""), "resource": name, "subresource": sub, "verb": verb, **where, **named}
    user = f"system:serviceaccount:{HOME}:nodeworthy-accept"
    body = {"spec": {"user": user, "resourceAttributes": asked}}
    review = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
    return bool(plane.client.create(review, body)["status"]["allowed"])

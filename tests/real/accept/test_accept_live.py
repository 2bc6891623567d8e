"""`accept --on kubernetes`: what it measures, before whom it goes, and why a test did not run."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from nodeworthy.collect.workload.live.running import Times
from nodeworthy.collect.workload.live.workbench import Workbench
from nodeworthy.commands.accept import live
from tests.accept.stand_in_driver import compile_into
from tests.real.accept.stage import (
    HOME,
    JOBS,
    MERGE,
    ONE_TEST,
    accept,
    comes,
    left,
    other_pod,
    patient,
    remove_theirs,
    states,
)
from tests.real.control_plane import ControlPlane
from tests.real.gpu_kubelets import GPU, GpuKubelets, RunsLauncher, environment_of
from tests.real.kube_client import wait_for
from tests.real.stand_in_kubelet import Object, always, ended, hangs, waits
from tests.run import run


def test_what_a_pod_runs_is_measured_and_nothing_is_left(nodes: GpuKubelets, plane: ControlPlane) -> None:
    """The launcher and its program for real; the scheduler places them, below everybody, and the ledger is even."""
    for name in ("gpu-1", "gpu-2"):
        nodes.add_gpu_node(name, RunsLauncher(nodes))
    ran = accept("gpu-1", "gpu-2", "--record", "kept", "--show-passed")
    assert ran.code == 3, ran.err  # of this storage nobody said how fast it must be
    measures = [one for each in ran.report["runs"] if each["test"] == "disk-and-network" for one in each["measures"]]
    assert {(each["node"], each["name"]) for each in measures} == {
        (node, name) for node in ("gpu-1", "gpu-2") for name in ("write_gbps", "read_gbps")
    }
    passed = [each["where"]["host"] for each in ran.findings if each["rule"] == "verification-yields"]
    assert sorted(passed) == ["gpu-1", "gpu-2"]
    assert {each["spec"]["priority"] for each in nodes.taken.values()} == {-1000}
    assert left(plane) == []
    again = run("accept", "--from", "kept", *ONE_TEST[2:], "--format", "json")
    assert (again.code, states(again)) == (ran.code, states(ran))
    assert ran.err.count(": begins\n") == ran.err.count(": ran\n") == 2


def test_whoever_comes_goes_first(nodes: GpuKubelets, plane: ControlPlane) -> None:
    nodes.add_gpu_node("gpu-1", comes(plane, other_pod("theirs", "gpu-1", 8)))
    ran = accept("gpu-1")
    try:
        assert ran.code == 3
        state, why = states(ran)["gpu-1"]
        assert (state, why.startswith("it made room (PodFailurePolicy: ")) == ("not run", True), why
        assert len([each for each in nodes.taken if each.startswith("nodeworthy-")]) == 1  # and is not begun again
        theirs = plane.client.get("/api/v1/namespaces/default/pods/theirs")
        assert theirs["spec"]["nodeName"] == "gpu-1"
    finally:
        remove_theirs(plane)


def test_where_others_work_nothing_is_begun(nodes: GpuKubelets, plane: ControlPlane) -> None:
    nodes.add_gpu_node("gpu-1")
    plane.client.create("/api/v1/namespaces/default/pods", other_pod("theirs", "gpu-1", 1))
    pod = "/api/v1/namespaces/default/pods/theirs"
    wait_for(lambda: plane.client.get(pod)["spec"].get("nodeName") == "gpu-1", seconds=120)
    ran = accept("gpu-1")
    remove_theirs(plane)
    assert states(ran)["gpu-1"] == ("not run", "its GPUs are in use: default/theirs holds 1")
    assert [each for each in nodes.taken if each.startswith("nodeworthy-")] == []


def test_the_last_free_node_is_left_to_others(nodes: GpuKubelets) -> None:
    nodes.add_gpu_node("gpu-1")
    given = ("--on", "kubernetes", "--image", "registry.example/t:1", "--yes", *ONE_TEST, "--format", "json")
    ran = run("accept", "gpu-1", *given)
    assert "it is the last free node of its pool (p5.48xlarge-NVIDIA-H100-80GB-HBM3)" in states(ran)["gpu-1"][1]
    assert nodes.taken == {}


def test_kubernetes_ends_it_at_its_deadline(nodes: GpuKubelets) -> None:
    nodes.add_gpu_node("gpu-1", hangs)
    began = time.monotonic()
    ran = accept("gpu-1", "--job-deadline", "30s")
    assert states(ran)["gpu-1"] == ("not run", "Kubernetes ended it at its deadline; before: it runs")
    assert time.monotonic() - began >= 29


def test_whoever_opts_out_meanwhile_is_left(nodes: GpuKubelets) -> None:
    def opts_out(pod: Object) -> Any:
        nodes.change("gpu-1", {"metadata": {"labels": {"nodeworthy/verify": "disabled"}}})
        return hangs(pod)

    nodes.add_gpu_node("gpu-1", opts_out)
    ran = accept("gpu-1")
    state, why = states(ran)["gpu-1"]
    assert (state, "has opted out meanwhile, by its label nodeworthy/verify=disabled" in why) == ("not run", True)


def test_at_the_end_of_the_window_it_leaves(nodes: GpuKubelets, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is begun that would end behind it; what runs then is ended."""
    evening = datetime(2026, 11, 27, 21, 0, tzinfo=UTC)
    later: list[float] = []
    monkeypatch.setattr(live, "LOCAL_TIME", lambda: evening + timedelta(hours=len(later)))
    nodes.add_gpu_node("gpu-1", hangs)
    tight = accept("gpu-1", "--window", "20:00-21:01")
    assert "and the window 20:00-21:01 has not as much" in states(tight)["gpu-1"][1]
    assert nodes.taken == {}

    def passes(pod: Object) -> Any:
        later.append(1)
        return hangs(pod)

    nodes.nodes["gpu-1"] = passes
    ran = accept("gpu-1", "--window", "20:00-22:00")
    assert "the window 20:00-22:00 has ended" in states(ran)["gpu-1"][1]


def test_a_node_that_was_booted_again_or_dies(nodes: GpuKubelets) -> None:
    def boots(pod: Object) -> Any:
        nodes.offer(pod["spec"]["nodeName"], 8, boot="boot-2")
        return hangs(pod)

    nodes.add_gpu_node("gpu-1", boots)
    ran = accept("gpu-1")
    assert "gpu-1 was booted again, or is another machine" in states(ran)["gpu-1"][1]

    def dies(pod: Object) -> Any:
        nodes.silent.add("gpu-1")
        nodes.client.patch_status(f"/api/v1/nodes/{pod['spec']['nodeName']}", nodes._status("Unknown"))
        return hangs(pod)

    nodes.nodes["gpu-1"] = dies
    gone = accept("gpu-1")
    assert gone.code == 3
    assert states(gone)["gpu-1"][0] == "error"
    assert "its kubelet does not answer since" in states(gone)["gpu-1"][1]


BAD = {
    "pull": (waits("ImagePullBackOff", 'Back-off pulling image "x"'), "error", "ImagePullBackOff: Back-off pulling"),
    "empty": (ended(127, b"", "StartError"), "error", "the image needs python3 on its PATH"),
    "killed": (ended(137, b"", "OOMKilled"), "error", "it ended with 137 (OOMKilled)"),
    "silent": (ended(0, b"hello\n"), "error", "the mark of its beginning is missing"),
    "forged": (ended(0, b"==== nodeworthy 0000000000000000 begins ====\n"), "error", "the mark of its beginning"),
    "floods": (ended(0, b"x" * (17 << 20)), "error", "prints more than 16 MiB"),
}


def test_why_a_test_did_not_run(nodes: GpuKubelets, monkeypatch: pytest.MonkeyPatch) -> None:
    patient(monkeypatch, starting=0.0)
    for name, (went, _, _) in BAD.items():
        nodes.add_gpu_node(name, always(went))
    ran = accept(*BAD, "--max-nodes", "6")
    assert ran.code == 3
    found = states(ran)
    assert {
        name: found[name]
        for name, (_, state, says) in BAD.items()
        if (found[name][0], says in found[name][1]) != (state, True)
    } == {}


def test_a_quota_and_a_node_without_room_are_told(
    nodes: GpuKubelets, plane: ControlPlane, monkeypatch: pytest.MonkeyPatch
) -> None:
    patient(monkeypatch, scheduling=2.0)
    nodes.add_gpu_node("gpu-1")
    nodes.offer("gpu-1", 8, cpu="500m")
    ran = accept("gpu-1")
    assert "Insufficient cpu" in states(ran)["gpu-1"][1]
    quota = f"/api/v1/namespaces/{HOME}/resourcequotas"
    plane.client.create(quota, {"metadata": {"name": "gpus"}, "spec": {"hard": {f"requests.{GPU}": "4"}}})
    wait_for(lambda: "hard" in plane.client.get(f"{quota}/gpus").get("status", {}), seconds=120)
    refused = accept("gpu-1")
    plane.client.request("DELETE", f"{quota}/gpus")
    assert "exceeded quota: gpus" in states(refused)["gpu-1"][1]
    assert refused.code == 3


def test_a_pod_that_stays_is_told_on_ourselves(nodes: GpuKubelets, monkeypatch: pytest.MonkeyPatch) -> None:
    """The ledger: its node never lets go. And a node that offers fewer GPUs afterwards."""
    monkeypatch.setattr(live, "GONE_SECONDS", 1.0)
    nodes.add_gpu_node("gpu-1", RunsLauncher(nodes))
    nodes.add_gpu_node("gpu-2", RunsLauncher(nodes))
    nodes.deaf.add("gpu-1")

    def loses(pod: Object) -> Any:
        went = RunsLauncher(nodes)(pod)
        nodes.offer("gpu-2", 7)
        return went

    nodes.nodes["gpu-2"] = loses
    nodes.nodes["gpu-1"] = hangs
    nodes.change("gpu-1", {"metadata": {"labels": {"nodeworthy/verify": None}}})

    ran = accept("gpu-1", "gpu-2", "--job-deadline", "30s", "--max-nodes", "2")
    found = {each["where"]["host"]: each for each in ran.findings if each["rule"] == "verification-yields"}
    assert ran.code == 1
    assert "its pods still hold GPUs of gpu-1" in found["gpu-1"]["message"]
    assert (found["gpu-2"]["is"], found["gpu-2"]["should"]) == ("7", "8")


@pytest.mark.night
def test_nodes_that_offer_no_whole_gpus_are_left_out_and_told(nodes: GpuKubelets) -> None:
    """Time-slicing, HAMi, slices of whatever makes them, MIG's slices that several share, nothing."""
    hami = {"hami.io/node-nvidia-register": "GPU-1,10,81559,100,NVIDIA-H100,0,true:"}
    nodes.add_gpu_node("sliced", gpus=32, labels={"nvidia.com/gpu.replicas": "4"})
    nodes.add_gpu_node("hami", gpus=80)
    nodes.change("hami", {"metadata": {"annotations": hami}})
    nodes.add_gpu_node("more", gpus=80, labels={"nvidia.com/gpu.count": "8"})
    nodes.add_gpu_node("mig", gpus=0)
    nodes.offer("mig", 0, **{"nvidia.com/mig-1g.10gb.shared": "14"})
    nodes.add_gpu_node("dra", gpus=0)
    ran = accept("sliced", "hami", "more", "mig", "dra")
    told = {name: why for name, (_, why) in states(ran).items()}
    assert told == {
        "sliced": "its nvidia.com/gpu are 4 slices of each GPU, which measure nothing",
        "hami": "its nvidia.com/gpu are slices that HAMi makes of each GPU, which measure nothing",
        "more": "its 80 nvidia.com/gpu are slices of 8, which measure nothing",
        "mig": "it offers no nvidia.com/gpu (none, or by DRA only)",
        "dra": "it offers no nvidia.com/gpu (none, or by DRA only)",
    }
    assert (ran.code, nodes.taken) == (3, {})


def suspend(plane: ControlPlane) -> bool:
    """Takes the one Job of the run back, as Kueue does; whether there was one."""
    jobs = [each["metadata"]["name"] for each in plane.client.get(JOBS)["items"]]
    for name in jobs:
        plane.client.expect("PATCH", f"{JOBS}/{name}", {"spec": {"suspend": True}}, content_type=MERGE)
    return bool(jobs)


def test_what_a_queue_takes_back_is_not_let_in_again(nodes: GpuKubelets, plane: ControlPlane) -> None:
    """Kueue would begin it anew as soon as there is room."""

    def taken_back(pod: Object) -> Any:
        suspend(plane)
        return hangs(pod)

    nodes.add_gpu_node("gpu-1", taken_back)
    ran = accept("gpu-1", "--queue", "gpus")
    assert states(ran)["gpu-1"] == ("not run", "its queue has taken it back"), ran.err
    assert [row["not_run"] for row in ran.report["runs"] if row["test"] == "disk-and-network"] == ["preempted"]
    assert left(plane) == []


def test_what_a_queue_does_not_let_in(nodes: GpuKubelets, plane: ControlPlane, monkeypatch: pytest.MonkeyPatch) -> None:
    patient(monkeypatch, queue=1.0)
    nodes.add_gpu_node("gpu-1", hangs)
    make = Workbench.make
    monkeypatch.setattr(Workbench, "make", lambda self, wanted: make(self, _held_back(wanted)))
    ran = accept("gpu-1", "--queue", "gpus")
    assert states(ran)["gpu-1"] == ("not run", "its queue has not let it in"), ran.err
    assert left(plane) == []


def _held_back(wanted: Any) -> Any:
    """As Kueue's webhook does with what bears the name of a queue."""
    is_job = wanted["kind"] == "Job"
    return {**wanted, "spec": {**wanted["spec"], "suspend": True}} if is_job else wanted


def given(nodes: GpuKubelets, libraries: Path, *, apart: bool) -> Callable[[Object], Any]:
    """The program itself in each pod, before a driver that shows as many GPUs as were asked for: others, or the same."""

    def goes(pod: Object) -> Any:
        second = environment_of(pod)["NODEWORTHY_ASKING"].endswith("(second of two jobs)")
        said = {"LD_LIBRARY_PATH": str(libraries), "STUB_NAME": "NVIDIA Stand-In"}
        said |= {"STUB_GPUS": environment_of(pod)["NODEWORTHY_GPUS"], "STUB_NODE": "1" if second and apart else "0"}
        return RunsLauncher(nodes, **said)(pod)

    return goes


def test_a_node_is_asked_for_parts_of_it_and_says_what_came(nodes: GpuKubelets, tmp_path: Path) -> None:
    (tmp_path / "driver").mkdir()
    libraries = compile_into(tmp_path / "driver")
    for number, apart in enumerate((True, False), start=1):
        nodes.add_gpu_node(f"gpu-{number}", given(nodes, libraries, apart=apart))
    full = ("--level", "full", "--test", "allocation", "--max-nodes", "2", "--without-torch")
    ran = accept("gpu-1", "gpu-2", "--record", "kept", "--rule", "allocation-honoured", tests=full)
    told = {each["where"]["host"]: each["message"] for each in ran.findings if each["verdict"] == "fail"}
    assert told == {"gpu-2": "one GPU was given to two jobs at once"}, (ran.out, ran.err)
    rows = {each["nodes"][0]: each for each in ran.report["runs"] if each["test"] == "allocation"}
    assert rows["gpu-1"]["state"] == "pass", rows
    asked = [(each["value"], each["at"]["want"]) for each in rows["gpu-1"]["measures"] if each["name"] == "asked"]
    halves = [(4, f"4 GPUs ({each} of two jobs)") for each in ("first", "second")]
    lost = [each for each in rows["gpu-1"]["measures"] if each["name"] == "lost"]
    won = [(1, "1 GPU (candidate 1)"), (4, "4 GPUs (candidate 2)")]
    won = [each for each in won if each[1] != lost[0]["at"]["want"]]
    assert sorted(asked) == sorted([(1, "1 GPU"), *halves, (8, "8 GPUs"), *won])
    assert len(won) == len(lost) == 1
    assert sum(1 for each in rows["gpu-1"]["measures"] if each["name"] in ("freed_s", "gone_s")) == 6
    again = run("accept", "--from", "kept", "--test", "allocation", "--rule", "allocation-honoured", "--format", "json")
    assert [each["message"] for each in again.findings] == [each["message"] for each in ran.findings]


SMALL, LARGE = "nvidia.com/mig-1g.10gb", "nvidia.com/mig-3g.40gb"


def slices(nodes: GpuKubelets, libraries: Path) -> Callable[[Object], Any]:
    """A driver that shows each pod a slice of the profile that it asks for, but for one of the two at once that are of the
    large one; and the second of two jobs another slice than the first."""

    def goes(pod: Object) -> Any:
        asked = pod["spec"]["containers"][0]["resources"]["limits"]
        (profile,) = (each.removeprefix("nvidia.com/mig-") for each in asked if each.startswith("nvidia.com/"))
        is_second = environment_of(pod).get("NODEWORTHY_ASKING", "").endswith("(second of two jobs)")
        shown = "1g.10gb" if is_second else profile
        name = f"NVIDIA H100 80GB HBM3 MIG {shown}"
        which = 2 * (profile == "3g.40gb") + is_second
        said = {"LD_LIBRARY_PATH": str(libraries), "STUB_NAME": name, "STUB_GPUS": "1", "STUB_NODE": str(which)}
        return RunsLauncher(nodes, **said)(pod)

    return goes


def test_slices_of_mig_are_tried_one_of_each_profile(nodes: GpuKubelets, tmp_path: Path) -> None:
    """By resources that the scheduler counts; a slice of another profile than was asked for is told."""
    (tmp_path / "driver").mkdir()
    nodes.add_gpu_node("gpu-1", slices(nodes, compile_into(tmp_path / "driver")), gpus=0)
    nodes.offer("gpu-1", 0, **{SMALL: "2", LARGE: "2"})
    names = ("gpu-sanity", "gpu-as-asked", "allocation")
    tests = ("--level", "full", *(word for each in names for word in ("--test", each)), "--without-torch")
    ran = accept("gpu-1", "--record", "kept", tests=tests)
    rows = {each["test"]: each for each in ran.report["runs"]}
    assert {each["at"]["want"] for each in rows["allocation"]["measures"]} == {
        f"1 slice {profile}{which}"
        for profile in ("1g.10gb", "3g.40gb")
        for which in ("", " (first of two jobs)", " (second of two jobs)")
    } | {"1 slice 1g.10gb (candidate 1)", "1 slice 3g.40gb (candidate 2)"}
    wrong = [(each["rule"], each["is"], each["should"]) for each in ran.findings if each["verdict"] == "fail"]
    assert wrong == [("allocation-honoured", "NVIDIA H100 80GB HBM3 MIG 1g.10gb", "a slice 3g.40gb")], ran.out
    assert rows["gpu-as-asked"]["state"] == "pass", rows["gpu-as-asked"]
    seen = {each["device"] for each in rows["gpu-sanity"]["measures"] if each["device"]}
    assert all(each.startswith("MIG-") for each in seen)
    races = {True: Counter[str](), False: Counter[str]()}
    for pod in nodes.taken.values():
        limits = pod["spec"]["containers"][0]["resources"]["limits"]
        is_candidate = "(candidate" in environment_of(pod).get("NODEWORTHY_ASKING", "")
        races[is_candidate].update(name for name in limits if name.startswith("nvidia"))
    assert races[False] == {SMALL: 4, LARGE: 4}
    # Whoever lost may have been removed before its kubelet took it.
    (lost,) = [each["at"]["want"] for each in rows["allocation"]["measures"] if each["name"] == "lost"]
    won, other = (LARGE, SMALL) if "1g.10gb" in lost else (SMALL, LARGE)
    assert races[True] in ({won: 1}, {won: 1, other: 1})
    again = run("accept", "--from", "kept", *tests[2:-1], "--format", "json")
    assert [each["message"] for each in again.findings] == [each["message"] for each in ran.findings]


def test_a_node_costs_few_questions_however_many_there_are(nodes: GpuKubelets, monkeypatch: pytest.MonkeyPatch) -> None:
    """What one node costs beside what a run costs anyway: it is looked up, its Job is made,
    what its pod printed is read, and the Job is removed."""
    from nodeworthy.collect.cluster.connection import Connection

    monkeypatch.setattr(live, "TIMES", Times(poll=1.0, opt_out=3600.0))
    asked: list[str] = []
    sent = Connection._sent

    def counted(self: Connection, method: str, path: str, *given: Any, **named: Any) -> Any:
        asked.append(f"{method} {path}")
        return sent(self, method, path, *given, **named)

    monkeypatch.setattr(Connection, "_sent", counted)
    counts = []
    for number in range(12):
        nodes.add_gpu_node(f"gpu-{number}", always(ended(0, b"")))
    for some in (2, 12):
        asked.clear()
        accept(*(f"gpu-{number}" for number in range(some)), "--max-nodes", "12")
        polled = sum(1 for each in asked if each.startswith("GET ") and each.endswith(("/jobs", "/pods")))
        counts.append(len(asked) - polled)
    assert (counts[1] - counts[0]) / 10 <= 4, counts

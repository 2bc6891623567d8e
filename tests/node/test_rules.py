"""What the rules say of a node, beyond what the cases show."""

from __future__ import annotations

from pathlib import Path

from nodeworthy.collect.node.asked import AskedHost
from nodeworthy.collect.node.collector import scene
from nodeworthy.collect.node.pools import Declared
from nodeworthy.collect.node.recording import Recording, load
from nodeworthy.engine import Judgement, judge
from nodeworthy.fleet.read import read_fleet_file
from nodeworthy.known.containerd import containerd_of
from nodeworthy.rules import catalogue, rule
from nodeworthy.verdict import Verdict
from tests.case_files import whole

from .recordings import EMPTY, MENDED, but, incident, named, part

WELL = whole("kubelet-survives-reboot/good-node-nodeadm-starts-it") / "node.json"
FLEET = whole("containerd-paths/bad-node-fleet-without-base-dir") / "Pulumi.onprem.yaml"


def judged(recording: Recording, declared: Declared | None = None) -> dict[str, Judgement]:
    judgements = judge(
        [scene(AskedHost(recording.host, recording), declared or Declared(None))], catalogue(), rule("rule-crashed")
    )
    return {each.rule.id: each for each in judgements}


def verdicts(recording: Recording, declared: Declared | None = None) -> dict[str, Verdict]:
    """Of the rules about containerd: the others' own tests are elsewhere."""
    about = ("containerd-paths", "toolkit-reaches-containerd")
    return {name: each.verdict for name, each in judged(recording, declared).items() if name in about}


def dump_of(recording: Recording, unit: str) -> str:
    pid = next(each.name.split()[1] for each in named(recording, "cgroup") if f"/{unit}" in each.stdout)
    return f"dump {pid}"


def test_the_fleets_fault_and_the_nodes_are_both_named() -> None:
    fleet = read_fleet_file(FLEET, "Pulumi.onprem.yaml")
    found = judged(incident(), Declared(fleet))["containerd-paths"].findings
    assert [each.verdict for each in found] == [Verdict.FAIL, Verdict.FAIL]
    assert {each.message for each in found} == {
        "the runtime nvidia is in a containerd that kubelet does not use",
        "kubelet does not talk to the containerd that the fleet says it does",
    }


def test_an_unused_containerd_that_could_not_be_read_decides_nothing_where_kubelets_has_the_runtime() -> None:
    recording = load(MENDED)
    unread = part(dump_of(recording, "containerd.service"), code=1, stderr="permission denied")
    assert verdicts(but(recording, unread)) == {
        "containerd-paths": Verdict.PASS,
        "toolkit-reaches-containerd": Verdict.PASS,
    }


def test_an_unused_containerd_that_could_not_be_read_may_hold_the_runtime() -> None:
    recording = load(EMPTY)
    unread = part(dump_of(recording, "containerd.service"), code=1, stderr="permission denied")
    assert verdicts(but(recording, unread)) == {
        "containerd-paths": Verdict.UNKNOWN,
        "toolkit-reaches-containerd": Verdict.FAIL,
    }


def test_a_pool_whose_runtime_has_no_known_socket_is_not_compared(tmp_path: Path) -> None:
    path = tmp_path / "Pulumi.rocket.yaml"
    path.write_text(
        "config:\n  nodeworthy:fleet:\n    cluster: {name: rocket}\n    pools:\n"
        "      rocket: {gpu: h200, gpusPerNode: 8, distribution: bottlerocket}\n"
    )
    declared = Declared(read_fleet_file(path, path.name), "rocket")
    assert verdicts(load(MENDED), declared)["containerd-paths"] is Verdict.PASS, "by what the node itself shows"


def test_without_a_pool_that_fits_it_is_unknown_with_the_reason(tmp_path: Path) -> None:
    path = tmp_path / "Pulumi.other.yaml"
    path.write_text(
        "config:\n  nodeworthy:fleet:\n    cluster: {name: other}\n    pools:\n"
        "      cloud: {gpu: h100, instanceType: p5.48xlarge}\n"
    )
    found = judged(load(MENDED), Declared(read_fleet_file(path, path.name)))["containerd-paths"]
    assert found.verdict is Verdict.UNKNOWN
    assert "fits no pool of the fleet" in found.findings[0].message


def test_the_remedy_names_the_file_that_may_be_written() -> None:
    """MicroK8s starts its containerd with a file that it generates from the one to write."""
    microk8s = containerd_of("microk8s")
    recording = incident()
    snaps = next(each for each in named(recording, "process") if "k8s-containerd" in each.stdout)
    pid = snaps.name.split()[1]
    snap = containerd_of("k8s-snap", "/var/lib/k8s-containerd/k8s-containerd")
    old, new = snap.socket or "", microk8s.socket or ""
    moved = [part(each.name, each.stdout.replace(old, new), code=each.code) for each in recording.parts]
    unit = part(f"cgroup {pid}", "0::/system.slice/snap.microk8s.daemon-containerd.service")
    found = judged(but(recording, *moved, unit))["containerd-paths"].findings[0]
    assert (
        found.remedy
        == f"set CONTAINERD_CONFIG={microk8s.config} and CONTAINERD_SOCKET={microk8s.socket} in toolkit.env"
    )


def test_that_no_pool_fits_is_told_once(tmp_path: Path) -> None:
    path = tmp_path / "Pulumi.other.yaml"
    path.write_text(
        "config:\n  nodeworthy:fleet:\n    cluster: {name: other}\n    pools:\n"
        "      cloud: {gpu: a100, instanceType: p4d.24xlarge}\n"
    )
    found = judged(load(WELL), Declared(read_fleet_file(path, path.name)))
    unknowns = [name for name, each in found.items() for said in each.findings if "which pool" in said.message]
    assert len(unknowns) == 1
    told = [each.why or "" for each in found.values() if each.verdict is Verdict.SKIP]
    assert [each for each in told if each.startswith(f"{unknowns[0]} says why: which pool")]


def test_who_can_not_list_modules_sees_that_the_driver_is_not_there() -> None:
    hidden = [
        part("modules", code=1, stderr="grep: /proc/modules: Permission denied"),
        part("params", code=1, stderr="cat: /proc/driver/nvidia/params: No such file or directory"),
        part("driver", code=1, stderr="cat: /proc/driver/nvidia/version: No such file or directory"),
        part("driven", code=1),
    ]
    [found] = judged(but(load(WELL), *hidden))["gpu-count-complete"].findings
    assert found.cause == "the nvidia module is not loaded"

"""Many events, many pods, many nodes: as many findings as there are causes."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from nodeworthy.facts.operator.toolkit_on_nodes import SHOWN
from tests.cluster import incident
from tests.cluster.objects import Object, creating, daemonset, device_plugin, event, node, pod, running
from tests.run import Ran, run_json


def cluster(nodes: int, pods: int) -> dict[str, list[Object]]:
    names = [f"gpu-{index:04}" for index in range(nodes)]
    waiting = [f"train-{index:05}" for index in range(pods)]
    return {
        "nodes": [node(name) for name in names],
        "pods": [
            *(pod(name, "ml", on=names[index % nodes], status=creating("c")) for index, name in enumerate(waiting)),
            *(incident.toolkit_pod(f"{index:05}", on=name) for index, name in enumerate(names)),
        ],
        "events": [event(name, "ml", on=names[index % nodes]) for index, name in enumerate(waiting)],
        "daemonsets": [daemonset(), device_plugin()],
        "clusterpolicies": [],
    }


def diagnose(folder: Path, kinds: dict[str, list[Object]], *, fleet: bool = True) -> Ran:
    incident.write(folder / "dump", kinds, incident.FLEET)
    with_fleet = ("--fleet", "Pulumi.onprem.yaml") if fleet else ()
    return run_json("diagnose", "--from", "dump", *with_fleet, cwd=folder)


def test_a_cluster_that_is_down_is_one_finding(tmp_path: Path) -> None:
    ran = diagnose(tmp_path, cluster(nodes=40, pods=120))
    (found,) = ran.findings
    assert found["rule"] == "containerd-paths"
    assert len(found["victims"]) == 160
    assert f"kubelet said {120 * 279} times" in found["cause"]
    assert "39 more like it" in found["cause"]
    assert len(found["related"]) == 1 + SHOWN + 1


def test_without_a_fleet_it_is_one_finding_too(tmp_path: Path) -> None:
    (found,) = diagnose(tmp_path, cluster(nodes=40, pods=120), fleet=False).findings
    assert found["rule"] == "toolkit-reaches-containerd"
    assert len(found["victims"]) == 160


def test_pools_that_differ_are_told_apart(tmp_path: Path) -> None:
    """The stock paths are right on the one and wrong on the other."""
    kinds = cluster(nodes=2, pods=4)
    kinds["nodes"][0] = node("gpu-0000", {"nodeworthy/pool": "plain"})
    kinds["nodes"][1] = node("gpu-0001", {"nodeworthy/pool": "onprem"})
    plain = "      plain: {gpu: h200, distribution: kubeadm, provision: false}\n"
    incident.write(tmp_path / "dump", kinds, incident.FLEET + plain)
    ran = run_json("diagnose", "--from", "dump", "--fleet", "Pulumi.onprem.yaml", cwd=tmp_path)
    paths, reaches = ran.findings if ran.findings[0]["rule"] == "containerd-paths" else reversed(ran.findings)
    assert paths["victims"] == [
        "Pod/ml/train-00001",
        "Pod/ml/train-00003",
        "Pod/gpu-operator/nvidia-container-toolkit-daemonset-00001",
    ]
    assert paths["message"].startswith("one operator can't serve both")
    assert "CONTAINERD_SOCKET" not in paths["remedy"], "what mends the one would break the other"
    assert reaches["rule"] == "toolkit-reaches-containerd"
    assert "Pod/ml/train-00000" in reaches["victims"]


def test_a_node_that_brings_its_own_toolkit_does_not_count(tmp_path: Path) -> None:
    kinds = {**incident.recovered(), "events": []}
    kinds["nodes"] = [
        *kinds["nodes"],
        node("odd", {"nvidia.com/gpu.deploy.container-toolkit": "false"}, kubeletVersion="v1.34.1+k3s1"),
    ]
    ran = diagnose(tmp_path, kinds)
    assert (ran.code, ran.findings) == (0, [])


def test_failures_of_before_the_toolkit_was_ready_are_over(tmp_path: Path) -> None:
    kinds = incident.recovered()
    assert (diagnose(tmp_path, kinds).code, kinds["events"][0]["count"]) == (0, 279)


@pytest.mark.parametrize(("minutes_after", "verdict"), [(0, "unknown"), (10, "fail")])
def test_failures_that_go_on_although_it_is_ready(tmp_path: Path, minutes_after: int, verdict: str) -> None:
    """Ready comes before the toolkit's work is done; what goes on much later never ends by itself."""
    kinds = incident.recovered()
    textgen = next(each for each in kinds["pods"] if each["metadata"]["name"] == "gpu-textgen")
    textgen["status"] = creating("textgen")
    kinds["events"][0]["lastTimestamp"] = f"2025-09-28T05:{10 + minutes_after}:20Z"
    (found,) = diagnose(tmp_path, kinds).findings
    assert (found["rule"], found["verdict"]) == ("toolkit-reaches-containerd", verdict)
    assert found["victims"] == ["Pod/default/gpu-textgen"]


def test_pods_whose_events_are_gone_are_victims_all_the_same(tmp_path: Path) -> None:
    (found,) = diagnose(tmp_path, {**incident.incident(), "events": []}).findings
    assert "Pod/default/gpu-textgen" in found["victims"]


def test_a_pod_that_runs_again_is_no_victim(tmp_path: Path) -> None:
    kinds = incident.incident()
    kinds["pods"][0]["status"] = running("textgen")
    (found,) = diagnose(tmp_path, kinds).findings
    assert found["victims"] == ["Pod/gpu-operator/nvidia-container-toolkit-daemonset-bhqw6"]


def test_another_runtime_is_none_of_the_toolkits(tmp_path: Path) -> None:
    kinds = incident.recovered()
    kinds["events"] = [event("sandboxed", "default")]
    kinds["events"][0]["message"] = kinds["events"][0]["message"].replace("nvidia", "kata-qemu")
    kinds["pods"].append(pod("sandboxed", "default", status=creating("c")))
    assert diagnose(tmp_path, kinds).code == 0


def test_a_large_dump_is_read_in_linear_time(tmp_path: Path) -> None:
    def seconds(nodes: int) -> float:
        folder = tmp_path / str(nodes)
        incident.write(folder / "dump", cluster(nodes, nodes * 10), incident.FLEET)
        begun = time.process_time()
        assert run_json("diagnose", "--from", "dump", "--fleet", "Pulumi.onprem.yaml", cwd=folder).code == 1
        return time.process_time() - begun

    small, large = seconds(50), seconds(400)
    assert large < 8 * small * 2.5 + 0.2
    assert large < 5

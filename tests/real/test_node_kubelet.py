"""A whole cluster of one node: the real scheduler gives it pods, the real kubelet has containerd pull and run them.

What a managed cluster has besides (a cloud, pods' network, more nodes, GPUs), this one has not.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from nodeworthy.collect.node.recording import load
from tests.accept.stand_in_driver import compile_into
from tests.cluster.incident import FLEET, runtime_class
from tests.cluster.objects import TOOLKIT
from tests.run import Ran, run, run_json

from .control_plane import ControlPlane
from .daemon import PATIENCE
from .gpu_pods import gpu_pod, toolkit
from .kube_client import KubeClient, wait_for
from .kubelet_files import NETWORK, SETTINGS, SOCKET, UNVERIFIED
from .kubelet_node import KubeletNode
from .pod_images import push_busybox, push_nodeworthy
from .registry import Registry
from .stand_in_plugin import RESOURCE, StandInPlugin
from .tools import Tools

NAME = "gpu-real"
HOST = f"node://{NAME}"
HOME = "nodeworthy"
JOBS = f"/apis/batch/v1/namespaces/{HOME}/jobs"
EVENTS = f"/api/v1/namespaces/{HOME}/events"
PODS = "/api/v1/pods"
PODS_HERE = "/api/v1/namespaces/default/pods"
DAEMONSETS = "/apis/apps/v1/namespaces/gpu-operator/daemonsets"
CLASSES = "/apis/node.k8s.io/v1/runtimeclasses"
MERGE = "application/merge-patch+json"
# The machine is no node: what is asked here is something that any machine has.
ASKED = ("--rule", "disk-has-room")


class Cluster(NamedTuple):
    client: KubeClient
    node: KubeletNode
    busybox: str
    image: str

    def events(self, reason: str) -> list[str]:
        return [each["message"] for each in self.client.get(EVENTS)["items"] if each["reason"] == reason]

    def patch(self, change: dict[str, Any]) -> None:
        self.client.expect("PATCH", self.node.path, change, content_type=MERGE)

    def gpus(self) -> tuple[str | None, str | None]:
        """How many there are, and how many are handed out."""
        status = self.node.object["status"]
        return status["capacity"].get(RESOURCE), status["allocatable"].get(RESOURCE)

    def taints(self) -> set[str]:
        return {each["key"] for each in self.node.object["spec"].get("taints", ())}


@pytest.fixture(scope="module")
def cluster(tools: Tools) -> Iterator[Cluster]:
    tools.need_root()
    with ExitStack() as held, ThreadPoolExecutor() as beside:
        registry = held.enter_context(Registry(tools))
        image = beside.submit(push_nodeworthy, tools, registry)
        busybox = push_busybox(tools, registry)
        plane = held.enter_context(ControlPlane(tools, controllers=True))
        node = held.enter_context(KubeletNode(tools, plane, name=NAME, pause=busybox))
        apply(tools, plane, run("node", "--in-cluster", "--print-role", "--taint").out)
        yield Cluster(plane.client, node, busybox, image.result())


def apply(tools: Tools, plane: ControlPlane, manifests: str) -> None:
    kubectl = [str(tools.path("kubectl")), f"--kubeconfig={plane.kubeconfig}", "apply", "-f", "-"]
    told = subprocess.run(kubectl, input=manifests, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert told.returncode == 0, told.stderr


@pytest.fixture(autouse=True)
def _here(cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """And nothing of ours is left behind, in the cluster or on the node."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KUBECONFIG", str(cluster.node.plane.kubeconfig))
    yield
    assert cluster.client.get(JOBS)["items"] == []
    wait_for(lambda: cluster.client.get(PODS)["items"] == [])
    wait_for(lambda: cluster.node.tasks() == [])


@pytest.fixture
def account(cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one that --print-role makes, and with no other right."""
    path = f"/api/v1/namespaces/{HOME}/serviceaccounts/nodeworthy-in-cluster/token"
    token = cluster.client.create(path, {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})
    written = json.loads(cluster.node.plane.kubeconfig_for())
    written["users"][0]["user"] = {"token": token["status"]["token"]}
    (tmp_path / "kubeconfig").write_text(json.dumps(written))
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "kubeconfig"))


def by_a_job(image: str, *arguments: str) -> Ran:
    return run_json("node", HOST, "--in-cluster", "--image", image, "--yes", *arguments)


def read_on_the_node(path: Path) -> None:
    """By its name, its numbers and its files, and not by those of this machine or of the pod."""
    kept = load(path)
    assert (kept.host, kept.unreached, kept.parts[-1].name) == (HOST, None, "done")
    assert kept.by_name["name"].stdout == NAME
    running = {each.name.split()[-1] for each in kept.parts if each.name.startswith("process ")}
    assert running == {"containerd", "kubelet"}
    assert SOCKET in kept.by_name[f"file {SETTINGS}"].stdout


def why(ran: Ran) -> str:
    assert ran.out, ran.err
    (found,) = [each for each in ran.findings if each["rule"] == "looked-at"]
    assert (ran.code, found["verdict"]) == (3, "error")
    return str(found["message"])


# What this machine's log, and a node without systemd, can't be judged by.
LEFT_OUT = ("kernel-log-clean", "clock-right", "kubelet-survives-reboot")


@pytest.mark.usefixtures("account")
def test_a_job_looks_at_its_node(cluster: Cluster) -> None:
    """It has the taint of its registration, until it passes."""
    assert cluster.taints() == {UNVERIFIED}
    skipped = [{"rule": each, "why": "it is about the machine"} for each in LEFT_OUT]
    Path(".nodeworthy.yaml").write_text(json.dumps({"skip-rules": skipped}))
    ran = by_a_job(cluster.image, "--taint", "--record", "kept")
    assert ran.code == 0, ran.out + ran.err
    read_on_the_node(Path("kept/node-gpu-real.json"))
    assert any(f'Successfully pulled image "{cluster.image}"' in each for each in cluster.events("Pulled"))
    assert cluster.taints() == set()
    assert "nodeworthy/verified" in cluster.node.object["metadata"]["labels"]


def test_one_without_a_network_for_pods(cluster: Cluster) -> None:
    """A fresh node is not ready until somebody brings one; it is looked at all the same."""
    network = cluster.node.root / NETWORK.lstrip("/")
    kept = network.read_text()
    network.unlink()
    try:
        wait_for(lambda: "node.kubernetes.io/not-ready" in cluster.taints())
        ran = by_a_job(cluster.image, *ASKED)
    finally:
        network.write_text(kept)
    assert ran.code == 0, ran.out + ran.err
    wait_for(lambda: cluster.taints() == set())


def test_through_a_pod(cluster: Cluster) -> None:
    ran = run_json("node", HOST, "--image", cluster.busybox, *ASKED, "--record", "kept")
    assert ran.code == 0, ran.out + ran.err
    read_on_the_node(Path("kept/node-gpu-real.json"))


@pytest.mark.usefixtures("account")
def test_who_opts_out_gets_no_pod(cluster: Cluster) -> None:
    label = "nodeworthy/verify"
    cluster.patch({"metadata": {"labels": {label: "disabled"}}})
    try:
        ran = run("node", HOST, "--in-cluster", "--image", cluster.image, "--yes", *ASKED)
        assert (ran.code, "no Job is made" in ran.err) == (3, True)
    finally:
        cluster.patch({"metadata": {"labels": {label: None}}})


@pytest.mark.usefixtures("account")
def test_an_image_that_no_kubelet_pulls(cluster: Cluster) -> None:
    """Nobody waits for what will never be."""
    said = why(by_a_job("127.0.0.1:1/Nodeworthy"))
    assert "its pod does not start: InvalidImageName: Failed to apply default image tag" in said


@pytest.fixture(scope="module")
def gpus(cluster: Cluster) -> Iterator[StandInPlugin]:
    """Eight of them, one of which is ill."""
    with StandInPlugin(cluster.node.root, 8) as plugin:
        plugin.fall_ill(7)
        wait_for(lambda: cluster.gpus() == ("8", "7"))
        yield plugin


def test_what_its_device_plugin_says(gpus: StandInPlugin) -> None:
    ran = run_json("diagnose", "--rule", "gpu-count-complete")
    (found,) = ran.findings
    assert (ran.code, found["where"]["object"], found["is"]) == (1, f"Node/{NAME}", "allocatable 7")


@pytest.fixture
def pods(cluster: Cluster, gpus: StandInPlugin) -> Iterator[str]:
    """Where they are made; gone afterwards."""
    yield PODS_HERE
    cluster.client.expect("DELETE", PODS_HERE)


@pytest.fixture
def operator(cluster: Cluster, pods: str) -> Iterator[None]:
    """Its toolkit, its RuntimeClass, and a pod that wants it."""
    client = cluster.client
    client.create("/api/v1/namespaces", {"metadata": {"name": "gpu-operator"}})
    client.create(CLASSES, runtime_class())
    made = client.create(DAEMONSETS, toolkit(cluster.busybox))
    client.create(pods, gpu_pod("gpu-textgen", cluster.busybox, 1, runtimeClassName="nvidia"))
    yield
    client.expect("DELETE", f"{DAEMONSETS}/{made['metadata']['name']}?propagationPolicy=Foreground")
    client.expect("DELETE", f"{CLASSES}/nvidia")


def crashed_again(cluster: Cluster) -> bool:
    pods = cluster.client.get("/api/v1/namespaces/gpu-operator/pods")["items"]
    containers = [each for pod in pods for each in pod["status"].get("containerStatuses", ())]
    return any(each["restartCount"] and "running" not in each["state"] for each in containers)


@pytest.mark.usefixtures("operator")
def test_the_first_incident(cluster: Cluster) -> None:
    """The runtime is missing from the containerd that kubelet uses, for the toolkit looks for another one."""
    told = "/api/v1/events?fieldSelector=reason%3DFailedCreatePodSandBox"
    wait_for(lambda: cluster.client.get(told)["items"] != [])
    wait_for(lambda: crashed_again(cluster))
    Path("Pulumi.onprem.yaml").write_text(FLEET)
    ran = run_json("diagnose", "--fleet", "Pulumi.onprem.yaml", "--skip-rule", "gpu-count-complete")
    (found,) = ran.findings
    assert (found["rule"], found["verdict"]) == ("containerd-paths", "fail")
    assert [each.rpartition("-")[0] for each in found["victims"]] == ["Pod/default/gpu", f"Pod/gpu-operator/{TOOLKIT}"]
    assert 'no runtime for "nvidia" is configured' in found["cause"]
    assert "unable to dial: dial unix" in found["cause"]
    assert SOCKET in found["remedy"]


def refused(cluster: Cluster, name: str) -> str:
    def status() -> dict[str, Any]:
        found: dict[str, Any] = cluster.client.get(f"{PODS_HERE}/{name}")["status"]
        return found

    wait_for(lambda: status().get("reason") == "UnexpectedAdmissionError")
    return str(status()["message"])


def test_a_pod_past_the_scheduler(cluster: Cluster, pods: str) -> None:
    """In the second incident's words."""
    cluster.client.create(pods, gpu_pod("holds", cluster.busybox, 7))
    wait_for(lambda: cluster.client.get(f"{pods}/holds")["status"]["phase"] == "Running")
    cluster.client.create(pods, gpu_pod("pinned", cluster.busybox, 4, nodeName=NAME))
    assert "unavailable for nvidia.com/gpu. Requested: 4, Available: 0" in refused(cluster, "pinned")
    ran = run_json("diagnose", "--rule", "admission-explained")
    (found,) = ran.findings
    assert (found["verdict"], found["victims"]) == ("fail", ["Pod/default/pinned"])
    assert f"pinned by nodeName to node '{NAME}', whose GPUs are held" in found["message"]


def test_a_plugin_that_hands_out_none(cluster: Cluster, pods: str, gpus: StandInPlugin) -> None:
    gpus.refuses = "GPU-3 fell off the bus"
    cluster.client.create(pods, gpu_pod("unlucky", cluster.busybox, 1))
    assert "GPU-3 fell off the bus" in refused(cluster, "unlucky")
    gpus.refuses = None
    ran = run_json("diagnose", "--rule", "admission-explained")
    (found,) = [each for each in ran.findings if each["victims"] == ["Pod/default/unlucky"]]
    assert found["verdict"] == "fail"
    assert f"the device plugin on node '{NAME}' gave out no device" in found["message"]


# Of what there is of a network here, a pod needs to be told an address.
ALONE = """#!/bin/sh
case $CNI_COMMAND in
ADD) echo '{"cniVersion": "1.0.0", "interfaces": [{"name": "'$CNI_IFNAME'", "sandbox": "'$CNI_NETNS'"}],
  "ips": [{"address": "10.88.0.2/32", "interface": 0}]}' ;;
VERSION) echo '{"cniVersion": "1.0.0", "supportedVersions": ["1.0.0"]}' ;;
esac
"""


@pytest.fixture
def network(cluster: Cluster) -> Iterator[None]:
    """For pods that are not in the network of their node."""
    plugins, conf = cluster.node.root / "opt/cni/bin", cluster.node.root / NETWORK.lstrip("/")
    plugins.mkdir(parents=True, exist_ok=True)
    for name in ("alone", "loopback"):
        (plugins / name).write_text(ALONE)
        (plugins / name).chmod(0o755)
    kept = conf.read_text()
    conf.write_text(kept.replace('"type": "loopback"', '"type": "alone"'))
    yield
    conf.write_text(kept)


@pytest.fixture
def driver(cluster: Cluster, gpus: StandInPlugin) -> Iterator[dict[str, str]]:
    """What the device plugin gives every container that asks for GPUs: stand-ins for the driver's libraries, which have
    as many GPUs as were asked for. What a test adds is what is wrong with them."""
    (cluster.node.root / "opt/driver").mkdir(parents=True, exist_ok=True)
    compile_into(cluster.node.root / "opt/driver")
    said = {"LD_LIBRARY_PATH": "/driver", "STUB_NAME": "NVIDIA Stand-In", "NODEWORTHY_COPIED": "65536"}
    gpus.gives = lambda asked: ({**said, "STUB_GPUS": str(len(asked))}, {"/driver": "/opt/driver"})
    yield said
    gpus.gives = lambda _: ({}, {})


@pytest.mark.usefixtures("network")
@pytest.mark.parametrize(
    ("fault", "rules"),
    [
        ("", set()),
        ("floats:1", {"gpu-computes-right"}),
        pytest.param("ecc:1", {"gpu-computes-right"}, marks=pytest.mark.night),
        pytest.param("narrow:1", {"gpu-fast-enough"}, marks=pytest.mark.night),
    ],
)
def test_work_on_what_a_device_plugin_gives(
    cluster: Cluster, tools: Tools, driver: dict[str, str], fault: str, rules: set[str]
) -> None:
    """Through kubelet and containerd, in an image that has Python and no torch."""
    apply(tools, cluster.node.plane, run("accept", "--print-role").out)
    driver["STUB_FAULT"] = fault
    given = ("--on", "kubernetes", NAME, "--image", cluster.image, "--without-torch", "--yes", "--yes-last")
    ran = run_json("accept", *given, "--level", "quick", "--show-passed")
    failed = {each["rule"] for each in ran.findings if each["verdict"] == "fail"}
    # What a busy machine copies is not alike.
    assert failed - {"gpus-alike"} == rules, (ran.out, ran.err)
    (sanity,) = (each for each in ran.report["runs"] if each["test"] == "gpu-sanity")
    assert len({each["device"] for each in sanity["measures"] if each["device"]}) == 7, ran.err
    assert "verification-yields" in {each["rule"] for each in ran.findings if each["verdict"] == "pass"}

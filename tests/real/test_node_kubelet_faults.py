"""Faults put into a cluster whose scheduler, controllers, kubelet and containerd are real: each breaks its own link of
its node's chain, by its own rule and no other, and once it is mended nothing is left of it.

A part of the stack is a busybox under the part's name: what it says before it ends is what the part's own program says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.by_day import some
from tests.cluster.incident import runtime_class
from tests.run import run_json

from .faulty_cluster import DAEMONSETS, LABELS, NAME, NAMESPACE, PODS, PODS_OF_STACK, QUICK, FaultyCluster
from .kube_client import wait_for
from .stand_in_plugin import RESOURCE
from .tools import Tools

TAINT = {"key": "team", "value": "research", "effect": "NoSchedule"}
GPU_TAINT = {"key": RESOURCE, "value": "true", "effect": "NoSchedule"}


@pytest.fixture(scope="module")
def cluster(tools: Tools) -> Iterator[FaultyCluster]:
    tools.need_root()
    with FaultyCluster(tools) as cluster:
        yield cluster


@pytest.fixture(autouse=True)
def _here(cluster: FaultyCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KUBECONFIG", str(cluster.plane.kubeconfig))
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)


class Fault(NamedTuple):
    """What is put out of order, and the rule and the link that are red for it."""

    happens: Callable[[FaultyCluster], AbstractContextManager[None]]
    rule: str
    # None: it is no node's.
    link: str | None
    words: str
    # Who tells besides what follows from it on the node.
    beside: frozenset[str] = frozenset()


# Kubelet takes back what a plugin offered that is gone.
TAKEN_BACK = frozenset(("gpu-count-complete",))


def work(name: str, image: str, gpus: int = 1, **spec: Any) -> dict[str, Any]:
    """One that tolerates nothing."""
    asks: dict[str, str] = {RESOURCE: str(gpus), **spec.pop("asks", {})}
    container = {"name": name, "image": image, "resources": {"limits": asks, "requests": asks}}
    return {"metadata": {"name": name}, "spec": {**QUICK, "containers": [container], **spec}}


@contextmanager
def waits(cluster: FaultyCluster, gpus: int = 1, **spec: Any) -> Iterator[None]:
    with cluster.made(PODS, work("waits", cluster.images.work, gpus, **spec)):
        wait_for(lambda: cluster.is_not_placed("waits"))
        yield


@contextmanager
def tainted(cluster: FaultyCluster) -> Iterator[None]:
    with cluster.node_is({"spec": {"taints": [TAINT]}}, {"spec": {"taints": None}}), waits(cluster):
        yield


@contextmanager
def cordoned(cluster: FaultyCluster) -> Iterator[None]:
    with cluster.node_is({"spec": {"unschedulable": True}}, {"spec": {"unschedulable": None}}), waits(cluster):
        yield


def chooses_no_node(cluster: FaultyCluster) -> AbstractContextManager[None]:
    return waits(cluster, nodeSelector={"nvidia.com/gpu.product": "NVIDIA-B200"})


def asks_for_more(cluster: FaultyCluster) -> AbstractContextManager[None]:
    return waits(cluster, gpus=16)


def finds_them_held(cluster: FaultyCluster) -> AbstractContextManager[None]:
    """One is in use."""
    return waits(cluster, gpus=8)


@contextmanager
def quota(cluster: FaultyCluster, namespace: str, name: str, hard: Mapping[str, str]) -> Iterator[None]:
    """In force: admission learns of one a moment after it is made, and lets pass what comes before."""
    beyond = work("beyond", cluster.images.work, gpus=16)
    core = f"/api/v1/namespaces/{namespace}"

    def refuses() -> bool:
        answer = cluster.client.request("POST", f"{core}/pods?dryRun=All", beyond)
        return f"exceeded quota: {name}" in answer.message

    with cluster.made(f"{core}/resourcequotas", {"metadata": {"name": name}, "spec": {"hard": dict(hard)}}):
        wait_for(refuses)
        yield


@contextmanager
def over_its_quota(cluster: FaultyCluster) -> Iterator[None]:
    """Of a team, whose Job asks for more."""
    template = {"spec": {**work("train", cluster.images.work, 4)["spec"], "restartPolicy": "Never"}}
    with (
        quota(cluster, "default", "team-a", {f"requests.{RESOURCE}": "2"}),
        cluster.made(
            "/apis/batch/v1/namespaces/default/jobs", {"metadata": {"name": "train"}, "spec": {"template": template}}
        ),
    ):
        wait_for(lambda: cluster.has_event("exceeded quota: team-a"))
        yield


@contextmanager
def plugin_over_quota(cluster: FaultyCluster) -> Iterator[None]:
    with (
        cluster.plugin_is({}),
        quota(cluster, NAMESPACE, "few", {"pods": "0"}),
    ):
        cluster.client.expect("DELETE", PODS_OF_STACK)
        wait_for(lambda: cluster.has_event("exceeded quota: few"))
        yield


def plugin_refused(words: str, **spec: Any) -> Callable[[FaultyCluster], AbstractContextManager[None]]:
    @contextmanager
    def happens(cluster: FaultyCluster) -> Iterator[None]:
        with cluster.plugin_is(spec):
            wait_for(lambda: cluster.has_event(words))
            yield

    return happens


def plugin_ends(*lines: str) -> Callable[[FaultyCluster], AbstractContextManager[None]]:
    @contextmanager
    def happens(cluster: FaultyCluster) -> Iterator[None]:
        container = saying("nvidia-device-plugin", cluster.images.plugin, lines)
        with cluster.plugin_is({"containers": [container]}):
            wait_for(cluster.crashed_again)
            yield

    return happens


def driver_ends(*lines: str) -> Callable[[FaultyCluster], AbstractContextManager[None]]:
    @contextmanager
    def happens(cluster: FaultyCluster) -> Iterator[None]:
        container = saying("nvidia-driver-ctr", cluster.images.driver, lines)
        with cluster.part("nvidia-driver-daemonset", cluster.images.driver, {"containers": [container]}):
            wait_for(cluster.crashed_again)
            yield

    return happens


def saying(name: str, image: str, lines: tuple[str, ...]) -> Mapping[str, Any]:
    said = "\n".join(lines)
    return {
        "name": name,
        "image": image,
        "command": ["sh", "-c"],
        "args": [f"busybox cat >&2 <<'END'\n{said}\nEND\nexit 1"],
    }


@contextmanager
def plugin_has_no_image(cluster: FaultyCluster) -> Iterator[None]:
    container = {"name": "nvidia-device-plugin", "image": f"{cluster.images.plugin.rpartition(':')[0]}:v0.99.0"}
    with cluster.plugin_is({"containers": [container]}):
        wait_for(lambda: cluster.waits(PODS_OF_STACK, "ErrImagePull", "ImagePullBackOff"))
        yield


@contextmanager
def discovery_shut_out(cluster: FaultyCluster) -> Iterator[None]:
    """The node has lost its labels, with them the plugin, and those who give labels tolerate another value of its taint."""
    tolerates = {"tolerations": [{"key": RESOURCE, "operator": "Equal", "value": "present", "effect": "NoSchedule"}]}
    lost = {**dict.fromkeys(LABELS), "nvidia.com/gpu.present": "true"}
    with (
        cluster.plugin_is({}),
        cluster.node_is(
            {"metadata": {"labels": lost}, "spec": {"taints": [GPU_TAINT]}},
            {"metadata": {"labels": LABELS}, "spec": {"taints": None}},
        ),
        cluster.part("nfd-worker", cluster.images.discovery, tolerates),
    ):
        wait_for(lambda: cluster.client.get(f"{DAEMONSETS}/nfd-worker")["status"].get("observedGeneration") == 1)
        wait_for(lambda: cluster.client.get(PODS_OF_STACK)["items"] == [])
        yield


def labelled(**labels: str) -> Callable[[FaultyCluster], AbstractContextManager[None]]:
    spelled = {name.replace("__", "/").replace("_", "."): value for name, value in labels.items()}
    return lambda cluster: cluster.node_is(
        {"metadata": {"labels": spelled}}, {"metadata": {"labels": dict.fromkeys(spelled)}}
    )


@contextmanager
def no_such_device(cluster: FaultyCluster) -> Iterator[None]:
    """The plugin names devices that no CDI specification on the node has."""
    cluster.cards.names = (f"{RESOURCE}=GPU-9",)
    try:
        with cluster.made(PODS, work("cdi", cluster.images.work)):
            wait_for(lambda: cluster.waits(PODS, "CreateContainerError", "RunContainerError"))
            yield
    finally:
        cluster.cards.names = ()


@contextmanager
def no_such_handler(cluster: FaultyCluster) -> Iterator[None]:
    with (
        cluster.made("/apis/node.k8s.io/v1/runtimeclasses", runtime_class()),
        cluster.made(PODS, work("by-class", cluster.images.work, runtimeClassName="nvidia")),
    ):
        wait_for(lambda: cluster.has_event('no runtime for "nvidia" is configured'))
        yield


NVML = "I0901 10:00:02.114203       1 main.go:381] Retrieving plugins."
FAULTS = {
    "a taint that nobody tolerates": Fault(tainted, "pending-explained", "pod", "team=research"),
    "a cordoned node": Fault(cordoned, "pending-explained", "allocatable", "cordon"),
    "a label that no node bears": Fault(chooses_no_node, "gpu-fits-a-node", "pod", "NVIDIA-B200"),
    "more GPUs than a node has": Fault(asks_for_more, "gpu-fits-a-node", "pod", "16"),
    "GPUs that others hold": Fault(finds_them_held, "pending-explained", "held", "well"),
    "a team over its quota": Fault(over_its_quota, "pending-explained", None, "team-a"),
    "a quota that refuses the plugin": Fault(plugin_over_quota, "gpu-stack-settled", "plugin", "few", TAKEN_BACK),
    "a PriorityClass that is missing": Fault(
        plugin_refused("no PriorityClass with name", priorityClassName="gpu-critical"),
        "gpu-stack-settled",
        "plugin",
        "gpu-critical",
        TAKEN_BACK,
    ),
    "an account that is missing": Fault(
        plugin_refused("serviceaccount", serviceAccountName="nvidia-device-plugin"),
        "gpu-stack-settled",
        "plugin",
        "nvidia-device-plugin",
        TAKEN_BACK,
    ),
    "a RuntimeClass that is missing": Fault(
        plugin_refused("RuntimeClass", runtimeClassName="nvidia"),
        "runtime-class-agrees",
        "runtime",
        "RuntimeClass",
        TAKEN_BACK,
    ),
    "a plugin without its image": Fault(plugin_has_no_image, "gpu-stack-settled", "plugin", "v0.99.0", TAKEN_BACK),
    "a plugin whose configuration is invalid": Fault(
        plugin_ends(
            NVML,
            "E0901 10:00:02.114591       1 main.go:173] error starting plugins: unable to load config: unable to "
            "finalize config: unable to parse config file: error parsing config file: unmarshal error: error "
            'unmarshaling JSON: while decoding JSON: json: unknown field "timeslicing"',
        ),
        "gpu-stack-settled",
        "plugin",
        "timeslicing",
        TAKEN_BACK,
    ),
    "libraries of another version than the module": Fault(
        plugin_ends(
            NVML,
            "E0901 10:00:02.130066       1 factory.go:87] Failed to initialize NVML: ERROR_LIB_RM_VERSION_MISMATCH.",
            "Failed to initialize NVML: Driver/library version mismatch",
        ),
        "gpu-stack-settled",
        "userland",
        "version",
        TAKEN_BACK,
    ),
    "a kernel that refuses the module": Fault(
        driver_ends("modprobe: ERROR: could not insert 'nvidia': Key was rejected by service"),
        "gpu-stack-settled",
        "module",
        "Secure Boot",
    ),
    "nouveau on the cards": Fault(
        driver_ends(
            "NVRM: The NVIDIA probe routine was not called for 8 device(s).",
            "NVRM: This can occur when a driver such as: ",
            "NVRM: nouveau, rivafb, nvidiafb or rivatv ",
            "NVRM: was loaded and obtained ownership of the NVIDIA device(s).",
        ),
        "gpu-stack-settled",
        "bound",
        "nouveau",
    ),
    "feature discovery kept from the node": Fault(
        discovery_shut_out, "gpu-stack-settled", "labels", "nfd-worker", TAKEN_BACK
    ),
    "MIG that could not be set": Fault(
        labelled(nvidia_com__mig_config="all-1g.10gb", nvidia_com__mig_config_state="failed"),
        "gpu-stack-settled",
        "mig",
        "all-1g.10gb",
    ),
    "an upgrade of the driver that failed": Fault(
        lambda cluster: cluster.node_is(
            {"metadata": {"labels": {"nvidia.com/gpu-driver-upgrade-state": "upgrade-failed"}}},
            {"metadata": {"labels": {"nvidia.com/gpu-driver-upgrade-state": None}}},
        ),
        "gpu-stack-settled",
        "module",
        "upgrade",
    ),
    "a device that no CDI specification has": Fault(no_such_device, "gpu-stack-settled", "cdi", "CDI"),
    "a handler that containerd does not have": Fault(
        no_such_handler, "toolkit-reaches-containerd", "toolkit", "nvidia"
    ),
}


def test_nothing_is_found_where_all_is_well() -> None:
    assert found() == ({}, {})


@pytest.mark.parametrize("name", some([*FAULTS], 8))
def test_each_breaks_its_own_link_and_nothing_is_left_once_it_is_mended(cluster: FaultyCluster, name: str) -> None:
    fault = FAULTS[name]
    with ExitStack() as held:
        held.enter_context(fault.happens(cluster))
        rules, broken = found()
    assert (set(rules), broken) == ({fault.rule, *fault.beside}, {NAME: fault.link} if fault.link else {}), rules
    assert fault.words in str(rules[fault.rule])
    assert found() == ({}, {})


def found() -> tuple[dict[str, Any], dict[str, str]]:
    """What failed by each rule, and of each node the link that broke; whoever asks for the node is told the same."""
    ran = run_json("diagnose", "--node", NAME)
    failed: dict[str, Any] = {}
    for each in ran.findings:
        if each["verdict"] == "fail":
            failed.setdefault(each["rule"], []).append(each)
    broken = {each["node"]: each["broken"] for each in ran.report["chains"] if each["broken"]}
    assert ran.code == (1 if failed else 0), ran.out + ran.err
    return failed, broken

"""The toolkit is found by what it is, and its folders by where they are mounted."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from nodeworthy.collect.cluster.kinds import DAEMONSETS
from nodeworthy.facts.cluster.node import cluster_node
from nodeworthy.facts.operator.toolkit_daemonset import ToolkitDaemonSet, is_toolkit_daemonset
from nodeworthy.known.containerd import containerd_of
from nodeworthy.verdict import Unknown
from tests.cluster import incident
from tests.cluster.objects import Object, cluster_policy, daemonset, device_plugin, node
from tests.run import Ran, run_json


def template(data: Object) -> dict[str, Any]:
    spec: dict[str, Any] = data["spec"]["template"]["spec"]
    return spec


def nameless(image: str) -> Object:
    data = daemonset()
    data["metadata"].update(name="gpu-runtime", labels={})
    data["spec"]["template"]["metadata"]["labels"] = {}
    template(data)["containers"][0]["image"] = image
    return data


@pytest.mark.parametrize(
    "image",
    [
        "nvcr.io/nvidia/k8s/container-toolkit:v1.17.5-ubuntu20.04",
        "registry.local:5000/mirror/container-toolkit@sha256:6f2c9e0a",
        "container-toolkit",
    ],
)
def test_found_by_its_image(image: str) -> None:
    assert is_toolkit_daemonset(DAEMONSETS.document(nameless(image)))


def test_another_is_not_taken_for_it() -> None:
    assert not is_toolkit_daemonset(DAEMONSETS.document(device_plugin()))
    assert not is_toolkit_daemonset(
        DAEMONSETS.document(nameless("nvcr.io/nvidia/cloud-native/gpu-operator-validator:v25.3.0"))
    )
    assert not is_toolkit_daemonset(DAEMONSETS.document({}))


def test_found_by_its_label() -> None:
    data = nameless("elsewhere/toolkit:1")
    data["spec"]["template"]["metadata"]["labels"] = {"app": "nvidia-container-toolkit-daemonset"}
    assert is_toolkit_daemonset(DAEMONSETS.document(data))


def test_folders_are_found_by_their_mount_and_not_by_their_name() -> None:
    """The variables say where things are inside the pod, whatever the host's folders are."""
    right = containerd_of("rke2")
    data = daemonset(config=right.config, socket=right.socket)
    spec = template(data)
    for each in (*spec["volumes"], *spec["containers"][0]["volumeMounts"]):
        each["name"] = each["name"].replace("containerd-", "host-")
        if "mountPath" in each:
            each["mountPath"] = each["mountPath"].rstrip("/")
    toolkit = ToolkitDaemonSet(DAEMONSETS.document(data))
    assert toolkit.misses(right) == ()
    assert [each.kind for each in toolkit.misses(containerd_of("kubeadm"))] == ["config", "socket"]


def test_a_folder_that_is_not_the_hosts_is_unknown() -> None:
    data = daemonset()
    template(data)["volumes"][-1] = {"emptyDir": {}, "name": "containerd-socket"}
    assert isinstance(ToolkitDaemonSet(DAEMONSETS.document(data)).socket_folder.state, Unknown)


def test_which_nodes_it_chooses() -> None:
    toolkit = ToolkitDaemonSet(DAEMONSETS.document(daemonset()))
    label = "nvidia.com/gpu.deploy.container-toolkit"
    assert toolkit.chooses(cluster_node(node()))
    assert not toolkit.chooses(cluster_node(node(labels={label: "false"})))
    everywhere = daemonset()
    del template(everywhere)["nodeSelector"]
    assert ToolkitDaemonSet(DAEMONSETS.document(everywhere)).chooses(cluster_node(node()))
    assert not ToolkitDaemonSet(DAEMONSETS.document(everywhere)).chooses(cluster_node(node(labels={label: "false"})))
    assert not ToolkitDaemonSet(DAEMONSETS.document(everywhere)).chooses(cluster_node({"metadata": {"name": "cpu"}}))


def diagnose(folder: Path, kinds: dict[str, list[Object]], *arguments: str) -> Ran:
    incident.write(folder / "dump", kinds, incident.FLEET)
    return run_json("diagnose", "--from", "dump", "--show-passed", *arguments, cwd=folder)


def verdict(ran: Ran, rule: str = "containerd-paths") -> tuple[str, str]:
    (found,) = (each for each in ran.findings if each["rule"] == rule)
    return found["verdict"], f"{found['message']} {found['cause']}"


def on_k3s(policy: Object | None, config: str | None = None) -> dict[str, list[Object]]:
    k3s = containerd_of("k3s")
    toolkit = daemonset(config=config, socket=k3s.socket)
    toolkit["status"] = {"desiredNumberScheduled": 1, "numberReady": 1}
    return {
        **incident.recovered(),
        "events": [],
        "nodes": [node(kubeletVersion="v1.34.1+k3s1")],
        "daemonsets": [toolkit],
        "clusterpolicies": [policy] if policy else [],
    }


def test_on_k3s_the_socket_alone_is_right_and_a_stock_config_beside_it_is_wrong(tmp_path: Path) -> None:
    k3s, stock = containerd_of("k3s"), containerd_of("kubeadm")
    socket = {"name": "CONTAINERD_SOCKET", "value": k3s.socket}
    config = {"name": "CONTAINERD_CONFIG", "value": stock.config}
    assert verdict(diagnose(tmp_path, on_k3s(cluster_policy([socket]))))[0] == "pass"
    assert verdict(diagnose(tmp_path, on_k3s(cluster_policy([socket, config]))))[0] == "fail"
    assert verdict(diagnose(tmp_path, on_k3s(None)))[0] == "unknown"
    assert verdict(diagnose(tmp_path, on_k3s(None, k3s.config)))[0] == "pass"


def test_a_policy_that_is_right_already_is_not_asked_to_be_set(tmp_path: Path) -> None:
    kinds = {**incident.incident(), "clusterpolicies": [cluster_policy(incident.fixed_env())]}
    ran = diagnose(tmp_path, kinds, "--fleet", "Pulumi.onprem.yaml")
    assert "25.3.3" in next(each["remedy"] for each in ran.findings if each["verdict"] == "fail")


def test_where_kubelet_talks_to_another_runtime_the_folders_mean_nothing(tmp_path: Path) -> None:
    kinds = {**incident.recovered(), "nodes": [node(containerRuntimeVersion="cri-o://1.33.4")]}
    assert verdict(diagnose(tmp_path, kinds))[0] == "skip"


def test_nri_edits_no_config(tmp_path: Path) -> None:
    kinds = incident.recovered()
    spec = template(kinds["daemonsets"][0])
    spec["volumes"] = [{"hostPath": {"path": "/var/run/nri"}, "name": "nri"}]
    spec["containers"][0]["volumeMounts"] = [{"mountPath": "/runtime/nri-sock-dir/", "name": "nri"}]
    assert verdict(diagnose(tmp_path, kinds, "--fleet", "Pulumi.onprem.yaml"))[0] == "skip"


def test_where_nothing_of_containerd_is_mounted_nothing_is_proven(tmp_path: Path) -> None:
    kinds = incident.recovered()
    template(kinds["daemonsets"][0])["volumes"] = []
    template(kinds["daemonsets"][0])["containers"][0]["volumeMounts"] = []
    said = verdict(diagnose(tmp_path, kinds, "--fleet", "Pulumi.onprem.yaml"))
    assert said[0] == "unknown"


def test_on_bottlerocket_it_can_do_nothing_right(tmp_path: Path) -> None:
    bottlerocket = {"kubeletVersion": "v1.34.1-eks-113cf36", "osImage": "Bottlerocket OS 1.49.0"}
    kinds = {**incident.incident(), "nodes": [node("b-1", {}, **bottlerocket)]}
    assert verdict(diagnose(tmp_path, kinds))[0] == "fail"


def test_labels_that_were_lost_do_not_hide_the_nodes(tmp_path: Path) -> None:
    """A dump whose nodes came without the operator's labels, and whose DaemonSet says that it runs."""
    kinds = copy.deepcopy(incident.incident())
    del kinds["nodes"][0]["metadata"]["labels"]["nvidia.com/gpu.deploy.container-toolkit"]
    kinds["pods"] = [each for each in kinds["pods"] if "toolkit" not in each["metadata"]["name"]]
    assert verdict(diagnose(tmp_path, kinds, "--fleet", "Pulumi.onprem.yaml"))[0] == "fail"


def test_a_template_for_people_is_told_while_all_still_runs(tmp_path: Path) -> None:
    """Its folder is the right one, so that nothing fails before the next boot."""
    k3s = containerd_of("k3s")
    on_k3s = daemonset(config=k3s.config, socket=k3s.socket)
    variables = template(on_k3s)["containers"][0]["env"]
    next(each for each in variables if each["name"] == "CONTAINERD_CONFIG")["value"] += ".tmpl"
    on_k3s["status"] = {"currentNumberScheduled": 1, "desiredNumberScheduled": 1, "numberReady": 1}
    of_k3s = node(kubeletVersion="v1.33.5+k3s1", containerRuntimeVersion="containerd://2.1.4-k3s1")
    kinds = {**incident.recovered(), "nodes": [of_k3s], "daemonsets": [on_k3s, device_plugin()]}
    incident.write(tmp_path / "dump", {**kinds, "clusterpolicies": [], "events": []})
    (finding,) = run_json("diagnose", "--from", "dump", cwd=tmp_path).findings
    assert (finding["rule"], finding["is"]) == ("containerd-paths", f"{k3s.config}.tmpl")

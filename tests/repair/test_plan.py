"""What a repair of a recorded cluster would change, and what it leaves to people."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nodeworthy.known.containerd import containerd_of
from tests.case_files import whole
from tests.cluster.incident import BASE_DIR, FLEET, fixed_env, incident, textgen, toolkit_pod, write
from tests.cluster.objects import NODE, Object, cluster_policy, node
from tests.run import Ran, run

SOCKET = containerd_of("k8s-snap", BASE_DIR).socket
LOCKED = "admission-explained/bad-cluster-hami-lock-left"


def dry(folder: Path, kinds: dict[str, list[Object]], *arguments: str, fleet: str = FLEET) -> Ran:
    write(folder / "dump", kinds, fleet)
    given = ("--from", "dump", "--fleet", "Pulumi.onprem.yaml", "--fix", "--dry-run")
    return run("diagnose", *given, *arguments, cwd=folder)


def with_policy(policy: Object) -> dict[str, list[Object]]:
    return {**incident(), "clusterpolicies": [policy]}


def test_the_incident(tmp_path: Path) -> None:
    ran = dry(tmp_path, incident())
    assert (ran.code, ran.err) == (1, "")
    assert ran.out.startswith("1 change\n\n1. ClusterPolicy/cluster-policy\n   because containerd-paths: ")
    assert f"   +    - name: CONTAINERD_SOCKET\n   +      value: {SOCKET}\n" in ran.out
    assert "no server was asked" in ran.out


def test_nothing_to_do(tmp_path: Path) -> None:
    """The settings are right, and the DaemonSet does not follow: that is the operator's own fault."""
    ran = dry(tmp_path, with_policy(cluster_policy(fixed_env())))
    assert ran.code == 0
    assert ran.out.startswith("nothing that --fix would change\n\n1 finding that --fix does not mend:\n")
    assert "look at the operator's own log" in ran.out


def test_who_saw_too_little_can_not_say_that_nothing_is_to_be_done(tmp_path: Path) -> None:
    seen = {name: some for name, some in incident().items() if name not in ("daemonsets", "events")}
    assert dry(tmp_path, {**seen, "clusterpolicies": [cluster_policy(fixed_env())]}).code == 3


def test_another_spelling_must_not_disagree(tmp_path: Path) -> None:
    ran = dry(tmp_path, with_policy(cluster_policy([{"name": "RUNTIME_SOCKET", "value": "/run/other.sock"}])))
    assert f"        - name: RUNTIME_SOCKET\n   -      value: /run/other.sock\n   +      value: {SOCKET}\n" in ran.out
    assert "RUNTIME_CONFIG" not in ran.out


@pytest.mark.parametrize(
    ("policies", "why"),
    [
        ([], "no ClusterPolicy was seen"),
        ([cluster_policy(), {**cluster_policy(), "metadata": {"name": "other"}}], "there are 2 ClusterPolicies"),
        ([cluster_policy([{"name": "CONTAINERD_SOCKET", "valueFrom": {}}])], "takes its value from another object"),
    ],
)
def test_where_it_is_not_understood_it_is_left(tmp_path: Path, policies: list[Object], why: str) -> None:
    ran = dry(tmp_path, {**incident(), "clusterpolicies": policies})
    assert ran.out.startswith("nothing that --fix would change\n")
    assert why in ran.out
    assert "set CONTAINERD_CONFIG to" in ran.out  # the remedy, for people


@pytest.mark.parametrize(
    ("distribution", "why"),
    [("kubeadm", "one operator can't serve both"), ("microk8s", "one operator can't serve both")],
)
def test_one_operator_does_not_serve_two_containerds(tmp_path: Path, distribution: str, why: str) -> None:
    """What is right for the one pool would break the other."""
    pools = f"      stock:\n        gpu: h100\n        distribution: {distribution}\n        provision: false\n"
    first, second = (node(name, {"nodeworthy/pool": pool}) for name, pool in ((NODE, "onprem"), ("n2", "stock")))
    kinds = incident()
    kinds["nodes"] = [first, second]
    kinds["pods"] += [toolkit_pod("other", on="n2"), textgen("second", on="n2")]
    ran = dry(tmp_path, kinds, fleet=FLEET + pools)
    assert ran.out.startswith("nothing that --fix would change\n"), ran.out
    assert why in ran.out


MADE_BY_HELM = {
    "labels": {"helm.sh/chart": "gpu-operator-v25.3.0"},
    "annotations": {"meta.helm.sh/release-name": "gpu", "meta.helm.sh/release-namespace": "ops"},
}


def test_from_a_recording_helms_command_is_printed(tmp_path: Path) -> None:
    policy = cluster_policy()
    ran = dry(tmp_path, with_policy({**policy, "metadata": {**policy["metadata"], **MADE_BY_HELM}}))
    assert ran.code == 1
    assert ran.out.startswith("0 changes, 1 more on paper\n")
    command = "helm upgrade gpu nvidia/gpu-operator --version v25.3.0 --namespace ops --reuse-values --values -"
    assert f"\n{command} <<'VALUES'\ntoolkit:\n  env:\n  - name: CONTAINERD_CONFIG\n" in ran.out


def test_a_name_that_helm_would_not_give_becomes_no_command(tmp_path: Path) -> None:
    policy = cluster_policy()
    made_by = {**MADE_BY_HELM, "annotations": {**MADE_BY_HELM["annotations"], "meta.helm.sh/release-name": "x; reboot"}}
    ran = dry(tmp_path, with_policy({**policy, "metadata": {**policy["metadata"], **made_by}}))
    assert "helm upgrade" not in ran.out
    assert "has no name that Helm would give" in ran.out


def locked(tmp_path: Path, lock: str, *pods: Object) -> Ran:
    """The recorded node, with another lock on it."""
    for name in ("nodes", "pods", "events"):
        text = (whole(LOCKED) / "dump" / f"{name}.json").read_text()
        kept = json.loads(text.replace("2025-10-14T18:02:11Z,research,embed-6c8f9d7b5-zzk4t", lock))
        kept["items"] += pods if name == "pods" else ()
        (tmp_path / f"{name}.json").write_text(json.dumps(kept))
    (tmp_path / "daemonsets.json").write_text('{"apiVersion": "v1", "kind": "List", "items": []}')
    return run("diagnose", "--from", str(tmp_path), "--fix", "--dry-run", "--rule", "admission-explained")


def holder(phase: str) -> Object:
    metadata = {"name": "holder", "namespace": "research"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {}, "status": {"phase": phase}}


MINE = "2025-10-14T18:02:11Z,research,holder"


def test_a_lock_whose_pod_is_gone_is_removed(tmp_path: Path) -> None:
    ran = locked(tmp_path, MINE)
    assert ran.code == 1, ran.out + ran.err
    assert f"   -    hami.io/mutex.lock: {MINE}\n" in ran.out


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_so_is_that_of_a_pod_that_is_over(tmp_path: Path, phase: str) -> None:
    assert locked(tmp_path, MINE, holder(phase)).code == 1


@pytest.mark.parametrize("phase", ["Pending", "Running", ""])
def test_a_lock_that_somebody_holds_stays(tmp_path: Path, phase: str) -> None:
    ran = locked(tmp_path, MINE, holder(phase))
    assert ran.code == 0, ran.out
    assert "the pod that holds the lock is there" in ran.out
    assert "kubectl annotate node" in ran.out  # for whoever knows better


def test_a_lock_that_names_nobody_stays(tmp_path: Path) -> None:
    assert "does not name its pod" in locked(tmp_path, "2025-10-14T18:02:11Z").out


LABELLED = "dcgm-off-profiling-nodes"


def profiling(tmp_path: Path, labels: dict[str, str] | None = None) -> Ran:
    own: dict[str, Any] = {"gpu.monitoring/profiling-dedicated": "true", **(labels or {})}
    exporter = toolkit_pod("x")
    exporter["metadata"] = {
        "name": "nvidia-dcgm-exporter-a",
        "namespace": "gpu-operator",
        "labels": {"app": "nvidia-dcgm-exporter"},
        "ownerReferences": [{"kind": "DaemonSet", "name": "nvidia-dcgm-exporter", "controller": True}],
    }
    kinds = {"nodes": [node(NODE, own)], "pods": [exporter], "events": [], "daemonsets": []}
    return dry(tmp_path, kinds, "--rule", LABELLED)


def test_labels_that_a_remedy_names(tmp_path: Path) -> None:
    ran = profiling(tmp_path)
    assert ran.code == 1, ran.out + ran.err
    assert "\n1. Node/" in ran.out
    assert "   +    nvidia.com/gpu.deploy.dcgm-exporter: 'false'\n" in ran.out

"""What stops a rollout, what it leaves behind, and whose nodes it leaves alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from nodeworthy.rollout.kube import Kube
from tests.real.rollout.stage import GROUP, LIVE, MERGE, REGION, SCRIPT, UNFIT, Stage, goes, template_data
from tests.real.stand_in_kubelet import NODES, always, ended
from tests.run import run


def hook(stage: Stage) -> None:
    stage.scaling.put_lifecycle_hook(
        AutoScalingGroupName=GROUP,
        LifecycleHookName="drain",
        LifecycleTransition="autoscaling:EC2_INSTANCE_TERMINATING",
        DefaultResult="CONTINUE",
    )


@pytest.mark.parametrize("fault", ["", pytest.param("suite", marks=pytest.mark.night)])
def test_an_instance_refresh_takes_one_at_a_time_as_it_is_let(stage: Stage, fault: str) -> None:
    stage.mend()
    if fault:
        stage.bridge.goes = always(ended(0, UNFIT))
    bare = run(*stage.words("--by", "refresh", "--dry-run"))
    assert "an instance refresh does not drain t4: auto scaling waits at no hook" in bare.out
    hook(stage)
    ran = stage.go("--by", "refresh")
    assert ran.code == bool(fault), ran.err + ran.out
    assert stage.versions() == (["1", "2"] if fault else ["2", "2"])
    assert [each["Status"] for each in stage.said.started.said] == ["Cancelled" if fault else "Successful"]
    assert stage.group()["LaunchTemplate"]["Version"] == ("1" if fault else "2")
    assert stage.bridge.most_away == 1
    assert not any(each["ProtectedFromScaleIn"] for each in stage.group()["Instances"])


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("suite", "fails containerd-paths of the node suite"),
        ("join", "has no node"),
        pytest.param("late", "has no node", marks=pytest.mark.night),
        pytest.param("old-script", "is not what its group would start now: boot script", marks=pytest.mark.night),
        pytest.param("never-ready", "is not Ready", marks=pytest.mark.night),
    ],
)
def test_the_first_failure_stops_it(stage: Stage, monkeypatch: pytest.MonkeyPatch, fault: str, told: str) -> None:
    stage.mend()
    stage.bridge.fault = fault
    if fault == "old-script":
        start_with_the_old_script(monkeypatch)
    if fault == "suite":
        stage.bridge.goes = always(ended(0, UNFIT))
    ran = stage.go("--join-timeout", "10s")
    assert ran.code == 1, ran.err
    assert told in ran.err
    assert stage.versions() == ["1", "2"]
    assert stage.group()["LaunchTemplate"]["Version"] == "1"
    assert stage.group()["SuspendedProcesses"] == []
    assert "is set to version 1 of its template (it named $Latest)" in ran.err
    fresh = [each for each in stage.nodes() if each["spec"].get("taints")]
    assert all(not each["spec"].get("unschedulable") for each in stage.nodes())
    assert len(fresh) == (0 if fault in ("join", "late") else 1)


def start_with_the_old_script(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every machine from now on, whatever its version's number says."""
    from moto.ec2.models.instances import InstanceBackend
    from moto.ec2.utils import parse_user_data

    started = InstanceBackend.run_instances
    old = parse_user_data(template_data(SCRIPT.format(option=""))["UserData"])

    def run_instances(*words: Any, **settings: Any) -> Any:
        reservation = started(*words, **settings)
        for each in reservation.instances:
            each.user_data = old
        return reservation

    monkeypatch.setattr(InstanceBackend, "run_instances", run_instances)


PODS = "/api/v1/namespaces/default/pods"


def pod_on(node: str, name: str, **metadata: Any) -> dict[str, Any]:
    container = {"name": "c", "image": "registry.k8s.io/pause:3.10"}
    seconds = metadata.pop("grace", 30)
    return {
        "metadata": {"name": name, "namespace": "default", "labels": {"app": name}, **metadata},
        "spec": {"nodeName": node, "containers": [container], "terminationGracePeriodSeconds": seconds},
    }


def test_a_budget_has_the_last_word(stage: Stage) -> None:
    stage.mend()
    client, node = stage.client, stage.nodes()[0]["metadata"]["name"]
    budget = {
        "metadata": {"name": "keep", "namespace": "default"},
        "spec": {"maxUnavailable": 0, "selector": {"matchLabels": {"app": "web"}}},
    }
    budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
    client.create(budgets, budget)
    client.create(PODS, pod_on(node, "web"))
    try:
        ran = stage.go("--evict", "default/web", "--drain-timeout", "5s", "--node", node)
        assert ran.code == 1
        assert "can't be evicted: the budget default/keep allows 0 disruptions" in ran.err
        assert stage.versions() == ["1", "1"]
        web = client.get(f"{PODS}/web")
        refused = Kube(None).evict("default", "web", web["metadata"]["uid"])
        assert (refused.is_done, refused.later) == (False, True)
        assert "Cannot evict pod as it would violate the pod's disruption budget" in refused.why
        assert client.request("GET", f"{PODS}/web").status == 200
    finally:
        client.request("DELETE", f"{budgets}/keep")
        client.request("DELETE", f"{PODS}/web?gracePeriodSeconds=0")


def test_a_pod_that_is_told_to_end_and_does_not_is_told_and_never_forced(stage: Stage, tmp_path: Path) -> None:
    """One by a finalizer that nobody takes off, one that does not heed SIGTERM and has an hour for it."""
    stage.mend()
    client, node = stage.client, stage.nodes()[0]["metadata"]["name"]
    client.create(PODS, pod_on(node, "held", finalizers=["example.com/hold"], grace=0))
    client.create(PODS, pod_on(node, "deaf", grace=3600))
    stage.bridge.kubelets.deaf.add(node)
    named = ("--evict", "default/held", "--evict", "default/deaf", "--node", node)
    ran = stage.go(*named, "--drain-timeout", "4s")
    assert ran.code == 1
    assert "default/held is ending, kept by its finalizer example.com/hold, since " in ran.err
    assert "default/deaf is ending, and has until " in ran.err
    assert "within --drain-timeout" in ran.err
    assert stage.versions() == ["1", "1"]
    assert not any(each["spec"].get("unschedulable") for each in stage.nodes())
    client.expect("PATCH", f"{PODS}/held", {"metadata": {"finalizers": None}}, content_type=MERGE)
    stage.bridge.kubelets.deaf.clear()
    [kept] = tmp_path.glob("nodeworthy-rollout-*.json")
    ran = run("rollout", "--resume", str(kept), "--endpoint-url", stage.url)
    assert (ran.code, stage.versions()) == (0, ["1", "2"]), ran.err


@pytest.mark.parametrize(
    "named", ["$Latest", *(pytest.param(each, marks=pytest.mark.night) for each in ("$Default", "1"))]
)
def test_a_rollback_brings_back_the_former_version_by_its_number(stage: Stage, named: str, tmp_path: Path) -> None:
    """Of a rollout that has one good node, and stopped at a bad one."""
    stage.names(named)
    stage.mend()
    if named == "$Default":
        ec2 = stage.moto.aws.client("ec2")
        ec2.modify_launch_template(LaunchTemplateId=stage.template, DefaultVersion="2")
    newest = () if named == "$Default" else ("--to", "newest")
    ran = stage.go("--pause-after-canary", *newest)
    assert (ran.code, stage.versions()) == (3, ["1", "2"]), ran.err
    [kept] = tmp_path.glob("nodeworthy-rollout-*.json")
    stage.bridge.goes = always(ended(0, UNFIT))
    ran = run("rollout", "--resume", str(kept), "--endpoint-url", stage.url)
    assert (ran.code, stage.versions(), stage.named()) == (1, ["2", "2"], "1"), ran.err
    stage.bridge.goes = goes
    back = run("rollout", "--rollback", str(kept), "--endpoint-url", stage.url, *LIVE)
    assert (back.code, stage.versions(), stage.named()) == (0, ["1", "1"], "1"), back.err
    assert all(not each["spec"].get("taints") and not each["spec"].get("unschedulable") for each in stage.nodes())
    sizes = stage.group()
    assert (sizes["MinSize"], sizes["MaxSize"], sizes["DesiredCapacity"], sizes["SuspendedProcesses"]) == (2, 2, 2, [])
    assert stage.bridge.most_away == 1


OWNED: dict[str, tuple[dict[str, Any], str]] = {
    "karpenter": (
        {"labels": {"karpenter.sh/nodepool": "t4"}},
        "Karpenter owns the 2 nodes of NodePool t4, and replaces those that have drifted",
    ),
    "cluster-api": (
        {"annotations": {"cluster.x-k8s.io/owner-name": "t4-7fd9c", "cluster.x-k8s.io/cluster-namespace": "fleet"}},
        "clusterctl alpha rollout restart machinedeployment/t4 --namespace fleet",
    ),
}


@pytest.mark.parametrize(("written", "told"), OWNED.values(), ids=OWNED)
def test_nodes_that_somebody_else_replaces_are_left_to_him(stage: Stage, written: dict[str, Any], told: str) -> None:
    stage.mend()
    for each in stage.nodes():
        path = f"{NODES}/{each['metadata']['name']}"
        stage.client.expect("PATCH", path, {"metadata": written}, content_type=MERGE)
    ran = run("rollout", "--pool", "t4", "--region", REGION, "--endpoint-url", stage.url, *LIVE)
    assert ran.code == 1, ran.err
    assert told in ran.out
    assert "nothing was changed" in ran.out
    assert (stage.versions(), stage.bridge.most_away) == (["1", "1"], 0)


def test_a_managed_group_is_left_to_eks_with_its_own_command(stage: Stage) -> None:
    stage.mend()
    manage(stage)
    ran = stage.go()
    assert ran.code == 1, ran.err
    assert (
        f"aws eks update-nodegroup-version --cluster-name gpu-dev --nodegroup-name t4 --launch-template version=2,id="
        f"{stage.template}"
    ) in ran.err
    assert (stage.versions(), stage.bridge.most_away) == (["1", "1"], 0)


def manage(stage: Stage) -> None:
    """A managed node group of EKS, whose group of auto scaling is ours."""
    role, subnet = "arn:aws:iam::123456789012:role/nodes", stage.group()["VPCZoneIdentifier"]
    eks = stage.moto.aws.client("eks")
    eks.create_cluster(name="gpu-dev", version="1.33", roleArn=role, resourcesVpcConfig={"subnetIds": [subnet]})
    template = {"id": stage.template, "version": "1"}
    eks.create_nodegroup(
        clusterName="gpu-dev", nodegroupName="t4", nodeRole=role, subnets=[subnet], launchTemplate=template
    )
    from moto.eks.models import eks_backends

    made = eks_backends["123456789012"][REGION].clusters["gpu-dev"].nodegroups["t4"]
    made.resources["autoScalingGroups"] = [{"name": GROUP}]

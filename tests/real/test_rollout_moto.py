"""`nodeworthy rollout` against moto's AWS and a real API server: the calls are real, the nodes are not.

What this proves: machines are ended by the call that AWS has for it, one at a time; evictions go through the API server,
which asks budgets; what is written is what Kubernetes takes; whoever is killed goes on. What it does not: that AWS keeps
its word on capacity, hooks and protection, which moto does not have.
"""

from __future__ import annotations

import base64
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from nodeworthy.collect.node.recording import as_text, load
from nodeworthy.commands.rollout import going
from nodeworthy.rollout.kube import Kube
from nodeworthy.rollout.lease import Hold
from tests.node.recordings import INCIDENT, MENDED
from tests.run import Ran, run, run_json

from .cloud_bridge import Bridge, settle
from .control_plane import ControlPlane
from .daemon import PATIENCE
from .gpu_kubelets import H100, GpuKubelets, environment_of, measured
from .kube_client import KubeClient, wait_for
from .moto_server import MotoServer
from .quick_level import WELL, WRONG, said_in
from .stand_in_kubelet import NODES, Goes, Object, StandInKubelet, Went, always, ended, hangs
from .stand_ins.moto_actions import Said, added_to_moto
from .tools import Tools

REGION, GROUP = "us-east-2", "t4"
IMAGE = "ami-12c6146b"  # one of hundreds that moto has, of which a list takes it seconds
SCRIPT = "#!/bin/bash\nset -euo pipefail\nmkdir -p /etc/modprobe.d\n{option}dnf install -y nvidia-open-580.105.08\n"
PROFILING = "NVreg_RestrictProfilingToAdminUsers=0"
OPTION = f"echo 'options nvidia {PROFILING}' > /etc/modprobe.d/nvidia-profiling.conf\n"
FIT, UNFIT = (as_text(load(each)).encode() for each in (MENDED, INCIDENT))
LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"
MERGE = "application/merge-patch+json"
LIVE = ("--yes", "--yes-may-lose-capacity", "--accept", "none", "--image", "registry.example/nodeworthy:1")
DEDICATED = "gpu.monitoring/profiling-dedicated"


@dataclass
class Stage:
    moto: MotoServer
    said: Said
    bridge: Bridge
    client: KubeClient
    template: str

    @property
    def scaling(self) -> Any:
        return self.moto.aws.client("autoscaling")

    @property
    def url(self) -> str:
        return str(self.moto.aws.client("sts").meta.endpoint_url)

    def words(self, *more: str) -> list[str]:
        return ["rollout", "--asg", GROUP, "--region", REGION, "--endpoint-url", self.url, *more]

    def go(self, *more: str) -> Ran:
        return run(*self.words(*LIVE, *more))

    def mend(self) -> None:
        """The template has a newer version, with the option."""
        data = template_data(SCRIPT.format(option=OPTION))
        self.moto.aws.client("ec2").create_launch_template_version(
            LaunchTemplateId=self.template, LaunchTemplateData=data
        )

    def group(self) -> dict[str, Any]:
        [found] = self.scaling.describe_auto_scaling_groups(AutoScalingGroupNames=[GROUP])["AutoScalingGroups"]
        data: dict[str, Any] = found
        return data

    def named(self) -> str:
        return str(self.group()["LaunchTemplate"]["Version"])

    def names(self, version: str) -> None:
        template = {"LaunchTemplateId": self.template, "Version": version}
        self.scaling.update_auto_scaling_group(AutoScalingGroupName=GROUP, LaunchTemplate=template)

    def versions(self) -> list[str]:
        return sorted(each["LaunchTemplate"]["Version"] for each in self.group()["Instances"])

    def nodes(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.client.get(NODES)["items"]
        return found


def template_data(script: str) -> dict[str, Any]:
    return {
        "ImageId": IMAGE,
        "InstanceType": "g4dn.12xlarge",
        "UserData": base64.b64encode(script.encode()).decode(),
    }


def make_group(moto: MotoServer, size: int, name: str = GROUP) -> str:
    ec2 = moto.aws.client("ec2")
    made = ec2.create_launch_template(
        LaunchTemplateName=name, LaunchTemplateData=template_data(SCRIPT.format(option=""))
    )
    template = str(made["LaunchTemplate"]["LaunchTemplateId"])
    moto.aws.client("autoscaling").create_auto_scaling_group(
        AutoScalingGroupName=name,
        MinSize=size,
        MaxSize=size,
        DesiredCapacity=size,
        LaunchTemplate={"LaunchTemplateId": template, "Version": "$Latest"},
        VPCZoneIdentifier=ec2.describe_subnets()["Subnets"][0]["SubnetId"],
        Tags=[
            {"Key": "kubernetes.io/cluster/gpu-dev", "Value": "owned", "PropagateAtLaunch": True},
            {"Key": "nodeworthy/pool", "Value": name, "PropagateAtLaunch": True},
        ],
    )
    return template


@pytest.fixture(scope="module")
def plane(tools: Tools) -> Iterator[ControlPlane]:
    with ControlPlane(tools, controllers=True) as plane:
        manifests = run("rollout", "--print-role").out
        kubectl = [str(tools.path("kubectl")), f"--kubeconfig={plane.kubeconfig}", "apply", "-f", "-"]
        subprocess.run(kubectl, input=manifests, text=True, capture_output=True, check=True, timeout=300)
        account = "/api/v1/namespaces/nodeworthy/serviceaccounts/default"
        wait_for(lambda: plane.client.answers(account), seconds=120)
        yield plane


def goes(pod: Object) -> Went:
    """The suite says that the node is fit; whatever else is there works on."""
    return hangs(pod) if pod["metadata"]["namespace"] == "default" else ended(0, FIT)


@pytest.fixture
def reachable(plane: ControlPlane, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An account and a cluster, with the rights of --print-role and no others."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "made-up")
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(plane.kubeconfig_for("system:serviceaccount:nodeworthy:nodeworthy-rollout"))
    monkeypatch.setenv("KUBECONFIG", str(kubeconfig))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(going, "POLL_SECONDS", 0.5)
    yield
    for each in plane.client.get(LEASES)["items"]:
        if each["metadata"]["name"].startswith("nodeworthy"):
            plane.client.request("DELETE", f"{LEASES}/{each['metadata']['name']}")


@contextmanager
def staged(kubelets: StandInKubelet, bridge: type[Bridge] = Bridge, works: Goes = goes) -> Iterator[Stage]:
    said = Said()
    with added_to_moto(said), MotoServer(REGION) as moto, kubelets:
        template = make_group(moto, 2)
        with bridge(moto.aws.client("autoscaling"), kubelets, GROUP, works) as bridged:
            settle(bridged)
            yield Stage(moto, said, bridged, kubelets.client, template)


@pytest.fixture
def stage(plane: ControlPlane, reachable: None) -> Iterator[Stage]:
    with staged(StandInKubelet(plane)) as stage:
        yield stage


STACK = """\
config:
  aws:region: us-east-2
  nodeworthy:fleet:
    cluster: {name: gpu-dev}
    pools:
      t4: {gpu: t4, instanceType: g4dn.12xlarge, nodes: 2, profilingDedicated: 1}
"""
PROGRAM = """\
import base64
from pathlib import Path

import pulumi_aws as aws

template = aws.ec2.LaunchTemplate(
    "t4",
    name="t4",
    image_id="IMAGE",
    instance_type="g4dn.12xlarge",
    user_data=base64.b64encode(Path("boot.txt").read_bytes()).decode(),
)
aws.autoscaling.Group(
    "t4",
    name="t4",
    min_size=2,
    max_size=2,
    desired_capacity=2,
    vpc_zone_identifiers=["SUBNET"],
    launch_template={"id": template.id, "version": "$Latest"},
    tags=[
        {"key": "kubernetes.io/cluster/gpu-dev", "value": "owned", "propagate_at_launch": True},
        {"key": "nodeworthy/pool", "value": "t4", "propagate_at_launch": True},
    ],
)
"""


def write_project(stage: Stage, folder: Path) -> None:
    folder.mkdir()
    program = PROGRAM.replace("IMAGE", IMAGE).replace("SUBNET", stage.group()["VPCZoneIdentifier"])
    (folder / "Pulumi.yaml").write_text("name: gpu-dev\nruntime: python\n", encoding="utf-8")
    (folder / "Pulumi.dev.yaml").write_text(STACK, encoding="utf-8")
    (folder / "__main__.py").write_text(program, encoding="utf-8")
    (folder / "boot.txt").write_text(SCRIPT.format(option=""), encoding="utf-8")


def preview(project: Path) -> list[tuple[str, int]]:
    ran = run_json("preview", "--stack", "dev", "--rule", "profiling-before-driver", "--show-passed", cwd=project)
    return [(each["verdict"], ran.code) for each in ran.findings]


def audit(stage: Stage, project: Path) -> Ran:
    rules = ("nodes-current", "machines-are-nodes", "cloud-matches-plan", "profiling-before-driver")
    asked = [word for each in rules for word in ("--rule", each)]
    there = ("--stack", "dev", "--endpoint-url", stage.url, "--kubernetes", "real")
    return run_json("audit", *there, *asked, cwd=project)


def failing(ran: Ran) -> dict[str, dict[str, Any]]:
    return {each["rule"]: each for each in ran.findings if each["verdict"] == "fail"}


def all_are_stale(stage: Stage, told: dict[str, dict[str, Any]]) -> None:
    """By the line that their script lacks, and by the rule that this script breaks."""
    assert set(told) == {"nodes-current", "profiling-before-driver"}
    assert PROFILING in told["nodes-current"]["is"]
    assert len(told["nodes-current"]["victims"]) == 2
    assert {each["object"] for each in told["nodes-current"]["related"] if "object" in each} == {
        f"Node/{each['metadata']['name']}" for each in stage.nodes()
    }


def all_are_proven(stage: Stage) -> None:
    """And one is for profiling, as a person had labelled its forerunner."""
    nodes = stage.nodes()
    assert [each["metadata"]["labels"].get(DEDICATED) for each in nodes].count("true") == 1
    assert all(not each["spec"].get("taints") and not each["spec"].get("unschedulable") for each in nodes)
    assert all("nodeworthy/verified" in each["metadata"]["labels"] for each in nodes)
    assert stage.group()["SuspendedProcesses"] == []


@pytest.mark.usefixtures("programs_start_warm")
def test_from_a_red_pull_request_to_a_green_fleet(stage: Stage, tmp_path: Path) -> None:
    """The story of docs/rollout.md, whole. The deployment is by hand; and what fresh nodes say is another machine's word,
    so that the suite is not told of this fleet."""
    project = tmp_path / "project"
    write_project(stage, project)
    assert preview(project) == [("fail", 1)]
    (project / "boot.txt").write_text(SCRIPT.format(option=OPTION), encoding="utf-8")
    assert preview(project) == [("pass", 0)]
    assert "cloud-matches-plan" in failing(audit(stage, project))
    stage.mend()
    all_are_stale(stage, failing(audit(stage, project)))
    by_hand = stage.nodes()[0]["metadata"]["name"]
    labelled = f"{NODES}/{by_hand}?fieldManager=kubectl-label"
    stage.client.expect("PATCH", labelled, {"metadata": {"labels": {DEDICATED: "true"}}}, content_type=MERGE)
    of_pool = ("rollout", "--pool", "t4", "--region", REGION, "--endpoint-url", stage.url)
    plan = run(*of_pool, "--dry-run", "--format", "json")
    assert plan.code == 1
    told = json.loads(plan.out)
    assert "--yes-may-lose-capacity" in told["refusals"][0]
    assert (len(told["order"]), told["former"], told["target"]) == (2, "1", "2")
    assert stage.versions() == ["1", "1"]
    ran = run(*of_pool, *LIVE)
    assert ran.code == 0, ran.err + ran.out
    assert stage.versions() == ["2", "2"]
    assert stage.bridge.most_away == 1
    all_are_proven(stage)
    again = run(*of_pool, "--dry-run")
    assert again.code == 0
    assert "nothing to do" in again.out
    clean = audit(stage, project)
    assert (clean.code, clean.findings) == (0, [])


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
        pytest.param("never-ready", "is not Ready", marks=pytest.mark.night),
    ],
)
def test_the_first_failure_stops_it(stage: Stage, fault: str, told: str) -> None:
    stage.mend()
    stage.bridge.fault = fault
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
    assert len(fresh) == (0 if fault == "join" else 1)


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


POOLS = ("a10g", "l4", "t4")


@pytest.mark.night
@pytest.mark.usefixtures("reachable")
def test_three_pools_of_four_at_once_and_nobody_else_is_touched(plane: ControlPlane, tmp_path: Path) -> None:
    """From one folder, in one second: each with a file, a Lease and a bound of its own."""
    with added_to_moto(Said()), MotoServer(REGION) as moto, StandInKubelet(plane) as kubelets, ExitStack() as bridges:
        scaling, ec2 = moto.aws.client("autoscaling"), moto.aws.client("ec2")
        templates = {name: make_group(moto, 4, name) for name in POOLS}
        made = {name: bridges.enter_context(Bridge(scaling, kubelets, name, goes, size=4)) for name in POOLS}
        for name, bridge in made.items():
            settle(bridge)
            protected = bridge.machines()[0]["InstanceId"]
            scaling.set_instance_protection(
                AutoScalingGroupName=name, InstanceIds=[protected], ProtectedFromScaleIn=True
            )
            data = template_data(SCRIPT.format(option=OPTION))
            ec2.create_launch_template_version(LaunchTemplateId=templates[name], LaunchTemplateData=data)
        kubelets.add("bystander", goes)
        url = str(moto.aws.client("sts").meta.endpoint_url)
        where = ("--region", REGION, "--endpoint-url", url, *LIVE)
        commands = [[sys.executable, "-m", "nodeworthy", "rollout", "--pool", name, *where] for name in POOLS]
        running = [subprocess.Popen(each, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) for each in commands]
        told = [each.communicate(timeout=1800)[0].decode() for each in running]
        assert [each.returncode for each in running] == [0, 0, 0], "\n".join(told)
        assert len(list(tmp_path.glob("nodeworthy-rollout-*.json"))) == len(POOLS)
        for name, bridge in made.items():
            [group] = scaling.describe_auto_scaling_groups(AutoScalingGroupNames=[name])["AutoScalingGroups"]
            assert [each["LaunchTemplate"]["Version"] for each in group["Instances"]] == ["2"] * 4
            assert [each["ProtectedFromScaleIn"] for each in group["Instances"]].count(True) == 1
            assert (group["MinSize"], group["MaxSize"], group["DesiredCapacity"]) == (4, 4, 4)
            assert (group["SuspendedProcesses"], bridge.most_away) == ([], 1)
        bystander = plane.client.get(f"{NODES}/bystander")
        assert not bystander["spec"].get("unschedulable")
        assert not any(each.startswith("nodeworthy/") for each in bystander["metadata"].get("annotations", {}))
        assert "nodeworthy/unverified" in {each["key"] for each in bystander["spec"]["taints"]}  # as it has joined
        again = run("rollout", "--pool", "l4", "--region", REGION, "--endpoint-url", url, "--dry-run")
        assert (again.code, "nothing to do" in again.out) == (0, True)
        plane.client.request("DELETE", f"{NODES}/bystander")


class GpuBridge(Bridge):
    """Nodes with eight GPUs each."""

    def add(self, name: str, *, machine: str, ready: bool) -> None:
        super().add(name, machine=machine, ready=ready)
        assert isinstance(self.kubelets, GpuKubelets)
        self.kubelets.change(name, {"metadata": {"labels": H100}})
        self.kubelets.offer(name, 8)


@pytest.fixture
def gpu_stage(plane: ControlPlane, reachable: None, request: pytest.FixtureRequest) -> Iterator[Stage]:
    """Whose nodes measure what the cases of the quick level say."""
    cases: Sequence[str] = request.param
    work = measured(lambda _: [line for case in cases for line in said_in(case)])

    def works(pod: Object) -> Went | None:
        return work(pod) if "NODEWORTHY_NONCE" in environment_of(pod) else goes(pod)

    with staged(GpuKubelets(plane), GpuBridge, works) as stage:
        yield stage


ACCEPTS = ("--accept", "quick", "--accept-image", "registry.example/t:1", "--allow-unknown")
IN_QUICK = ("--yes", "--yes-may-lose-capacity", "--image", "registry.example/nodeworthy:1", *ACCEPTS)


@pytest.mark.night
@pytest.mark.parametrize("gpu_stage", [WELL], indirect=True)
def test_a_fresh_node_is_accepted_by_work_before_it_gets_any(gpu_stage: Stage) -> None:
    """`accept` for real, as the rollout asks it: its Jobs are scheduled, and print what such nodes measure."""
    gpu_stage.mend()
    ran = run(*gpu_stage.words(*IN_QUICK))
    assert (ran.code, gpu_stage.versions()) == (0, ["2", "2"]), ran.err + ran.out
    assert gpu_stage.bridge.most_away == 1
    assert {each["spec"]["nodeName"] for each in worked(gpu_stage)} == set(gpu_stage.bridge.nodes.values())


@pytest.mark.night
@pytest.mark.parametrize("gpu_stage", [WRONG], indirect=True)
def test_one_wrong_bit_of_a_fresh_node_stops_it(gpu_stage: Stage) -> None:
    gpu_stage.mend()
    ran = run(*gpu_stage.words(*IN_QUICK))
    assert (ran.code, gpu_stage.versions(), gpu_stage.named()) == (1, ["1", "2"], "1"), ran.err + ran.out
    assert "fails gpu-computes-right of accept (quick)" in ran.err
    assert len([each for each in gpu_stage.nodes() if each["spec"].get("taints")]) == 1
    assert gpu_stage.bridge.most_away == 1


def worked(stage: Stage) -> list[Object]:
    return [each for each in stage.bridge.kubelets.taken.values() if "NODEWORTHY_NONCE" in environment_of(each)]


def test_two_at_once_refuse_each_other(stage: Stage) -> None:
    stage.mend()
    other = Hold(Kube(None), GROUP, "0badcafe")
    other.take()
    ran = stage.go()
    assert ran.code == 3
    assert "another rollout of t4 is under way, by rollout 0badcafe" in ran.err
    assert stage.versions() == ["1", "1"]
    other.let_go()


@pytest.mark.parametrize(
    ("line", "kill"),
    [
        pytest.param("cordon ", signal.SIGKILL, marks=pytest.mark.night),
        ("terminate ", signal.SIGKILL),
        pytest.param("has joined", signal.SIGKILL, marks=pytest.mark.night),
        ("cordon ", signal.SIGINT),
    ],
)
def test_killed_it_goes_on(stage: Stage, line: str, kill: signal.Signals, tmp_path: Path) -> None:
    stage.mend()
    command = [sys.executable, "-u", "-m", "nodeworthy", *stage.words(*LIVE)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ) as running:
        assert running.stdout is not None
        for told in running.stdout:
            if line in told:
                break
        running.send_signal(kill)
        assert running.wait(timeout=PATIENCE) == (130 if kill is signal.SIGINT else -signal.SIGKILL)
    assert (stage.group()["SuspendedProcesses"] == []) is (kill is signal.SIGINT)
    [kept] = tmp_path.glob("nodeworthy-rollout-*.json")
    assert kept.stat().st_mode & 0o777 == 0o600
    ran = run("rollout", "--resume", str(kept), "--endpoint-url", stage.url)
    assert ran.code == 0, ran.err + ran.out
    assert stage.versions() == ["2", "2"]
    assert stage.bridge.most_away == 1
    assert stage.group()["SuspendedProcesses"] == []


@pytest.mark.parametrize(("asked", "code"), [("--pause", 3), ("--abort", 1)])
def test_somebody_else_asks_it_to_pause_or_to_stop(stage: Stage, asked: str, code: int) -> None:
    """From another process, by the Lease."""
    stage.mend()
    command = [sys.executable, "-u", "-m", "nodeworthy", *stage.words(*LIVE)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        next(line for line in running.stdout if "cordon " in line)
        said = run("rollout", "--asg", GROUP, asked)
        assert said.code == 0, said.err
        assert f"is asked to {asked.removeprefix('--')}" in said.out
        _, told = running.communicate(timeout=PATIENCE)
    assert running.returncode == code, told
    assert f"somebody asked for {asked}" in told
    assert "1" in stage.versions()
    assert ("2" in stage.versions()) or asked == "--abort"
    assert all(not each["spec"].get("unschedulable") for each in stage.nodes())
    assert stage.group()["SuspendedProcesses"] == []
    assert stage.group()["LaunchTemplate"]["Version"] == "$Latest"

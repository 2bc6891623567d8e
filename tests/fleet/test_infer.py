"""`nodeworthy fleet infer` prints what follows from evidence, as a fleet that can be completed and committed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from nodeworthy.fleet.model import CapacityKind
from nodeworthy.fleet.read import Malformed, read_fleet_file
from nodeworthy.verdict import Known
from tests.case_files import whole
from tests.run import run

from .inferring import EKSCTL, TERRAFORM, fleet_of, put

HELM_CHART = """\
apiVersion: helm.cattle.io/v1
kind: HelmChart
metadata: {name: gpu-operator, namespace: kube-system}
spec:
  repo: https://helm.ngc.nvidia.com/nvidia
  chart: gpu-operator
  version: v25.3.4
  valuesContent: |
    driver: {enabled: false}
"""


def test_what_eksctl_asks_for_is_a_fleet_that_can_be_committed(folder: Path) -> None:
    put(folder, "cluster.yaml", EKSCTL.replace("NAME", "ml"))
    ran = run("fleet", "infer", "cluster.yaml", cwd=folder)
    fleet = fleet_of(ran)
    (pool,) = fleet.pools
    assert (fleet.cluster.name.state, fleet.cluster.version.state) == (Known("ml"), Known("1.33"))
    assert (pool.name, pool.nodes, pool.min, pool.max) == ("a10g", 2, 0, 4)
    assert (pool.gpu and pool.gpu.state, pool.gpus_per_node.state) == (Known("A10G"), Known(4))
    assert (pool.distribution.state, pool.driver.value, pool.driver_is_said) == (Known("eks-al2023"), "ami", True)
    assert "instanceType: g5.12xlarge  # cluster.yaml:6:19" in ran.out
    assert "no amiFamily, and eksctl takes its AmazonLinux2023 for g5.12xlarge, in cluster.yaml:5:5" in ran.out
    assert "# operator: ? is there a GPU operator?" in ran.out


def test_a_root_of_terraform_is_read_once_however_many_files_it_has(folder: Path) -> None:
    put(folder, "main.tf", TERRAFORM)
    put(folder, "others.tf", TERRAFORM.replace("a10g", "spare"))
    fleet = fleet_of(run("fleet", "infer", ".", cwd=folder))
    assert [(each.name, each.nodes, each.max) for each in fleet.pools] == [
        ("aws_eks_node_group.a10g", 2, 4),
        ("aws_eks_node_group.spare", 2, 4),
    ]
    assert {each.distribution.state for each in fleet.pools} == {Known("eks-al2023")}


def test_it_judges_as_what_it_was_inferred_from(folder: Path) -> None:
    put(folder, "cluster.yaml", EKSCTL.replace("NAME", "ml"))
    values = "driver: {enabled: false}\ntoolkit:\n  env:\n    - {name: CONTAINERD_SOCKET, value: /run/k3s/k.sock}\n"
    put(folder, "values.yaml", values)
    before = run("check", "values.yaml", "--rule", "containerd-paths", cwd=folder)
    put(folder, "Pulumi.ml.yaml", run("fleet", "infer", cwd=folder).out)
    after = run("check", "values.yaml", "--rule", "containerd-paths", cwd=folder)
    assert (before.code, after.code) == (1, 1)
    assert "on node group 'a10g'" in before.out
    assert "on pool 'a10g'" in after.out
    assert "pools follow from evidence: node group 'a10g' runs eks-al2023 (cluster.yaml:5:5)" in before.err
    assert "`nodeworthy fleet infer cluster.yaml` prints" in before.err
    assert after.err == ""


def test_what_is_remembered_is_told_again(folder: Path) -> None:
    put(folder, "cluster.yaml", EKSCTL.replace("NAME", "ml"))
    put(folder, "values.yaml", "toolkit:\n  env: []\n")
    first, second = (run("check", "values.yaml", cwd=folder) for _ in range(2))
    assert first.err == second.err
    assert "follow from evidence" in second.err


def test_a_fleet_that_is_missing_is_inferred_and_said_to_be(folder: Path) -> None:
    put(folder, "cluster.yaml", EKSCTL.replace("NAME", "ml"))
    asked, shown = run("fleet", "infer", cwd=folder), run("fleet", cwd=folder)
    assert (shown.code, shown.out) == (0, asked.out)
    assert "no fleet is declared here" in shown.err
    assert run("fleet", "--format", "json", cwd=folder).report


def test_two_clusters_are_two_documents(folder: Path) -> None:
    put(folder, "east/cluster.yaml", EKSCTL.replace("NAME", "east"))
    put(folder, "west/cluster.yaml", EKSCTL.replace("NAME", "west"))
    ran = run("fleet", "infer", cwd=folder)
    east, west = ran.out.split("\n---\n")
    assert "name: east  #" in east
    assert "name: west  #" in west
    assert "# 2 clusters are in reach" in east


def test_what_nothing_says_is_asked(folder: Path) -> None:
    put(folder, "operator.yaml", HELM_CHART)
    ran = run("fleet", "infer", cwd=folder)
    assert ran.code == 0
    assert "distribution: k3s  # likely, and not certain: a HelmChart needs the controller" in ran.out
    for asked in ("name", "version", "gpu", "gpusPerNode", "nodes", "driver"):
        assert f"# {asked}: ? " in ran.out
    assert 'chart: "v25.3.4"  # operator.yaml:7:12' in ran.out
    with pytest.raises(Malformed, match=r"cluster"):
        fleet_of(ran)


def test_two_versions_of_kubernetes_are_asked_about(folder: Path) -> None:
    put(folder, "a.yaml", EKSCTL.replace("NAME", "ml"))
    put(folder, "b.yaml", EKSCTL.replace("NAME", "ml").replace("1.33", "1.31").replace("a10g", "b10g"))
    ran = run("fleet", "infer", cwd=folder)
    assert "# version: ? which Kubernetes is it? there are 1.33 in a.yaml:3:50 and 1.31 in b.yaml:3:50" in ran.out


def test_a_name_that_is_no_pools_is_made_one(folder: Path) -> None:
    put(folder, "cluster.yaml", EKSCTL.replace("NAME", "ml").replace("name: a10g", 'name: "a10g: #1"'))
    assert [each.name for each in fleet_of(run("fleet", "infer", cwd=folder)).pools] == ["a10g-1"]


def test_nothing_follows_from_nothing(folder: Path) -> None:
    put(folder, "values.yaml", "toolkit:\n  env: []\n")
    ran = run("fleet", "infer", cwd=folder)
    assert (ran.code, ran.out) == (3, "")
    assert "nothing here says what GPU nodes are" in ran.err


def test_it_looks_at_one_thing_at_a_time(folder: Path) -> None:
    assert run("fleet", "infer", ".", "--stack", "dev", cwd=folder).code == 2
    assert run("fleet", "infer", "--from", "x", "--context", "y", cwd=folder).code == 2
    assert run("fleet", "infer", "nowhere.yaml", cwd=folder).code == 2
    assert run("fleet", "infer", "--from", "nowhere", cwd=folder).code == 2


@pytest.mark.long
def test_of_a_plan(tmp_path: Path) -> None:
    case = tmp_path / "case"
    shutil.copytree(whole("containerd-paths/bad-plan-nodes-by-their-image"), case)
    ran = run("fleet", "infer", "--stack", "dev", cwd=case)
    assert ran.code == 0, ran.err
    shown = run("fleet", "--stack", "dev", cwd=case)
    assert (shown.code, shown.out) == (0, ran.out)
    assert "stack dev declares no fleet" in shown.err
    kept = put(tmp_path, "Pulumi.ml.yaml", ran.out.replace("# name: ? ", "name: ml # "))
    fleet = read_fleet_file(kept, "kept")
    (pool,) = fleet.pools
    assert (pool.name, pool.nodes, pool.min, pool.max) == ("a10g", 2, 2, 2)
    assert (pool.distribution.state, pool.driver.value) == (Known("eks-al2023"), "ami")
    assert fleet.operator is not None
    assert fleet.operator.chart.state == Known("v25.3.4")


@pytest.mark.long
def test_of_a_plan_with_karpenters_classes(tmp_path: Path) -> None:
    case = whole("containerd-paths/bad-plan-nodes-of-karpenter")
    shutil.copytree(case, tmp_path / "stack")
    (told,) = json.loads(run("fleet", "infer", "--stack", "dev", "--format", "json", cwd=tmp_path / "stack").out)
    assert {each["distribution"]["value"] for each in told["pools"].values()} == {"eks-al2023"}


def test_of_a_dump(tmp_path: Path) -> None:
    case = whole("containerd-paths/bad-cluster-k3s-says-so-itself")
    ran = run("fleet", "infer", "--from", str(case / "dump"), cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert "distribution: k3s  # " in ran.out
    assert "eksctl" not in ran.out
    kept = put(tmp_path, "Pulumi.k.yaml", ran.out.replace("# name: ? ", "name: lab # "))
    pools = read_fleet_file(kept, "kept").pools
    assert pools[0].distribution.state == Known("k3s")
    assert "nodes: ?" not in ran.out, "they are there to be counted"


@pytest.mark.long
def test_a_program_that_fails_says_so_itself(folder: Path) -> None:
    put(folder, "Pulumi.yaml", "name: x\nruntime: python\n")
    put(folder, "Pulumi.dev.yaml", "config: {}\n")
    put(folder, "__main__.py", "raise RuntimeError('boom')\n")
    ran = run("fleet", "infer", "--stack", "dev", cwd=folder)
    assert (ran.code, ran.out) == (2, "")
    assert "boom" in ran.err
    assert "a fault of nodeworthy's own" not in ran.err


def test_a_diagnosis_says_that_it_judged_by_what_nodes_say(tmp_path: Path) -> None:
    dump = str(whole("containerd-paths/bad-cluster-k3s-says-so-itself") / "dump")
    ran = run("diagnose", "--from", dump, cwd=tmp_path)
    assert "pools follow from evidence: node group 'h200' runs k3s" in ran.err
    assert f"`nodeworthy fleet infer --from {dump}` prints" in ran.err


def test_for_programs_each_value_stands_beside_what_says_so(tmp_path: Path) -> None:
    (tmp_path / "cluster.yaml").write_text(EKSCTL.replace("NAME", "ml"), encoding="utf-8")
    ran = run("fleet", "infer", "cluster.yaml", "--format", "json", cwd=tmp_path)
    (fleet,) = json.loads(ran.out)
    assert fleet["cluster"]["name"] == {"value": "ml", "from": "cluster.yaml:3:18"}
    pool = fleet["pools"]["a10g"]
    assert pool["instanceType"] == {"value": "g5.12xlarge", "from": "cluster.yaml:6:19"}
    assert pool["nodes"]["value"] == 2
    assert set(fleet["operator"]) == {"asks"}
    assert ran.code == 0


RESERVED = """\
    labels: {team: vision}
    taints:
      dedicated: vision:NoSchedule
    instanceMarketOptions: {marketType: capacity-block}
    capacityReservation: {capacityReservationTarget: {capacityReservationID: cr-0123456789abcdef0}}
"""


def test_what_nobody_declares_is_drawn_as_it_would_be_kept(tmp_path: Path) -> None:
    (tmp_path / "cluster.yaml").write_text(EKSCTL.replace("NAME", "ml"), encoding="utf-8")
    drawn = run("fleet", "infer", "cluster.yaml", "--format", "html", cwd=tmp_path)
    assert drawn.code == 0
    assert "<title>ml: Kubernetes 1.33</title>" in drawn.out
    assert "g5.12xlarge" in run("fleet", "infer", "--picture", cwd=tmp_path).out


def test_of_two_clusters_none_is_drawn(tmp_path: Path) -> None:
    for name in ("ml", "web"):
        (tmp_path / f"{name}.yaml").write_text(EKSCTL.replace("NAME", name), encoding="utf-8")
    ran = run("fleet", "infer", "--format", "html", cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert "2 clusters are in reach" in ran.err


def test_without_a_declared_fleet_programs_are_told_what_follows(tmp_path: Path) -> None:
    (tmp_path / "cluster.yaml").write_text(EKSCTL.replace("NAME", "ml"), encoding="utf-8")
    [fleet] = json.loads(run("fleet", "--format", "json", cwd=tmp_path).out)
    assert fleet["cluster"]["name"] == {"value": "ml", "from": "cluster.yaml:3:18"}


def test_a_reservation_labels_and_taints_are_told(tmp_path: Path) -> None:
    (tmp_path / "cluster.yaml").write_text(EKSCTL.replace("NAME", "ml") + RESERVED, encoding="utf-8")
    ran = run("fleet", "infer", cwd=tmp_path)
    assert '# labels: "team=vision"  # cluster.yaml:10:20' in ran.out
    assert '# taints: "dedicated=vision:NoSchedule"  # cluster.yaml:12:18' in ran.out
    [pool] = fleet_of(ran).gpu_pools
    assert (pool.capacity.kind, pool.capacity.id) == (CapacityKind.BLOCK, "cr-0123456789abcdef0")


KARPENTER = """\
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: gpu}
spec:
  amiSelectorTerms: [{alias: al2023@latest}]
  capacityReservationSelectorTerms: [{id: cr-0123456789abcdef0}]
---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: gpu}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: gpu}
      requirements:
        - {key: node.kubernetes.io/instance-type, operator: In, values: [p5.48xlarge]}
        - {key: karpenter.sh/capacity-type, operator: In, values: [CAPACITY]}
"""


@pytest.mark.parametrize(("capacity", "is_told"), [("reserved", True), ("on-demand", False)])
def test_a_reservation_of_karpenters_is_asked_about(tmp_path: Path, capacity: str, is_told: bool) -> None:
    (tmp_path / "gpu.yaml").write_text(KARPENTER.replace("CAPACITY", capacity), encoding="utf-8")
    ran = run("fleet", "infer", cwd=tmp_path)
    assert ran.code == 0
    assert ("# capacity: ? is cr-0123456789abcdef0 a block, or a reservation?" in ran.out) is is_told

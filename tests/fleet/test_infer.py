"""`nodeworthy fleet infer` prints what follows from evidence, as a fleet that can be completed and committed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from nodeworthy.documents.yaml import read
from nodeworthy.fleet.model import CapacityKind, Fleet
from nodeworthy.fleet.read import Malformed, read_fleet, read_fleet_file
from nodeworthy.verdict import Known, Place
from tests.case_files import whole
from tests.run import Ran, run

EKSCTL = """\
apiVersion: eksctl.io/v1alpha5
kind: ClusterConfig
metadata: {name: NAME, region: us-east-1, version: "1.33"}
managedNodeGroups:
  - name: a10g
    instanceType: g5.12xlarge
    desiredCapacity: 2
    minSize: 0
    maxSize: 4
"""
TERRAFORM = """\
resource "aws_eks_node_group" "a10g" {
  cluster_name   = "ml"
  ami_type       = "AL2023_x86_64_NVIDIA"
  instance_types = ["g5.12xlarge"]
  scaling_config {
    desired_size = 2
    min_size     = 0
    max_size     = 4
  }
}
"""
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


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    return tmp_path


def put(folder: Path, name: str, text: str) -> Path:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def fleet_of(ran: Ran) -> Fleet:
    assert ran.code == 0, ran.err
    tree = read(ran.out, Place(path="inferred"))
    assert tree is not None
    return read_fleet(tree, None)


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


_K3S = "#!/bin/bash\nset -euo pipefail\ncurl -sfL https://get.k3s.io | K3S_URL=https://k3s.lan:6443 sh -s - agent\n"


def test_nodes_of_k3s_are_in_no_cluster_of_eks(folder: Path) -> None:
    put(folder, "cloud/cluster.yaml", EKSCTL.replace("NAME", "ml"))
    put(folder, "edge/agent.sh", _K3S)
    cloud, edge = run("fleet", "infer", cwd=folder).out.split("\n---\n")
    assert "name: ml  #" in cloud
    assert "distribution: k3s" not in cloud
    assert "# name: ? " in edge
    assert "distribution: k3s" in edge


def test_where_files_say_nothing_the_program_may(folder: Path) -> None:
    put(folder, "Pulumi.yaml", "name: ml\nruntime: python\n")
    ran = run("fleet", "infer", cwd=folder)
    assert (ran.code, ran.out) == (3, "")
    assert "`nodeworthy fleet infer --stack NAME`" in ran.err


_KUBEADM = """\
#!/bin/bash
set -euo pipefail
apt-get install -y containerd.io=1.7.27-1 kubelet=1.31.4-1.1 kubeadm=1.31.4-1.1
kubeadm join 10.0.0.5:6443 --discovery-file /root/discovery.conf
"""
_RKE2 = """\
#!/bin/bash
set -euo pipefail
# INSTALL_RKE2_VERSION=v1.29.1+rke2r1
curl -sfL https://get.rke2.io | INSTALL_RKE2_CHANNEL=v1.32 INSTALL_RKE2_TYPE=agent sh -
systemctl enable --now rke2-agent.service
"""


@pytest.mark.parametrize(
    ("script", "kubernetes", "containerd"),
    [
        (_KUBEADM, "1.31", "1.7.27"),
        (_KUBEADM.replace("kubeadm=1.31.4", "kubeadm=1.32.0"), None, "1.7.27"),
        (_KUBEADM.replace("containerd.io=1.7.27-1", "containerd.io"), "1.31", None),
        (_RKE2, "1.32", None),
        (_RKE2.replace("INSTALL_RKE2_CHANNEL=v1.32", "INSTALL_RKE2_CHANNEL=stable"), None, None),
        (_K3S.replace("| K3S_URL", "| INSTALL_K3S_VERSION=v1.33.1+k3s1 K3S_URL"), "1.33", None),
        (
            "#!/bin/bash\nset -e\nsnap install k8s --classic --channel=1.32-classic/stable\nk8s join-cluster $T\n",
            "1.32",
            None,
        ),
    ],
)
def test_what_a_script_chooses(folder: Path, script: str, kubernetes: str | None, containerd: str | None) -> None:
    put(folder, "node.sh", script)
    told = run("fleet", "infer", cwd=folder).out
    assert (f'version: "{kubernetes}"  # {kubernetes} in node.sh' in told) is (kubernetes is not None)
    assert (f'containerd: "{containerd}"  # node.sh:3:1' in told) is (containerd is not None)


def test_scripts_that_choose_otherwise_say_nothing(folder: Path) -> None:
    put(folder, "a.sh", _KUBEADM)
    put(folder, "b.sh", _KUBEADM.replace("1.31.4", "1.33.0"))
    assert "# version: ? which Kubernetes is it?" in run("fleet", "infer", cwd=folder).out


@pytest.mark.parametrize(
    ("script", "pods", "services"),
    [
        ("kubeadm init --pod-network-cidr=192.168.0.0/16", "192.168.0.0/16", None),
        (
            "R=10.9.0.0/16\ncurl -sfL https://get.k3s.io | sh -s - --cluster-cidr $R --service-cidr 10.8.0.0/16",
            "10.9.0.0/16",
            "10.8.0.0/16",
        ),
        ("kubeadm init  # --pod-network-cidr=192.168.0.0/16", None, None),
        ('kubeadm init --pod-network-cidr="$1"', None, None),
    ],
)
def test_from_which_ranges_a_script_gives_addresses(
    folder: Path, script: str, pods: str | None, services: str | None
) -> None:
    put(folder, "init.sh", f"#!/bin/bash\n{script}\n")
    put(folder, "join.sh", "#!/bin/bash\nkubeadm join 10.0.0.1:6443 --token aaaaaa.bbbbbbbbbbbbbbbb\n")
    (told,) = json.loads(run("fleet", "infer", ".", "--format", "json", cwd=folder).out)[:1]
    said = {name: told["cluster"].get(name, {}).get("value") for name in ("podCidr", "serviceCidr")}
    assert said == {"podCidr": pods, "serviceCidr": services}


TALOS_GPU = "machine:\n  network: {hostname: gpu-1}\n  install: {image: 'x/{{ ENV.ID }}:v1'}\n  kernel: {modules: [{name: nvidia}]}\n"
AUTO_MODE = """\
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: l4}
spec:
  template:
    spec:
      nodeClassRef: {group: eks.amazonaws.com, kind: NodeClass, name: default}
      requirements:
        - {key: eks.amazonaws.com/instance-family, operator: In, values: [g6]}
        - {key: eks.amazonaws.com/instance-size, operator: In, values: SIZES}
"""


@pytest.mark.parametrize(
    ("sizes", "count"), [("[xlarge, 2xlarge]", 1), ("[12xlarge, 24xlarge]", 4), ("[xlarge, 48xlarge]", None)]
)
def test_a_family_says_which_gpu_and_its_sizes_may_say_how_many(folder: Path, sizes: str, count: int | None) -> None:
    put(folder, "pool.yaml", AUTO_MODE.replace("SIZES", sizes))
    put(
        folder,
        "cluster.yaml",
        "apiVersion: eksctl.io/v1alpha5\nkind: ClusterConfig\nmetadata: {name: ml, version: '1.33'}\n",
    )
    (told,) = json.loads(run("fleet", "infer", ".", "--format", "json", cwd=folder).out)
    pool = told["pools"]["l4"]
    assert (pool["gpu"]["value"], pool["gpusPerNode"].get("value")) == ("L4", count)
    assert told["cluster"]["name"]["value"] == "ml", "that of the only cluster that is named here"


def test_of_types_with_as_many_gpus_the_number_is_known(folder: Path) -> None:
    put(
        folder,
        "cluster.yaml",
        EKSCTL.replace("NAME", "ml").replace("instanceType: g5.12xlarge", "instanceTypes: [g5.xlarge, g6.2xlarge]"),
    )
    out = run("fleet", "infer", ".", cwd=folder).out
    assert "gpusPerNode: 1 " in out
    assert "which GPU do its nodes have? its types have A10G or L4" in out


def test_nodes_of_talos_without_nvidias_modules_are_no_pool_beside_those_with_them(folder: Path) -> None:
    put(folder, "talos/gpu.yaml.j2", TALOS_GPU)
    put(folder, "talos/small.yaml", "machine: {network: {hostname: small}, install: {image: factory.talos.dev/x:v1}}\n")
    put(
        folder,
        "talos/talconfig.yaml",
        'clusterName: lab\ntalosVersion: "${v}"\nkubernetesVersion: "${k}"\nnodes: [{hostname: a}]\n',
    )
    put(folder, "talos/talenv.yaml", "talosVersion: v1.13.1\nkubernetesVersion: v1.36.2\n")
    (told,) = json.loads(run("fleet", "infer", ".", "--format", "json", cwd=folder).out)
    assert [*told["pools"]] == ["gpu-1"]
    assert (told["cluster"]["name"]["value"], told["cluster"]["version"]["value"]) == ("lab", "1.36")


TALCONFIG = """\
clusterName: NAME
talosVersion: v1.9.5
kubernetesVersion: v1.32.3
nodes:
  - hostname: gpu-1
    schematic: {customization: {systemExtensions: {officialExtensions: [siderolabs/nonfree-kmod-nvidia-lts]}}}
    patches: ["@./patches/gpu/nvidia.yaml"]
"""
PATCH = "machine: {kernel: {modules: [{name: nvidia}, {name: nvidia_uvm}]}}\n"


def test_a_patch_below_a_talconfig_with_gpus_is_no_pool_of_its_own(folder: Path) -> None:
    put(folder, "talos/talconfig.yaml", TALCONFIG.replace("NAME", "lab"))
    put(folder, "talos/patches/gpu/nvidia.yaml", PATCH)
    (told,) = json.loads(run("fleet", "infer", ".", "--format", "json", cwd=folder).out)
    assert [*told["pools"]] == ["lab"]
    assert told["cluster"]["version"]["value"] == "1.32"


def test_a_patch_beside_no_talconfig_with_gpus_is_one(folder: Path) -> None:
    put(folder, "lab/talconfig.yaml", TALCONFIG.replace("NAME", "lab"))
    put(folder, "other/patches/nvidia.yaml", PATCH)
    (told,) = json.loads(run("fleet", "infer", ".", "--format", "json", cwd=folder).out)
    assert [*told["pools"]] == ["lab", "talos"]
    put(
        folder,
        "lab/talconfig.yaml",
        TALCONFIG.replace("NAME", "lab").replace("siderolabs/nonfree-kmod-nvidia-lts", "a/b"),
    )
    (told,) = json.loads(run("fleet", "infer", ".", "--format", "json", cwd=folder).out)
    assert [*told["pools"]] == ["talos"]


def test_patches_of_one_version_are_one(folder: Path) -> None:
    put(folder, "a.yaml", EKSCTL.replace("NAME", "ml"))
    put(folder, "b.yaml", EKSCTL.replace("NAME", "ml").replace("1.33", "1.33.4").replace("a10g", "b10g"))
    assert 'version: "1.33"' in run("fleet", "infer", cwd=folder).out


def test_a_name_that_is_filled_in_is_asked_about(folder: Path) -> None:
    put(folder, "talos/talconfig.yaml", TALCONFIG.replace("NAME", "${CLUSTERNAME}"))
    (told,) = json.loads(run("fleet", "infer", ".", "--format", "json", cwd=folder).out)
    assert "asks" in told["cluster"]["name"]
    assert told["cluster"]["version"]["value"] == "1.32"


def test_a_version_that_is_filled_in_is_asked_about(folder: Path) -> None:
    put(
        folder,
        "talconfig.yaml",
        'clusterName: lab\ntalosVersion: "${v}"\nkubernetesVersion: "${k}"\nnodes: [{hostname: a}]\n',
    )
    (told,) = json.loads(run("fleet", "infer", ".", "--format", "json", cwd=folder).out)
    assert "asks" in told["cluster"]["version"]


def test_a_group_whose_cluster_is_called_later_is_of_the_one_that_its_stack_makes(folder: Path) -> None:
    cluster = 'variable "name" {}\nresource "aws_eks_cluster" "ml" {\n  name = var.name\n  version = "1.33"\n}\n'
    put(folder, "main.tf", cluster + TERRAFORM.replace('"ml"', "var.name", 1))
    (told,) = json.loads(run("fleet", "infer", ".", "--format", "json", cwd=folder).out)
    assert told["cluster"]["version"]["value"] == "1.33"
    put(folder, "other.tf", 'resource "aws_eks_cluster" "web" {\n  name = var.web\n  version = "1.34"\n}\n')
    (told,) = json.loads(run("fleet", "infer", ".", "--format", "json", cwd=folder).out)
    assert "asks" in told["cluster"]["version"]


RKE2 = """\
resource "aws_instance" "gpu" {
  ami           = "ami-0123456789abcdef0"
  instance_type = "g4dn.xlarge"
  user_data     = templatefile("${path.module}/agent.sh", { token = "t" })
}
"""


def test_what_a_stack_fills_in_is_told_of_with_its_nodes(folder: Path) -> None:
    put(folder, "main.tf", RKE2)
    put(
        folder,
        "agent.sh",
        "#!/bin/bash\ncurl -sfL https://get.rke2.io | INSTALL_RKE2_TYPE=agent sh -\nsystemctl enable --now rke2-agent\n",
    )
    put(folder, "server.sh", "#!/bin/bash\ncurl -sfL https://get.rke2.io | sh -\nsystemctl enable --now rke2-server\n")
    (told,) = json.loads(run("fleet", "infer", ".", "--format", "json", cwd=folder).out)
    assert [*told["pools"]] == ["aws_instance.gpu"]
    assert told["pools"]["aws_instance.gpu"]["nodes"]["value"] == 1


def test_what_nobody_knows_of_may_be_of_the_only_cluster_that_is_there(folder: Path) -> None:
    config = (
        "apiVersion: kubeadm.k8s.io/v1beta4\nkind: InitConfiguration\nnodeRegistration: {criSocket: '{{ socket }}'}\n"
    )
    put(folder, "kubeadm.yaml", config)
    put(folder, "init.sh", "#!/bin/bash\nkubeadm init --config kubeadm.yaml\n")
    assert run("fleet", "infer", ".", cwd=folder).out.count("nodeworthy:fleet:") == 1

"""What scripts, plays and the commands of clouds say of the nodes that a fleet is inferred of."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.run import run

from .inferring import EKSCTL, K3S, put


def test_nodes_of_k3s_are_in_no_cluster_of_eks(folder: Path) -> None:
    put(folder, "cloud/cluster.yaml", EKSCTL.replace("NAME", "ml"))
    put(folder, "edge/agent.sh", K3S)
    cloud, edge = run("fleet", "infer", cwd=folder).out.split("\n---\n")
    assert "name: ml  #" in cloud
    assert "distribution: k3s" not in cloud
    assert "# name: ? " in edge
    assert "distribution: k3s" in edge


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
        (K3S.replace("| K3S_URL", "| INSTALL_K3S_VERSION=v1.33.1+k3s1 K3S_URL"), "1.33", None),
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


_UP = """\
#!/bin/bash
set -euo pipefail
CLUSTER=${CLUSTER:-ml}
eksctl create cluster --name "$CLUSTER" --version 1.33 --without-nodegroup
eksctl create nodegroup --cluster "$CLUSTER" --name a10g --node-type g5.12xlarge --nodes 2
"""


_MAKE = """\
CLUSTER ?= ml
up:
\taz aks create -g rg -n $(CLUSTER) -k 1.33 --node-vm-size Standard_D4s_v5
\taz aks nodepool add -g rg --cluster-name $(CLUSTER) -n t4 --node-vm-size Standard_NC4as_T4_v3 --node-count 1
"""


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("up.sh", _UP, ("name: ml  #", 'version: "1.33"', "instanceType: g5.12xlarge", "nodes: 2", "driver: ami")),
        ("Makefile", _MAKE, ("name: ml  #", 'version: "1.33"', "gpu: T4", "gpusPerNode: 1", "distribution: aks")),
    ],
)
def test_what_a_script_asks_a_cloud_for_by_flags(folder: Path, name: str, text: str, told: tuple[str, ...]) -> None:
    put(folder, name, text)
    out = run("fleet", "infer", cwd=folder).out
    assert [each for each in told if each not in out] == []


def test_two_clouds_may_have_clusters_of_one_name(folder: Path) -> None:
    put(folder, "eks.sh", _UP)
    put(folder, "Makefile", _MAKE)
    first, second = run("fleet", "infer", cwd=folder).out.split("\n---\n")
    assert ("distribution: aks" in first) is not ("distribution: aks" in second)


def test_variables_of_ansible_say_which_k3s_it_is(folder: Path) -> None:
    put(folder, "group_vars/all.yml", 'k3s_version: v1.33.1+k3s1\nendpoint: "{{ first }}"\n')
    out = run("fleet", "infer", cwd=folder).out
    assert 'version: "1.33"  # v1.33.1+k3s1 in group_vars/all.yml:1:14' in out
    assert "distribution: k3s  # Ansible makes them" in out


_GCLOUD = """#!/bin/bash
gcloud beta container --project "$PROJECT" node-pools create gpus --cluster ml \\
  --accelerator "type=$KIND,count=$COUNT" --num-nodes 1
"""


def test_what_is_filled_in_later_is_asked(folder: Path) -> None:
    put(folder, "create.sh", _GCLOUD)
    out = run("fleet", "infer", cwd=folder).out
    assert [each in out for each in ("gpus:", "# gpu: ?", "# gpusPerNode: ?", "distribution: gke-cos")] == [True] * 4


def test_the_script_of_a_play_is_no_pool_beside_its_inventory(folder: Path) -> None:
    put(folder, "group_vars/all.yml", "k3s_version: v1.31.4+k3s1\n")
    script = "curl -sfL https://get.k3s.io | INSTALL_K3S_VERSION={{ k3s_version }} sh -"
    put(folder, "roles/k3s/tasks/main.yml", f"- name: k3s\n  shell: {script}\n")
    put(folder, "play.yml", "- hosts: all\n  roles: [k3s]\n")
    (told,) = json.loads(run("fleet", "infer", ".", "--format", "json", cwd=folder).out)
    assert len(told["pools"]) == 1
    assert told["cluster"]["version"]["value"] == "1.31"

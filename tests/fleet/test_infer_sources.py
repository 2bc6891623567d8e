"""What a fleet is inferred of where several files say it together: playbooks that import others, an inventory and its
roles, a script and the one that it sources, an image by its parameter, MicroK8s' add-on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.run import run

from .inferring import put

_K3S = "k3s_version: v1.33.4+k3s1\n"
_DRIVER = (
    "- name: Driver\n  ansible.builtin.apt: {name: [nvidia-driver-570-server, nvidia-container-toolkit]}\n"
    "- name: Runtime\n  ansible.builtin.command: nvidia-ctk runtime configure --runtime=containerd\n"
)
_BROUGHT = ("driver: user-data", '# toolkit: "user-data"')


def _plays(*roles: str) -> str:
    return "".join(f"- hosts: gpus\n  roles:\n    - {role}\n" for role in roles)


@pytest.mark.parametrize("path", ["roles/k3s/defaults/main.yml", "inventory/group_vars/all.yml"])
def test_a_role_beside_the_one_that_makes_the_nodes_brings_their_driver(folder: Path, path: str) -> None:
    put(folder, path, _K3S)
    put(folder, "roles/gpu/tasks/main.yml", _DRIVER)
    put(folder, "site.yml", _plays("k3s", "gpu"))
    told = run("fleet", "infer", cwd=folder).out
    assert all(each in told for each in ("distribution: k3s", *_BROUGHT))


@pytest.mark.parametrize(("imports", "is_brought"), [("", False), ("- import_playbook: plays/gpu.yml\n", True)])
def test_a_playbook_does_what_those_do_that_it_imports(folder: Path, imports: str, is_brought: bool) -> None:
    put(folder, "roles/k3s/defaults/main.yml", _K3S)
    put(folder, "roles/gpu/tasks/main.yml", _DRIVER)
    put(folder, "plays/gpu.yml", _plays("gpu"))
    put(folder, "site.yml", imports + _plays("k3s"))
    told = run("fleet", "infer", cwd=folder).out
    assert [each in told for each in _BROUGHT] == [is_brought, is_brought]


def test_roles_may_stand_in_one_line(folder: Path) -> None:
    put(folder, "roles/k3s/defaults/main.yml", _K3S)
    put(folder, "roles/gpu/tasks/main.yml", _DRIVER)
    put(folder, "site.yml", "- hosts: gpus\n  roles: [common, 'k3s', gpu]\n")
    assert _BROUGHT[0] in run("fleet", "infer", cwd=folder).out


def test_an_inventory_of_kubeadm_has_nothing_of_a_playbook_of_k3s(folder: Path) -> None:
    put(folder, "inventory/group_vars/all.yml", "kube_version: v1.33.4\nkube_network_plugin: calico\n")
    put(folder, "roles/gpu/tasks/main.yml", _DRIVER)
    put(folder, "site.yml", _plays("k3s", "gpu"))
    assert _BROUGHT[0] not in run("fleet", "infer", cwd=folder).out


def test_a_size_that_a_sourced_script_names_may_be_filled_in_and_has_gpus_all_the_same(folder: Path) -> None:
    put(folder, "scripts/lib.sh", '#!/bin/bash\n: "${GROUP:=ml}"\n: "${CLUSTER:=ml-aks}"\nTAINT=sku=gpu:NoSchedule\n')
    put(
        folder,
        "scripts/add.sh",
        '#!/bin/bash\n. "$(cd "$(dirname "$0")" && pwd)/lib.sh"\naz aks nodepool add --resource-group "$GROUP" \\\n'
        '  --cluster-name "$CLUSTER" --name gpu --node-count 2 --node-vm-size "$SIZE" --node-taints "$TAINT" \\\n'
        "  --enable-managed-gpu=true\n",
    )
    told = run("fleet", "infer", cwd=folder).out
    for each in ("name: ml-aks", "distribution: aks", "nodes: 2", "driver: ami", '# taints: "sku=gpu:NoSchedule"'):
        assert each in told


def test_the_parameter_of_an_image_has_its_version_unless_the_cluster_says_another(folder: Path) -> None:
    parameter = "/aws/service/eks/optimized-ami/1.33/amazon-linux-2023/x86_64/nvidia/recommended/image_id"
    put(
        folder,
        "class.yaml",
        "apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata: {name: gpu}\nspec:\n  amiFamily: AL2023\n"
        f"  amiSelectorTerms: [{{ssmParameter: {parameter}}}]\n",
    )
    put(
        folder,
        "pool.yaml",
        "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: gpu}\nspec:\n  template:\n    spec:\n"
        "      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: gpu}\n      requirements:\n"
        "        - {key: node.kubernetes.io/instance-type, operator: In, values: [g6.12xlarge]}\n",
    )
    assert 'version: "1.33"' in run("fleet", "infer", cwd=folder).out


@pytest.mark.parametrize("words", ["microk8s enable nvidia", "sudo microk8s enable dns gpu"])
def test_the_add_on_of_microk8s_is_the_operator(folder: Path, words: str) -> None:
    put(folder, "up.sh", f"#!/bin/bash\nset -e\nsnap install microk8s --classic --channel=1.33/stable\n{words}\n")
    told = run("fleet", "infer", cwd=folder).out
    assert '# toolkit: "operator"' in told
    assert '# devicePlugin: "operator"' in told

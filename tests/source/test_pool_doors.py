"""Which pods come to groups of nodes that nobody declares: what lies apart is a warning, what Kueue sends is left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.run import run

GROUP = """\
apiVersion: eksctl.io/v1alpha5
kind: ClusterConfig
metadata: {{name: {name}, region: eu-central-1, version: "1.33"}}
managedNodeGroups:
  - name: gpu
    instanceType: g5.12xlarge
    desiredCapacity: 1
    taints: [{{key: {taint}, value: "yes", effect: NoSchedule}}]
"""
JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {{name: train, namespace: research, labels: {{{labels}}}}}
spec:
  template:
    spec:
      restartPolicy: Never
      nodeSelector: {{{selector}}}
      containers:
        - {{name: train, image: registry.example.org/train:1, resources: {{limits: {{nvidia.com/gpu: 1}}}}}}
"""


def write(folder: Path, path: str, text: str) -> None:
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_text(text)


def told(folder: Path) -> list[tuple[str, str]]:
    ran = run("check", ".", "--rule", "nodepool-can-serve", "--format", "json", cwd=folder)
    return [(each["verdict"], each["severity"]) for each in ran.report["findings"]]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    write(tmp_path, ".git/HEAD", "")
    write(tmp_path, "infra/cluster.yaml", GROUP.format(name="research", taint="dedicated"))
    return tmp_path


@pytest.mark.parametrize(
    ("path", "labels", "selector", "found"),
    [
        ("infra/job.yaml", "", "", [("fail", "error")]),
        ("jobs/job.yaml", "", "", [("fail", "warning")]),
        ("infra/job.yaml", "kueue.x-k8s.io/queue-name: research", "", []),
        ("infra/job.yaml", "", "node.example.org/rack: r1", []),
        ("infra/job.yaml", "", "node.kubernetes.io/instance-type: g5.12xlarge", [("fail", "error")]),
        ("infra/job.yaml", "", "alpha.eksctl.io/nodegroup-name: cpu", [("fail", "error")]),
    ],
)
def test_a_pod(repository: Path, path: str, labels: str, selector: str, found: list[tuple[str, str]]) -> None:
    write(repository, path, JOB.format(labels=labels, selector=selector))
    assert told(repository) == found


KARPENTER = """\
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: gpu}
spec: {amiSelectorTerms: [{alias: al2023@latest}]}
---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: gpu}
spec:
  disruption: {consolidationPolicy: WhenEmpty, consolidateAfter: 10m}
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: gpu}
      requirements: [{key: karpenter.k8s.aws/instance-family, operator: In, values: [g6e]}]
      taints: [{key: dedicated, value: "yes", effect: NoSchedule}]
"""


@pytest.mark.parametrize(
    ("pools", "job", "selector", "found"),
    [
        ("karpenter/gpu.yaml", "jobs/train.yaml", "", [("fail", "warning")]),
        ("karpenter/gpu.yaml", "jobs/train.yaml", "karpenter.sh/nodepool: others", []),
        ("examples/gpu.yaml", "jobs/train.yaml", "", []),
        ("clusters/east/gpu.yaml", "clusters/west/train.yaml", "", []),
        ("clusters/east/karpenter/gpu.yaml", "clusters/east/jobs/train.yaml", "", [("fail", "warning")]),
        ("clusters/east/overlays/a/gpu.yaml", "clusters/east/overlays/b/train.yaml", "", [("fail", "warning")]),
    ],
)
def test_a_pod_beside_nodepools_of_another_folder(
    tmp_path: Path, pools: str, job: str, selector: str, found: list[tuple[str, str]]
) -> None:
    write(tmp_path, ".git/HEAD", "")
    write(tmp_path, pools, KARPENTER)
    write(tmp_path, job, JOB.format(labels="", selector=selector))
    assert told(tmp_path) == found


@pytest.mark.parametrize(("kind", "found"), [("LambdaNodeClass", []), ("AKSNodeClass", [("fail", "warning")])])
def test_pools_of_a_cloud_that_is_not_known_may_be_meant(
    repository: Path, kind: str, found: list[tuple[str, str]]
) -> None:
    other = KARPENTER.partition("---\n")[2].replace("EC2NodeClass", kind).replace("g6e", "gh200")
    write(repository, "lambda/gpu.yaml", other.replace("karpenter.k8s.aws", "karpenter.example"))
    write(repository, "lambda/train.yaml", JOB.format(labels="", selector=""))
    assert told(repository) == found


def test_two_clusters_leave_it_open(repository: Path) -> None:
    write(repository, "infra/other.yaml", GROUP.format(name="vision", taint="dedicated"))
    write(repository, "infra/job.yaml", JOB.format(labels="", selector=""))
    assert told(repository) == []


def test_one_group_that_takes_it_is_enough(repository: Path) -> None:
    write(repository, "infra/other.yaml", GROUP.format(name="research", taint="nvidia.com/gpu"))
    write(repository, "infra/job.yaml", JOB.format(labels="", selector=""))
    assert told(repository) == []


_K3S = (
    "#!/bin/bash\nset -euo pipefail\napt-get install -y nvidia-driver-570-server\n"
    "curl -sfL https://get.k3s.io | K3S_URL=https://k3s.lan:6443 sh -s - agent {told}\n"
)
_RKE2 = (
    "#!/bin/bash\nset -euo pipefail\nmkdir -p /etc/rancher/rke2\ncat > /etc/rancher/rke2/config.yaml <<'EOC'\n"
    "server: https://rke2.lan:9345\n{told}EOC\n"
    "curl -sfL https://get.rke2.io | INSTALL_RKE2_TYPE=agent sh -\nsystemctl enable --now rke2-agent\n"
)
_KUBEADM = (
    "apiVersion: bootstrap.cluster.x-k8s.io/v1beta1\nkind: KubeadmConfigTemplate\nmetadata: {{name: gpu}}\n"
    "spec: {{template: {{spec: {{joinConfiguration: {{nodeRegistration: {{{told}}}}}}}}}}}\n"
)
_TAINT = "taints: [{key: dedicated, value: gpu, effect: NoSchedule}]"
_AKS = (
    'resource "azurerm_kubernetes_cluster_node_pool" "gpu" {{\n  name = "gpu"\n  kubernetes_cluster_id = "x"\n'
    '  vm_size = "Standard_NC24ads_A100_v4"\n  {told}\n}}\n'
)
# Where GKE's own device plugin is not kept away, the operator's is not what offers the GPUs.
_GKE = (
    'resource "google_container_node_pool" "gpu" {{\n  cluster = "ml"\n  node_config {{\n'
    '    machine_type = "g2-standard-24"\n    labels = {{ gke-no-default-nvidia-gpu-device-plugin = "true" }}\n'
    "    {told}\n  }}\n}}\n"
)


@pytest.mark.parametrize(
    ("name", "nodes", "told_there"),
    [
        ("agent.sh", _K3S, "--node-taint dedicated=gpu:NoSchedule"),
        ("agent.sh", _RKE2, "node-taint:\n  - dedicated=gpu:NoSchedule\n"),
        ("agent.sh", _RKE2, 'node-taint: ["dedicated=gpu:NoSchedule"]\nnode-label: ["nvidia.com/gpu=true"]\n'),
        ("gpu.yaml", _KUBEADM, _TAINT),
    ],
)
def test_whatever_makes_the_nodes(tmp_path: Path, name: str, nodes: str, told_there: str) -> None:
    write(tmp_path, ".git/HEAD", "")
    write(tmp_path, f"nodes/{name}", nodes.format(told=told_there))
    write(tmp_path, "jobs/job.yaml", JOB.format(labels="", selector=""))
    assert told(tmp_path) == [("fail", "warning")]
    write(tmp_path, f"nodes/{name}", nodes.format(told=""))
    assert told(tmp_path) == []


def test_nodes_of_which_nothing_says_that_they_have_gpus(tmp_path: Path) -> None:
    script = _RKE2.format(told="node-taint:\n  - dedicated=db:NoSchedule\n")
    write(tmp_path, ".git/HEAD", "")
    write(tmp_path, "nodes/agent.sh", script)
    write(tmp_path, "jobs/job.yaml", JOB.format(labels="", selector=""))
    assert told(tmp_path) == []


def test_what_controls_the_cluster_takes_no_such_pod(tmp_path: Path) -> None:
    control = (
        "---\napiVersion: controlplane.cluster.x-k8s.io/v1beta1\nkind: KubeadmControlPlane\nmetadata: {name: ml}\n"
    )
    write(tmp_path, ".git/HEAD", "")
    write(tmp_path, "nodes/gpu.yaml", _KUBEADM.format(told=_TAINT) + control + "spec: {version: v1.33.1}\n")
    write(tmp_path, "jobs/job.yaml", JOB.format(labels="", selector=""))
    assert told(tmp_path) == [("fail", "warning")]


_CLUSTER_OF = {
    _AKS: 'resource "azurerm_kubernetes_cluster" "ml" {\n  name = "ml"\n}\n',
    _GKE: 'resource "google_container_cluster" "ml" {\n  name = "ml"\n}\n',
}
_RELEASE = """
resource "helm_release" "operator" {{
  name   = "gpu-operator"
  chart  = "gpu-operator"
  values = [yamlencode({{ daemonsets = {{ tolerations = [{{ key = "{key}", operator = "Exists" }}] }} }})]
}}
"""


@pytest.mark.parametrize(
    ("nodes", "taint"),
    [
        (_AKS, 'node_taints = ["dedicated=gpu:NoSchedule"]'),
        (_GKE, 'taint {\n      key = "dedicated"\n      value = "gpu"\n      effect = "NO_SCHEDULE"\n    }'),
    ],
)
def test_the_pools_of_other_clouds_have_their_taints(tmp_path: Path, nodes: str, taint: str) -> None:
    root = nodes.format(told=taint) + _CLUSTER_OF[nodes]
    write(tmp_path, "main.tf", root + _RELEASE.format(key="nvidia.com/gpu"))
    assert told(tmp_path) == [("fail", "error")]
    write(tmp_path, "main.tf", root + _RELEASE.format(key="dedicated"))
    assert [each for each in told(tmp_path) if each[1] == "error"] == []
    write(tmp_path, "main.tf", root.replace(taint, "") + _RELEASE.format(key="nvidia.com/gpu"))
    assert told(tmp_path) == []

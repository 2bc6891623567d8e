"""Node pools of GKE and AKS as objects of Kubernetes ask for them, and groups of kops'."""

from __future__ import annotations

import pytest

from nodeworthy.collect.objects import facts_of
from nodeworthy.documents.yaml import read
from nodeworthy.facts.fleet.asked_nodes import AskedNodes
from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.fleet.model import Driver
from nodeworthy.verdict import Place

ACCELERATOR = """
    machineType: n1-standard-8
    guestAccelerator:
      - type: nvidia-tesla-t4
        count: 2
        gpuDriverInstallationConfig: {gpuDriverVersion: LATEST}
    labels: {teamName: research}
    taint: [{key: nvidia.com/gpu, value: present, effect: NO_SCHEDULE}]
"""
CONNECTOR = f"""
apiVersion: container.cnrm.cloud.google.com/v1beta1
kind: ContainerNodePool
metadata: {{name: gpu}}
spec:
  clusterRef: {{name: ml}}
  initialNodeCount: 1
  nodeConfig:{ACCELERATOR}
"""
CROSSPLANE = f"""
apiVersion: container.gcp.upbound.io/v1beta1
kind: NodePool
metadata: {{name: gpu}}
spec:
 forProvider:
  clusterRef: {{name: ml}}
  nodeConfig:
  -{ACCELERATOR[4:]}
"""
CLUSTER_API = """
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: {kind}
metadata: {{name: gpu, labels: {{cluster.x-k8s.io/cluster-name: ml}}}}
spec: {spec}
"""
ASO = """
apiVersion: containerservice.azure.com/v1api20240901
kind: ManagedClustersAgentPool
metadata: {{name: gpu}}
spec:
  owner: {{name: ml}}
  count: 3
  vmSize: {size}
  nodeTaints: [sku=gpu:NoSchedule]
  {driver}
"""
KOPS = """
apiVersion: kops.k8s.io/v1alpha2
kind: InstanceGroup
metadata: {{name: gpu, labels: {{kops.k8s.io/cluster: ml}}}}
spec: {{machineType: {type}, role: Node, minSize: 1, maxSize: 2, taints: [nvidia.com/gpu=present:NoSchedule], {more}}}
"""


def pools(text: str) -> list[GpuPool]:
    tree = read(text, Place(path="nodes.yaml"))
    assert tree is not None
    return [each.pool for each in facts_of(tree) if isinstance(each, AskedNodes)]


def told(pool: GpuPool) -> tuple[str, str, Driver | None, str]:
    cluster = pool.cluster.shown() if pool.cluster is not None else ""
    return pool.name, pool.distribution.shown(), pool.driver, cluster


@pytest.mark.parametrize("text", [CONNECTOR, CROSSPLANE], ids=["config connector", "crossplane"])
def test_of_gke(text: str) -> None:
    (pool,) = pools(text)
    assert told(pool) == ("gpu", "gke-cos", Driver.AMI, "ml")
    assert pool.machines.gpus is not None
    assert pool.machines.gpus.shown() == "2"
    assert {"teamName", "cloud.google.com/gke-accelerator"} == {*pool.machines.labels}
    assert [str(each) for each in pool.machines.taints] == ["nvidia.com/gpu=present:NoSchedule"]


def test_gpus_that_gke_shares_are_of_unknown_number() -> None:
    (pool,) = pools(CONNECTOR.replace("count: 2", "count: 2\n        gpuSharingConfig: {maxSharedClientsPerGpu: 4}"))
    assert pool.machines.gpus is not None
    assert "makes several of each GPU" in str(pool.machines.gpus.state)


@pytest.mark.parametrize(
    ("driver", "brings"),
    [("", Driver.AMI), ("gpuProfile: {driver: None}", Driver.OPERATOR), ("gpuProfile: {driver: Install}", Driver.AMI)],
)
def test_of_azures_operator(driver: str, brings: Driver) -> None:
    (pool,) = pools(ASO.format(size="Standard_NC24ads_A100_v4", driver=driver))
    assert told(pool) == ("gpu", "aks", brings, "ml")
    assert [str(each) for each in pool.machines.taints] == ["sku=gpu:NoSchedule"]
    assert not pools(ASO.format(size="Standard_D8s_v5", driver=driver))


def test_of_a_cluster_of_azures_with_all_its_pools() -> None:
    found = pools(
        "apiVersion: containerservice.azure.com/v1api20240901\nkind: ManagedCluster\nmetadata: {name: ml}\nspec:\n"
        "  kubernetesVersion: 1.33.2\n  agentPoolProfiles:\n    - {name: system, vmSize: Standard_D4s_v5, count: 3}\n"
        "    - {name: gpu, vmSize: Standard_NC40ads_H100_v5, count: 2}\n"
    )
    assert [told(each) for each in found] == [("gpu", "aks", Driver.AMI, "ml")]
    assert found[0].kubernetes is not None
    assert found[0].kubernetes.shown() == "1.33"


@pytest.mark.parametrize(
    ("kind", "spec", "is_"),
    [
        (
            "AzureManagedMachinePool",
            "{sku: Standard_NC4as_T4_v3, taints: [{key: sku, value: gpu, effect: NoSchedule}]}",
            "aks",
        ),
        (
            "GCPManagedMachinePool",
            "{machineType: a2-highgpu-1g, kubernetesTaints: [{key: sku, value: gpu, effect: NoSchedule}]}",
            "gke-cos",
        ),
    ],
)
def test_of_cluster_api(kind: str, spec: str, is_: str) -> None:
    (pool,) = pools(CLUSTER_API.format(kind=kind, spec=spec))
    assert (pool.distribution.shown(), pool.cluster and pool.cluster.shown()) == (is_, "ml")
    assert [str(each) for each in pool.machines.taints] == ["sku=gpu:NoSchedule"]


def test_of_kops() -> None:
    (pool,) = pools(KOPS.format(type="g5.12xlarge", more="containerd: {nvidiaGPU: {enabled: true}}"))
    assert told(pool) == ("gpu", "kops", Driver.AMI, "ml")
    assert [str(each) for each in pool.machines.taints] == ["nvidia.com/gpu=present:NoSchedule"]
    assert [each.driver for each in pools(KOPS.format(type="g5.12xlarge", more="subnets: [a]"))] == [None]
    assert not pools(KOPS.format(type="m5.large", more="subnets: [a]"))


def test_what_is_called_so_and_is_of_somebody_else() -> None:
    assert not pools(CONNECTOR.replace("container.cnrm.cloud.google.com", "example.org"))
    assert not pools(KOPS.format(type="g5.12xlarge", more="subnets: [a]").replace("kops.k8s.io/v1", "example.org/v1"))

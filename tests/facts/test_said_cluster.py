"""What is said of a cluster as a whole is said of its pools: by whoever names it, by those that it names, of the only
one that is there."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from nodeworthy.collect.objects import facts_of, objects
from nodeworthy.documents.yaml import read_all
from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.facts.fleet.pools_by_evidence import pools_asked_for
from nodeworthy.scene import Fact
from nodeworthy.verdict import Place

GKE_POOL = """
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: GCPManagedMachinePool
metadata: {name: gpu, labels: {cluster.x-k8s.io/cluster-name: ml}}
spec: {instanceType: a2-highgpu-1g}
"""
GKE_CLUSTER = """
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: GCPManagedControlPlane
metadata: {name: ml-control-plane}
spec:
  version: 1.32.4-gke.1000
  clusterNetwork: {pod: {cidrBlock: 10.4.0.0/14}, service: {cidrBlock: 10.8.0.0/20}}
"""
AKS_POOL = """
apiVersion: containerservice.azure.upbound.io/v1beta1
kind: KubernetesClusterNodePool
metadata: {name: gpu}
spec: {forProvider: {kubernetesClusterIdRef: {name: ml}, vmSize: Standard_NC24ads_A100_v4}}
"""
AKS_CLUSTER = """
apiVersion: containerservice.azure.upbound.io/v1beta1
kind: KubernetesCluster
metadata: {name: ml}
spec: {forProvider: {kubernetesVersion: "1.32", networkProfile: [{podCidr: 10.4.0.0/14, serviceCidr: 10.8.0.0/20}]}}
"""
CONNECTOR_POOL = """
apiVersion: container.cnrm.cloud.google.com/v1beta1
kind: ContainerNodePool
metadata: {name: gpu}
spec: {clusterRef: {name: ml}, nodeConfig: {machineType: a2-highgpu-1g}}
"""
CONNECTOR_CLUSTER = """
apiVersion: container.cnrm.cloud.google.com/v1beta1
kind: ContainerCluster
metadata: {name: ml}
spec:
  minMasterVersion: "1.32"
  ipAllocationPolicy: {clusterIpv4CidrBlock: 10.4.0.0/14, servicesIpv4CidrBlock: 10.8.0.0/20}
"""
MACHINES = """
apiVersion: cluster.x-k8s.io/v1beta1
kind: MachineDeployment
metadata: {name: workers}
spec:
  clusterName: ml
  template:
    spec:
      version: v1.32.4
      bootstrap: {configRef: {kind: KubeadmConfigTemplate, name: gpu}}
"""
BOOTSTRAP = """
apiVersion: bootstrap.cluster.x-k8s.io/v1beta1
kind: KubeadmConfigTemplate
metadata: {name: gpu}
spec: {template: {spec: {joinConfiguration: {nodeRegistration: {kubeletExtraArgs: {node-labels: gpu=a100}}}}}}
"""
CLUSTER = """
apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata: {name: ml}
spec: {clusterNetwork: {pods: {cidrBlocks: [10.4.0.0/14]}, services: {cidrBlocks: [10.8.0.0/20]}}}
"""
KUBEADM = """
apiVersion: kubeadm.k8s.io/v1beta4
kind: ClusterConfiguration
kubernetesVersion: v1.32.1
networking: {podSubnet: 10.4.0.0/14, serviceSubnet: 10.8.0.0/20}
"""
CALICO = """
apiVersion: operator.tigera.io/v1
kind: Installation
metadata: {name: default}
spec: {calicoNetwork: {ipPools: [{cidr: 10.4.0.0/14}]}}
"""
CILIUM = """
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: cilium, namespace: kube-system}
spec:
  chart: {spec: {chart: cilium, version: 1.18.2, sourceRef: {kind: HelmRepository, name: cilium}}}
  values:
    ipam: {operator: {clusterPoolIPv4PodCIDRList: [10.4.0.0/14]}}
"""


def pools(*texts: str) -> list[GpuPool]:
    facts: list[Fact] = []
    for number, text in enumerate(texts):
        for document in read_all(text, Place(path=f"{number}.yaml")):
            facts += [fact for each in objects(document) for fact in facts_of(each)]
    return pools_asked_for(facts)


def told(pool: GpuPool) -> list[str | None]:
    return [each.shown() if each is not None else None for each in (pool.kubernetes, pool.services, pool.pods)]


@pytest.mark.parametrize(
    "texts",
    [
        (GKE_POOL, GKE_CLUSTER),
        (AKS_POOL, AKS_CLUSTER),
        (CONNECTOR_POOL, CONNECTOR_CLUSTER),
        (BOOTSTRAP, MACHINES, CLUSTER),
        (KUBEADM,),
        (KUBEADM, CALICO),
    ],
    ids=["cluster api on gke", "crossplane", "config connector", "machines", "kubeadm", "kubeadm and calico"],
)
def test_what_the_cluster_says(texts: Sequence[str]) -> None:
    (pool,) = pools(*texts)
    assert told(pool) == ["1.32", "10.8.0.0/20", "10.4.0.0/14"]


def test_of_two_clusters_the_one_that_is_named() -> None:
    other = AKS_CLUSTER.replace("name: ml", "name: web").replace("1.32", "1.29")
    assert [told(each)[0] for each in pools(AKS_POOL, other, AKS_CLUSTER)] == ["1.32"]
    nameless = AKS_POOL.replace("kubernetesClusterIdRef: {name: ml}, ", "")
    assert [told(each) for each in pools(nameless, other, AKS_CLUSTER)] == [[None, None, None]]
    assert [told(each)[0] for each in pools(nameless, AKS_CLUSTER)] == ["1.32"]


@pytest.mark.parametrize(
    ("texts", "version"),
    [
        ((AKS_POOL, GKE_CLUSTER.replace("ml-control-plane", "ml")), None),
        ((AKS_POOL, AKS_CLUSTER.replace("name: ml", "name: web")), None),
        ((AKS_POOL.replace("vmSize", 'orchestratorVersion: "1.31", vmSize'), AKS_CLUSTER), "1.31"),
        ((AKS_POOL, AKS_CLUSTER.replace("containerservice.azure.upbound.io", "example.org")), None),
        ((AKS_POOL, AKS_CLUSTER.replace('"1.32"', "latest")), None),
    ],
    ids=["another cloud's", "another cluster's", "its own word", "somebody else's kind", "no version"],
)
def test_what_it_does_not_say(texts: Sequence[str], version: str | None) -> None:
    (pool,) = pools(*texts)
    assert told(pool)[0] == version


@pytest.mark.parametrize(
    ("ipam", "pods"), [("operator", "10.4.0.0/14"), ("mode: kubernetes, operator", None)], ids=["its own", "kubernetes"]
)
def test_the_range_of_cilium(ipam: str, pods: str | None) -> None:
    bare = KUBEADM.replace("podSubnet: 10.4.0.0/14, ", "")
    (pool,) = pools(bare, CILIUM.replace("operator", ipam))
    assert told(pool) == ["1.32", "10.8.0.0/20", pods]


@pytest.mark.parametrize(
    ("kind", "written", "told_of_it"),
    [
        ("AWSMachineTemplate", "instanceType: g5.12xlarge", ("g5.12xlarge", None, None, "3", "ml")),
        ("GCPMachineTemplate", "instanceType: a2-highgpu-2g", (None, "A100", "2", "3", "ml")),
        ("AzureMachineTemplate", "vmSize: Standard_NC24ads_A100_v4", (None, "A100", "1", "3", "ml")),
        ("AWSMachineTemplate", "instanceType: m7i.large", (None, None, None, "3", "ml")),
        ("DockerMachineTemplate", "instanceType: g5.12xlarge", (None, None, None, "3", "ml")),
    ],
)
def test_the_machines_of_cluster_api(kind: str, written: str, told_of_it: tuple[str | None, ...]) -> None:
    made = MACHINES.replace("clusterName: ml", "clusterName: ml\n  replicas: 3").replace(
        "version: v1.32.4", f"infrastructureRef: {{kind: {kind}, name: gpus}}"
    )
    machines = (
        f"apiVersion: infrastructure.cluster.x-k8s.io/v1beta1\nkind: {kind}\nmetadata: {{name: gpus}}\n"
        f"spec: {{template: {{spec: {{{written}}}}}}}\n"
    )
    (pool,) = pools(BOOTSTRAP, made, machines)
    own = pool.machines
    found = (own.type, own.gpu, own.gpus, own.wanted, pool.cluster)
    assert tuple(each.shown() if each is not None else None for each in found) == told_of_it


EKS = """
apiVersion: controlplane.cluster.x-k8s.io/v1beta2
kind: AWSManagedControlPlane
metadata: {name: ml-control-plane}
spec: {version: v1.31}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
kind: AWSManagedMachinePool
metadata: {name: ml-gpu, labels: {cluster.x-k8s.io/cluster-name: ml}}
spec: {amiType: AL2023_x86_64_NVIDIA, instanceType: g5.12xlarge}
"""


def test_each_of_two_clusters_in_one_file_has_its_own() -> None:
    other = EKS.replace("ml-", "web-").replace("name: ml", "name: web").replace("1.31", "1.33")
    assert [told(each)[0] for each in pools(EKS, other)] == ["1.31", "1.33"]


def test_two_that_say_otherwise_say_nothing() -> None:
    older = KUBEADM.replace("v1.32.1", "v1.30.2")
    assert [told(each)[0] for each in pools(KUBEADM, older)] == [None, None]

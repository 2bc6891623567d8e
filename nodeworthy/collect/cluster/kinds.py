"""The kinds of objects that a diagnosis reads."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from nodeworthy.documents.plain import text_at
from nodeworthy.documents.tree import Tree, plant
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place


@dataclass(frozen=True)
class ObjectKind:
    plural: str
    kind: str
    # Where another group serves the same objects, it stands behind.
    groups: tuple[str, ...] = ("",)
    # Of a kind whose versions come and go: one that it had. Which one a server has, is asked first.
    version: str = "v1"
    version_varies: bool = False
    namespaced: bool = True
    # Without a core kind a diagnosis is blind.
    core: bool = True
    # Of some kinds only what has these labels is asked for; some are only read where somebody wrote them down.
    labelled: str = ""
    is_asked_for: bool = True
    # What a diagnosis wants of it, for whoever grants the right to read it.
    what_for: str = ""
    # Other groups have a kind of this name, too.
    is_of_several: bool = False

    @property
    def api_version(self) -> str:
        return f"{self.groups[0]}/{self.version}" if self.groups[0] else self.version

    def url(self, namespace: str | None) -> str:
        root = "/apis" if self.groups[0] else "/api"
        where = f"/namespaces/{namespace}" if namespace and self.namespaced else ""
        return f"{root}/{self.api_version}{where}/{self.plural}"

    def document(self, data: Mapping[str, Any]) -> Tree:
        """An object of this kind; in lists of the API server none says of itself what it is."""
        version = text_at(data, "apiVersion") or self.api_version
        words = (self.kind, text_at(data, "metadata", "namespace"), text_at(data, "metadata", "name"))
        return plant({**data, "kind": self.kind, "apiVersion": version}, Place(object="/".join(filter(None, words))))

    @property
    def key(self) -> str:
        """By which it is kept: its plural, where no other kind has that."""
        return self.full_name if self.is_of_several else self.plural

    @property
    def known_as(self) -> str:
        """Its kind; with its group, where that alone says too little."""
        return f"{self.kind}.{self.groups[0]}" if self.is_of_several else self.kind

    @property
    def full_name(self) -> str:
        return f"{self.plural}.{self.groups[0]}" if self.groups[0] else self.plural


NODES = ObjectKind("nodes", "Node", namespaced=False, what_for="their GPUs, labels, taints and runtimes")
PODS = ObjectKind("pods", "Pod", what_for="who asks for GPUs, who holds them, who does not run")
EVENTS = ObjectKind(
    "events",
    "Event",
    ("", "events.k8s.io"),
    what_for="what kubelets, the scheduler and controllers complain of",
)
DAEMONSETS = ObjectKind(
    "daemonsets",
    "DaemonSet",
    ("apps", "extensions"),
    what_for="the NVIDIA toolkit, device plugins, exporters",
)
CLUSTER_POLICIES = ObjectKind(
    "clusterpolicies",
    "ClusterPolicy",
    ("nvidia.com",),
    namespaced=False,
    core=False,
    what_for="what the GPU operator was told",
)
RUNTIME_CLASSES = ObjectKind(
    "runtimeclasses",
    "RuntimeClass",
    ("node.k8s.io",),
    namespaced=False,
    core=False,
    what_for="which runtime a pod is promised",
)
JOBS = ObjectKind("jobs", "Job", ("batch",), core=False, what_for="how long verification may take")
STATEFUL_SETS = ObjectKind(
    "statefulsets", "StatefulSet", ("apps",), core=False, what_for="the database of the job queue"
)
PROMETHEUSES = ObjectKind(
    "prometheuses",
    "Prometheus",
    ("monitoring.coreos.com",),
    core=False,
    what_for="whether metrics fit their disk",
)
# Of CloudNativePG.
DATABASES = ObjectKind(
    "clusters",
    "Cluster",
    ("postgresql.cnpg.io",),
    core=False,
    what_for="the database of the job queue, where CloudNativePG runs it",
)
NODE_POOLS = ObjectKind(
    "nodepools",
    "NodePool",
    ("karpenter.sh",),
    namespaced=False,
    core=False,
    what_for="what Karpenter may start for pods with GPUs",
)


def _speaking(
    plural: str,
    kind: str,
    api_version: str,
    what_for: str,
    *,
    once: str = "",
    namespaced: bool = True,
    is_of_several: bool = False,
) -> ObjectKind:
    """Few clusters have it, and its versions come and go; `once` is the group that served it before."""
    group, _, version = api_version.partition("/")
    return ObjectKind(
        plural,
        kind,
        (group, once) if once else (group,),
        version,
        version_varies=True,
        namespaced=namespaced,
        core=False,
        what_for=what_for,
        is_of_several=is_of_several,
    )


NVIDIA_DRIVERS = _speaking(
    "nvidiadrivers",
    "NVIDIADriver",
    "nvidia.com/v1alpha1",
    "which drivers the GPU operator could not bring",
    namespaced=False,
)
NODE_CLASSES = _speaking(
    "ec2nodeclasses",
    "EC2NodeClass",
    "karpenter.k8s.aws/v1",
    "what Karpenter did not find in AWS for its nodes",
    namespaced=False,
)
NODE_CLAIMS = _speaking(
    "nodeclaims",
    "NodeClaim",
    "karpenter.sh/v1",
    "which of Karpenter's machines never became nodes",
    namespaced=False,
)
WORKLOADS = _speaking("workloads", "Workload", "kueue.x-k8s.io/v1beta1", "which jobs Kueue holds back, and why")
CLUSTER_QUEUES = _speaking(
    "clusterqueues",
    "ClusterQueue",
    "kueue.x-k8s.io/v1beta1",
    "which of Kueue's queues admit nothing",
    namespaced=False,
)
COMPUTE_DOMAINS = _speaking(
    "computedomains",
    "ComputeDomain",
    "resource.nvidia.com/v1beta1",
    "which jobs wait for memory that nodes share",
)
RAY_CLUSTERS = _speaking("rayclusters", "RayCluster", "ray.io/v1", "which of them have no pods, and why")
HELM_RELEASES = _speaking(
    "helmreleases",
    "HelmRelease",
    "helm.toolkit.fluxcd.io/v2",
    "whether Flux could install the GPU stack",
)
APPLICATIONS = _speaking(
    "applications",
    "Application",
    "argoproj.io/v1alpha1",
    "whether Argo CD could install the GPU stack",
)
LEADER_WORKER_SETS = _speaking(
    "leaderworkersets",
    "LeaderWorkerSet",
    "leaderworkerset.x-k8s.io/v1",
    "which of them have no pods, or too few",
)
JOB_SETS = _speaking("jobsets", "JobSet", "jobset.x-k8s.io/v1alpha2", "which of them have no pods, and why")
TRAIN_JOBS = _speaking("trainjobs", "TrainJob", "trainer.kubeflow.org/v1alpha1", "which of them have no pods, and why")
PYTORCH_JOBS = _speaking("pytorchjobs", "PyTorchJob", "kubeflow.org/v1", "which of them have no pods, and why")
MPI_JOBS = _speaking("mpijobs", "MPIJob", "kubeflow.org/v2beta1", "which of them have no pods, and why")
POD_GROUPS = _speaking(
    "podgroups",
    "PodGroup",
    "scheduling.volcano.sh/v1beta1",
    "which groups of pods Volcano does not let in, and why",
)
# What serves models and scales, and what the network operator was told.
SERVING = (
    _speaking(
        "horizontalpodautoscalers",
        "HorizontalPodAutoscaler",
        "autoscaling/v2",
        "which of them scale nothing, and why",
    ),
    _speaking("scaledobjects", "ScaledObject", "keda.sh/v1alpha1", "which of KEDA's scale nothing, and why"),
    _speaking(
        "inferenceservices",
        "InferenceService",
        "serving.kserve.io/v1beta1",
        "which of KServe's have no pods, and why",
    ),
    _speaking(
        "llminferenceservices",
        "LLMInferenceService",
        "serving.kserve.io/v1alpha1",
        "which of KServe's have no pods, and why",
    ),
    _speaking("nimservices", "NIMService", "apps.nvidia.com/v1alpha1", "which of them have no pods, and why"),
    _speaking("nimcaches", "NIMCache", "apps.nvidia.com/v1alpha1", "which models are not fetched, and why"),
    _speaking(
        "nicclusterpolicies",
        "NicClusterPolicy",
        "mellanox.com/v1alpha1",
        "what the network operator could not bring",
        namespaced=False,
    ),
)
SPEAKING = (
    NVIDIA_DRIVERS,
    NODE_CLASSES,
    NODE_CLAIMS,
    WORKLOADS,
    CLUSTER_QUEUES,
    COMPUTE_DOMAINS,
    RAY_CLUSTERS,
    HELM_RELEASES,
    APPLICATIONS,
    LEADER_WORKER_SETS,
    JOB_SETS,
    TRAIN_JOBS,
    PYTORCH_JOBS,
    MPI_JOBS,
    POD_GROUPS,
    *SERVING,
)
# Dynamic Resource Allocation.
RESOURCE_CLAIMS = _speaking(
    "resourceclaims", "ResourceClaim", "resource.k8s.io/v1", "which devices pods claim, and have not got"
)
DEVICE_CLASSES = _speaking(
    "deviceclasses",
    "DeviceClass",
    "resource.k8s.io/v1",
    "which classes of devices claims may name",
    namespaced=False,
)
RESOURCE_SLICES = _speaking(
    "resourceslices",
    "ResourceSlice",
    "resource.k8s.io/v1",
    "which devices drivers publish",
    namespaced=False,
)
OF_CLAIMS = (RESOURCE_CLAIMS, DEVICE_CLASSES, RESOURCE_SLICES)
SRIOV_POLICIES = _speaking(
    "sriovnetworknodepolicies",
    "SriovNetworkNodePolicy",
    "sriovnetwork.openshift.io/v1",
    "on which nodes virtual functions are made",
)
# What is looked at for what it names, and for whether it is there.
INFERENCE_POOLS = _speaking(
    "inferencepools",
    "InferencePool",
    "inference.networking.k8s.io/v1",
    "which pods with models a gateway chooses among, and whom it asks for that",
    once="inference.networking.x-k8s.io",
)
NAMED = (
    INFERENCE_POOLS,
    _speaking("httproutes", "HTTPRoute", "gateway.networking.k8s.io/v1", "which pools of models gateways lead to"),
    ObjectKind(
        "persistentvolumeclaims", "PersistentVolumeClaim", core=False, what_for="why volumes are not there for pods"
    ),
    ObjectKind(
        "persistentvolumes",
        "PersistentVolume",
        namespaced=False,
        core=False,
        what_for="which volumes there are for claims",
    ),
    ObjectKind(
        "storageclasses",
        "StorageClass",
        ("storage.k8s.io",),
        namespaced=False,
        core=False,
        what_for="which classes of volumes claims may name",
    ),
    _speaking("localqueues", "LocalQueue", "kueue.x-k8s.io/v1beta1", "which queues of Kueue's jobs may name"),
    _speaking(
        "resourceflavors",
        "ResourceFlavor",
        "kueue.x-k8s.io/v1beta1",
        "which flavors Kueue's queues may name",
        namespaced=False,
    ),
    _speaking("servingruntimes", "ServingRuntime", "serving.kserve.io/v1alpha1", "which runtimes KServe's may name"),
    _speaking(
        "clusterservingruntimes",
        "ClusterServingRuntime",
        "serving.kserve.io/v1alpha1",
        "which runtimes KServe's may name",
        namespaced=False,
    ),
    _speaking(
        "trainingruntimes", "TrainingRuntime", "trainer.kubeflow.org/v1alpha1", "which runtimes TrainJobs may name"
    ),
    _speaking(
        "clustertrainingruntimes",
        "ClusterTrainingRuntime",
        "trainer.kubeflow.org/v1alpha1",
        "which runtimes TrainJobs may name",
        namespaced=False,
    ),
    _speaking(
        "helmrepositories",
        "HelmRepository",
        "source.toolkit.fluxcd.io/v1",
        "where Flux looks for the charts of the GPU stack",
    ),
    _speaking(
        "resourceclaimtemplates",
        "ResourceClaimTemplate",
        "resource.k8s.io/v1",
        "which templates of claims pods may name",
    ),
    _speaking(
        "admissionchecks",
        "AdmissionCheck",
        "kueue.x-k8s.io/v1beta1",
        "which checks Kueue's queues may name",
        namespaced=False,
    ),
    _speaking(
        "topologies",
        "Topology",
        "kueue.x-k8s.io/v1beta1",
        "which topologies Kueue's flavors may name",
        namespaced=False,
    ),
    _speaking(
        "provisioningrequestconfigs",
        "ProvisioningRequestConfig",
        "kueue.x-k8s.io/v1beta1",
        "which configurations Kueue's checks may name",
        namespaced=False,
    ),
    _speaking(
        "queues",
        "Queue",
        "scheduling.run.ai/v2",
        "which queues pods of KAI's scheduler may name",
        namespaced=False,
        is_of_several=True,
    ),
    _speaking(
        "queues",
        "Queue",
        "scheduling.volcano.sh/v1beta1",
        "which queues Volcano's groups may name",
        namespaced=False,
        is_of_several=True,
    ),
    _speaking(
        "network-attachment-definitions",
        "NetworkAttachmentDefinition",
        "k8s.cni.cncf.io/v1",
        "which second networks pods may name",
    ),
    _speaking("gitrepositories", "GitRepository", "source.toolkit.fluxcd.io/v1", "where Flux looks for charts"),
    _speaking("ocirepositories", "OCIRepository", "source.toolkit.fluxcd.io/v1", "where Flux looks for charts"),
    _speaking(
        "triggerauthentications", "TriggerAuthentication", "keda.sh/v1alpha1", "by what KEDA's may ask for metrics"
    ),
    _speaking(
        "clustertriggerauthentications",
        "ClusterTriggerAuthentication",
        "keda.sh/v1alpha1",
        "by what KEDA's may ask for metrics",
        namespaced=False,
    ),
    _speaking("sriovnetworks", "SriovNetwork", "sriovnetwork.openshift.io/v1", "which virtual functions networks take"),
    _speaking(
        "sriovibnetworks", "SriovIBNetwork", "sriovnetwork.openshift.io/v1", "which virtual functions networks take"
    ),
    SRIOV_POLICIES,
)
# What leads to HAMi's webhook, and what measures it.
WEBHOOKS = ObjectKind(
    "mutatingwebhookconfigurations",
    "MutatingWebhookConfiguration",
    ("admissionregistration.k8s.io",),
    namespaced=False,
    core=False,
    what_for="whether pods go through HAMi, and whether what the API server asks about them answers",
)
VALIDATING_WEBHOOKS = ObjectKind(
    "validatingwebhookconfigurations",
    "ValidatingWebhookConfiguration",
    ("admissionregistration.k8s.io",),
    namespaced=False,
    core=False,
    what_for="whether what the API server asks about pods and jobs answers",
)
API_SERVICES = ObjectKind(
    "apiservices",
    "APIService",
    ("apiregistration.k8s.io",),
    namespaced=False,
    core=False,
    what_for="whether what serves metrics to autoscalers answers",
)
DISRUPTION_BUDGETS = ObjectKind(
    "poddisruptionbudgets",
    "PodDisruptionBudget",
    ("policy",),
    core=False,
    what_for="what keeps pods on nodes whose driver is to be upgraded",
)
SERVICES = ObjectKind(
    "services", "Service", core=False, what_for="what leads to HAMi, to webhooks, and to pods with GPUs"
)
ENDPOINTS = ObjectKind("endpoints", "Endpoints", core=False, is_asked_for=False)
ENDPOINT_SLICES = ObjectKind(
    "endpointslices",
    "EndpointSlice",
    ("discovery.k8s.io",),
    core=False,
    what_for="whether anything answers behind these services",
)
NAMESPACES = ObjectKind(
    "namespaces",
    "Namespace",
    namespaced=False,
    core=False,
    what_for="which of them HAMi's webhook passes over, and to which nodes OpenShift keeps their pods",
)
DEPLOYMENTS = ObjectKind("deployments", "Deployment", ("apps", "extensions"), core=False, what_for="HAMi's scheduler")
SERVICE_MONITORS = ObjectKind(
    "servicemonitors",
    "ServiceMonitor",
    ("monitoring.coreos.com",),
    core=False,
    what_for="whether HAMi's metrics are scraped",
)
CONFIG_MAPS = ObjectKind(
    "configmaps",
    "ConfigMap",
    core=False,
    labelled="app.kubernetes.io/component in (hami-scheduler,hami-device-plugin)",
    what_for="the settings of HAMi's scheduler and device plugin",
)

KINDS = (
    NODES,
    PODS,
    EVENTS,
    DAEMONSETS,
    CLUSTER_POLICIES,
    RUNTIME_CLASSES,
    JOBS,
    STATEFUL_SETS,
    PROMETHEUSES,
    DATABASES,
    NODE_POOLS,
    *SPEAKING,
    *OF_CLAIMS,
    *NAMED,
    WEBHOOKS,
    VALIDATING_WEBHOOKS,
    API_SERVICES,
    DISRUPTION_BUDGETS,
    SERVICES,
    ENDPOINTS,
    ENDPOINT_SLICES,
    NAMESPACES,
    DEPLOYMENTS,
    SERVICE_MONITORS,
    CONFIG_MAPS,
)
# What a server is asked for.
ASKED_FOR = tuple(each for each in KINDS if each.is_asked_for)
# What the API server asks others by.
ASKERS = (WEBHOOKS, VALIDATING_WEBHOOKS, API_SERVICES)
PLATFORM = (STATEFUL_SETS, PROMETHEUSES, DATABASES)
# Kept as they are, for whichever reader has them; of all others only what rules ask of them.
KEPT_WHOLE = (*PLATFORM, CLUSTER_POLICIES, NODE_POOLS, RUNTIME_CLASSES, *SPEAKING)
_BY_NAME = {(each.kind, group): each for each in KINDS for group in each.groups}


def kind_of(kind: str, api_version: str) -> ObjectKind | None:
    """The kind of an object; None where a diagnosis does not read it (Kyverno, too, has a ClusterPolicy)."""
    if not api_version:  # cut down by hand: its name has to do
        return next((each for each in KINDS if each.kind == kind), None)
    group, slash, _ = api_version.partition("/")
    return _BY_NAME.get((kind, group if slash else ""))


def kind_of_list(kind: str, api_version: str) -> ObjectKind | None:
    """`PodList`, as the API server and `kubectl cluster-info dump` print it."""
    return kind_of(kind.removesuffix("List"), api_version) if kind.endswith("List") else None


def kind_named(plural: str) -> ObjectKind | None:
    """`events`, `events.events.k8s.io`, `daemonsets.apps`; in a file's name also `default-events`."""
    whole = next((each for each in KINDS if each.key == plural), None)
    words = re.split(r"[^a-z]+", plural.lower())
    return whole or next((each for each in KINDS if each.plural in words), None)

"""What a document brings, wherever it was found: in a file, in a plan, in a cluster. Here stands who reads what.

An object of Kubernetes is read by its kind, and whatever makes pods by its shape. A reader is imported when there is
something for it: most files hold nothing of ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from nodeworthy.collect.releases import holds_patches, releases
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.operator.recognition import cluster_policies
from nodeworthy.records import replace
from nodeworthy.scene import Fact


def facts_of(document: Tree) -> Iterator[Fact]:
    """The facts of one object. Lists are taken apart before."""
    if document.is_sequence:
        yield from _patch_alone(document)
    if not document.is_mapping:
        return
    for of_a_kind in READ_BY_KIND.get(document.get("kind").string, ()):
        yield from of_a_kind(document)
    if document.get("apiVersion").string == _OF_TALOS_OWN:
        yield from _configurations(document)
    yield from _pods(document)
    yield from _of_gone_apis(document)
    if holds_patches(document):  # a Kustomization, which often does not say that it is one
        yield from _patched(document)
    if found := tuple(releases(document)):
        from nodeworthy.collect.charts import facts_of_release

        yield from facts_of_release(*found)


NO_VARIABLES: Mapping[str, Tree] = {}


def facts_of_given(document: Tree) -> Iterator[Fact]:
    """The facts of an object that stands in a text of something else; with what a document's text is looked through
    for."""
    yield from facts_of(document)
    if document.get("kind").text == "PrometheusRule":
        from nodeworthy.facts.services.gpu_queries import asks_of_gpus

        yield from asks_of_gpus(document)


def objects(document: Tree, around: Mapping[str, Tree] = NO_VARIABLES) -> Iterator[Tree]:
    """The document, or what a list of Kubernetes objects holds, also a bare one, as Jsonnet writes it. `around` are the
    variables that a role and an inventory give to tasks of Ansible."""
    if document.is_sequence and document.sequence and all(is_object(each) for each in document.sequence):
        for each in document.sequence:
            yield from objects(each)
        return
    if document.is_sequence and document.sequence and document.sequence[0].is_mapping:
        from nodeworthy.collect.playbooks import asked_of_a_cluster

        yield from asked_of_a_cluster(document, around)
        yield document
        return
    kind = document.get("kind").string
    items = document.get("items")
    if kind in _HOLDERS:
        yield from _holder(document)
        return
    if not (kind.endswith("List") and items.is_sequence):
        yield document
        return
    for item in items.sequence:
        yield from objects(_typed(item, document, kind.removesuffix("List")))


# Kinds of which some hold other objects; which, says their group.
_HOLDERS = frozenset(
    "Application ClusterWorkflowTemplate Composition ConfigurationPolicy CronWorkflow ManifestWork Object Policy "
    "Secret Template Workflow WorkflowTemplate".split()
)


def _holder(document: Tree) -> Iterator[Tree]:
    """What it holds, and itself where it is more than that."""
    from nodeworthy.collect.enclosed_objects import is_read_itself, objects_within

    held = list(objects_within(document))
    if not held or is_read_itself(document):
        yield document
    for each in held:
        yield from objects(each)


def is_object(tree: Tree) -> bool:
    return tree.is_mapping and bool(tree.get("apiVersion").text and tree.get("kind").text)


def _typed(item: Tree, document: Tree, kind: str) -> Tree:
    """The API server's own lists say once for all items what they are."""
    if not kind or not item.is_mapping or not item.get("kind").is_absent:
        return item
    told = {"apiVersion": document.get("apiVersion"), "kind": replace(document.get("kind"), value=kind)}
    return replace(item, value={**item.mapping, **told})


# What makes pods


def _pods(document: Tree) -> Iterator[Fact]:
    if not document.get("kind").is_absent:
        from nodeworthy.facts.pod.recognition import misshapen, pod_templates

        yield from pod_templates(document)
        yield from misshapen(document)


def _patched(document: Tree) -> Iterator[Fact]:
    """What holds for a part alone. Of a ConfigMap nobody sees here what else it holds, and who chooses of it."""
    from nodeworthy.collect.patches import patched_objects

    for part in patched_objects(document):
        yield from _pods(part)
        if part.get("kind").text == "ConfigMap":
            from nodeworthy.facts.operator.sharing import sharing_in_object

            yield from (replace(each, map="", keys=()) for each in sharing_in_object(part))


def _patch_alone(document: Tree) -> Iterator[Fact]:
    """A patch in a file of its own: what it makes pods of is seen by its shape."""
    from nodeworthy.collect.patches import is_patch, patch_alone

    if is_patch(document):
        from nodeworthy.facts.pod.recognition import pod_templates

        yield from pod_templates(patch_alone(document))


# Objects of Kubernetes


def _of_gone_apis(document: Tree) -> Iterator[Fact]:
    if any(each in document.get("apiVersion").string for each in ("/v1beta", "/v2beta", "/v1alpha")):
        from nodeworthy.facts.pod.beside_pods import objects_of_gone_apis

        yield from objects_of_gone_apis(document)


def _operators_own(document: Tree) -> Iterator[Fact]:
    for each in cluster_policies(document):
        from nodeworthy.collect.charts import facts_of_operator

        yield from facts_of_operator(each)


def _classes(document: Tree) -> Iterator[Fact]:
    from nodeworthy.facts.cluster.classes import class_of

    yield from class_of(document)


def _quotas(document: Tree) -> Iterator[Fact]:
    from nodeworthy.facts.pod.quotas import device_quotas

    yield from device_quotas(document)


def _claims(document: Tree) -> Iterator[Fact]:
    from nodeworthy.facts.pod.claims import claims_in

    yield from claims_in(document)


def _node_sets(document: Tree) -> Iterator[Fact]:
    from nodeworthy.facts.slurm.node_sets import slinky_node_sets

    yield from slinky_node_sets(document)


def _queues(document: Tree) -> Iterator[Fact]:
    from nodeworthy.facts.pod.queues import gpu_queues, kueues_queues

    yield from gpu_queues(document)
    yield from kueues_queues(document)


def _services(document: Tree) -> Iterator[Fact]:
    from nodeworthy.facts.pod.service import services

    yield from services(document)


def _volume_claims(document: Tree) -> Iterator[Fact]:
    from nodeworthy.facts.pod.volume_claim import volume_claims

    yield from volume_claims(document)


def _gpu_daemonsets(document: Tree) -> Iterator[Fact]:
    from nodeworthy.facts.operator.daemonset_manifest import daemonsets

    yield from daemonsets(document)
    containers = document.get("spec", "template", "spec", "containers").sequence
    if any("-efa-" in each.get("image").string for each in containers):
        from nodeworthy.facts.pod.efa_plugin import efa_plugins

        yield from efa_plugins(document)


def _prometheuses_by_hand(document: Tree) -> Iterator[Fact]:
    containers = document.get("spec", "template", "spec", "containers").sequence
    if any("prometheus" in each.get("image").string for each in containers):
        from nodeworthy.facts.services.prometheus_by_hand import prometheuses_by_hand

        yield from prometheuses_by_hand(document)


def _texts(document: Tree) -> Iterator[Fact]:
    """What programs read of a ConfigMap."""
    from nodeworthy.facts.hami.values import hami_config_maps
    from nodeworthy.facts.operator.sharing import sharing_in_object
    from nodeworthy.facts.services.database_server import init_texts

    yield from sharing_in_object(document)
    yield from init_texts(document)
    yield from hami_config_maps(document)


def _services_of_compose(document: Tree) -> Iterator[Fact]:
    if "services" in document.mapping:
        from nodeworthy.facts.pod.docker_gpus import services_with_gpus

        yield from services_with_gpus(document)


def _mig_layouts(document: Tree) -> Iterator[Fact]:
    if "mig-configs" in document.mapping or not document.get("kind").is_absent:
        from nodeworthy.facts.operator.mig_layouts import layouts_in_object

        yield from layouts_in_object(document)


def _device_plugins_config(document: Tree) -> Iterator[Fact]:
    if document.get("sharing").is_mapping:
        from nodeworthy.facts.operator.sharing import sharing_in_object

        yield from sharing_in_object(document)


def _prometheuses(document: Tree) -> Iterator[Fact]:
    from nodeworthy.facts.services.monitoring_recognition import prometheuses

    yield from prometheuses(document)


def _monitors(document: Tree) -> Iterator[Fact]:
    from nodeworthy.facts.services.monitoring_stack import exporter_monitors, misplaced_monitors, split_endpoints

    yield from exporter_monitors(document)
    yield from split_endpoints(document)
    yield from misplaced_monitors(document)


def _databases(document: Tree) -> Iterator[Fact]:
    from nodeworthy.facts.services.database_server import servers_of_cloud_native

    yield from servers_of_cloud_native(document)


def _namespaces(document: Tree) -> Iterator[Fact]:
    from nodeworthy.facts.hami.setup import opted_out_namespaces

    yield from opted_out_namespaces(document)


def _nodes_of_karpenter(document: Tree) -> Iterator[Fact]:
    from nodeworthy.facts.fleet.karpenter_objects import karpenter

    yield from karpenter(document)


def _nodes_of_eksctl(document: Tree) -> Iterator[Fact]:
    from nodeworthy.facts.fleet.eksctl import doors_of_eksctl, groups_of_eksctl, nodes_of_eksctl

    yield from nodes_of_eksctl(document)
    yield from groups_of_eksctl(document)
    yield from doors_of_eksctl(document)


def _nodes_of_cluster_api(document: Tree) -> Iterator[Fact]:
    from nodeworthy.facts.fleet.cluster_api import nodes_of_cluster_api

    yield from nodes_of_cluster_api(document)


def _groups_of_eks(document: Tree) -> Iterator[Fact]:
    from nodeworthy.facts.fleet.managed_groups import doors_of_eks, groups_of_eks

    yield from groups_of_eks(document)
    yield from doors_of_eks(document)


def _hosted(document: Tree) -> Iterator[Fact]:
    from nodeworthy.facts.fleet.hosted_objects import hosted_objects

    yield from hosted_objects(document)


def _scaling(document: Tree) -> Iterator[Fact]:
    from nodeworthy.facts.services.gpu_scaling import scaled_by_gpus

    yield from scaled_by_gpus(document)


def _compute_classes(document: Tree) -> Iterator[Fact]:
    from nodeworthy.facts.fleet.hosted_objects import nodes_of_compute_class

    yield from nodes_of_compute_class(document)


def _made_clusters(document: Tree) -> Iterator[Fact]:
    from nodeworthy.facts.fleet.made_clusters import made_clusters

    yield from made_clusters(document)


def _groups_of_kops(document: Tree) -> Iterator[Fact]:
    from nodeworthy.facts.fleet.made_clusters import groups_of_kops

    yield from groups_of_kops(document)


def _made_otherwise(document: Tree) -> Iterator[Fact]:
    from nodeworthy.facts.fleet import made_clusters

    yield from made_clusters.cluster_of_k3d(document)
    yield from made_clusters.machines_of_eks_anywhere(document)
    yield from made_clusters.machines_of_openshift(document)


def _asked_types(document: Tree) -> Iterator[Fact]:
    from nodeworthy.facts.fleet.asked_types import asked_types

    yield from asked_types(document)


def _upgraded_nodes(document: Tree) -> Iterator[Fact]:
    from nodeworthy.facts.fleet.made_clusters import upgraded_nodes

    yield from upgraded_nodes(document)


def _launched_by_microk8s(document: Tree) -> Iterator[Fact]:
    if "addons" in document.mapping or "extraKubeletArgs" in document.mapping:
        from nodeworthy.facts.fleet.made_clusters import launched_by_microk8s

        yield from launched_by_microk8s(document)


def _of_parallel_cluster(document: Tree) -> Iterator[Fact]:
    if "Scheduling" in document.mapping:
        from nodeworthy.facts.aws.parallel_cluster import parallel_clusters

        yield from parallel_clusters(document)


def _clusters_of_omni(document: Tree) -> Iterator[Fact]:
    if "talos" in document.mapping:
        from nodeworthy.facts.fleet.talos import clusters_of_omni

        yield from clusters_of_omni(document)


def _workers_of_omni(document: Tree) -> Iterator[Fact]:
    from nodeworthy.facts.fleet.talos import workers_of_omni
    from nodeworthy.facts.fleet.talos_extensions import extensions_of_talos

    yield from workers_of_omni(document)
    yield from extensions_of_talos(document)


def _nodes_of_talos(document: Tree) -> Iterator[Fact]:
    if not _OF_TALOS.isdisjoint(document.mapping):
        from nodeworthy.facts.fleet.talos import clusters_of_talos, nodes_of_talos
        from nodeworthy.facts.fleet.talos_extensions import extensions_of_talos

        yield from nodes_of_talos(document)
        yield from extensions_of_talos(document)
        yield from clusters_of_talos(document)
        yield from _manifests_of_talos(document)
        yield from _configurations(document)
    elif document.get("cluster", "clusterName").text is not None and set(document.mapping) <= {"cluster", "version"}:
        from nodeworthy.facts.fleet.talos import clusters_of_talos

        # A patch of one, about the cluster alone.
        yield from clusters_of_talos(document)


def _manifests_of_talos(document: Tree) -> Iterator[Fact]:
    if document.get("cluster", "inlineManifests").is_sequence:
        from nodeworthy.collect.enclosed_objects import inline_manifests

        for each in inline_manifests(document):
            yield from facts_of(each)


def _nodes_of_kubespray(document: Tree) -> Iterator[Fact]:
    if not {"kube_network_plugin", "kube_pods_subnet"}.isdisjoint(document.mapping):
        from nodeworthy.facts.fleet.made_clusters import nodes_of_kubespray

        yield from nodes_of_kubespray(document)


def _nodes_of_ansible(document: Tree) -> Iterator[Fact]:
    """Nodes by Ansible's variables that choose a release of k3s or RKE2. They stand in a group's file or within an
    inventory."""
    names = document.mapping
    if any(name.endswith("version") and name != "version" for name in names) or _holds_variables(document):
        from nodeworthy.facts.fleet.made_clusters import nodes_of_ansible

        yield from nodes_of_ansible(document)


def _holds_variables(document: Tree) -> bool:
    return any("vars" in each.mapping or "children" in each.mapping for each in document.mapping.values())


def _configurations(document: Tree) -> Iterator[Fact]:
    from nodeworthy.facts.fleet.node_configuration import configurations

    yield from configurations(document)


def _of_kubeadm(document: Tree) -> Iterator[Fact]:
    from nodeworthy.facts.boot.kubeadm_config import kubeadm_configs
    from nodeworthy.facts.fleet.made_clusters import nodes_of_kubeadm

    yield from kubeadm_configs(document)
    yield from nodes_of_kubeadm(document)


def _said_of_a_cluster(document: Tree) -> Iterator[Fact]:
    from nodeworthy.facts.fleet.said_cluster import said_clusters

    yield from said_clusters(document)


def _machines_of_cluster_api(document: Tree) -> Iterator[Fact]:
    from nodeworthy.facts.fleet.said_cluster import said_machines

    yield from said_machines(document)


def _machines_of_api(document: Tree) -> Iterator[Fact]:
    from nodeworthy.facts.fleet.api_machines import machines_of_api

    yield from machines_of_api(document)


def _doors_of_api(document: Tree) -> Iterator[Fact]:
    from nodeworthy.facts.fleet.api_machines import doors_of_api

    yield from doors_of_api(document)


def _workers_of_gardener(document: Tree) -> Iterator[Fact]:
    from nodeworthy.facts.fleet.made_clusters import workers_of_gardener

    yield from workers_of_gardener(document)


# A machine config, a talconfig, what an image is made of.
_OF_TALOS = frozenset(("machine", "talosVersion", "customization"))
# The version of the documents that stand beside a machine config of Talos'.
_OF_TALOS_OWN = "v1alpha1"
# What Cluster API makes machines into nodes by: `KubeadmConfig`, `KubeadmConfigTemplate`, `KubeadmControlPlane`.
_BOOTSTRAPS = ("CK8s", "EKS", "Nodeadm", "Kubeadm", "RKE2", "KThrees", "K0s", "K0sWorker", "MicroK8s", "Talos")
_OF_BOOTSTRAP = ("Config", "ConfigTemplate", "ControlPlane")
# Of whom EKS Anywhere asks for machines.
_OF_ANYWHERE = ("CloudStack", "Nutanix", "Tinkerbell", "VSphere")
# Each asks for the group of the API itself: Kyverno, too, has a ClusterPolicy. What says no kind is under "".
READ_BY_KIND: Mapping[str, tuple[Callable[[Tree], Iterator[Fact]], ...]] = {
    "": (
        _device_plugins_config,
        _mig_layouts,
        _services_of_compose,
        _nodes_of_talos,
        _nodes_of_kubespray,
        _nodes_of_ansible,
        _launched_by_microk8s,
        _of_parallel_cluster,
    ),
    "AWSMachinePool": (_asked_types, _machines_of_api),
    "AWSManagedMachinePool": (_groups_of_eks, _asked_types),
    **dict.fromkeys(("AWSCluster", "AWSClusterTemplate", "AWSManagedControlPlaneTemplate"), (_doors_of_api,)),
    "AWSManagedControlPlane": (_said_of_a_cluster, _doors_of_api),
    "AzureManagedControlPlane": (_said_of_a_cluster,),
    "AzureManagedMachinePool": (_hosted,),
    "Cluster": (_databases, _made_clusters, _hosted, _said_of_a_cluster, _clusters_of_omni),
    "Amazonec2Config": (_asked_types,),
    "ClusterConfig": (_nodes_of_eksctl, _said_of_a_cluster),
    "ClusterConfiguration": (_of_kubeadm, _said_of_a_cluster),
    "ClusterPolicy": (_operators_own,),
    "ClusterQueue": (_queues,),
    "ClusterResourceQuota": (_quotas,),
    "ComputeDomain": (_claims,),
    "ComputeClass": (_compute_classes,),
    "ConfigMap": (_texts, _mig_layouts),
    "ContainerCluster": (_hosted, _said_of_a_cluster),
    "ContainerNodePool": (_hosted,),
    "DaemonSet": (_gpu_daemonsets,),
    "Deployment": (_prometheuses_by_hand,),
    "DeviceClass": (_claims,),
    "EC2NodeClass": (_nodes_of_karpenter,),
    "GCPManagedControlPlane": (_said_of_a_cluster,),
    "GCPManagedMachinePool": (_hosted,),
    "HorizontalPodAutoscaler": (_scaling,),
    "IPPool": (_said_of_a_cluster,),
    "InitConfiguration": (_of_kubeadm,),
    "Installation": (_said_of_a_cluster,),
    "InstanceGroup": (_groups_of_kops, _asked_types),
    "JoinConfiguration": (_of_kubeadm,),
    "KubeletConfiguration": (_configurations,),
    "KubernetesCluster": (_hosted, _said_of_a_cluster),
    "KubernetesClusterNodePool": (_hosted,),
    "LocalQueue": (_queues,),
    "MachineDeployment": (_said_of_a_cluster, _machines_of_api),
    "MachinePool": (_said_of_a_cluster,),
    "MachineSet": (_made_otherwise, _asked_types),
    "ManagedCluster": (_hosted, _said_of_a_cluster),
    "ManagedClustersAgentPool": (_hosted,),
    "Namespace": (_namespaces,),
    "NodeGroup": (_groups_of_eks, _asked_types),
    "NodeSet": (_node_sets,),
    "NodeClass": (_nodes_of_karpenter,),
    "NodePool": (_nodes_of_karpenter, _hosted),
    "Nodegroup": (_groups_of_eks, _asked_types),
    "PersistentVolumeClaim": (_volume_claims,),
    "Plan": (_upgraded_nodes,),
    "PodMonitor": (_monitors,),
    "PriorityClass": (_classes,),
    "Profile": (_quotas,),
    "Prometheus": (_prometheuses,),
    "Provisioner": (_asked_types,),
    "ResourceClaim": (_claims,),
    "ResourceClaimTemplate": (_claims,),
    "ResourceQuota": (_quotas,),
    "RuntimeClass": (_classes,),
    "Service": (_services,),
    "ServiceMonitor": (_monitors,),
    "Shoot": (_workers_of_gardener,),
    "Simple": (_made_otherwise,),
    "StatefulSet": (_prometheuses_by_hand,),
    "Tenant": (_quotas,),
    "Workers": (_workers_of_omni,),
    "AWSMachineTemplate": (_machines_of_cluster_api, _asked_types, _machines_of_api),
    **{f"{each}MachineTemplate": (_machines_of_cluster_api,) for each in ("Azure", "GCP")},
    **{f"{each}MachineConfig": (_made_otherwise,) for each in _OF_ANYWHERE},
    **{f"{each}{what}": (_nodes_of_cluster_api,) for each in _BOOTSTRAPS for what in _OF_BOOTSTRAP},
    **{f"{each}ControlPlane": (_nodes_of_cluster_api, _said_of_a_cluster) for each in _BOOTSTRAPS},
}

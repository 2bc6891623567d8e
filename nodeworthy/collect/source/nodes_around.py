"""For which nodes values are meant, where no fleet says it: by the files beside them and around.

The nearest folder above the values below which anything asks for nodes, or makes some, decides: up to the root of their
scope. What is found is evidence, and nothing is told of it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath

from nodeworthy.collect.source import evidence
from nodeworthy.collect.source.files import Source
from nodeworthy.collect.source.laid_aside import OF_THE_PAST, templates_in
from nodeworthy.documents.files import REPOSITORY, holds
from nodeworthy.facts.fleet.asked_nodes import SaidCluster
from nodeworthy.facts.fleet.gpu_pool import GpuPool, PoolDoor, doors_of_pools
from nodeworthy.facts.fleet.karpenter_choice import pools_of_any_image
from nodeworthy.facts.fleet.node_size import NodeSize, sizes_unless_shared
from nodeworthy.facts.fleet.pools_by_evidence import (
    pools_asked_for,
    pools_by_evidence,
    pools_of_charts,
    settle_drivers,
    with_roles,
)
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.fleet.model import Driver
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field, replace
from nodeworthy.scene import Fact
from nodeworthy.verdict import Located, Place, Unknown

_OF_NODES = pattern(
    rb"eksctl\.io/v1|karpenter\.(?:k8s\.aws|azure\.com|sh/v1)|eks\.amazonaws\.com/v1|"
    rb"(?:bootstrap|controlplane)\.cluster\.x-k8s\.io|"
    rb"(?m:^(?:machine|customization|(?:agent-)?token(?:-file)?):)|talosVersion|"
    rb"get\.k3s\.io|get\.rke2\.io|kubeadm (?:join|init)|"
    rb"(?:AWS|Azure|GCP)ManagedMachinePool|container\.(?:cnrm\.cloud\.google|gcp\.)|containerservice\.azure\.|"
    rb"eks\.(?:aws\.|services\.k8s\.aws)|k0sctl\.k0sproject|kops\.k8s\.io|k3d\.io/|anywhere\.eks\.|machine\.openshift|"
    rb"(?m:^apiVersion: *kubeadm\.k8s\.io/)|core\.gardener\.cloud|(?m:^cluster-cidr:)|"
    rb"(?m:^apiVersion: *(?:infrastructure\.)?cluster\.x-k8s\.io/)|"
    rb"(?m:^kube_(?:pods_subnet|service_addresses|network_plugin):)|"
    rb"version: *[\"']?v?1\.\d+\.\d+\+(?:k3s|rke2r)\d|"
    rb"(?m:^systemExtensions:)|provisioning\.cattle|"
    rb"\b(?:eksctl|kops)[ \t]+create\b|\bcontainer[ \t][^\n;|&]{0,200}?\b(?:node-pools|clusters)[ \t]+create\b|"
    rb"\baz[ \t]+aks[ \t]+(?:create|nodepool)\b|\bk3sup[ \t]+(?:install|join)\b|kind: ComputeClass|"
    rb"/etc/eks/bootstrap\.sh|node\.eks\.aws|snap install (?:microk8s|k8s)\b|"
    rb"(?m:^(?:tls-san|write-kubeconfig-mode|flannel-backend|node-label):)|upgrade\.cattle\.io/|"
    rb"\bk0s[ \t]{1,8}install\b|get\.k0s\.sh|\bname:[ \t]{0,8}[\"']?microk8s\b|(?m:^extraKubeletArgs:)",
    words=(
        *(b"eksctl", b"karpenter.", b"eks.", b"cluster.x-k8s.io", b"machine", b"customization", b"token"),
        *(b"talosVersion", b"k3s", b"rke2", b"kubeadm", b"ManagedMachinePool", b"container.", b"k0s", b"kops"),
        *(b"containerservice.azure.", b"k3d.io/", b"gardener.cloud", b"cluster-cidr:", b"kube_pods_subnet:"),
        *(b"kube_service_addresses:", b"kube_network_plugin:", b"systemExtensions:", b"cattle", b"container "),
        *(b"container\t", b"aks", b"ComputeClass", b"/etc/eks/bootstrap.sh", b"snap install", b"tls-san:"),
        *(b"write-kubeconfig-mode:", b"flannel-backend:", b"node-label:", b"microk8s", b"extraKubeletArgs:"),
    ),
    in_a_line=True,
)
# What a role of Ansible's installs on nodes that another role makes.
_BY_ROLES = pattern(
    rb"\bnvidia-(?:driver|headless|open|dkms|container-toolkit)|\bcuda-drivers", words=(b"nvidia-", b"cuda-drivers")
)
_ROLES, _TASKS = "roles", (".yml", ".yaml")
# What lies in a folder of one of these names is there to be read, or was once: for what lies elsewhere it says nothing.
_ASIDE = frozenset(
    (
        *OF_THE_PAST,
        *("demo", "doc", "docs", "example", "examples", "ref", "reference", "sample", "samples"),
        *("fixtures", "test", "testdata", "tests"),
    )
)
_SHARES = pattern(rb"timeSlicing|(?m:^[ \t]*mps:)|deviceSplitCount|(?i:hami\b)")
# What has a cloud make nodes as pods ask for them: Autopilot, and what other clusters of Google's and Azure's may do.
_MADE_FOR_PODS = pattern(
    rb"\bclusters[ \t]{1,8}create-auto\b|\benable_?[aA]utopilot[ \t]{0,40}[=:][ \t]{0,8}true\b"
    rb"|--enable-autoprovisioning\b|\bautopilot:[ \t]{0,8}\{?\s{0,40}enabled:[ \t]{0,8}true\b"
    rb"|\benableNodeAutoprovisioning:[ \t]{0,8}true\b|\bkind: {1,8}ComputeClass\b"
    rb"|\bcluster_autoscaling[ \t]{0,40}=?[ \t]{0,8}\{\s{0,40}enabled[ \t]{0,40}=[ \t]{0,8}true\b"
    rb"|--node-provisioning-mode[ \t=]{1,8}Auto\b"
    rb"|\bnode_provisioning_profile[ \t]{0,8}\{\s{0,40}mode[ \t]{0,40}=[ \t]{0,8}\"Auto\"",
    words=(
        *(b"create-auto", b"utopilot", b"utoprovisioning", b"ComputeClass", b"cluster_autoscaling"),
        *(b"node-provisioning-mode", b"node_provisioning_profile"),
    ),
)
_ADDS = pattern(rb"(?i)karpenter")
_OF_EXTENSIONS = "talos"
# A class of a cloud of which nobody here knows what nodes its NodePools make.
_OF_ANOTHER_CLOUD = pattern(rb"\bkind:[ \t]{1,8}(?!EC2|AKS)[A-Z]\w{1,30}NodeClass\b", words=(b"NodeClass",))
_OF_SUCH_CLOUDS = ("gke", "aks")
_HCL = (".tf", ".tofu")
_UNIT = "terragrunt.hcl"
_ROOT_FILES = (*_HCL, _UNIT)
# What of Terraform asks for a cluster's nodes.
_ROOTS_OF_NODES = pattern(
    rb"\"aws_eks_(?:cluster|node_group)\"|terraform-aws-modules/eks/aws|\"google_container_(?:cluster|node_pool)\"|"
    rb"\"azurerm_kubernetes_cluster|terraform-google-modules/kubernetes-engine/google|\bAzure/aks/azurerm|"
    rb"\"oci_containerengine_(?:cluster|node_pool)\"|oracle-terraform-modules/oke/oci",
    words=(
        *(b"aws_eks_", b"terraform-aws-modules/eks/aws", b"google_container_", b"azurerm_kubernetes_cluster"),
        *(b"terraform-google-modules/", b"Azure/aks/azurerm", b"oci_containerengine_", b"oracle-terraform-modules/"),
    ),
)
# How people call the folders of a repository which is one cluster's: of its root of Terraform, and of what it is given.
_OF_ROOTS = frozenset("aks aws azure cluster eks gcp gke iac infra infrastructure opentofu terraform tf tofu".split())
_OF_VALUES = frozenset(
    "addons app apps argo argocd chart charts deploy deployment deployments flux gitops gpu gpu-operator helm "
    "helm-charts helm-values infrastructure inference jobs k8s kube kubernetes kustomize manifests operator operators "
    "platform scripts serving training values workload workloads".split()
)
# `2-eks` beside `4-gpu`: in the order in which somebody goes through them.
_NUMBERED = pattern(r"^\d{1,3}[-_.]")
_SUFFIXES = (".yaml", ".yml", ".sh", ".bash", ".tpl", ".tftpl", ".j2", "")
# What is looked at in a scope that is full of examples.
_MOST = 50


@dataclass
class NodesAround:
    """The nodes around values, in one run: each file is read once, however many values it is evidence for."""

    rules: frozenset[str]
    _holding: dict[Path, list[tuple[str, frozenset[str]]]] = field(default_factory=dict)
    _pools: dict[tuple[str, ...], list[GpuPool]] = field(default_factory=dict)
    _facts: dict[Path, list[Fact]] = field(default_factory=dict)

    def pools(self, facts: Sequence[Fact], source: Source) -> list[GpuPool]:
        """`facts` are those of the files that are judged together with this one."""
        values = [each for each in facts if isinstance(each, OperatorValues)]
        charts = pools_of_charts(values, Path(source.lies).parent)
        near = _of_units(source) or self._around(source) or pools_by_evidence(facts) or self._of_roots(values, source)
        pools = _as_their_images_are(_of_its_cluster(near or list(charts), values, source), source)
        return [_doubted_at(values, each) for each in settle_drivers(pools, values, _folder(source))]

    def sizes(self, facts: Sequence[Fact], source: Source) -> list[NodeSize]:
        """How large nodes are that pods of this file may come to."""
        if source.scope.root is None:
            return []
        pools = self._for_pods(facts, source) or [each.pool for each in pools_of_any_image(facts)]
        sizes = self._sizes_of(pools, facts, source)
        folder = os.fspath(Path(source.shown).parent)
        return [replace(each, is_of_a_root=_is_of_a_root(each.place, folder)) for each in sizes]

    def all_sizes(self, pools: Sequence[GpuPool], facts: Sequence[Fact], source: Source) -> list[NodeSize]:
        """The sizes of a stack's groups, and of what is asked for by name. None where Karpenter or their cloud
        adds nodes that are not among them."""
        asked = pools_asked_for(facts)
        where = (*_SUFFIXES, *_HCL)
        if not asked and (_lies_around(source, _ADDS, where) or _lies_around(source, _MADE_FOR_PODS, where)):
            return []
        return self._sizes_of([*pools, *asked], facts, source)

    def _sizes_of(self, pools: Sequence[GpuPool], facts: Sequence[Fact], source: Source) -> list[NodeSize]:
        """None where what shares GPUs lies in the scope: then nodes offer more than they have. Where one root of
        Terraform makes several clusters, what it puts into one of them goes to nodes of one of them."""
        if _lies_around(source, _SHARES, _SUFFIXES):
            return []
        folder = os.path.dirname(source.shown)  # noqa: PTH120 - a path as text
        is_of_one_root = source.shown.endswith(_ROOT_FILES) and all(
            each.place.file.startswith(folder) for each in pools
        )
        return sizes_unless_shared(pools, facts, in_any=is_of_one_root)

    def doors(self, facts: Sequence[Fact], source: Source) -> list[PoolDoor]:
        """What decides which pods come to these nodes."""
        return doors_of_pools(self._for_pods(facts, source)) if source.scope.root is not None else []

    def clusters(self, source: Source) -> list[SaidCluster]:
        """What the nearest files say of a cluster as a whole, to nodes that are asked for beside none."""
        for brought in self._nearer(source):
            found = [each for path in brought for each in self._brought(Path(path), source)]
            clusters = [each for each in found if isinstance(each, SaidCluster)]
            if clusters:
                return clusters
        return []

    def grow_for_pods(self, pools: Sequence[GpuPool], source: Source) -> bool:
        """Whether the cloud of these pools makes others as soon as a pod asks for them."""
        are_of_such_a_cloud = any(each.distribution.shown().startswith(_OF_SUCH_CLOUDS) for each in pools)
        return are_of_such_a_cloud and _lies_around(source, _MADE_FOR_PODS, (*_SUFFIXES, *_HCL))

    def _for_pods(self, facts: Sequence[Fact], source: Source) -> Sequence[GpuPool]:
        """None where these are not all that there are."""
        found = self._around(source) or pools_by_evidence(facts) or self._of_the_only_root(source)
        pools = _of_its_cluster(found, [], source)
        are_all = not self.grow_for_pods(pools, source) and not (pools and _makes_others(source))
        return pools if are_all else []

    def _around(self, source: Source) -> list[GpuPool]:
        return next(filter(None, (self._pools_of(below, source) for below in self._nearer(source))), [])

    def _of_roots(self, values: Sequence[OperatorValues], source: Source) -> list[GpuPool]:
        """The pools of the cluster that a root of Terraform makes elsewhere in the repository: where somebody says by
        its name that the values are for it, or where no other root makes one."""
        if source.scope.root is None or not values:
            return []
        from nodeworthy.collect.source.whose_cluster import clusters_named

        names = clusters_named(values, source)
        pools = self._pools_of_roots(source)
        named = [each for each in pools if each.cluster is not None and each.cluster.shown() in names]
        if named or names:
            return named
        return pools if self._is_of_the_only_root(source) else []

    def _of_the_only_root(self, source: Source) -> list[GpuPool]:
        """The same for pods. Of a cluster in which Karpenter adds nodes, these are not all."""
        if source.scope.root is None or not self._is_of_the_only_root(source):
            return []
        return [] if _lies_around(source, _ADDS, (*_SUFFIXES, *_HCL)) else self._pools_of_roots(source)

    def _is_of_the_only_root(self, source: Source) -> bool:
        """What a root calls as a module lies below it, or beside, and is no root by itself."""
        from nodeworthy.collect.source.terraform import folder_of_root

        near = {os.path.dirname(each) for each in self._roots_of_nodes(source)}  # noqa: PTH120 - a path as text
        roots = {folder_of_root(each, source) for each in near}
        lies = Path(source.lies)
        return len(roots) == 1 and not _aside(lies) and _lie_as_one(lies.parent, Path(roots.pop()))

    def _pools_of_roots(self, source: Source) -> list[GpuPool]:
        """The pools of all roots in the scope, those of examples left out; of two that are one, the first."""
        from nodeworthy.collect.source.terraform import pools_asked_of_root

        key = (os.fspath(source.scope.root or ""), "roots")
        if key not in self._pools:
            beside = (evidence.lying_beside(Path(each), source) for each in self._roots_of_nodes(source)[:_MOST])
            found = {each.place: each for one in beside for each in pools_asked_of_root(one)}
            self._pools[key] = list(found.values())
        return self._pools[key]

    def _roots_of_nodes(self, source: Source) -> list[str]:
        held = source.scope.holding(_ROOTS_OF_NODES, _HCL)
        return [os.fspath(each.path) for each in held if not _aside(each.path)]

    def _nearer(self, source: Source) -> Iterator[tuple[str, ...]]:
        """The files of nodes below its folder, then below the one above it, up to the root."""
        root = source.scope.root
        if root is None:
            return
        own = Path(source.lies).parent
        held = self._held_for(own, source, root)
        for folder in (own, *own.parents):
            yield tuple(path for path in held if path.startswith(f"{folder}{os.sep}"))[:_MOST]
            if folder == root:
                return

    def _held_for(self, own: Path, source: Source, root: Path) -> list[str]:
        """What lies aside counts only for what lies aside with it; around a folder that is no project's and that nobody
        named, what lies in it."""
        steps = {each.lower() for each in own.parts}
        held = [path for path, aside in self._held(source, root) if aside <= steps]
        if own != root or source.scope.is_named or holds(os.fspath(root), REPOSITORY):
            return held
        return [path for path in held if os.path.dirname(path) == os.fspath(own)]  # noqa: PTH120 - a path as text

    def _held(self, source: Source, root: Path) -> list[tuple[str, frozenset[str]]]:
        """Each with those of the folders on its way that are of examples, or of the past."""
        if root not in self._holding:
            found = [each.path for each in source.scope.holding(_OF_NODES, _SUFFIXES)]
            beside = (each.path for each in source.scope.holding(_BY_ROLES, _TASKS) if _ROLES in each.path.parts)
            found = list(dict.fromkeys((*found, *(beside if found else ()))))
            templates = templates_in(root)
            self._holding[root] = [
                (os.fspath(each), _aside(each))
                for each in found
                if not any(each.is_relative_to(folder) for folder in templates)
            ]
        return self._holding[root]

    def _pools_of(self, paths: tuple[str, ...], source: Source) -> list[GpuPool]:
        """The pools that follow from these files, inferred once for all who ask."""
        if paths not in self._pools:
            facts = [fact for each in paths for fact in self._brought(Path(each), source)]
            self._pools[paths] = with_roles(pools_by_evidence(facts), facts)
        return self._pools[paths]

    def _brought(self, path: Path, source: Source) -> list[Fact]:
        if path not in self._facts:
            found = evidence.read(evidence.lying_beside(path, source), self.rules)
            self._facts[path] = [*found.facts, *found.scripts] if found is not None else []
        return self._facts[path]


def _lies_around(source: Source, mark: re.Pattern[bytes], suffixes: tuple[str, ...]) -> bool:
    return source.scope.root is not None and next(source.scope.holding(mark, suffixes), None) is not None


def _makes_others(source: Source) -> bool:
    """Whether Karpenter makes nodes of another cloud, too."""
    return _lies_around(source, _OF_ANOTHER_CLOUD, _SUFFIXES)


def _of_its_cluster(pools: Sequence[GpuPool], values: Sequence[OperatorValues], source: Source) -> Sequence[GpuPool]:
    """Imported only where there are some."""
    if not pools:
        return pools
    from nodeworthy.collect.source.whose_cluster import pools_of_its_cluster

    return pools_of_its_cluster(pools, values, source)


def _as_their_images_are(pools: Sequence[GpuPool], source: Source) -> Sequence[GpuPool]:
    """Imported only where there are nodes of Talos whose image is to have the driver."""
    if not any(each.driver is Driver.AMI and each.distribution.shown() == _OF_EXTENSIONS for each in pools):
        return pools
    from nodeworthy.collect.source.talos_images import without_the_driver

    return [without_the_driver(each, source) for each in pools]


def _doubted_at(values: Sequence[OperatorValues], pool: GpuPool) -> GpuPool:
    """What nodes do not say is a doubt about the values, whichever file was asked for."""
    unknown = pool.distribution.state
    if not values or not isinstance(unknown, Unknown) or pool.distribution.place.path == values[0].place.path:
        return pool
    doubt = Located.unknown(f"of {pool.title} ({pool.distribution.place}): {unknown.why}", values[0].place)
    return replace(pool, distribution=doubt, runtime=doubt)


def _folder(source: Source) -> PurePath:
    """The folder in its repository, which is the same wherever the command runs."""
    folder, root = Path(source.lies).parent, source.scope.root
    return folder.relative_to(root) if root is not None and folder.is_relative_to(root) else folder


def _lie_as_one(values: Path, root: Path) -> bool:
    """`k8s/` beside `terraform/`, as one cluster's: folders called otherwise may be of others."""
    common = os.path.commonpath((values, root))
    above = [PurePath(each).relative_to(common).parts[:1] for each in (values, root)]
    return all(
        not own or _NUMBERED.sub("", own[0].lower()) in names or _is_a_chart(PurePath(common, *own))
        for own, names in zip(above, (_OF_VALUES, _OF_ROOTS), strict=True)
    )


def _of_units(source: Source) -> list[GpuPool]:
    """Those of the units that this one of Terragrunt's depends on. Imported only for one."""
    if not source.shown.endswith(_ROOT_FILES):
        return []
    from nodeworthy.collect.source.terraform import pools_of_units_before

    return list(pools_of_units_before(source))


def _is_of_a_root(nodes: Place, folder: str) -> bool:
    return nodes.file.endswith(_ROOT_FILES) and os.path.dirname(nodes.file) != folder  # noqa: PTH120 - a path as text


def _is_a_chart(folder: PurePath) -> bool:
    return holds(os.fspath(folder), ("Chart.yaml",))


def _aside(path: Path) -> frozenset[str]:
    return _ASIDE.intersection(each.lower() for each in path.parent.parts)

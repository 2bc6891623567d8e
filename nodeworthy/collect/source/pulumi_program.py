"""A program of Pulumi's or of AWS' CDK, in Python or TypeScript, that nobody ran: the nodes with GPUs that it asks for
(of Pulumi's), the charts and the objects.

Each is read as the object or resource of another tool that it comes to, as far as its arguments are written down.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from nodeworthy.collect.charts import facts_of_release
from nodeworthy.collect.objects import facts_of, facts_of_given, objects
from nodeworthy.collect.source.comments import comments
from nodeworthy.collect.source.constructed import CDK, Config, Constructed
from nodeworthy.collect.source.files import Source, any_text
from nodeworthy.collect.source.parsing import FileContents
from nodeworthy.documents.release import Release
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.fleet.asked_nodes import AskedNodes
from nodeworthy.patterns import pattern
from nodeworthy.records import replace
from nodeworthy.scene import Fact
from nodeworthy.verdict import Place, Unknown

_PULUMI = (b"@pulumi/", b"pulumi_", b"aws-cdk", b"aws_cdk")
_TEMPLATE = "aws.ec2.LaunchTemplate"
_OPERATOR = "gpu-operator"
_MAKES = (
    *(b"NodeGroup", b"NodePool", b"AgentPool", b"ManagedCluster", b"KubernetesCluster", b"container.Cluster"),
    *(b"eks.Cluster", b"CustomResource", b"helm.v3", b"helm.v4", b"/helm/v", b"Release", b"Chart"),
    *(b"addManifest", b"add_manifest", b"add_helm_chart", b"KubernetesManifest", b"ConfigGroup", b"nvidia.com/"),
)


def may_be_program(data: bytes) -> bool:
    return any(mark in data for mark in _PULUMI) and any(mark in data for mark in _MAKES)


def contents(source: Source, data: bytes, rules: frozenset[str]) -> FileContents | None:
    """None where it asks for no nodes with GPUs, and installs nothing that is judged."""
    text = any_text(data)
    config = Config(source.scope, Path(source.lies), source.shown)
    facts = list(facts_constructed(_constructed(text, source, config)))
    if not facts:
        return None
    return FileContents(facts, suppressions=list(comments(text, Place(source.shown), rules, is_yaml=False)))


def _constructed(text: str, source: Source, config: Config) -> Sequence[Constructed]:
    if source.path.suffix == ".py":
        from nodeworthy.collect.source.constructed_by_python import constructed_by_python

        return constructed_by_python(text, source.shown, config)
    from nodeworthy.collect.source.constructed_by_typescript import constructed_by_typescript

    return constructed_by_typescript(text, source.shown, config)


def facts_constructed(constructed: Sequence[Constructed]) -> Iterator[Fact]:
    machines = {each.variable: each.arguments.get("instanceType") for each in constructed if each.kind == _TEMPLATE}
    for each in (_with_template(one, machines) for one in constructed):
        read = _READ.get(each.kind) or (_of_its_own_class if _CLASS.fullmatch(each.kind) else None)
        for fact in read(each) if read is not None else ():
            yield fact.in_doubt() if each.is_likely and isinstance(fact, AskedNodes) else fact


def _with_template(made: Constructed, machines: Mapping[str, Tree]) -> Constructed:
    """A group of nodes with the type that its launch template says, where it says none itself."""
    template = made.arguments.get("launchTemplate")
    named = (template.get(each).value for each in ("id", "name"))
    found = next((machines[each.of] for each in named if isinstance(each, Unknown) and each.of in machines), None)
    if found is None or found.text is None or not made.arguments.get("instanceTypes").is_absent:
        return made
    types = Tree([found], found.place)
    return replace(made, arguments=Tree({**made.arguments.mapping, "instanceTypes": types}, made.arguments.place))


# AWS


def _group_of_eks(made: Constructed) -> Iterator[Fact]:
    """The group as AWS' own controller has it."""
    said = made.arguments
    spec = dict(said.mapping)
    if said.get("clusterName").text is None:
        spec.pop("clusterName", None)  # an output of the cluster, which is here or elsewhere
    yield from facts_of(_object("eks.services.k8s.aws/v1alpha1", "Nodegroup", made, Tree(spec, said.place)))


def _group_by_component(made: Constructed) -> Iterator[Fact]:
    """The group of a component; without an image's type it has the one of its operating system, with or without
    GPUs."""
    said = made.arguments
    system, gpu = said.get("operatingSystem").string, said.get("gpu")
    image = _IMAGES.get((system or "AL2023", gpu.value is True))
    spec = dict(said.mapping)
    is_decided = system or (gpu.value is True and made.kind in _OF_TODAY)
    if said.get("amiType").is_absent and image is not None and is_decided:
        spec["amiType"] = Tree(image, (said.get("operatingSystem") if system else gpu).place)
    sizes = {key: said.get(own) for own, key in _SIZES.items() if not said.get(own).is_absent}
    if sizes:
        spec["scalingConfig"] = Tree(sizes, said.place)
    yield from _group_of_eks(replace(made, arguments=Tree(spec, said.place)))


# Those which take Amazon Linux 2023 where nobody chooses; what others take differs between their versions.
_OF_TODAY = ("eks.ManagedNodeGroup", "eks.NodeGroupV2")
_IMAGES = {
    ("AL2023", True): "AL2023_x86_64_NVIDIA",
    ("AL2023", False): "AL2023_x86_64_STANDARD",
    ("AL2", True): "AL2_x86_64_GPU",
    ("AL2", False): "AL2_x86_64",
    ("Bottlerocket", True): "BOTTLEROCKET_x86_64_NVIDIA",
    ("Bottlerocket", False): "BOTTLEROCKET_x86_64",
}
_SIZES = {"minSize": "minSize", "maxSize": "maxSize", "desiredCapacity": "desiredSize"}


def _cluster_of_eks(made: Constructed) -> Iterator[Fact]:
    """Called by its own name, where it is given one."""
    called = made.arguments.get("name").text
    made = made if called is None else replace(made, name=called)
    yield from facts_of(_object("eks.services.k8s.aws/v1alpha1", "Cluster", made, made.arguments))


def _cluster_by_component(made: Constructed) -> Iterator[Fact]:
    """The cluster with its own group, unless it is told to make none."""
    yield from _cluster_of_eks(made)
    said = made.arguments
    own = said.get("nodeGroupOptions") if said.get("nodeGroupOptions").is_mapping else said
    if said.get("skipDefaultNodeGroup").value is not True:
        yield from _group_by_component(replace(made, arguments=own))


# Google Cloud and Azure


def _hosted(type_: str) -> Callable[[Constructed], Iterator[Fact]]:
    def read(made: Constructed) -> Iterator[Fact]:
        from nodeworthy.facts.fleet.hosted_objects import asked_of_host

        yield from asked_of_host(type_, made.name, made.place, made.arguments)

    return read


def _by_azures_api(kind: str) -> Callable[[Constructed], Iterator[Fact]]:
    def read(made: Constructed) -> Iterator[Fact]:
        """The object as Azure's own service operator has it."""
        said = made.arguments
        named = next((each for name in ("agentPoolName", "resourceName") if (each := said.get(name)).text), None)
        called = made if named is None else replace(made, name=named.string)
        yield from facts_of(_object("containerservice.azure.com/v1", kind, called, said))

    return read


# Kubernetes


def _release(made: Constructed) -> Iterator[Fact]:
    said = made.arguments
    values, files = said.get("values"), said.get("valueYamlFiles")
    elsewhere = None if files.is_absent else "a file of valueYamlFiles may hold it"
    title = f"{made.kind.rpartition('.')[2]} '{made.name}'"
    named = Tree({"name": Tree(made.name, made.place)}, made.place)
    given = values if values.is_mapping or values.is_unknown else Tree({}, made.place)
    place = made.place if values.is_absent else values.place
    chart = said.get("chart").text
    # What a program works out is known to whoever runs it. Of the operator's values each is asked for by itself.
    is_open = values.is_unknown if chart == _OPERATOR else _is_open(values)
    if chart is not None and not is_open:
        yield from facts_of_release(
            Release(title, title, place, said.get("chart"), said.get("version"), given, elsewhere, made.name, named)
        )


def _is_open(tree: Tree) -> bool:
    """Whether anything in it is not known."""
    return tree.is_unknown or any(map(_is_open, (*tree.mapping.values(), *tree.sequence)))


def _custom(made: Constructed) -> Iterator[Fact]:
    for each in objects(made.arguments):
        if each.get("kind").text is not None and each.get("metadata").is_mapping:
            yield from facts_of_given(each)


# Of the objects that have classes of their own, those that are judged.
_CLASS = pattern(
    r"kubernetes\.(core|apps|batch|node|scheduling|resource)\.(v\d\w{0,10})\."
    r"(Pod|Deployment|StatefulSet|DaemonSet|ReplicaSet|Job|CronJob|ConfigMap|ResourceQuota|RuntimeClass|PriorityClass"
    r"|ResourceClaim|ResourceClaimTemplate|DeviceClass)"
)
_WITH_A_DOMAIN = frozenset(("node", "scheduling", "resource"))


def _of_its_own_class(made: Constructed) -> Iterator[Fact]:
    found = _CLASS.fullmatch(made.kind)
    if found is None or not made.arguments.is_mapping:
        return
    group = f"{found[1]}.k8s.io" if found[1] in _WITH_A_DOMAIN else found[1]
    api = found[2] if group == "core" else f"{group}/{found[2]}"
    head = {"apiVersion": Tree(api, made.place), "kind": Tree(found[3], made.place)}
    named = {"metadata": Tree({"name": Tree(made.name or "gpu", made.place)}, made.place)}
    yield from facts_of_given(Tree({**head, **named, **made.arguments.mapping}, made.place))


def _group_of_objects(made: Constructed) -> Iterator[Fact]:
    """Objects in texts of YAML, and as the program writes them."""
    from nodeworthy.collect.enclosed_objects import in_text

    said = made.arguments
    texts = said.get("yaml")
    held = [each for text in (*texts.sequence, texts) for each in in_text(text)]
    for each in (*held, *said.get("objs").sequence):
        yield from _custom(replace(made, arguments=each))


# AWS' CDK


def _chart_of_cdk(made: Constructed) -> Iterator[Fact]:
    said, place = made.arguments, made.place
    values, chart = said.get("values"), said.get("chart")
    given = values if values.is_mapping or values.is_unknown else Tree({}, place)
    is_open = values.is_unknown if chart.text == _OPERATOR else _is_open(values)
    if chart.text is not None and not is_open:
        name = said.get("release").text or made.name
        title, named = f"HelmChart '{made.name}'", Tree({"name": Tree(name, place)}, place)
        at = place if values.is_absent else values.place
        yield from facts_of_release(Release(title, title, at, chart, said.get("version"), given, None, name, named))


def _manifests_of_cdk(made: Constructed) -> Iterator[Fact]:
    for each in made.arguments.get("manifest").sequence:
        yield from _custom(replace(made, arguments=each))


def _object(api: str, kind: str, made: Constructed, spec: Tree) -> Tree:
    at = made.place
    metadata = Tree({"name": Tree(made.name or "gpu", at)}, at)
    return Tree({"apiVersion": Tree(api, at), "kind": Tree(kind, at), "metadata": metadata, "spec": spec}, at)


_READ: Mapping[str, Callable[[Constructed], Iterator[Fact]]] = {
    "aws.eks.NodeGroup": _group_of_eks,
    "aws.eks.Cluster": _cluster_of_eks,
    **dict.fromkeys(("eks.ManagedNodeGroup", "eks.NodeGroup", "eks.NodeGroupV2"), _group_by_component),
    "eks.Cluster": _cluster_by_component,
    "gcp.container.NodePool": _hosted("google_container_node_pool"),
    "gcp.container.Cluster": _hosted("google_container_cluster"),
    "azure.containerservice.KubernetesCluster": _hosted("azurerm_kubernetes_cluster"),
    "azure.containerservice.KubernetesClusterNodePool": _hosted("azurerm_kubernetes_cluster_node_pool"),
    "azure-native.containerservice.AgentPool": _by_azures_api("ManagedClustersAgentPool"),
    "azure-native.containerservice.ManagedCluster": _by_azures_api("ManagedCluster"),
    **dict.fromkeys(("kubernetes.helm.v3.Release", "kubernetes.helm.v3.Chart", "kubernetes.helm.v4.Chart"), _release),
    "kubernetes.apiextensions.CustomResource": _custom,
    **dict.fromkeys(("kubernetes.yaml.ConfigGroup", "kubernetes.yaml.v2.ConfigGroup"), _group_of_objects),
    "cdk.addHelmChart": _chart_of_cdk,
    "cdk.addManifest": _custom,
    **{f"{library}.{part}.HelmChart": _chart_of_cdk for library in CDK for part in ("aws-eks", "aws_eks", "eks")},
    **{
        f"{library}.{part}.KubernetesManifest": _manifests_of_cdk
        for library in CDK
        for part in ("aws-eks", "aws_eks", "eks")
    },
}

"""Objects of Kubernetes that stand within others, to be made in a cluster as they are: what Open Cluster Management,
Crossplane, KubeVela, OpenShift's templates, Talos and Argo's workflows are given."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from nodeworthy.collect.objects import is_object
from nodeworthy.documents.tree import Tree
from nodeworthy.documents.yaml import NotYaml, read_all_inside


def objects_within(document: Tree) -> Iterator[Tree]:
    """The objects within one that is only made to hold them; none of any other."""
    group, _, _ = document.get("apiVersion").string.partition("/")
    read = _READERS.get((group, document.get("kind").string))
    if read is not None:
        yield from (each for each in read(document) if is_object(each))


def in_text(text: Tree) -> Iterator[Tree]:
    """The objects that stand in a text of YAML. A template, before it is filled in, is none."""
    if text.text is None or "apiVersion" not in text.text or "{{" in text.text:
        return
    try:
        documents = read_all_inside(text)
    except NotYaml:
        return
    yield from (each for each in documents if is_object(each))


def _work(document: Tree) -> Iterator[Tree]:
    yield from document.get("spec", "workload", "manifests").sequence


def _policy(document: Tree) -> Iterator[Tree]:
    for each in document.get("spec", "policy-templates").sequence:
        inner = each.get("objectDefinition")
        yield from _configuration(inner)


def _configuration(document: Tree) -> Iterator[Tree]:
    """What a cluster must have; what it must not have, nobody makes."""
    for each in document.get("spec", "object-templates").sequence:
        if each.get("complianceType").string.lower() in ("musthave", "mustonlyhave"):
            yield each.get("objectDefinition")


def _object(document: Tree) -> Iterator[Tree]:
    yield document.get("spec", "forProvider", "manifest")


def _composition(document: Tree) -> Iterator[Tree]:
    """What it makes of its own parts, as far as no patch fills in what they are to be."""
    spec = document.get("spec")
    parts = [*spec.get("resources").sequence]
    for step in spec.get("pipeline").sequence:
        parts += step.get("input", "resources").sequence
    for each in parts:
        if any(map(_changes_it, each.get("patches").sequence)):
            continue
        base = each.get("base")
        inner = list(objects_within(base)) if base.is_mapping else []
        yield from inner or [base]


def _changes_it(patch: Tree) -> bool:
    """Whether it reaches into what is made, and no name or label of it alone."""
    path = patch.get("toFieldPath") if patch.get("toFieldPath").text else patch.get("fromFieldPath")
    is_named = path.string.startswith("metadata") or path.string.endswith((".name", ".namespace"))
    return not is_named and not path.string.startswith("spec.providerConfigRef")


def _application(document: Tree) -> Iterator[Tree]:
    for each in document.get("spec", "components").sequence:
        if each.get("type").text == "k8s-objects":
            yield from each.get("properties", "objects").sequence


def _template(document: Tree) -> Iterator[Tree]:
    yield from document.get("objects").sequence


def _workflow(document: Tree) -> Iterator[Tree]:
    spec = document.get("spec")
    for each in (
        (spec.get("workflowSpec") if document.get("kind").text == "CronWorkflow" else spec).get("templates").sequence
    ):
        if each.get("resource", "action").text in ("apply", "create"):
            yield from in_text(each.get("resource", "manifest"))


def _resource_set(document: Tree) -> Iterator[Tree]:
    """A Secret of the type that says that a ClusterResourceSet applies what it holds."""
    if document.get("type").text == "addons.cluster.x-k8s.io/resource-set":
        for each in document.get("stringData").mapping.values():
            yield from in_text(each)


_WORKFLOWS = ("Workflow", "WorkflowTemplate", "ClusterWorkflowTemplate", "CronWorkflow")
_READERS: Mapping[tuple[str, str], Callable[[Tree], Iterator[Tree]]] = {
    ("work.open-cluster-management.io", "ManifestWork"): _work,
    ("policy.open-cluster-management.io", "Policy"): _policy,
    ("policy.open-cluster-management.io", "ConfigurationPolicy"): _configuration,
    ("kubernetes.crossplane.io", "Object"): _object,
    ("kubernetes.m.crossplane.io", "Object"): _object,
    ("apiextensions.crossplane.io", "Composition"): _composition,
    ("core.oam.dev", "Application"): _application,
    ("template.openshift.io", "Template"): _template,
    **{("argoproj.io", kind): _workflow for kind in _WORKFLOWS},
    ("v1", "Secret"): _resource_set,
}
# Those that are read for themselves as well.
_BESIDE = frozenset(
    ("Application", "Workflow", "WorkflowTemplate", "ClusterWorkflowTemplate", "CronWorkflow", "Secret")
)


def is_read_itself(document: Tree) -> bool:
    return document.get("kind").string in _BESIDE


# What is named by another object


def named_by_sets(documents: Sequence[Tree]) -> Iterator[Tree]:
    """The objects in the ConfigMaps whose names a ClusterResourceSet or a profile of Sveltos' says, beside which they
    stand."""
    named = {name for each in documents for name in _config_maps_applied(each)}
    for each in documents if named else ():
        if each.get("kind").text == "ConfigMap" and each.get("metadata", "name").text in named:
            for text in each.get("data").mapping.values():
                yield from in_text(text)


def _config_maps_applied(document: Tree) -> Iterator[str]:
    for path in _NAMES.get(document.get("kind").string, ()):
        for each in document.get("spec", path).sequence:
            if each.get("kind").text == "ConfigMap" and each.get("name").text:
                yield each.get("name").string


_NAMES = {"ClusterResourceSet": ("resources",), "ClusterProfile": ("policyRefs",), "Profile": ("policyRefs",)}


# A machine config of Talos'


def inline_manifests(document: Tree) -> Iterator[Tree]:
    for each in document.get("cluster", "inlineManifests").sequence:
        yield from in_text(each.get("contents"))


# Values that many charts make objects of, as they are.
_EXTRA = ("extraObjects", "extraManifests", "extraDeploy", "extraResources", "additionalManifests", "rawManifests")


def given_as_values(values: Tree) -> Iterator[Tree]:
    """Objects that a chart is given to make besides its own: a list of them, texts of them, some by their names."""
    for name in _EXTRA:
        given = values.get(name)
        for each in (*given.sequence, *given.mapping.values()):
            yield from in_text(each) if each.text is not None else ([each] if is_object(each) else [])

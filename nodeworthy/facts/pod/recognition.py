"""Finds the pod templates in an object, by its shape: whatever has containers makes pods.

Most kinds keep a template under a name of their own (`template`, `headGroupSpec.template`, `tasks[].template`), at any
depth; an Argo Workflow keeps a container in each of its steps instead, a Kubeflow TrainJob only what its nodes are
to have, and others one container without a pod around it (KServe's `predictor.model`, a NIMService's spec).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from nodeworthy.documents.tree import Tree, absent, merge
from nodeworthy.facts.not_seen import UnreadableInput
from nodeworthy.facts.pod.chart_resources import RESOURCES, asks_for_gpus
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.records import replace

# How deep a template may lie, and how many entries of a list are looked at.
_DEEPEST = 12
_MOST = 500
# Kinds that make no pods, and may be long.
_OTHERS = frozenset(
    "CustomResourceDefinition ConfigMap Secret SealedSecret Role ClusterRole RoleBinding ClusterRoleBinding Service "
    "ServiceAccount Namespace Ingress NetworkPolicy PersistentVolumeClaim PersistentVolume StorageClass PrometheusRule "
    "ServiceMonitor HelmRelease Application ApplicationSet HelmChart ClusterPolicy Node NodeClaim Event".split()
)
# What stands in a policy is a pattern of pods, and no pod.
_POLICIES = ("kyverno.io/", "gatekeeper.sh/")
# Knative's makes pods; the core's own has no group in its apiVersion.
_OF_ANOTHER_GROUP = "Service"
_WITH_A_SELECTOR = frozenset(("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet"))
_WORKFLOWS = frozenset(("Workflow", "WorkflowTemplate", "ClusterWorkflowTemplate", "CronWorkflow"))
_NOT_WALKED = frozenset(("metadata", "status", "data"))
# What a Workflow's steps say of their pods by the same names as a pod's spec.
_OF_A_STEP = (
    "activeDeadlineSeconds affinity initContainers nodeSelector priorityClassName schedulerName securityContext "
    "tolerations volumes".split()
)
# What stands beside a container that has no pod of its own, and is said of its pod.
_OF_A_POD = "affinity nodeSelector priorityClassName runtimeClassName schedulerName tolerations".split()
NOT_ALL = "what it does not say may stand in what makes its pods"
PATCHED = "this is a patch, and what it does not say may stand in the object that it changes"


def makes_pods(document: Tree) -> bool:
    """Whether it is worth a look: an object that says its kind, and may hold containers."""
    kind = document.get("kind").text if document.is_mapping else None
    if not kind or (document.get("apiVersion").is_absent and document.get("metadata").is_absent):
        return False
    version = document.get("apiVersion").string
    if any(group in version for group in _POLICIES):
        return False
    return kind not in _OTHERS or (kind == _OF_ANOTHER_GROUP and "/" in version)


def pod_templates(document: Tree) -> Iterator[PodTemplate]:
    if not makes_pods(document):
        return
    find = _FINDERS.get(document.get("kind").string, _walked)
    for found in find(document):
        yield _with_what_it_leaves_out(found)


def _walked(document: Tree) -> Iterator[PodTemplate]:
    yield from _within(document, document, (document,), "", 0)


def _within(document: Tree, tree: Tree, above: tuple[Tree, ...], path: str, depth: int) -> Iterator[PodTemplate]:
    if depth > _DEEPEST:
        return
    if tree.is_sequence:
        for index, child in enumerate(tree.sequence[:_MOST]):
            yield from _within(document, child, above, f"{path}[{index}]", depth + 1)
        return
    if not tree.is_mapping:
        return
    if _is_pod_spec(tree.get("spec")):
        yield PodTemplate(document, tree, above, path)
        return
    if _is_pod_spec(tree):  # KServe's predictor, the operator's own pods in a Prometheus
        yield PodTemplate(document, Tree({"spec": tree}, tree.place, tree.key), above, path)
        return
    for name, child in tree.mapping.items():
        if name not in _NOT_WALKED:
            inside = f"{path}.{name}" if path else name
            if RESOURCES in child.mapping and asks_for_gpus(child.get(RESOURCES)) and not _is_pod_spec(child):
                yield _of_one_container(document, tree, child, (*above, child), inside)
            yield from _within(document, child, (*above, child), inside, depth + 1)


def _of_one_container(document: Tree, holder: Tree, container: Tree, above: tuple[Tree, ...], path: str) -> PodTemplate:
    """A container that stands alone, and what is said of its pod around it or in it."""
    around = {
        name: each for tree in (holder, container) for name in _OF_A_POD if not (each := tree.get(name)).is_absent
    }
    called = document.get("metadata", "name").text if path == "spec" else None
    named = {} if container.get("name").text else {"name": Tree(called or path.rpartition(".")[2], container.place)}
    whole = replace(container, value={**container.mapping, **named})
    spec = Tree({**around, "containers": Tree([whole], container.place)}, container.place)
    return PodTemplate(document, Tree({"spec": spec}, container.place), above, path, NOT_ALL)


def _is_pod_spec(tree: Tree) -> bool:
    containers = tree.get("containers") if tree.is_mapping else absent(tree.place)
    # An empty item is somebody's slip, and no reason to leave the others out.
    first = next((each for each in containers.sequence[:_MOST] if not each.is_null), None)
    return first is not None and _is_container(first)


def _is_container(tree: Tree) -> bool:
    return tree.is_mapping and not {"name", "image", "resources", "env"}.isdisjoint(tree.mapping)


def _with_what_it_leaves_out(found: PodTemplate) -> PodTemplate:
    """A container without an image, a Deployment without a selector: parts of an object that stands elsewhere."""
    lacks_image = any(each.tree.get("image").is_absent for each in found.containers)
    lacks_selector = found.kind in _WITH_A_SELECTOR and found.document.get("spec", "selector").is_absent
    if found.elsewhere is None and (lacks_image or lacks_selector):
        return replace(found, elsewhere=PATCHED)
    return found


def _workflow(document: Tree) -> Iterator[PodTemplate]:
    spec = document.get("spec")
    if document.get("kind").text == "CronWorkflow":
        spec = spec.get("workflowSpec")
    whole = (document, *((document.get("spec"),) if spec is not document.get("spec") else ()), spec)
    defaults = Tree({name: spec.get(name) for name in _OF_A_STEP if not spec.get(name).is_absent}, spec.place)
    for index, step in enumerate(spec.get("templates").sequence):
        containers = [each for name in ("container", "script") if (each := step.get(name)).is_mapping]
        containers += [*step.get("containerSet", "containers").sequence]
        if containers:
            containers += [each for each in step.get("sidecars").sequence if each.is_mapping]
            template = _of_step(step, defaults, containers)
            yield PodTemplate(document, template, (*whole, step), f"templates[{index}]")


def _of_step(step: Tree, defaults: Tree, containers: list[Tree]) -> Tree:
    own = Tree({name: step.get(name) for name in _OF_A_STEP if not step.get(name).is_absent}, step.place, step.key)
    said = merge(defaults, own)
    spec = replace(said, value={**said.mapping, "containers": Tree(containers, containers[0].place)}, place=step.place)
    return Tree({"metadata": step.get("metadata"), "spec": spec}, step.place, step.key)


def _train_job(document: Tree) -> Iterator[PodTemplate]:
    """The pods of a TrainJob: they run the containers of a TrainingRuntime, and the job says what each is to have."""
    yield from _walked(document)
    trainer = document.get("spec", "trainer")
    resources = trainer.get("resourcesPerNode")
    if resources.is_mapping:
        node = {name: child for name, child in trainer.mapping.items() if name in ("image", "command", "args", "env")}
        name = Tree("node", trainer.place)
        container = Tree({"name": name, **node, "resources": resources}, trainer.place, trainer.key)
        spec = Tree({"containers": Tree([container], trainer.place)}, trainer.place)
        elsewhere = "what it does not say may stand in its TrainingRuntime"
        above = (document, document.get("spec"))
        yield PodTemplate(document, Tree({"spec": spec}, trainer.place), above, "trainer", elsewhere)


_FINDERS: dict[str, Callable[[Tree], Iterator[PodTemplate]]] = {
    **dict.fromkeys(_WORKFLOWS, _workflow),
    "TrainJob": _train_job,
}


# Parts of a pod that are of another type than the API takes: what stands in them is read by nobody, us included.

# What is to stand somewhere: a mapping with these parts, or a list of that. What is not named may be anything.
_ANY_LIST: Sequence[Any] = (None,)
_CONTAINER = {
    "resources": {"limits": {}, "requests": {}},
    "env": ({},),
    "securityContext": {"capabilities": {"add": _ANY_LIST}},
    "volumeMounts": ({},),
    "command": _ANY_LIST,
    "args": _ANY_LIST,
}
_POD = {
    **dict.fromkeys(("containers", "initContainers"), (_CONTAINER,)),
    "nodeSelector": {},
    "affinity": {},
    "securityContext": {},
    **dict.fromkeys(("tolerations", "volumes"), ({},)),
}
_MADE_OF_A_TEMPLATE = {"spec": {"template": {"metadata": {}, "spec": _POD}}}
_KINDS: Mapping[str, Mapping[str, Any]] = {
    "Pod": {"spec": _POD},
    **dict.fromkeys(
        ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "ReplicationController", "Job"), _MADE_OF_A_TEMPLATE
    ),
    "CronJob": {"spec": {"jobTemplate": _MADE_OF_A_TEMPLATE}},
}
_GROUPS = ("v1", "apps/", "batch/")


def misshapen(document: Tree) -> Iterator[UnreadableInput]:
    """The misshapen parts of Kubernetes' own kinds; the maker of another kind decides what that may hold."""
    shape = _KINDS.get(document.get("kind").string)
    version = document.get("apiVersion").string
    if shape is not None and version.startswith(_GROUPS):
        yield from _unlike(document, shape, "")


def _unlike(tree: Tree, shape: Any, path: str) -> Iterator[UnreadableInput]:
    if shape is None or tree.says_nothing or tree.is_unknown:
        return
    wanted, is_so = ("a mapping", tree.is_mapping) if isinstance(shape, Mapping) else ("a list", tree.is_sequence)
    if not is_so:
        name = path.rpartition(".")[2] or "this"
        why = f"{name} is {tree.kind()}, and must be {wanted}: Kubernetes refuses it, and nothing in it was judged"
        yield UnreadableInput((tree.place if tree.place.line else tree.heading).about(path), why)
    elif isinstance(shape, Mapping):
        for name, inner in shape.items():
            yield from _unlike(tree.get(name), inner, f"{path}.{name}" if path else name)
    else:
        for index, each in enumerate(tree.sequence):
            yield from _unlike(each, shape[0], f"{path}[{index}]")

"""The RuntimeClasses that manifests and pods name, beside those that are there."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from typing import Any

from nodeworthy.documents.settled import is_charts, why_incomplete
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.cluster.classes import BESIDE, EXPERIMENTAL, ClusterClasses, RuntimeClass
from nodeworthy.facts.cluster.refused_pod import RefusedPods
from nodeworthy.facts.operator.daemonset_manifest import DaemonSetManifest
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.known.pod_fields import fields_of
from nodeworthy.rules.runtime_class_agrees import BASE, RULE
from nodeworthy.verdict import Draft, Findings, Located, Related, Unknown, fail, need, skip, unknown

# With which Kubernetes a version went (its "Deprecated API Migration Guide").
_SERVED = "node.k8s.io/v1"
_FIELDS = "runtime-class"
_GONE = {"node.k8s.io/v1beta1": "1.25", "node.k8s.io/v1alpha1": "1.24"}


@RULE.check
def the_class_is_taken(runtime: RuntimeClass) -> Findings:
    document = runtime.document
    if document is None or document.place.object is not None or not runtime.is_nvidias:
        skip("a cluster has taken it, or it is no class of NVIDIA's")
    version, handler = document.get("apiVersion"), document.get("handler")
    if version.text in _GONE:
        yield fail(
            version.located(),
            f"{runtime.title} is of a version that no maintained Kubernetes serves",
            should=_SERVED,
            cause=f'no matches for kind "RuntimeClass" in version "{version.text}", which went with Kubernetes '
            f"{_GONE[version.text]}: pods that name the class are refused",
            remedy=f"write apiVersion: {_SERVED}, with handler beside metadata",
        )
    elif version.text == _SERVED and handler.is_absent and why_incomplete(document) is None:
        lower = next((each for each in ("spec", "metadata") if not document.get(each, "handler").is_absent), None)
        meant = document.get(lower, "handler").text if lower is not None else BASE
        yield fail(
            (lower is not None and document.get(lower, "handler").key) or document.place,
            f"{runtime.title} names no handler where {_SERVED} has it",
            is_=f"{lower}.handler" if lower is not None else "no handler",
            should=f"handler: {meant}, beside metadata",
            cause="the API server refuses it (handler: Required value): pods that name the class are refused, too",
            remedy=f"write handler: {meant} beside metadata",
        )
    elif version.text == _SERVED:
        yield from _of_no_such_fields(runtime, document)


def _of_no_such_fields(runtime: RuntimeClass, document: Tree) -> Iterator[Draft]:
    found = list(_unknown_fields(document))
    if not found:
        return
    (name, field, within), *others = found
    known = ", ".join(sorted(fields_of(f"{_FIELDS}-{within}" if within else _FIELDS)))
    where = f"in its {within}" if within else "beside metadata"
    yield fail(
        field.heading,
        f"{runtime.title} says {name} {where}, and has no such field there",
        is_=f"{within}.{name}" if within else name,
        should=f"{known}, and no other",
        related=[Related(each.heading, f"nor has it {other}") for other, each, _ in others],
        cause="kubectl apply refuses the object (strict decoding error: unknown field), and pods that name the class "
        "are refused, too; who does not validate strictly drops the field: the class then chooses no nodes by it",
        remedy=f"take {name} away: nodes are chosen by scheduling.nodeSelector (labels and their values) and "
        "scheduling.tolerations",
    )


def _unknown_fields(document: Tree) -> Iterator[tuple[str, Tree, str]]:
    for within in ("", "scheduling", "overhead"):
        holder = document.get(within) if within else document
        for name, tree in holder.mapping.items():
            known = fields_of(f"{_FIELDS}-{within}" if within else _FIELDS)
            if name not in known and not tree.is_null and not name.startswith(("<<", "x-", "$", "{", "#")):
                yield name, tree, within


@RULE.check
def pods_name_a_class_that_is_there(pod: PodTemplate, classes: ClusterClasses) -> Findings:
    named = pod.runtime_class
    if isinstance(named.state, Unknown):
        if not pod.uses_gpus:
            skip("nothing here says that it has GPUs")
        if is_charts(named.state.why):
            skip("the values of its chart say which RuntimeClass it names")
        yield unknown(named, f"which RuntimeClass {pod.title} names is not known: {named.state.why}")
        return
    yield from _is_there(named, pod.title, classes, pod.live.objects if pod.live is not None else ())


@RULE.check
def charts_name_a_class_that_is_there(daemonset: DaemonSetManifest, classes: ClusterClasses) -> Findings:
    """What a DaemonSet of its own names, its pods do."""
    named = daemonset.runtime_class
    if not daemonset.is_of_chart or isinstance(named.state, Unknown):
        skip("no values of a chart say which RuntimeClass it names")
    yield from _is_there(named, daemonset.title, classes, ())


def _is_there(named: Located[Any], title: str, classes: ClusterClasses, victims: Sequence[str]) -> Findings:
    name = need(named)
    if not isinstance(name, str) or not name:
        skip("it names no RuntimeClass")
    if name in classes.names:
        return
    if not classes.is_whole and not _should_be_there(name, classes):
        skip(f"whether there is a RuntimeClass {name} can't be seen here")
    if classes.hidden is not None:
        yield unknown(named, f"whether the operator makes the RuntimeClass {name} is not known: {classes.hidden}")
        return
    yield fail(
        named,
        f"{title} names a RuntimeClass that is not there",
        should=" or ".join(classes.names) or "none",
        related=_says(classes),
        cause=f'the API server refuses the pod: RuntimeClass "{name}" not found',
        remedy=f"name a class that is there, or make one: kind RuntimeClass, name {name}, handler {BASE}",
        victims=victims,
    )


def _should_be_there(name: str, classes: ClusterClasses) -> bool:
    ours = [each for each in classes.names if each.startswith(BASE)]
    called_so = name.startswith(BASE) or bool(difflib.get_close_matches(name.lower(), ours, 1, 0.75))
    made_by_others = classes.maker is None and name in (BASE, *(f"{BASE}{each}" for each in (*BESIDE, EXPERIMENTAL)))
    return bool(ours) and called_so and not made_by_others


def _says(classes: ClusterClasses) -> list[Related]:
    found = [Related(each.place, f"this is {each.title}") for each in classes.runtimes[:4] if each.name]
    if classes.maker is not None and classes.made:
        found.append(Related(classes.maker, f"the operator makes {', '.join(classes.made)}"))
    return found


@RULE.check
def the_api_server_finds_it(refused: RefusedPods) -> Findings:
    if refused.runtime_class is None:
        skip("they were refused for something else")
    yield fail(
        refused,
        f"the API server refuses its pods: {refused.words}",
        is_=refused.runtime_class,
        should="a RuntimeClass that is there",
        cause="the GPU operator makes its classes once it is installed; where the nodes' image brings the runtime, "
        "somebody must make the class; a pod may name it without its maker's doing (KAI's admission writes it into "
        "each pod with GPUs)",
        remedy=f"where containerd has the runtime: make the class (kind RuntimeClass, name {refused.runtime_class}, "
        f"handler {BASE}); else install the GPU operator, or name another class (of KAI's chart: "
        "admission.gpuPodRuntimeClassName); see what there is: kubectl get runtimeclass",
        nodes=refused.nodes,
    )


@RULE.check
def its_handler_is_in_containerd(runtime: RuntimeClass, classes: ClusterClasses) -> Findings:
    if isinstance(runtime.handler.state, Unknown):
        yield unknown(
            runtime.handler,
            f"which handler {runtime.title} names is not known: {runtime.handler.state.why}",
            should=" or ".join(classes.handlers) if classes.handlers else "a runtime that containerd has",
            cause="with a handler that containerd does not have, its pods stay in ContainerCreating",
        )
        return
    handler = need(runtime.handler)
    if not (runtime.name.startswith(BASE) or str(handler).startswith(BASE)):
        skip("it is not NVIDIA's")
    if runtime.name == f"{BASE}{EXPERIMENTAL}":
        skip("k3s makes it everywhere, with the runtime or without")
    if classes.handlers is None:
        yield from _in_the_files_beside(runtime, str(handler), classes)
        return
    if handler in classes.handlers:
        return
    related = [Related(classes.maker, "the toolkit is told its runtime's name here")] if classes.maker else []
    yield fail(
        runtime.handler,
        f"{runtime.title} names a handler that containerd does not have",
        should=" or ".join(classes.handlers),
        related=related,
        cause=f'its pods stay in ContainerCreating: no runtime for "{handler}" is configured',
        remedy=f"handler: {classes.handlers[0]}",
        victims=classes.pods_of.get(runtime.name or "", ()),
    )


def _in_the_files_beside(runtime: RuntimeClass, handler: str, classes: ClusterClasses) -> Findings:
    """Where no operator's toolkit writes the runtimes."""
    beside = [each for each in classes.configured if each.is_beside(runtime.place)] if classes.maker is None else []
    if not beside:
        skip("neither an operator nor a config of containerd beside it says which runtimes containerd has")
    if any(handler in each.names for each in beside):
        return
    unseen = next((each.unseen for each in beside if each.unseen), None)
    if unseen is not None:
        named = runtime.name or "this RuntimeClass"
        yield unknown(runtime.handler, f"whether containerd has the handler of {named} is not known: {unseen}")
        return
    names = list(dict.fromkeys(name for each in beside for name in each.names))
    yield fail(
        runtime.handler,
        f"{runtime.title} names a handler that no config of containerd beside it has",
        should=" or ".join(names) or f"{BASE}, and a runtime of that name in containerd's config",
        related=[Related(each.place, f"its runtimes: {', '.join(each.names) or 'none'}") for each in beside[:4]],
        cause=f'its pods stay in ContainerCreating: no runtime for "{handler}" is configured',
        remedy=f"name a runtime that is there, or write the runtime {handler} into containerd's config",
    )

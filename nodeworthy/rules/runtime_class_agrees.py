"""The RuntimeClass exists, names the handler that containerd has, and pods that name it get it.

A pod that names a RuntimeClass which is not there is refused (`RuntimeClass "nvidia-gpu" not found`). One whose class
names a handler that containerd lacks stays in ContainerCreating (`no runtime for "…" is configured`). The GPU operator
makes the class `operator.runtimeClass` (`nvidia`), and `nvidia-cdi` and `nvidia-legacy` beside it, each with its own
name as handler; its toolkit writes the runtime into containerd under CONTAINERD_RUNTIME_CLASS, so the two must agree.

In files nobody sees the whole cluster: a class is missing only where it is called like NVIDIA's, and where the
operator's settings, the fleet or NVIDIA's own RuntimeClass stand there to say which there are. On a node, the default
runtime must be one that containerd has: else its CRI plugin does not load.
"""

from __future__ import annotations

import difflib

from nodeworthy.documents.settled import is_charts
from nodeworthy.facts.cluster.classes import (
    BESIDE,
    EXPERIMENTAL,
    ClusterClasses,
    RuntimeClass,
    runtime_name,
    toolkit_runtime_name,
)
from nodeworthy.facts.cluster.refused_pod import RefusedPods
from nodeworthy.facts.node.runtimes import NodeRuntimes
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.known.containerd import defaults
from nodeworthy.known.operator_parts import RUNTIME_CLASS
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Related, Severity, Unknown, fail, need, skip, unknown

RULE = Rule(
    "runtime-class-agrees",
    severity=Severity.ERROR,
    incident="A",
    title="The RuntimeClass exists, names the handler containerd has, and pods that name it get it",
    remedy="name the class that the GPU operator makes: runtimeClassName: nvidia",
)

BASE = defaults().runtime_class


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
    name = named.state.value
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
        f"{pod.title} names a RuntimeClass that is not there",
        should=" or ".join(classes.names) or "none",
        related=_says(classes),
        cause=f'the API server refuses the pod: RuntimeClass "{name}" not found',
        remedy=f"name a class that is there, or make one: kind RuntimeClass, name {name}, handler {BASE}",
        victims=pod.live.objects if pod.live is not None else (),
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
        cause="the GPU operator makes its classes once it is installed; without it, somebody must",
        remedy=f"install the GPU operator, or name another class; see what there is: kubectl get runtimeclass {BASE}",
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


@RULE.check
def the_operator_and_its_toolkit_agree(values: OperatorValues) -> Findings:
    if values.toolkit.named(RUNTIME_CLASS) is None:
        skip(f"the toolkit is not told another name ({RUNTIME_CLASS})")
    wanted, written = runtime_name(values), toolkit_runtime_name(values)
    if wanted.state == written.state or not need(values.toolkit.enabled) or need(values.toolkit.uses_nri):
        return
    if need(wanted) != need(written):
        yield fail(
            written,
            "the toolkit writes its runtime under another name than the operator's RuntimeClass names",
            should=wanted.shown(),
            related=[Related(wanted.place, f"operator.runtimeClass is {wanted.shown()}")],
            cause=f'pods of the class stay in ContainerCreating: no runtime for "{wanted.shown()}" is configured',
            remedy=f"give {RUNTIME_CLASS} and operator.runtimeClass the same name",
        )


@RULE.check
def the_default_runtime_is_there(runtimes: NodeRuntimes) -> Findings:
    used = runtimes.kubelets_containerd()
    default = need(used.default)
    if default is None:
        skip("containerd names no default runtime")
    if used.is_older and default in need(used.handlers):
        yield unknown(used, used.is_older)
    if default not in need(used.handlers):
        yield fail(
            used,
            f"{default} is the default runtime, and containerd has no such runtime",
            is_=", ".join(need(used.handlers)) or "no runtime",
            should=f"{default} among them, or default_runtime_name of one that is there",
            cause="the CRI plugin does not load: no corresponding runtime configured in `containerd.runtimes`",
            remedy=f"write the runtime {default} into {used.config_to_write}, then restart {used.unit or used.name}",
        )

"""What the images of GPU pods are, against how they are probed and what they are given; and who takes GPUs unasked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.pod.containers import GPU, Container
from nodeworthy.facts.pod.template import OF_VALUES, PodTemplate
from nodeworthy.known.gpu_processes import processes_told, work_together
from nodeworthy.known.served_images import Server, computes_on_the_cpu, server_of
from nodeworthy.patterns import pattern
from nodeworthy.rules.pod_can_use_gpus import RULE
from nodeworthy.verdict import Draft, Findings, Located, Place, Related, Severity, fail, skip, value_if_known

_PROBES = {
    "startupProbe": "kubelet ends the container when its time is up, and starts it again, for ever",
    "livenessProbe": "kubelet ends the container after some failures, and starts it again, for ever",
    "readinessProbe": "the pod is never Ready, and its Service sends nothing to it",
}
# What stands beside others on a node, and has to see its cards.
_OF_A_NODE = ("DaemonSet",)
_CARD = pattern(r"/dev/nvidia\d+")
_NVIDIAS = ("nvcr.io/nvidia/", "nvidia/cuda")


@RULE.check
def it_is_probed_where_it_answers(pod: PodTemplate) -> Findings:
    if pod.live is not None:
        skip("what its probes find is seen in its events")
    if not pod.uses_gpus:
        skip("nothing here asks for GPUs")
    for container in pod.containers:
        server = server_of(_image(container), " ".join(container.words))
        found = list(_probed_in_vain(pod, container, server)) if server is not None else []
        if server is not None and found:
            yield _not_answered(pod, container, server, found)


def _image(container: Container) -> str:
    image = value_if_known(container.image)
    return image if isinstance(image, str) else ""


def _probed_in_vain(pod: PodTemplate, container: Container, server: Server) -> Iterator[tuple[str, Tree]]:
    ports = [
        each.get(name).value for each in container.tree.get("ports").sequence for name in ("name", "containerPort")
    ]
    is_alone = sum(not each.is_init for each in pod.containers) == 1
    for name in _PROBES:
        probe = container.tree.get(name, "httpGet")
        path = probe.get("path")
        if path.string.rstrip("/") in server.never and (is_alone or probe.get("port").value in ports):
            yield name, path


def _not_answered(pod: PodTemplate, container: Container, server: Server, found: list[tuple[str, Tree]]) -> Draft:
    (name, path), *others = found
    return fail(
        path.located(),
        f"{container.name} of {pod.title} is probed at a path that {server.name} does not have",
        is_=path.string,
        should=server.should,
        related=[Related(each.place, f"so is its {one}: {each.string}") for one, each in others],
        cause=f"{server.name} answers 404, which is a failure: {_PROBES[name]}",
        remedy=f"write path: {server.should} in every probe of it",
        severity=Severity.WARNING if pod.kind == OF_VALUES else Severity.ERROR,
    )


@RULE.check
def its_image_is_built_for_gpus(pod: PodTemplate) -> Findings:
    if pod.live is not None:
        skip("what it computes on is seen in its metrics")
    asking = [each for each in pod.containers if _is_meant_for_nvidias(pod, each)]
    if not asking:
        skip("no container of it is to have NVIDIA's GPUs")
    for container in asking:
        should = computes_on_the_cpu(_image(container))
        if should:
            yield fail(
                container.image,
                f"{container.name} of {pod.title} is given GPUs, and its image computes on the CPU",
                is_=_image(container),
                should=should,
                cause="there is no CUDA in it: the GPU is held and never used, and the work takes many times as long",
                remedy=f"write {should}, or ask for no GPU",
                severity=Severity.WARNING,
            )


def _is_meant_for_nvidias(pod: PodTemplate, container: Container) -> bool:
    if container.is_init:
        return False
    alone = [each for each in pod.containers if not each.is_init] == [container]
    runs_as_nvidias = alone and value_if_known(pod.runtime_class) == "nvidia"
    named = [each for each in container.gpu_resources if each.startswith("nvidia.com/")]
    # Who asks for none of them, by `nvidia.com/gpu: 0`, means the CPU.
    return any(value_if_known(container.asks_for(each)) != 0 for each in named) or (runs_as_nvidias and not named)


@RULE.check
def it_asks_for_what_it_takes(pod: PodTemplate) -> Findings:
    if pod.live is not None or pod.kind in _OF_A_NODE or pod.elsewhere is not None:
        skip("it runs already, is a part of its node, or others say the rest of it")
    if pod.why_hidden or not pod.spec.get("resourceClaims").is_absent or _asks_for_a_device(pod):
        skip("it asks for GPUs, or that can't be seen")
    for container in pod.containers:
        yield from _of_cards(pod, container)
        yield from _of_processes(pod, container)


def _asks_for_a_device(pod: PodTemplate) -> bool:
    """Whether it asks for anything that a plugin hands out, or a scheduler by an annotation of its own."""
    amounts = (each for one in pod.containers for each in (*one.limits.mapping, *one.requests.mapping))
    return any("/" in each for each in amounts) or any(
        "gpu" in each.lower() for each in (*pod.annotations, *pod.labels)
    )


def _of_cards(pod: PodTemplate, container: Container) -> Findings:
    mounted = {each.get("name").text for each in container.tree.get("volumeMounts").sequence}
    for volume in pod.spec.get("volumes").sequence:
        path = volume.get("hostPath", "path")
        if volume.get("name").text in mounted and _CARD.fullmatch(path.string):
            yield _unasked(pod, container, path.located(), f"takes {path.string} from its node", path.string)
            return


def _of_processes(pod: PodTemplate, container: Container) -> Findings:
    image = _image(container)
    if not image.startswith(_NVIDIAS) or pod.kind in work_together():
        return
    told = processes_told(image, " ".join(" ".join(container.words).split()))
    if told is not None and told.number > 1:
        starts = f"starts {told.number} processes of {told.program}, one for a GPU,"
        yield _unasked(pod, container, container.place, starts, told.written)


def _unasked(pod: PodTemplate, container: Container, where: Located[Any] | Place, does: str, is_: str) -> Draft:
    return fail(
        where,
        f"{container.name} of {pod.title} {does} and asks for none",
        is_=f"{is_}, and no {GPU}",
        should=f"{GPU} in its resources.limits",
        cause="the scheduler counts what is asked for: it gives the same GPU to another pod, or puts this one on a "
        "node that has none",
        remedy=f"write resources: {{limits: {{{GPU}: …}}}}, and leave the devices to the device plugin",
        severity=Severity.WARNING,
    )

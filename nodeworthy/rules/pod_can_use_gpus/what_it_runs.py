"""What a container runs, against the GPUs that it asks for: an image that is there, and no more processes than GPUs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from nodeworthy.facts.pod.containers import NOT_KNOWN, Container, holds_a_gpu
from nodeworthy.facts.pod.named_images import NamedImage
from nodeworthy.facts.pod.refused import MADE_LATER
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.known.gpu_processes import (
    GpuProcesses,
    cause,
    fields_of_settings,
    processes_told,
    told_by_settings,
    variables_of_settings,
    work_together,
)
from nodeworthy.known.images_gone import GoneImage, gone_image
from nodeworthy.known.visible_devices import VARIABLE
from nodeworthy.patterns import pattern
from nodeworthy.rules.pod_can_use_gpus import RULE
from nodeworthy.verdict import Draft, Findings, Located, Place, fail, skip, value_if_known

# In a script that a container runs: what it could be started with starts nothing.
_COMMENT = pattern(r"^[ \t]*#[^\n]*", re.MULTILINE)
_JOBS = ("Job", "CronJob")
_INDEX = "JOB_COMPLETION_INDEX"
# Where it is asked for and nothing stands in for it.
_BY_INDEX = pattern(r"\$JOB_COMPLETION_INDEX\b|\$\{JOB_COMPLETION_INDEX\}|environ\[['\"]JOB_COMPLETION_INDEX['\"]\]")


@RULE.check
def its_image_is_there(pod: PodTemplate) -> Findings:
    if pod.live is not None:
        skip("what the registry said is seen in the pod's status")
    images = [(each, value_if_known(each.image)) for each in pod.containers]
    if not pod.uses_gpus:
        images = [(each, image) for each, image in images if isinstance(image, str) and _serves_gpus(image)]
    if not images:
        skip("nothing here asks for GPUs or hands them out")
    for container, image in images:
        if not isinstance(image, str) or container.tree.get("imagePullPolicy").value == "Never":
            continue
        if (found := gone_image(image)) is not None:
            cause = "the image is never pulled: manifest unknown, and the pod stays in ImagePullBackOff"
            yield _gone(container.image, f"{container.name} of {pod.title} runs", image, found, cause)


@RULE.check
def its_image_has_a_name(pod: PodTemplate, every: Sequence[PodTemplate]) -> Findings:
    if pod.live is not None:
        skip("what kubelet made of the name is seen in the pod's status")
    named = [(each, value_if_known(each.image)) for each in pod.containers]
    wrong = [(each, image) for each, image in named if isinstance(image, str) and _is_no_name(image)]
    if not wrong or not any(each.uses_gpus for each in every if each.document is pod.document):
        skip("its images have names, or nothing here asks for GPUs")
    for container, image in wrong:
        yield fail(
            container.image,
            f"{container.name} of {pod.title} runs an image by a name that is none",
            is_=image,
            should="HOST/PATH:TAG: a path in small letters, one slash between its parts, and no https:// before it",
            cause="kubelet can't read it (InvalidImageName): the container never starts, and its pod keeps its GPUs"
            if pod.uses_gpus
            else "kubelet can't read it (InvalidImageName): the container never starts, and the pods beside it wait",
            remedy="write the name as `docker pull` takes it",
        )


def _is_no_name(image: str) -> bool:
    """By what nobody means as a placeholder: `IMAGE_NAME` is one."""
    if MADE_LATER.search(image) or " " in image:
        return False
    host, slash, path = image.partition("/")
    parts = (path if slash and ("." in host or ":" in host or host == "localhost") else image).split("@")[0]
    last = parts.rpartition("/")[2].partition(":")[0]
    names = [*parts.split("/")[:-1], last]
    return "//" in image or any(each != each.lower() and each != each.upper() for each in names)


def _serves_gpus(image: str) -> bool:
    """Whether it is a part of what hands out GPUs or measures them, on nodes that have some."""
    return image.partition(":")[0].endswith(("/k8s-device-plugin", "/dcgm-exporter"))


def _gone(where: Located[Any] | Place, used: str, image: str, found: GoneImage, cause: str) -> Draft:
    return fail(
        where,
        f"{used} an image that no registry has: {image.partition(':')[0]} {found.says}",
        is_=image,
        should=found.should,
        cause=cause,
        remedy="name a tag that is there; `crane manifest IMAGE` tells",
    )


@RULE.check
def an_image_outside_of_kubernetes_is_there(named: NamedImage) -> Findings:
    if (found := gone_image(named.image)) is not None:
        yield _gone(named.place, named.used, named.image, found, "nothing can be pulled: manifest unknown")


@RULE.check
def each_process_has_a_gpu(pod: PodTemplate) -> Findings:
    if pod.live is not None:
        skip("what its processes find is seen in its log")
    if not pod.uses_gpus:
        skip("nothing here asks for GPUs")
    if pod.kind in work_together():
        skip("what it starts may run on the GPUs of its other pods")
    for container in pod.containers:
        has, told = _gpus(container), _gpu_processes(container)
        if told is not None and 0 < has < told.number:
            yield _too_many(pod, container, told, has, _said_at(container, told.written.split()[0]))
        elif told is None and has > 0:
            yield from _told_beside_its_command(pod, container, has)


def _told_beside_its_command(pod: PodTemplate, container: Container, has: int) -> Iterator[Draft]:
    """What the object says to torchrun, or a variable of the container, which counts first."""
    command = _command(container)
    for name, number in _numbers_beside(pod, container):
        value = str(value_if_known(number))
        told = told_by_settings(command, int(value), f"{name}: {value}") if value.isdecimal() else None
        if told is not None and has < told.number:
            yield _too_many(pod, container, told, has, number.place)
        return


def _numbers_beside(pod: PodTemplate, container: Container) -> Iterator[tuple[str, Located[Any]]]:
    for name in variables_of_settings():
        if (said := container.variable(name)) is not None:
            yield name, said
    for path in fields_of_settings().get(pod.kind, ()):
        if (tree := pod.above_says(*path)) is not None:
            yield path[-1], tree.located()


def _gpus(container: Container) -> int:
    """How many it is sure to see; 0 where that is not said, or it chooses for itself, or no server takes it."""
    if container.variable(VARIABLE) is not None or container.why_hidden is not None:
        return 0
    counts = [_count(container, each) for each in container.gpu_resources if holds_a_gpu(each)]
    return 0 if None in counts else sum(filter(None, counts))


def _count(container: Container, resource: str) -> int | None:
    written = [each.get(resource) for each in (container.limits, container.requests)]
    differ = len({str(each.value) for each in written if not each.is_absent}) > 1
    return None if differ else value_if_known(container.asks_for(resource))


def _gpu_processes(container: Container) -> GpuProcesses | None:
    image = value_if_known(container.image)
    if NOT_KNOWN in container.words:
        return None
    return processes_told(image if isinstance(image, str) else "", _command(container))


def _command(container: Container) -> str:
    return " ".join(_COMMENT.sub("", "\n".join(container.words)).split())


def _too_many(pod: PodTemplate, container: Container, told: GpuProcesses, has: int, where: Place) -> Draft:
    asked = "one GPU" if has == 1 else f"{has} GPUs"
    fits = str(has) if told.machines == 1 else f"{has * told.machines} on {told.machines} machines"
    return fail(
        where,
        f"{container.name} of {pod.title} starts more processes of {told.program} than it asks for GPUs",
        is_=f"{told.written} on {asked}" if told.machines == 1 else f"{told.written}, and {asked} on each",
        should=f"{fits}, or resources.limits of {told.number}",
        cause=cause(),
        remedy=f"ask for {told.number} GPUs in resources.limits, or start {fits}",
    )


@RULE.check
def its_pods_have_the_index_that_they_count_by(pod: PodTemplate) -> Findings:
    if pod.live is not None or pod.kind not in _JOBS or not pod.uses_gpus:
        skip("it is no Job with GPUs that is still to be made")
    if pod.elsewhere is not None or pod.above_says("completionMode") is not None:
        skip("it says how its pods are counted, or others may")
    for container in pod.containers:
        script = _COMMENT.sub("", "\n".join(container.words))
        found = _BY_INDEX.search(script)
        if found is not None and container.variable(_INDEX) is None and f"{_INDEX}=" not in script:
            yield fail(
                _said_at(container, found[0]),
                f"{_INDEX} is empty in {container.name} of {pod.title}: its pods have no index",
                is_=f"{found[0]}, and no completionMode",
                should="completionMode: Indexed, beside completions and parallelism",
                cause="a Job is NonIndexed unless it says otherwise: every pod is given an empty rank, and ends over "
                "it, or all of them take themselves for the first",
                remedy="write completionMode: Indexed into the Job's spec",
            )


def _said_at(container: Container, option: str) -> Place:
    trees = (container.tree.get(name) for name in ("command", "args"))
    words = (word for tree in trees for word in (tree, *tree.sequence))
    return next((each.place for each in words if option in each.string), container.place)

"""Whether Docker Compose takes a service that asks for GPUs, and the service sees them."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.documents.settled import settle
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.pod.docker_gpus import DockerGpus
from nodeworthy.known.gpu_processes import cause, processes_told
from nodeworthy.known.images_gone import gone_image
from nodeworthy.known.visible_devices import CUDAS_OWN, VARIABLE
from nodeworthy.rules.pod_can_use_gpus import RULE, indices_beyond
from nodeworthy.verdict import Draft, Findings, Known, fail

_REFUSED = "docker compose refuses the file as a whole, and starts none of its services"
_RESERVED = "deploy.resources.reservations.devices"


@RULE.check
def compose_takes_it(run: DockerGpus) -> Findings:
    limited = run.tree.get("deploy", "resources", "limits", "devices")
    if not limited.is_absent and not limited.is_unknown:
        yield _not_taken(run, limited.heading, "devices below limits", _RESERVED, "Additional property")
    for request in run.requests:
        yield from _of_a_request(run, request)


def _of_a_request(run: DockerGpus, request: Tree) -> Iterator[Draft]:
    said, count, ids = (request.get(name) for name in ("capabilities", "count", "device_ids"))
    if said.is_absent and "<<" not in request.mapping:
        yield _not_taken(run, request, "a device without capabilities", "capabilities: [gpu]", "capabilities")
    elif said.text is not None and "$" not in said.text:
        yield _not_taken(
            run, said, f"capabilities: {said.text}, a text", "capabilities: [gpu], a list", "must be a list"
        )
    if not count.is_absent and not ids.is_absent:
        should = "count, or device_ids"
        yield _not_taken(run, ids.heading, "count and device_ids", should, "are exclusive")


def _not_taken(run: DockerGpus, where: object, is_: str, should: str, says: str) -> Draft:
    return fail(
        where,  # type: ignore[arg-type]
        f"docker compose does not take how {run.title} asks for GPUs",
        is_=is_,
        should=should,
        cause=f"{_REFUSED} (its schema: {says})",
        remedy=f"write {should}; `docker compose config` tells",
    )


@RULE.check
def each_of_its_processes_has_a_gpu(run: DockerGpus) -> Findings:
    has, command = _count(run), run.tree.get("command")
    words = " ".join(filter(None, (command.text, *(each.text for each in command.sequence))))
    told = processes_told(run.tree.get("image").string, " ".join(words.split()))
    if told is None or told.machines != 1 or not 0 < has < told.number:
        return
    yield fail(
        command.heading,
        f"{run.title} starts more processes of {told.program} than it asks for GPUs",
        is_=f"{told.written} on {has}",
        should=f"{has}, or a request for {told.number} GPUs",
        cause=cause(),
        remedy=f"ask for {told.number} GPUs (count: {told.number}), or start {has}",
    )


@RULE.check
def it_names_gpus_that_it_has(run: DockerGpus) -> Findings:
    has, written = _count(run), run.variables.get(CUDAS_OWN)
    said = settle(written) if written is not None else None
    if said is not None and has and (indices := indices_beyond(said, has)):
        yield fail(
            said,
            f"CUDA sees no GPU in {run.title}: it has no device {indices[0]}",
            should=f"no {CUDAS_OWN}, or indices below {has}",
            cause=f"in a container its own GPUs are counted from 0, whichever they are on the machine (of {has} the "
            f"last is {has - 1}), and CUDA ends its list at the first that is not there",
            remedy=f"delete {CUDAS_OWN}: device_ids says which GPUs of the machine it has",
        )


def _count(run: DockerGpus) -> int:
    """How many it is sure to see; 0 where that is not said."""
    if VARIABLE in run.variables or not run.requests:
        return 0
    counts = [_of_one(each) for each in run.requests]
    return 0 if None in counts else sum(filter(None, counts))


def _of_one(request: Tree) -> int | None:
    count, ids = request.get("count"), request.get("device_ids").sequence
    if any("$" in (each.text or "$") for each in ids):
        return None
    return count.value if isinstance(count.value, int) and not ids else len(ids) or None


@RULE.check
def its_image_can_be_pulled(run: DockerGpus) -> Findings:
    image = settle(run.tree.get("image"))
    written = image.state.value if isinstance(image.state, Known) else None
    if isinstance(written, str) and run.tree.get("build").is_absent and (found := gone_image(written)) is not None:
        yield fail(
            image,
            f"{run.title} runs an image that no registry has: {written.partition(':')[0]} {found.says}",
            is_=written,
            should=found.should,
            cause="the image is never pulled (manifest unknown), and the service does not start",
            remedy="name a tag that is there; `docker manifest inspect IMAGE` tells",
        )

"""What serves a model: whether it becomes a server at all, has the time to load, and is told what its model can."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.pod.containers import Container
from nodeworthy.facts.pod.served_model import command_of, gigabytes, model_of
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.known.served_images import Server, asking_server, is_of, server_of, tokens_of
from nodeworthy.patterns import pattern
from nodeworthy.rules.pod_can_use_gpus import RULE
from nodeworthy.verdict import Draft, Findings, Place, Severity, fail, skip, value_if_known

_HOST = "OLLAMA_HOST"
_BY_A_SHELL = pattern(r"(?:\S*/)?(?:ba)?sh -[a-z]*c$")
_LONGER = ("VLLM_ALLOW_LONG_MAX_MODEL_LEN", "--rope-scaling", "--hf-overrides", "--rope_scaling", "--hf_overrides")
_MOST_TOKENS = pattern(r"--max[-_]model[-_]len[= ]+(\d{1,9})([kK]?)(?![\w.])")
# A server starts in this time without its model, which comes at so many GB a second: more than a gp3 disk writes.
_STARTS_IN, _COMES_AT = 30.0, 0.25
# What Kubernetes takes where a probe says nothing.
_PERIOD, _FAILURES = 10, 3


@RULE.check
def its_program_is_the_server(pod: PodTemplate) -> Findings:
    if pod.live is not None or not pod.uses_gpus:
        skip("what it runs is seen in its log, or nothing here asks for GPUs")
    images = [str(value_if_known(each.image)) for each in pod.containers]
    for container, image in zip(pod.containers, images, strict=True):
        server = asking_server(image)
        if server is None or container.is_init or sum(is_of(server.name, each) for each in images) > 1:
            continue
        asked = _asks(container, server)
        if asked is not None and container.variable(_HOST) is None:
            yield _asks_nobody(pod, container, server, asked)


def _asks(container: Container, server: Server) -> str | None:
    """The word by which it asks a server, where it does nothing else."""
    words = [word for each in container.words for word in each.split()]
    by_a_shell = _BY_A_SHELL.match(" ".join(words[:2]))
    program = [each.rpartition("/")[2] for each in (words[2:4] if by_a_shell else words[:2])]
    name = server.name.lower()
    of = program[1:] if program[:1] == [name] else program[:1] if not _says(container, "command") else []
    return of[0] if of and of[0] in server.asks and server.starts not in words else None


def _says(container: Container, name: str) -> bool:
    return not container.tree.get(name).is_absent


def _asks_nobody(pod: PodTemplate, container: Container, server: Server, asked: str) -> Draft:
    where = container.tree.get("command" if _says(container, "command") else "args")
    name = server.name.lower()
    return fail(
        where.place,
        f"{container.name} of {pod.title} asks a server of {server.name}, and nobody starts one in it",
        is_=f"{name} {asked}",
        should=f"{name} {server.starts}, which is what its image starts by itself",
        cause=f"`{name} {asked}` is a client: it finds no server in its pod and ends with 1, kubelet starts it again, "
        "and no port answers",
        remedy=f"leave the command out, and run `{name} {asked} …` inside it afterwards (kubectl exec, or postStart)",
    )


@RULE.check
def it_has_the_time_to_load(pod: PodTemplate) -> Findings:
    if pod.live is not None or not pod.uses_gpus:
        skip("how long it takes is seen in its events, or nothing here asks for GPUs")
    for container in pod.containers:
        server, probe = _server(container), container.tree.get("livenessProbe")
        if server is None or not server.loads or probe.is_absent or _says(container, "startupProbe"):
            continue
        size = gigabytes(model_of(container))
        alive = _seconds_alive(probe)
        if size and alive is not None and alive < _STARTS_IN + size / _COMES_AT:
            model = f"{model_of(container)} has {size:g} GB, which come over the network and go to the GPU before"
            yield _is_ended(pod, container, probe, alive, f"{model} {server.name} answers anything")


def _server(container: Container) -> Server | None:
    return server_of(str(value_if_known(container.image)), command_of(container))


def _seconds_alive(probe: Tree) -> int | None:
    """From its start to the failure over which kubelet ends it."""
    said = [probe.get("initialDelaySeconds"), probe.get("periodSeconds"), probe.get("failureThreshold")]
    numbers = [_number(each, default) for each, default in zip(said, (0, _PERIOD, _FAILURES), strict=True)]
    if None in numbers:
        return None
    first, period, failures = (each or 0 for each in numbers)
    return first + period * max(failures - 1, 0)


def _number(said: Tree, default: int) -> int | None:
    if said.is_absent:
        return default
    value: Any = said.value
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _is_ended(pod: PodTemplate, container: Container, probe: Tree, alive: int, why: str) -> Draft:
    return fail(
        probe.heading,
        f"{container.name} of {pod.title} is ended before its server has loaded its model",
        is_=f"a livenessProbe that ends it after {alive} s, and no startupProbe",
        should="a startupProbe of some minutes: periodSeconds: 10, failureThreshold: 60",
        cause=f"{why}; kubelet starts the container again, and it begins anew",
        remedy="give it a startupProbe at the same path: until that succeeds kubelet asks no other",
        severity=Severity.WARNING,
    )


@RULE.check
def its_model_has_as_many_tokens(pod: PodTemplate) -> Findings:
    if pod.live is not None or not pod.uses_gpus:
        skip("what it says of its model is seen in its log, or nothing here asks for GPUs")
    for container in pod.containers:
        yield from _too_many_tokens(pod, container)


def _too_many_tokens(pod: PodTemplate, container: Container) -> Iterator[Draft]:
    server, command = _server(container), command_of(container)
    asked = _MOST_TOKENS.search(command) if server is not None and server.name == "vLLM" else None
    has = tokens_of(model_of(container)) if asked is not None else None
    if asked is None or has is None or _may_be_longer(container, command):
        return
    tokens = int(asked[1]) * (1 if not asked[2] else 1024 if asked[2] == "K" else 1000)
    if tokens > has:
        yield fail(
            _said_at(container.tree.get("args").sequence, container.tree.get("command").sequence, container),
            f"{container.name} of {pod.title} is to take more tokens than its model has places for",
            is_=asked[0].replace("=", " "),
            should=f"at most {has}: {model_of(container)} has no more",
            cause="vLLM refuses to start: what is asked for is greater than the model's max_position_embeddings; the "
            "container ends with an error, and is started again for ever",
            remedy=f"write --max-model-len {has}, or less",
        )


def _may_be_longer(container: Container, command: str) -> bool:
    return any(each in command or container.variable(each) is not None for each in _LONGER)


def _said_at(args: Sequence[Tree], command: Sequence[Tree], container: Container) -> Place:
    words = (*args, *command)
    return next((each.place for each in words if "max-model-len" in each.string.replace("_", "-")), container.place)

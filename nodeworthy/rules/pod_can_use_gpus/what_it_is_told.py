"""Whether the program of a container with GPUs can be started as its words say, and takes them."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.pod.containers import Container
from nodeworthy.facts.pod.served_model import command_of, model_of
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.known.served_images import Server, heads_of, server_by_its_command, server_of
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.rules.pod_can_use_gpus import RULE
from nodeworthy.verdict import Findings, Place, fail, skip, value_if_known

# Two words in one: Python's argparse knows no option of that name.
_OPTION_AND_VALUE = pattern(r"(--[a-z][\w-]*) +(\S.*)", words=("--",))
_BY_ARGPARSE = ("vLLM", "SGLang")
_SHELLS = pattern(r"(?:.*/)?(?:ba|da|a|z)?sh")
_UTILIZATION = pattern(r"--gpu[-_]memory[-_]utilization[= ]+(\d+(?:\.\d+)?)(?![\w.])", words=("utilization",))
_PARALLEL = pattern(r"(?:--tensor[-_]parallel[-_]size|--tp-size|-tp)[= ]+(\d{1,4})(?![\w.])")
_STARTS_IT = ("vllm", "serve", "python", "python3")
_FILLED_IN = pattern(r"[{}$<>]")


@dataclass(frozen=True)
class Refused:
    place: Place
    says: str
    is_: str
    should: str
    cause: str


@RULE.check
def its_program_takes_its_words(pod: PodTemplate) -> Findings:
    if pod.live is not None or not pod.uses_gpus:
        skip("what its program says is seen in its log, or nothing here asks for GPUs")
    for container in pod.containers:
        for found in _refusals(container):
            yield fail(
                found.place,
                f"{container.name} of {pod.title} {found.says}",
                is_=found.is_,
                should=found.should,
                cause=f"{found.cause}; the container ends with an error, and is started again for ever",
                remedy=f"write {found.should}",
            )


def _refusals(container: Container) -> Iterator[Refused]:
    yield from _no_program(container)
    command, image = command_of(container), str(value_if_known(container.image))
    server = server_of(image, command) or server_by_its_command(command)
    if server is None:
        return
    if not _is_a_shells(container):
        yield from _two_in_one(container, server)
    if server.name == "vLLM":
        yield from _starts_it_twice(container)
        yield from _more_memory_than_there_is(container, command)
        yield from _heads_left_over(container, command)


def _no_program(container: Container) -> Iterator[Refused]:
    first = next(iter(container.tree.get("command").sequence), None)
    words = first.string.split() if first is not None and not _FILLED_IN.search(first.string) else []
    if first is None or len(words) < 2 or "\n" in first.string or first.string.startswith("/"):
        return
    yield Refused(
        first.place,
        "runs a program whose name has spaces in it",
        f"command: [{first.text}]",
        f"command: [{', '.join(words)}], each word by itself",
        f'no shell takes a command apart: exec: "{first.text}": executable file not found in $PATH',
    )


def _items(container: Container) -> Iterator[Tree]:
    for name in ("command", "args"):
        yield from container.tree.get(name).sequence


def _is_a_shells(container: Container) -> bool:
    return any(_SHELLS.fullmatch(each.string) or each.string in ("-c", "-lc", "-ec") for each in _items(container))


def _two_in_one(container: Container, server: Server) -> Iterator[Refused]:
    for item in _items(container) if server.name in _BY_ARGPARSE else ():
        found = _OPTION_AND_VALUE.fullmatch(item.string)
        if found is not None and not _FILLED_IN.search(item.string):
            option, value = found.groups()
            yield Refused(
                item.place,
                f"gives {server.name} an option and its value as one word",
                f'"{item.string}"',
                f'"{option}={value}", or two entries of the list',
                f"{server.name} knows no option of that name: error: unrecognized arguments: {item.string}",
            )


def _starts_it_twice(container: Container) -> Iterator[Refused]:
    first = next(iter(container.tree.get("args").sequence), None)
    is_own = "vllm-openai" in str(value_if_known(container.image)) and container.tree.get("command").is_absent
    if first is not None and is_own and first.string in _STARTS_IT:
        yield Refused(
            first.place,
            "gives vLLM its own command among its options",
            f"args: [{first.string}, …], and no command",
            "the options alone as args, or vllm, serve as command",
            "the image starts vLLM by itself, and args are what follows: error: unrecognized arguments",
        )


def _more_memory_than_there_is(container: Container, command: str) -> Iterator[Refused]:
    found = _UTILIZATION.search(command)
    if found is not None and float(found[1]) > 1:
        yield Refused(
            _said_at(container, "utilization"),
            "is to use more of a GPU's memory than there is",
            found[0].replace("=", " "),
            "--gpu-memory-utilization 0.9, a part of one",
            "vLLM refuses it: GPU memory utilization must be less than 1.0",
        )


def _heads_left_over(container: Container, command: str) -> Iterator[Refused]:
    found = _PARALLEL.search(command)
    heads = heads_of(model_of(container)) if found is not None else None
    if found is not None and heads is not None and int(found[1]) > 0 and heads % int(found[1]):
        several = " or ".join(str(each) for each in (2, 4, 8, 16) if heads % each == 0) or "no"
        yield Refused(
            _said_at(container, found[0].split("=")[0].split()[0]),
            f"divides a model of {heads} attention heads among {found[1]} GPUs",
            found[0].replace("=", " "),
            f"--tensor-parallel-size 1{'' if several == 'no' else f', {several}'}",
            f"vLLM refuses to start: total number of attention heads ({heads}) must be divisible by tensor parallel "
            f"size ({found[1]})",
        )


def _said_at(container: Container, word: str) -> Place:
    return next((each.place for each in _items(container) if word in each.string), container.place)

"""Containers that Docker itself gives GPUs: services of a compose file, and `docker run` in a script."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import ClassVar

from nodeworthy.documents.tree import Tree
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

_VARIABLES = ("NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES")
_NVIDIA = "nvidia"
# What compose takes as a request for devices; a word of capitals is an anchor's or a template's.
_OF_DEVICES = ("deploy", "resources", "reservations", "devices")
_RUN = pattern(
    r"\b(?:docker|podman|nerdctl)[ \t]{1,9}(?:container[ \t]{1,9})?(?:run|create)\b",
    words=("docker", "podman", "nerdctl"),
)
_GIVEN = pattern(
    r"(?<!\S)(?:-e|--env)(?:[ \t]+|=)[\"']?(?P<name>NVIDIA_[A-Z_]{3,40})=[\"']?(?P<value>[^\s\"'\\]{0,200})"
)


@dataclass(frozen=True, eq=False)
class DockerGpus:
    called: ClassVar[str] = "a container that Docker gives GPUs"
    origin: ClassVar[str] = "a compose file"

    place: Place
    title: str
    variables: Mapping[str, Tree]
    # Of a compose file: the service as it stands there.
    tree: Tree

    @cached_property
    def requests(self) -> tuple[Tree, ...]:
        """What it asks for of devices with GPUs."""
        return tuple(each for each in self.tree.get(*_OF_DEVICES).sequence if _is_for_gpus(each))

    @cached_property
    def capabilities_asked_for(self) -> frozenset[str]:
        """Docker hands those over that are a driver's, in the place of what the container's own variable says."""
        return frozenset(each.string for one in self.requests for each in one.get("capabilities").sequence)


def services_with_gpus(document: Tree) -> Iterator[DockerGpus]:
    services = document.get("services").mapping
    if not any(map(_is_service, services.values())):
        return
    for name, tree in services.items():
        variables = dict(_variables(tree.get("environment")))
        if _has_gpus(tree) or not variables.keys().isdisjoint(_VARIABLES):
            yield DockerGpus(tree.heading, f"the service '{name}'", variables, tree)


def _is_service(tree: Tree) -> bool:
    """Whether it is a service; in a file that lies over another one it may have no image."""
    return tree.is_mapping and not {"image", "build", "extends", "deploy", "runtime"}.isdisjoint(tree.mapping)


def _has_gpus(tree: Tree) -> bool:
    requested = (*tree.get(*_OF_DEVICES).sequence, *tree.get("deploy", "resources", "limits", "devices").sequence)
    is_given = tree.get("runtime").text == _NVIDIA or not tree.get("gpus").is_absent
    return is_given or any(map(_is_for_gpus, requested))


def _is_for_gpus(request: Tree) -> bool:
    said = request.get("capabilities")
    capabilities = {said.text, *(each.text for each in said.sequence)}
    return request.get("driver").text == _NVIDIA or not capabilities.isdisjoint(("gpu", _NVIDIA))


def _variables(environment: Tree) -> Iterator[tuple[str, Tree]]:
    """A mapping, or a list of NAME=VALUE; a name alone is taken from whoever starts it."""
    yield from environment.mapping.items()
    for each in environment.sequence:
        name, equals, value = each.string.partition("=")
        if equals:
            yield name, Tree(value, each.place, each.key)


def containers_run(text: str, shown: str) -> Iterator[DockerGpus]:
    """The commands of a script that run a container and say something of GPUs."""
    for number, lines in _commands(text):
        command = "\n".join(lines)
        # A request by capabilities of one's own counts before the variable.
        if "capabilities=" in command or _RUN.search(command) is None:
            continue
        at = Place(path=shown, line=number, column=1)
        variables = dict(_variables_in(lines, number, shown))
        if variables:
            yield DockerGpus(at, "a container that this script starts", variables, Tree({}, at))


def _commands(text: str) -> Iterator[tuple[int, list[str]]]:
    """The commands with the number of their first lines; a line that ends in a backslash goes on."""
    begun, lines = 1, list[str]()
    for number, line in enumerate(text.splitlines(), 1):
        if not lines:
            begun = number
        if not line.lstrip().startswith("#"):
            lines.append(line)
        if not line.endswith("\\"):
            yield begun, lines
            lines = []


def _variables_in(lines: list[str], number: int, shown: str) -> Iterator[tuple[str, Tree]]:
    for index, line in enumerate(lines):
        for each in _GIVEN.finditer(line):
            yield each["name"], Tree(each["value"], Place(path=shown, line=number + index, column=1))

"""What a pod itself says of the GPUs that its containers see, where a device plugin is to choose them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.pod.containers import Container, holds_a_gpu
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.facts.surroundings import Surroundings
from nodeworthy.known.instances import gpus_of
from nodeworthy.known.visible_devices import MOST, VARIABLE, signs
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import Known, Located, value_if_known

_YAML = (".yaml", ".yml", ".tf", ".toml", ".sh", ".tpl", ".tftpl", ".json")
_INSTANCE = "node.kubernetes.io/instance-type"
_OF_GOOGLE = "cloud.google.com/"


@dataclass(frozen=True)
class Choice:
    """A container that asks for GPUs and names those that it sees."""

    container: Container
    asks: int
    said: Located[Any]

    @property
    def value(self) -> str:
        return str(value_if_known(self.said) or "").strip()


def choices(pod: PodTemplate) -> Iterator[Choice]:
    for container in pod.containers:
        said, asks = container.variable(VARIABLE), _asks(container)
        if said is not None and asks and value_if_known(said) is not None:
            yield Choice(container, asks, said)


def around(pod: PodTemplate, surroundings: Surroundings) -> PodTemplate:
    """The pod with the files around it, if there is anything to ask them: of a variable that it says, or of the names
    of Services beside its server."""
    is_asked = any(choices(pod)) or any(map(_is_told_of_services, pod.containers))
    return replace(pod, surroundings=surroundings) if is_asked else pod


def _is_told_of_services(container: Container) -> bool:
    """Whether its server reads a variable that a Service may set (`linked` in the table of servers)."""
    return any("vllm" in each for each in (*container.words, str(value_if_known(container.image))))


def _asks(container: Container) -> int:
    """How many GPUs; none where a part of one is asked for, which other plugins hand out, or where it is not known."""
    named = container.gpu_resources
    if not all(map(holds_a_gpu, named)):
        return 0
    states = [container.asks_for(each).state for each in named]
    return sum(each.value for each in states if isinstance(each, Known))


def takes_a_whole_node(pod: PodTemplate, asks: int) -> bool:
    """Whether all the GPUs of a node are those that it asked for."""
    chosen = pod.spec.get("nodeSelector").get(_INSTANCE).text
    gpus = gpus_of(chosen) if chosen else None
    return asks >= MOST or (gpus is not None and asks >= gpus.count)


def why_it_decides_nothing(pod: PodTemplate) -> str | None:
    """What shows, in the pod or around it, that the variable is not gone by."""
    if any(name.startswith(_OF_GOOGLE) for name in _selected(pod.spec)):
        return "GKE's device plugin mounts what it gives"
    if pod.surroundings is None:
        return None
    for sign in signs():
        if next(iter(pod.surroundings.holding(sign.pattern, _YAML)), None) is not None:
            return sign.says
    return None


def _selected(spec: Tree) -> Iterator[str]:
    yield from spec.get("nodeSelector").mapping

"""HAMi's scheduling policies: which of them exist, and where people ask for one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from nodeworthy.derive import derive
from nodeworthy.documents.settled import settle
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.hami.values import HamiValues
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.known.hami import annotation_names, gpu_policies, node_policies
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located, Place

_SETTINGS = {"nodeSchedulerPolicy": "node", "gpuSchedulerPolicy": "gpu"}
_ARGUMENTS = {"--node-scheduler-policy": "node", "--gpu-scheduler-policy": "gpu"}


@dataclass(frozen=True)
class Policy:
    """One policy that was asked for: of nodes, or of the GPUs of a node."""

    called: ClassVar[str] = "a scheduling policy of HAMi"

    of: str
    value: Located[Any]

    @property
    def place(self) -> Place:
        return self.value.place

    @property
    def known(self) -> tuple[str, ...]:
        return node_policies() if self.of == "node" else gpu_policies()

    @property
    def may_be_several(self) -> bool:
        """Newer releases take several of a GPU's policies, with commas between them."""
        return self.of == "gpu"

    def is_known(self, value: str) -> bool:
        parts = value.split(",") if self.may_be_several else [value]
        return all(part.strip() in self.known for part in parts)

    def meant(self, value: str) -> str | None:
        """The policy that was meant, where only its letters differ."""
        bare = "".join(each for each in value.lower() if each.isalpha())
        return next((each for each in self.known if each.replace("-", "") == bare), None)


def policies_of_pod(annotations: dict[str, Tree]) -> Iterator[tuple[str, Tree]]:
    names = annotation_names()
    for of, name in (("node", names.node_policy), ("gpu", names.gpu_policy)):
        tree = annotations.get(name)
        if tree is not None and not tree.is_null and tree.text != "":
            yield of, tree


@derive
def policies_of_values(values: HamiValues) -> Iterator[Policy]:
    for name, of in _SETTINGS.items():
        written = values.written("scheduler", "defaultSchedulerPolicy", name)
        if written is not None:
            yield Policy(of, settle(written))


@derive
def policies_of_arguments(pod: PodTemplate) -> Iterator[Policy]:
    """The policies of HAMi's own scheduler, as its pods are started."""
    for container in pod.containers:
        for tree in (*container.tree.get("command").sequence, *container.tree.get("args").sequence):
            name, _, value = tree.string.partition("=")
            if name in _ARGUMENTS and value and "{{" not in value:
                yield Policy(_ARGUMENTS[name], Located(Known(value), tree.place))

"""Which nodes a pod may go to, by its nodeSelector and by what its affinity requires."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from nodeworthy.documents.tree import Tree
from nodeworthy.records import dataclass

REQUIRED = ("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
# Labels that tell a GPU node from others: whoever asks for one of them means nodes with GPUs.
_OF_GPU_NODES = (
    "nvidia.com/",
    "feature.node.kubernetes.io/pci-",
    "feature.node.kubernetes.io/cpu-model",
    "accelerator",
    "k8s.amazonaws.com/accelerator",
    "cloud.google.com/gke-accelerator",
    "kubernetes.io/os",
    "kubernetes.io/arch",
    "beta.kubernetes.io/os",
)


@dataclass(frozen=True)
class Labels:
    """What is known of the labels of a node with GPUs."""

    known: Mapping[str, str]
    # There are no others.
    whole: bool = False

    def has(self, key: str, values: Iterable[str] | None) -> bool | None:
        """Whether it has this label with one of these values, or with any; None where that is not known."""
        if key in self.known:
            return values is None or self.known[key] in values
        if self.whole:
            return False
        return True if key.startswith(_OF_GPU_NODES) else None


def chooses(pods: Tree, labels: Labels) -> bool | None:
    """Whether pods with this spec may go to such a node; None where that is not known."""
    selected = [labels.has(key, [text]) if (text := _text(value)) else None for key, value in _selector(pods)]
    terms = pods.get(*REQUIRED)
    if pods.get("nodeSelector").is_unknown or terms.is_unknown:
        return _all([*selected, None])
    if terms.sequence:
        selected.append(_any(_all(_expressions(term, labels)) for term in terms.sequence))
    return _all(selected)


def asked_for(pods: Tree) -> frozenset[str]:
    """The labels that its choice depends on."""
    terms = pods.get(*REQUIRED).sequence
    expressions = (each for term in terms for each in term.get("matchExpressions").sequence)
    named = (each.get("key").text for each in expressions)
    return frozenset((*(key for key, _ in _selector(pods)), *filter(None, named)))


def is_of_gpu_nodes(key: str) -> bool:
    return key.startswith(_OF_GPU_NODES)


def _selector(pods: Tree) -> Iterable[tuple[str, Tree]]:
    return pods.get("nodeSelector").mapping.items()


def _expressions(term: Tree, labels: Labels) -> Iterator[bool | None]:
    if term.is_unknown or term.get("matchFields").sequence:
        yield None
    for each in term.get("matchExpressions").sequence:
        yield _expression(each, labels)


def _expression(each: Tree, labels: Labels) -> bool | None:
    key, values = each.get("key").text, [_text(value) for value in each.get("values").sequence]
    if key is None or None in values:
        return None
    wanted = [value for value in values if value is not None]
    match each.get("operator").text:
        case "In":
            return labels.has(key, wanted)
        case "NotIn":
            return _not(labels.has(key, wanted))
        case "Exists":
            return labels.has(key, None)
        case "DoesNotExist":
            return _not(labels.has(key, None))
    return None


def _text(value: Tree) -> str | None:
    """Kubernetes takes strings only; a template's are not known."""
    if value.text is None or "{{" in value.text or "${" in value.text:
        return None
    return value.text


def _not(held: bool | None) -> bool | None:
    return None if held is None else not held


def _all(held: Iterable[bool | None]) -> bool | None:
    found = set(held)
    return False if False in found else (None if None in found else True)


def _any(held: Iterable[bool | None]) -> bool | None:
    found = set(held)
    return True if True in found else (None if None in found else False)

"""The GPUs that a pod takes of a node, counted as the scheduler counts them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from nodeworthy.documents.plain import at, mapping_at, mappings_at
from nodeworthy.facts.pod.containers import NotAQuantity, is_gpu_resource, whole


def gpu_amounts(written: Mapping[str, Any]) -> dict[str, int]:
    """The GPUs in a mapping of resources (a node's capacity, a container's limits). What is no count is left out."""
    found = {}
    for name, value in written.items():
        if is_gpu_resource(name):
            amount = _whole_or_none(value)
            if amount is not None:
                found[name] = amount
    return found


def _whole_or_none(value: Any) -> int | None:
    try:
        return whole(value)
    except NotAQuantity:
        return None


def effective_requests(spec: Mapping[str, Any]) -> dict[str, int]:
    """All that run together, or the init container that asks for more while those run that came before it."""
    together: Counter[str] = Counter()
    most: dict[str, int] = {}
    for each in mappings_at(spec, "initContainers"):
        asked = _of_container(each)
        if at(each, "restartPolicy") == "Always":
            together.update(asked)
        for name, amount in asked.items():
            stays = at(each, "restartPolicy") == "Always"
            most[name] = max(most.get(name, 0), together[name] + (0 if stays else amount))
    for each in mappings_at(spec, "containers"):
        together.update(_of_container(each))
    for name, amount in gpu_amounts(mapping_at(spec, "overhead")).items():
        together[name] += amount
        most[name] = most.get(name, 0) + amount
    return {name: amount for name in {**together, **most} if (amount := max(together[name], most.get(name, 0)))}


def _of_container(container: Mapping[str, Any]) -> dict[str, int]:
    """A limit alone is a request, too."""
    resources = mapping_at(container, "resources")
    if not resources:
        return {}
    return {**gpu_amounts(mapping_at(resources, "limits")), **gpu_amounts(mapping_at(resources, "requests"))}

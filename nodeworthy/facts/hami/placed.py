"""Where HAMi's device plugin goes in a cluster, and which GPU nodes it leaves out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nodeworthy.documents.plain import mapping_at, strings_at, text_at
from nodeworthy.facts.cluster.node import ClusterNode
from nodeworthy.facts.hami.cluster import Installation, Role
from nodeworthy.facts.hami.shares import devices_of
from nodeworthy.verdict import Draft, Place, Related, fail


def plugin_spec(one: Installation) -> tuple[Place, Mapping[str, Any]] | None:
    """The pod spec of its device plugin, as its DaemonSet or one of its pods has it."""
    for (kind, name), maker in one.makers_of(Role.DEVICE_PLUGIN).items():
        own = mapping_at(maker, "spec", "template", "spec")
        if own:
            return Place(object=f"{kind}/{one.namespace}/{name}"), own
    for part in one.of(Role.DEVICE_PLUGIN):
        return part.pod.place, mapping_at(part.data, "spec")
    return None


def node_faults(
    one: Installation, nodes: Sequence[ClusterNode], classes: frozenset[str] | None, elsewhere: frozenset[str]
) -> Iterator[Draft]:
    """`classes` are the RuntimeClasses that there are; None where nobody looked. `elsewhere` are nodes on which another
    device plugin runs, which its own rule tells."""
    found = plugin_spec(one)
    if found is None:
        return
    place, spec = found
    yield from _counted_otherwise(place, [each for each in nodes if each.name not in elsewhere])
    yield from _left_out(place, strings_at(spec, "nodeSelector"), nodes)
    named = text_at(spec, "runtimeClassName")
    if named and classes is not None and named not in classes:
        yield fail(
            place,
            "HAMi gives its pods a RuntimeClass that is not there",
            is_=named,
            should=" or ".join(sorted(classes)) or "a RuntimeClass of this name",
            cause="the API server refuses a pod that names it, HAMi's own device plugin among them",
            remedy=f"make the RuntimeClass {named} (devicePlugin.createRuntimeClass: true), or name one that there is",
        )


def _left_out(place: Place, selector: Mapping[str, str], nodes: Sequence[ClusterNode]) -> Iterator[Draft]:
    """A GPU node that another plugin serves may be left out on purpose; one that nobody serves is not."""
    with_gpus = [each for each in nodes if each.is_gpu]
    chosen = [each for each in with_gpus if all(each.labels.get(name) == value for name, value in selector.items())]
    left = [each for each in with_gpus if each not in chosen and not each.gpus]
    if not left:
        return
    label = ", ".join(f"{name}={value}" for name, value in selector.items())
    names = " ".join(each.name for each in left[:8])
    yield fail(
        place,
        "HAMi's device plugin goes to no GPU node"
        if not chosen
        else "GPU nodes have no device plugin, HAMi's least of all",
        is_=f"{len(left)} GPU nodes without the label {label}",
        should=f"the label {label} on nodes whose GPUs are shared",
        cause="its nodeSelector asks for the label, and these nodes offer no GPU to anybody",
        remedy=f"kubectl label node {names} {label.replace(', ', ' ')}",
        victims=tuple(each.place.object or "" for each in left),
        related=tuple(Related(each.place, f"{each.title} has GPUs and offers none") for each in left[:3]),
    )


def _counted_otherwise(place: Place, nodes: Sequence[ClusterNode]) -> Iterator[Draft]:
    """What it registered on a node with HAMi's scheduler, and what it offers kubelet, are the same shares."""
    for node in nodes:
        devices = devices_of(node)
        shares = sum(each.count for each in devices)
        healthy = sum(each.count for each in devices if each.healthy)
        if not shares or not node.gpus or node.gpus in (shares, healthy) or any(each.is_cut for each in devices):
            continue
        less = node.gpus < shares
        yield fail(
            node.place,
            f"kubelet counts another number of shares than HAMi on {node.title}",
            is_=f"{node.gpus} nvidia.com/gpu, and {len(devices)} GPUs for {shares} pods",
            should=f"{shares} nvidia.com/gpu",
            cause=f"kubelet admits no more than {node.gpus} pods with a share, and HAMi's scheduler sends {shares}"
            if less
            else f"others than HAMi's scheduler count {node.gpus}, and it gives no more than {shares} shares away",
            remedy="see who else offers nvidia.com/gpu there; where nobody does, "
            f"the split count changed without a restart: kubectl delete pod of HAMi's device plugin on {node.name}",
            related=(Related(place, "HAMi's device plugin"),),
        )

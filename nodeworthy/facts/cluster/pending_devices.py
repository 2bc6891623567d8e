"""Pods with GPUs that wait for a device which is no GPU: a network card, a function of it, a vendor's other one."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from nodeworthy.facts.cluster.asking_pod import AskingPod
from nodeworthy.facts.cluster.pending_cause import PendingCause
from nodeworthy.known.evidence import Evidence, in_text
from nodeworthy.known.gpu_stack import bringer_of
from nodeworthy.verdict import NOWHERE, Place, Related, fail

if TYPE_CHECKING:
    from nodeworthy.facts.cluster.pending_world import PendingWorld

INSUFFICIENT = "Insufficient "
_SHOWN = 3


def not_brought(pod: AskingPod, words: str, why: str, world: PendingWorld) -> PendingCause | None:
    """A device that is no GPU, and whose plugin chooses none of the nodes that have the GPUs: nobody can offer it."""
    resource = why.removeprefix(INSUFFICIENT)
    part = bringer_of(resource)
    plugins = [each for each in world.bringers if each.part == part] if part else []
    nodes = [node for node in world.nodes.values() if node.has_gpus and pod.choice.takes(node.labels, node.name)]
    if not plugins or not nodes or any(each.may_come(node) for each in plugins for node in nodes):
        return None
    plugin, node = plugins[0], nodes[0]
    barred = list(plugin.barred(node))
    return PendingCause(
        ("not brought", resource),
        fail(
            NOWHERE,
            f"the GPUs are free, and no node with them offers {resource}: {part} comes to none of them",
            is_=words,
            should=f"{plugin.namespace}/{plugin.name} on the nodes whose {resource} pods ask for",
            cause=f"its DaemonSet {plugin.namespace}/{plugin.name} leaves {node.title} out: "
            + "; ".join(barred[:_SHOWN]),
            remedy=f"let it choose these nodes (a newer release of its chart may know them, else nodeAffinity and "
            f"tolerations in its values); then kubectl describe node {node.name} | grep {resource}",
            related=[Related(plugin.place, each) for each in barred[:_SHOWN]],
            nodes=[each.name for each in nodes],
        ),
    )


def offered_by_none(words: str, why: str, world: PendingWorld) -> PendingCause | None:
    """A device that no node offers, where its name tells whose it is: nobody holds it."""
    resource = why.removeprefix(INSUFFICIENT)
    if "/" not in resource or resource in world.offered:
        return None
    cause, remedy = _whose(resource, world)
    networks = ["/".join(("NetworkAttachmentDefinition", *key)) for key in world.networks.networks_of(resource)]
    return PendingCause(
        ("offered by none", resource),
        fail(
            NOWHERE,
            f"the GPUs are free, and no node offers {resource}",
            is_=words,
            should=f"nodes with {resource}",
            cause=cause,
            remedy=remedy,
            related=tuple(Related(Place(object=each), f"its device is of {resource}") for each in networks[:_SHOWN]),
        ),
    )


def _whose(resource: str, world: PendingWorld) -> tuple[str, str]:
    """Why nobody offers it, and what to do."""
    name = resource.partition("/")[2]
    alike = [each for each in sorted(world.offered) if each.partition("/")[2] == name]
    alike += difflib.get_close_matches(resource, sorted(world.offered), 1, 0.8)
    look = f"kubectl describe nodes | grep {name}"
    if alike:
        return (
            f"nodes offer {alike[0]}, which is another name: whoever offers it puts its own domain before it, or "
            "spells it otherwise",
            f"ask for {alike[0]} in the pods (and name it in the annotation of the network), or let its device plugin "
            f"call it {resource}",
        )
    if policy := world.networks.maker_of(resource):
        return (
            f"the SriovNetworkNodePolicy '{policy}' should have its virtual functions made, and none is offered: its "
            "nicSelector or nodeSelector takes no card that is there, or they are not made yet",
            f"see what came of it: kubectl get sriovnetworknodestates -A -o yaml | grep -B2 -A6 syncStatus; {look}",
        )
    if part := bringer_of(resource):
        why = f"{part} offers it, and does not run on these nodes, or finds no such device there"
    else:
        who = "the SR-IOV or RDMA device plugin" if world.networks.networks_of(resource) else "a device plugin"
        why = (
            f"{who} offers it from the cards that its configuration chooses: it does not run on these nodes, chooses "
            "no card that they have (vendor, device, driver, name), or calls them otherwise"
        )
    return (
        why,
        f"see which cards it found, and what it chooses by: kubectl get pods -A -o wide | grep device-plugin; kubectl "
        f"logs of it on a node with GPUs; {look}",
    )


def said_by_its_plugin(why: str, world: PendingWorld) -> tuple[Evidence | None, str]:
    """The cause that the plugin of a device which is no GPU tells in its log, and its words; where a node offers it all
    the same, it is held by others, and what the plugin leaves out is another card."""
    resource = why.removeprefix(INSUFFICIENT)
    words = "" if resource in world.offered else world.bringers_say.get(bringer_of(resource), "")
    known = next((each.evidence for each in in_text(words) if not each.evidence.is_symptom), None) if words else None
    return known, f"{bringer_of(resource)} says: {words}" if known is not None else ""

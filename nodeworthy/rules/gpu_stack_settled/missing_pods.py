"""What has no pod that runs: the API server refuses them, no node takes them, or a controller can't do its work."""

from __future__ import annotations

from nodeworthy.facts.cluster.gpu_stack import UnmadePods, UnmadeWork
from nodeworthy.facts.cluster.pending_said import remedy_for
from nodeworthy.facts.cluster.scheduling_events import reasons
from nodeworthy.facts.cluster.stuck_objects import StuckObject
from nodeworthy.facts.cluster.telling_words import both_ends
from nodeworthy.facts.cluster.unplaced_parts import UnplacedPart
from nodeworthy.known.chain import link_of_part
from nodeworthy.known.evidence import in_text
from nodeworthy.verdict import Draft, fail

_MAKE_ROOM = (
    "make room for it: kubectl describe node NODE lists what the pods there ask for; a part with the PriorityClass "
    "system-node-critical (daemonsets.priorityClassName of the operator's chart) drives others away"
)


def part_no_node_takes(found: UnplacedPart) -> Draft:
    first = found.first
    said = both_ends(first.unplaced)
    cause, remedy = _by_its_selector(found) if found.missing else _by_its_scheduler(said)
    return fail(
        found,
        f"{first.part} ({first.daemonset or first.name}) does not run: no node takes its pod",
        is_=said,
        should="a node that takes it",
        cause=cause,
        remedy=remedy,
        victims=[each.object for each in found.pods],
        link=link_of_part(first.part),
    )


def _by_its_selector(found: UnplacedPart) -> tuple[str, str]:
    asks, namespace = " and ".join(found.missing), found.first.namespace
    instead = f" (nodes have {', '.join(found.instead)})" if found.instead else ""
    cause = f"it asks for nodes with {asks}, and no node has that{instead}"
    if found.is_by_its_project:
        return f"{cause}: OpenShift adds it to all pods of the project (openshift.io/node-selector)", (
            f"let the project ask for what the nodes have, or for nothing: kubectl annotate namespace {namespace} "
            "openshift.io/node-selector= --overwrite, then delete the pod"
        )
    label = " ".join(found.missing)
    return cause, (
        f"give the label to the nodes that are meant (kubectl label node NODE {label}), or take it out of the chart's "
        "values (nodeSelector); of a project of OpenShift its annotation openshift.io/node-selector, or the cluster's "
        "defaultNodeSelector, may add it"
    )


def _by_its_scheduler(said: str) -> tuple[str, str]:
    told = sorted(reasons(said), key=lambda each: -each[0])
    others = [why for _, why in told if "taint" not in why and "node affinity/selector" not in why]
    known = next((each.evidence for each in in_text(said)), None)
    if others:
        is_short = others[0].startswith("Insufficient ") or others[0] == "Too many pods"
        return f"the scheduler says: {others[0]}", _MAKE_ROOM if is_short else remedy_for(others[0])
    return (known.why, known.mending) if known is not None else (f"the scheduler says: {said}", remedy_for(said))


def cause_by_words(said: str, otherwise: str, look: str) -> tuple[str, str]:
    """Why, and what to do: by what is known of these words, else as given."""
    known = next((each.evidence for each in in_text(said)), None)
    if known is None:
        return otherwise, look
    return known.why, known.mending


_SAYS_WHY = "the API server says why: see what it is"


def daemonset_without_pods(found: UnmadePods) -> Draft:
    daemonset = found.daemonset
    said = both_ends(found.words)
    look = f"see what it asks for: kubectl describe daemonset -n {daemonset.namespace} {daemonset.name}"
    cause, remedy = cause_by_words(said, _SAYS_WHY, look)
    return fail(
        found,
        f"{daemonset.part} ({daemonset.name}) has no pods: the API server refuses them",
        is_=said,
        should="a pod on each node that it chooses",
        cause=cause,
        remedy=remedy,
        link=link_of_part(daemonset.part),
        nodes=[node.name for node in found.nodes],
    )


def work_without_pods(found: UnmadeWork) -> Draft:
    said = both_ends(found.words)
    kind, namespace, name = (found.place.object or "").split("/")
    look = f"see what it asks for: kubectl describe {kind.lower()} -n {namespace} {name}"
    cause, remedy = cause_by_words(said, _SAYS_WHY, look)
    of_part = f"{found.part} ({name}) has no pods: the API server refuses them"
    return fail(
        found,
        of_part if found.part else "its pods, which ask for GPUs, are not made: the API server refuses them",
        is_=said,
        should="the pods that it asks for",
        cause=cause,
        remedy=remedy,
        victims=[found.place.object or ""],
        link=link_of_part(found.part) if found.part else "",
    )


def object_not_done(found: StuckObject) -> Draft:
    said = both_ends(found.words)
    cause, remedy = cause_by_words(said, f"its controller says: {said}", found.remedy)
    if found.cause:
        cause, remedy = found.cause, found.remedy
    return fail(found, found.fault, is_=said, should=found.should, cause=cause, remedy=remedy, victims=found.victims)

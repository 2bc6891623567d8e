"""A pod's queue of KAI's is one that takes work."""

from __future__ import annotations

from nodeworthy.facts.cluster.kai_queues import ClosedKaiQueue
from nodeworthy.facts.cluster.relations import Relations
from nodeworthy.rules.references_resolve import RULE
from nodeworthy.verdict import Draft, Findings, fail

_SHOWN = 4


@RULE.check
def its_queue_is_a_leaf(relations: Relations) -> Findings:
    for each in relations.kai:
        yield _draft(each)


def _draft(found: ClosedKaiQueue) -> Draft:
    others = ", ".join(found.others[:_SHOWN]) + (" …" if len(found.others) > _SHOWN else "")
    version = f" {found.version[0]}.{found.version[1]}" if found.version else ""
    if found.children:
        is_ = f"the parent of {', '.join(found.children[:_SHOWN])}{' …' if len(found.children) > _SHOWN else ''}"
        cause = "KAI's scheduler passes over work whose queue is not a leaf: a queue that others belong to only divides"
    else:
        is_ = "a queue without a parent (spec.parentQueue)"
        cause = (
            f"this KAI{version} has two levels of queues, and passes over work whose queue has no parent; from 0.13 on "
            "a queue may stand alone"
        )
    return fail(
        found,
        f"pods wait in KAI's queue '{found.name}', which takes no work of its own",
        is_=is_,
        should=f"a queue that is a child of another and has none itself: {others}"
        if others
        else "a queue with a parent and no children; there is none",
        cause=f"{cause} (the pods are told no more than `Unable to schedule pod`)",
        remedy=(f"label the workload kai.scheduler/queue={found.others[0]}, or " if others else "")
        + f"make a queue with spec.parentQueue: {found.name} for it"
        + ("" if found.children else f"; or give '{found.name}' itself a parent"),
        victims=found.victims,
        link="pod",
    )

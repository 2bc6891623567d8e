"""A group of Volcano's fits into its queue."""

from __future__ import annotations

from fractions import Fraction

from nodeworthy.facts.cluster.relations import Relations
from nodeworthy.facts.cluster.volcano_queues import OversizedGroup
from nodeworthy.rules.references_resolve import RULE
from nodeworthy.verdict import Draft, Findings, Place, Related, fail


@RULE.check
def its_queue_may_have_as_much(relations: Relations) -> Findings:
    for each in relations.volcano:
        yield _draft(each)


def _draft(found: OversizedGroup) -> Draft:
    namespace, name = found.key
    above = "" if found.bounded_by == found.queue else f", which lies above its queue '{found.queue}'"
    needs, may = _in_digits(found.needs), _in_digits(found.capability)
    return fail(
        found,
        f"the group '{name}' needs more {found.resource} to start than Volcano's queue '{found.bounded_by}' may have",
        is_=f"minResources: {needs} {found.resource}",
        should=f"at most the queue's capability: {may} {found.resource}",
        cause=f"Volcano starts a group whole or not at all, and gives queue '{found.bounded_by}'{above} no more than "
        "its capability: the group waits for ever, however much is free",
        remedy=f"raise spec.capability (kubectl edit queues.scheduling.volcano.sh {found.bounded_by}), send the job to "
        "another queue, or let it start with less (minAvailable of the job); to be sure: kubectl describe "
        f"podgroups.scheduling.volcano.sh -n {namespace} {name}",
        related=[Related(Place(object=f"Queue/{found.bounded_by}"), f"capability: {may} {found.resource}")],
        victims=found.pods,
        link="pod",
    )


def _in_digits(amount: Fraction) -> str:
    return str(amount.numerator) if amount.denominator == 1 else f"{float(amount):g}"

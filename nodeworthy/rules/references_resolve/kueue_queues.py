"""Work for Kueue goes to a queue that takes it."""

from __future__ import annotations

import json

from nodeworthy.facts.cluster.kueue_queues import QUEUE, ClosedQueue, NoQueue, NoWorkload
from nodeworthy.facts.cluster.relations import Relations
from nodeworthy.facts.cluster.selector import unmet
from nodeworthy.rules.references_resolve import RULE
from nodeworthy.verdict import Draft, Findings, Place, Related, fail


@RULE.check
def its_queue_takes_it(relations: Relations) -> Findings:
    for closed in relations.kueue.closed:
        yield _closed(closed)
    for each in relations.kueue.unqueued:
        yield _unqueued(each)
    for job in relations.kueue.unseen:
        yield _unseen(job)


def _closed(found: ClosedQueue) -> Draft:
    lacks = list(unmet(found.selector, found.labels)) if found.selector is not None else []
    wanted = ", ".join(each.wants for each in lacks)
    changes = " ".join(each.change for each in lacks)
    has = ", ".join(f"{each.label}={found.labels[each.label]}" for each in lacks if each.label in found.labels)
    takes_all = f"""kubectl patch clusterqueue {found.name} --type merge -p '{{"spec":{{"namespaceSelector":{{}}}}}}'"""
    return fail(
        found,
        f"ClusterQueue '{found.name}' takes no work of namespace '{found.namespace}'",
        is_="no namespaceSelector" if found.selector is None else f"namespaceSelector: {json.dumps(found.selector)}",
        should=f"one that chooses the namespace, which has {has or 'none of these labels'}"
        if lacks
        else "namespaceSelector: {}, or one that chooses the namespace",
        cause="without a namespaceSelector it takes of no namespace at all; {} takes of each"
        if found.selector is None
        else "Kueue admits only work of namespaces that have these labels; the rest stays suspended",
        remedy=f"kubectl label namespace {found.namespace} {changes} --overwrite, if it is meant to use this queue "
        f"({wanted}); to let all of them: {takes_all}"
        if lacks
        else f"where every namespace may use it: {takes_all}",
        related=[Related(Place(object=f"Namespace/{found.namespace}"), f"has {has}")] if has else [],
        victims=found.victims,
        link="pod",
    )


def _unqueued(found: NoQueue) -> Draft:
    namespace, name = found.key
    return fail(
        found,
        f"the workload '{name}' names no queue of Kueue's",
        is_="no queueName",
        should=f"a LocalQueue of namespace {namespace}",
        cause="Kueue is set to manage work without a queue, too (manageJobsWithoutQueueName), and holds it back: where "
        "the namespace has no LocalQueue called default, nobody names one for it",
        remedy=f"label the job or pod: {QUEUE}=QUEUE (kubectl get localqueues -n {namespace}), and make it anew; or "
        "make a LocalQueue called default there, which is then written into what names none",
        victims=found.victims,
        link="pod",
    )


def _unseen(found: NoWorkload) -> Draft:
    namespace, name = found.key
    return fail(
        found,
        f"{found.kind} '{name}' is held back for Kueue's queue '{found.queue}', and Kueue has made no Workload for it",
        is_=f"suspended, {QUEUE}={found.queue}, no Workload",
        should="a Workload that waits in the queue",
        cause="Kueue's webhook suspends what bears its label, and its controller passes it over: the namespace is not "
        "among those that it manages (managedJobsNamespaceSelector), its kind is not among integrations.frameworks, or "
        "the controller does not run; so the job waits for ever",
        remedy="see what it manages: kubectl get configmap -n kueue-system kueue-manager-config -o yaml; kubectl get "
        f"namespace {namespace} --show-labels; then label the namespace, or take the label {QUEUE} off and let it go "
        f"(suspend: false); what Kueue says of it: kubectl describe {found.kind.lower()} -n {namespace} {name}",
        link="pod",
    )

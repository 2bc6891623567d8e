"""What GPU workloads refer to exists in the cluster.

Objects of a cluster name each other, and the API server takes a name that nobody has: the other may still come. What
names it then waits for ever, and says so in one of five places, or not at all. A job's queue is a LocalQueue of its
namespace, which names a ClusterQueue, which names ResourceFlavors; a pod names a claim on a volume, and that a
StorageClass, or gets the default one, where there is one; KServe's InferenceService a ServingRuntime, a TrainJob its
runtime, a NIMService its NIMCache, a HelmRelease its HelmRepository and what it depends on, and an autoscaler
what it scales.

A queue of KAI's or Volcano's, a network that Multus is asked for, the checks and topologies of Kueue's queues and the
ConfigMaps of a ClusterPolicy are such names, too; and so is the label of a node by which the device plugin goes to one
of its configurations: of one that is not there the plugin ends, and with neither a label nor a default it shares
nothing. What chooses nodes by labels (a SriovNetworkNodePolicy, a Topology) does nothing where none has them; of a
ResourceFlavor, whose nodes may be started later, that is told where nodes have another value that was meant. A webhook
that the API server has to ask, behind whose Service nobody is ready, keeps all that it is asked about from being made;
and a Service whose selector is not that of the pod with GPUs that bears its name leads to nobody. A claim on a volume
that many nodes are to write to (ReadWriteMany) gets none of a class that makes disks for one (EBS, a persistent disk).

Some are there and do not take what is sent to them: a ClusterQueue whose namespaceSelector does not choose the
namespace (without one it takes of none), a queue of KAI's that only divides what others belong to. Work is held back
for Kueue that names no queue, or of which Kueue has made no Workload. A second network moves a device into a pod that
asks for none of its resource. Ranks look for their first one under a name that no Service makes known.

Told is the name at which the chain ends, with all that waits behind it, where one of them asks for GPUs and the object
that names does not say that it is well. A name is nobody's only where the whole list of its kind was read (`kubectl get
KIND -A`, or the API server's own): of a few objects that somebody has picked nothing follows.
"""

from __future__ import annotations

from nodeworthy.facts.cluster.references import Dangling, kind_of, object_of
from nodeworthy.facts.cluster.relations import Relations
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Place, Severity, fail

RULE = Rule(
    "references-resolve",
    severity=Severity.ERROR,
    title="What GPU workloads refer to exists in the cluster",
    remedy="make what is named, or name what is there",
    never_unknown="a name is judged only where all of its kind were read",
)

_SHOWN = 4


@RULE.check
def what_is_named_is_there(relations: Relations) -> Findings:
    for each in relations.named.dangling:
        if each.otherwise is not None:
            yield _disagrees(each, each.otherwise)
        else:
            yield _draft(each) if each.named.name else _without_default(each)


def _draft(found: Dangling) -> Draft:
    name = found.named.name
    return fail(
        Place(object=object_of(found.namer)),
        f"{kind_of(found.namer[0])} '{found.namer[2]}' names {_a(found.named.kinds[0])} that is not there",
        is_=name,
        should=_what_is_there(found),
        cause=f"{found.named.by.then}{_where_it_is(found)}",
        remedy=found.named.by.mend or f"name one that is there, or make it: {_look(found)}",
        victims=found.victims,
        # Which part of the stack it is that then fails, that tells.
        link="" if found.named.by.is_ours else "pod",
    )


def _disagrees(found: Dangling, said: str) -> Draft:
    named, label = found.named, found.named.by.agree[-1]
    return fail(
        Place(object=object_of(found.namer)),
        f"{kind_of(found.namer[0])} '{found.namer[2]}' and the {kind_of(named.kinds[0])} that it names do not fit",
        is_=f"{label}={named.says or '(none)'}, and {named.name} has {said or 'none'}",
        should=f"{label}={said}" if said else f"no label {label}",
        cause=named.by.disagree,
        remedy=f"let both have the same label {label}: kubectl get {named.kinds[0].lower()} -L {label}; "
        f"kubectl get pods -A -L {label}",
        victims=found.victims,
        link="pod",
    )


def _without_default(found: Dangling) -> Draft:
    kind = found.named.kinds[0]
    return fail(
        Place(object=object_of(found.namer)),
        f"{found.namer[0]} '{found.namer[2]}' names no {kind}, and none is the default one",
        is_=f"no {kind}, and none with {found.named.by.or_default}: true",
        should=_what_is_there(found),
        cause=found.named.by.then,
        remedy=f"name one in the {found.namer[0]}, or let one be the default: kubectl annotate {kind.lower()} NAME "
        f"{found.named.by.or_default}=true",
        victims=found.victims,
        link="pod",
    )


def _a(kind: str) -> str:
    """The kind with its article, and without its group."""
    named = kind_of(kind)
    return f"{'an' if named[0] in 'AEIOU' else 'a'} {named}"


def _what_is_there(found: Dangling) -> str:
    others = found.others
    if not others:
        return f"{_a(found.named.kinds[0])}; there is none"
    return f"one that is there: {', '.join(others[:_SHOWN])}{' …' if len(others) > _SHOWN else ''}"


def _where_it_is(found: Dangling) -> str:
    if not found.elsewhere:
        return ""
    return f"; one of that name is in namespace {found.elsewhere[0]}, and it is looked for in {found.named.namespace}"


def _look(found: Dangling) -> str:
    namespace = f" -n {found.named.namespace}" if found.named.namespace else ""
    return f"kubectl get {found.named.kinds[0].lower()}{namespace}"

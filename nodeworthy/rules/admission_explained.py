"""A pod that kubelet refused at admission (`UnexpectedAdmissionError`) has a named cause.

The scheduler counts devices by what pods ask for; kubelet, by what its device plugin registered and what it gave away.
Where the two differ, kubelet refuses the pod, and for a pod without a controller that is final. What makes them differ:

- a pod that is pinned by `nodeName` goes past the scheduler to a node whose GPUs are held: the GPU operator's
  validators do so, and NVIDIA's own validation suite; where kubelet counts for itself, it says `OutOfnvidia.com/gpu`;
- kubelet started again, and admitted pods before the device plugin had registered: `can't allocate unregistered
  device`, `Available: 0`, with a start of kubelet or of the node in the minutes before;
- devices became unhealthy after they had been counted, or a GPU is lost;
- the device plugin did not answer, or no longer knows the device;
- kubelet's Topology Manager finds no GPUs and CPUs that are close to each other (`TopologyAffinityError`);
- HAMi's device plugin was asked by a pod that its scheduler did not bind, or whose lock on the node was left
  (`hami.io/mutex.lock`);
- verification holds the GPUs between its cycles: that is another rule's (`verification-yields`), whose victims these
  pods are.
"""

from __future__ import annotations

from nodeworthy.facts.cluster.admission_causes import Admissions, RefusedOnNode
from nodeworthy.records import replace
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Severity, unknown

RULE = Rule(
    "admission-explained",
    severity=Severity.ERROR,
    incident="B",
    title="A pod that kubelet refused at admission has a named cause",
    remedy="look who holds the GPUs of the node, and when its kubelet and its device plugin started; where nobody "
    "holds them, restart its kubelet, which still counts the GPUs of pods that are gone",
)


@RULE.check
def what_kubelets_refused(admissions: Admissions) -> Findings:
    for each in admissions.refused:
        yield _draft_of_refusal(each)


def _draft_of_refusal(refused: RefusedOnNode) -> Draft:
    victims = tuple(each.object for each in refused.pods)
    first, cause = refused.pods[0], refused.cause
    if cause is None:
        where = f"by the kubelet of node '{refused.node}'" if refused.node else "by a kubelet"
        return unknown(
            refused,
            f"why {_pods(victims)} refused {where} is not known: nothing pinned them, started again, was unhealthy or "
            "held, as far as was seen",
            is_=first.words,
            remedy=RULE.remedy,
            victims=victims,
        )
    return replace(
        cause,
        where=refused.place,
        message=f"{_pods(victims)} refused at admission: {cause.message}",
        is_=first.words,
        should="pods are admitted where the scheduler placed them",
        victims=victims,
    )


def _pods(victims: tuple[str, ...]) -> str:
    return "a pod was" if len(victims) == 1 else f"{len(victims)} pods were"

"""HAMi's scheduling policies are spelt as HAMi compares them, and stand where it looks.

A node's policy is `binpack` or `spread`; a GPU's is one of these, `topology-aware`, `mutex` or `numa`. They are
compared letter by letter: `BinPack` or `bin-pack` is no policy, and what HAMi does not know it passes over without a
word, so that pods go where its own default sends them. They stand as annotations (`hami.io/node-scheduler-policy`,
`hami.io/gpu-scheduler-policy`) on the pods themselves: on a Deployment around them, or on a pod that asks HAMi for
nothing, they have no effect. For the whole cluster they stand in the chart's values
(`scheduler.defaultSchedulerPolicy`), and in the arguments of its scheduler.
"""

from __future__ import annotations

from nodeworthy.documents.settled import settle
from nodeworthy.edit import replacing
from nodeworthy.facts.hami.pod import HamiPod, asks_for_devices
from nodeworthy.facts.hami.policies import Policy, policies_of_pod
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Severity, fail, need, skip

RULE = Rule(
    "hami-policy-known",
    severity=Severity.WARNING,
    incident="C",
    title="HAMi's scheduling policies are spelt as HAMi compares them, and take effect",
    remedy="for nodes binpack or spread; for GPUs one of these, topology-aware, mutex or numa",
    mends=True,
)

_PASSED_OVER = "HAMi compares letter by letter and passes over what it does not know: its own default holds"


@RULE.check
def pods_ask_for_known_policies(pod: HamiPod) -> Findings:
    asked = [Policy(of, settle(tree)) for of, tree in policies_of_pod(dict(pod.annotations))]
    if not asked and not list(pod.astray()):
        skip("it asks for no policy")
    for policy in asked:
        yield from _unknown_names(policy, pod.victims)
    yield from _without_effect(pod)


def _without_effect(pod: HamiPod) -> Findings:
    for tree in pod.astray():
        yield fail(
            tree.heading,
            f"this policy stands on the {pod.pod.kind}, and not on its pods",
            is_=str(tree.value),
            should="an annotation of the pod template",
            cause="HAMi reads a pod's own annotations, and those of the object around it do not come down to it",
            remedy="move it to spec.template.metadata.annotations",
            victims=pod.victims,
        )
    policies = list(policies_of_pod(dict(pod.annotations)))
    if policies and not asks_for_devices(pod.pod) and pod.pod.why_hidden is None and pod.pod.elsewhere is None:
        _, tree = policies[0]
        yield fail(
            tree.heading,
            f"{pod.title} has a policy of HAMi and asks it for nothing",
            is_=str(tree.value),
            should=f"limits with {pod.names.count}",
            cause="HAMi places only what asks for its resources: any other pod goes to the cluster's own scheduler",
            remedy=f"ask for {pod.names.count} (and {pod.names.memory}) in the limits, or remove the annotation",
            victims=pod.victims,
        )


@RULE.check
def the_cluster_asks_for_a_known_policy(policy: Policy) -> Findings:
    yield from _unknown_names(policy, ())


def _unknown_names(policy: Policy, victims: tuple[str, ...]) -> Findings:
    value = str(need(policy.value))
    if policy.is_known(value):
        return
    meant = policy.meant(value)
    named = "nodes" if policy.of == "node" else "GPUs"
    yield fail(
        policy.value,
        f"this is no policy that HAMi knows for {named}",
        should=meant or " or ".join(policy.known),
        cause=_PASSED_OVER,
        remedy=f"write {meant}" if meant else f"choose one of {', '.join(policy.known)}",
        victims=victims,
        edit=replacing(policy.value, meant, f"Write {meant}") if meant else None,
    )

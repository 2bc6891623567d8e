"""No pod holds GPUs without work.

GPUs that a pod asked for are kept from everybody until the pod ends, whatever it does with them. It fails on evidence
only:

- the container that asked for the GPUs has ended, and another of its pod runs on (a proxy, a log shipper): the pod
  stays Running, and the scheduler goes on counting its GPUs;
- Prometheus shows that none of the pod's GPUs did anything for half an hour or more, up to the last sample and without
  a gap: `nodeworthy diagnose --prometheus URL` asks for `DCGM_FI_DEV_GPU_UTIL` and `DCGM_FI_PROF_GR_ENGINE_ACTIVE`;
  beside a dump an answer to `DCGM_FI_DEV_GPU_UTIL[1h]` stands as a file
  (`curl -G $PROMETHEUS/api/v1/query --data-urlencode 'query=DCGM_FI_DEV_GPU_UTIL[1h]' > prometheus.json`).

Without either nothing is proven, and the rule is skipped; where a Prometheus was named and did not tell, it is unknown.
The ledger (`nodeworthy diagnose --ledger`) says who holds how many since when, and where what they do is not known.
"""

from __future__ import annotations

from nodeworthy.facts.cluster.idle_holders import HeldGpus, IdleHolder
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Severity, fail

RULE = Rule(
    "gpus-not-held-idle",
    severity=Severity.ERROR,
    incident="B",
    title="No pod holds GPUs without work",
    remedy="end what is done; run helpers of a job as sidecars (an init container with restartPolicy: Always)",
)


@RULE.check
def they_work(held: HeldGpus) -> Findings:
    for each in held.idle:
        yield _draft_of_holder(each)


def _draft_of_holder(idle: IdleHolder) -> Draft:
    nodes = sorted({each.node for each in idle.pods})
    on = ", ".join(nodes) if len(nodes) <= 4 else f"{len(nodes)} nodes"
    since = f", since {idle.since:%Y-%m-%d %H:%M}Z" if idle.since else ""
    first = idle.pods[0]
    return fail(
        idle,
        f"{idle.made_by} holds {_gpus(idle.gpus)} on {on} without work{since}",
        is_=idle.evidence,
        should="GPUs are given back when the work is done",
        cause=f"the scheduler counts what a pod asked for until it ends{_cost(idle)}",
        remedy=f"now: kubectl delete pod -n {first.namespace} {' '.join(each.name for each in idle.pods[:4])}"
        f"{' …' if len(idle.pods) > 4 else ''}; to last: {RULE.remedy}",
        victims=[each.object for each in idle.pods],
    )


def _gpus(count: int) -> str:
    return "one GPU" if count == 1 else f"{count} GPUs"


def _cost(idle: IdleHolder) -> str:
    if idle.per_day is None:
        return "; what that costs is not known"
    return f"; that costs about {idle.per_day:,.0f} USD a day (nodeworthy/known/prices.toml)"

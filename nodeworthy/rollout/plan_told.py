"""A plan in words, and as data."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from nodeworthy.collect.cloud.calls import EVERY
from nodeworthy.rollout.cloud import WRITES
from nodeworthy.rollout.journal import Terms
from nodeworthy.rollout.plan import Candidate, RolloutPlan, blocks_of
from nodeworthy.rollout.world import Pod

SCHEMA = "nodeworthy/rollout/v1"


def lines(plan: RolloutPlan) -> Iterator[str]:
    count = len(plan.order)
    yield _what(plan)
    for number, each in enumerate(plan.order):
        yield from _candidate(number, each, plan.terms)
    for name, why in sorted(plan.left_out.items()):
        yield f"left as it is: {name}: {why}"
    if count:
        yield from _terms(plan)
    yield from (f"not known: {each}" for each in plan.unknown)
    yield from (f"does not begin: {each}" for each in plan.refusals)


def _what(plan: RolloutPlan) -> str:
    group = plan.world.group
    there = sum(each.is_there for each in plan.world.machines)
    if not plan.order and not plan.refusals and not plan.unknown:
        return f"group {group.name}, version {plan.target} of the template: nothing to do, none of {there} is replaced"
    named = f" (the group names {group.named_version} now)" if group.named_version != plan.target else ""
    return (
        f"group {group.name}: {len(plan.order)} of {there} nodes are to be replaced, from version "
        f"{plan.former or '(not known)'} of the template to {plan.target}{named}"
    )


def _candidate(number: int, each: Candidate, terms: Terms) -> Iterator[str]:
    role = "canary" if number < terms.canaries else "then"
    busy = "" if each.node is None else "idle" if each.node.is_idle else "works on GPUs"
    yield f"{number + 1}. {each.title}, {role}{f', {busy}' if busy else ', which has no node'}"
    if each.old:
        yield f"     old: {each.old}"
    if each.node is None:
        return
    for one in each.node.guests:
        yield f"     evicts {one.title}{_budget(one)}{_job(one, terms)}"
    for kind, values in each.node.kept.items() if terms.keeps_labels else ():
        yield f"     set again on its successor, {kind}: {', '.join(_pairs(values))}"
    yield from (f"     blocks: {why}" for why in blocks_of(each, terms))


def _pairs(values: Any) -> Iterator[str]:
    yield from (f"{name}={value}" if value else name for name, value in values.items())


def _budget(pod: Pod) -> str:
    return "".join(f", by the leave of {one.told}" for one in pod.budgets)


def _job(pod: Pod, terms: Terms) -> str:
    if not pod.is_gpu_job or pod.title in terms.evict:
        return ""
    if terms.job_seconds is not None:
        return f", after waiting for it for {terms.job_seconds:g} s at most"
    return f", after it has ended: at the latest in {pod.seconds_left} s" if pod.seconds_left is not None else ""


def _terms(plan: RolloutPlan) -> Iterator[str]:
    terms = plan.terms
    yield f"capacity: {plan.capacity}"
    yield f"never more than {terms.most_unavailable} away at once; the first failure stops it"
    if terms.window:
        yield f"none is begun outside of {terms.window}, by the clock of this machine; one that was begun is finished"
    if terms.by_refresh:
        yield f"an instance refresh of AWS to version {plan.target} ends them, each when it is let have it"
    yield (
        "each is cordoned, evicted by the Eviction API alone, ended; its successor joins, passes the node suite"
        + (f", accept ({terms.accept})" if terms.accept != "none" else "")
        + ", and only then gets work"
    )
    yield f"changes in AWS: {', '.join(actions())}"


def as_data(plan: RolloutPlan) -> dict[str, Any]:
    group = plan.world.group
    return {
        "schema": SCHEMA,
        "group": group.name,
        "namedVersion": group.named_version,
        "former": plan.former,
        "target": plan.target,
        "mayBegin": plan.may_begin,
        "order": [_as_data(each, plan.terms) for each in plan.order],
        "leftOut": dict(sorted(plan.left_out.items())),
        "refusals": list(plan.refusals),
        "unknown": list(plan.unknown),
        "capacity": plan.capacity,
        "terms": plan.terms.as_data(),
        "calls": actions(),
        **({"ownersCommand": plan.owner_command} if plan.owner_command else {}),
    }


def _as_data(each: Candidate, terms: Terms) -> dict[str, Any]:
    node = each.node
    return {
        "instance": each.machine.id,
        "node": node.name if node is not None else None,
        "old": each.old,
        "idle": node is None or node.is_idle,
        "evicts": [_pod(one) for one in node.guests] if node is not None else [],
        "kept": {kind: dict(values) for kind, values in node.kept.items()} if node is not None else {},
        "blocks": list(blocks_of(each, terms)),
    }


def _pod(pod: Pod) -> dict[str, Any]:
    return {
        "pod": pod.title,
        "gpus": pod.gpus,
        "secondsLeft": pod.seconds_left,
        "budgets": [
            {
                "name": f"{one.namespace}/{one.name}",
                "allowed": one.allowed,
                "healthy": one.healthy,
                "desired": one.desired,
            }
            for one in pod.budgets
        ],
    }


# The rights that a rollout needs, and nothing beyond them.


# AWS asks for these where a group is told another version of its template.
_OF_A_TEMPLATE: Final = ("ec2:RunInstances", "ec2:CreateTags", "iam:PassRole")


def actions() -> list[str]:
    return sorted(f"autoscaling:{each}" for each in WRITES)


def policy() -> str:
    """What changes, beside what an audit reads, as IAM reads it."""
    reads = {
        "Sid": "NodeworthyAudit",
        "Effect": "Allow",
        "Action": sorted(each.action for each in EVERY),
        "Resource": "*",
    }
    writes = {"Sid": "NodeworthyRollout", "Effect": "Allow", "Action": actions(), "Resource": "*"}
    pins = {
        "Sid": "NodeworthyRolloutSetsTheVersion",
        "Effect": "Allow",
        "Action": sorted(_OF_A_TEMPLATE),
        "Resource": "*",
    }
    return json.dumps({"Version": "2012-10-17", "Statement": [reads, writes, pins]}, indent=2) + "\n"

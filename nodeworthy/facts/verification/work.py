"""Verification as it runs in a cluster: which pods hold GPUs for it, for how long they may, and who was turned away."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, ClassVar

from nodeworthy.facts.cluster.admission_refusal import RejectedPod
from nodeworthy.facts.cluster.live_pod import LivePod, live_template
from nodeworthy.facts.cluster.sandbox_failure import moment
from nodeworthy.facts.pod.containers import GPU
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.facts.verification.signs import is_a_trial, why_verification
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field, replace
from nodeworthy.verdict import Known, Located, Place, value_if_known

# What makes the names of pods differ that are of one work.
_COUNTED = pattern(r"-(?:\d+|[0-9a-f]{8,10}|[bcdfghjklmnpqrstvwxz2456789]{5})(?=-|$)")


@dataclass(frozen=True, eq=False)
class VerificationWork:
    called: ClassVar[str] = "verification that runs in the cluster"

    name: str
    # What shows that it is verification.
    why: str
    template: PodTemplate
    # Those that run and hold GPUs.
    pods: tuple[LivePod, ...]
    gpus: int
    # Seconds, None where nobody bounds it.
    bound: Located[int | None]
    # The newest time that anything in the cluster tells.
    now: str
    rejected: tuple[str, ...] = ()
    # The nodes on which it runs although they opted out, with the label of each that says so.
    opted_out: Mapping[str, str] = field(default_factory=dict)

    @property
    def place(self) -> Place:
        return Place(object=self.pods[0].object)

    @cached_property
    def overdue(self) -> tuple[LivePod, ...]:
        """The pods that hold their GPUs although their time is over."""
        seconds = value_if_known(self.bound)
        now = moment(self.now)
        if seconds is None or now is None:
            return ()
        late = timedelta(seconds=seconds)
        return tuple(each for each in self.pods if _ends(each.started, late, now))

    @property
    def yields(self) -> bool:
        """Whether it is bounded, within its time, where it may be, and turned nobody away who could not preempt it.
        What is above all other work turns away whoever comes."""
        bounded = isinstance(self.bound.state, Known) and self.bound.state.value is not None
        kept = bool(self.opted_out) or self.is_above_others or (bool(self.rejected) and (self.priority or 0) >= 0)
        return bounded and not self.overdue and not kept

    @property
    def is_above_others(self) -> bool:
        """Whether it comes before other work by its priority. Of what somebody tries by hand this is not asked."""
        return (self.priority or 0) > 0 and not is_a_trial(self.template)

    @property
    def priority(self) -> int | None:
        value = self.template.spec.get("priority").value
        return value if isinstance(value, int) else None


def _ends(started: str, late: timedelta, now: datetime) -> bool:
    began = moment(started)
    return began is not None and began + late < now


def verification_works(
    groups: Iterable[tuple[Mapping[str, Any], Sequence[LivePod]]],
    rejected: Iterable[RejectedPod],
    bounds: Mapping[tuple[str, str], int | None] | None,
    now: str,
    opted_out: Mapping[str, str],
) -> Iterator[VerificationWork]:
    """One for all pods that verify the same. `bounds` are those of Jobs; None where Jobs were not looked at; no
    verification may run on the nodes that `opted_out`."""
    away: dict[str, list[str]] = defaultdict(list)
    for each in rejected:
        away[each.node].append(each.object)
    works: dict[tuple[str, str], list[VerificationWork]] = defaultdict(list)
    for kept, pods in groups:
        work = _work([each for each in pods if each.phase == "Running" and each.node], kept, bounds, now)
        if work is not None:
            works[work.template.namespace, work.name].append(work)
    for together in works.values():
        yield _where_it_may_not(_one(together, away), opted_out)


def _where_it_may_not(work: VerificationWork, opted_out: Mapping[str, str]) -> VerificationWork:
    """Where that alone is wrong with it, it is about the pods there and no others."""
    nodes = {pod.node: opted_out[pod.node] for pod in work.pods if pod.node in opted_out}
    if not nodes or is_a_trial(work.template):
        return work
    there = tuple(pod for pod in work.pods if pod.node in nodes)
    if not work.yields:
        return replace(work, opted_out=nodes)
    return replace(work, opted_out=nodes, pods=there, gpus=work.gpus // len(work.pods) * len(there))


def _work(
    pods: Sequence[LivePod], kept: Mapping[str, Any], bounds: Mapping[tuple[str, str], int | None] | None, now: str
) -> VerificationWork | None:
    if not pods:
        return None
    template = live_template(kept, pods)
    why = why_verification(template)
    each = template.asks_for(GPU).state
    if why is None or not isinstance(each, Known) or not each.value:
        return None
    bound = _bound(template, pods[0], bounds)
    name = _COUNTED.sub("", pods[0].name)
    return VerificationWork(name, why, template, tuple(pods), each.value * len(pods), bound, now)


def _bound(
    template: PodTemplate, pod: LivePod, bounds: Mapping[tuple[str, str], int | None] | None
) -> Located[int | None]:
    own = template.spec.get("activeDeadlineSeconds")
    kind, name = pod.owner
    if isinstance(own.value, int) or kind != "Job":
        return Located(Known(own.value if isinstance(own.value, int) else None), template.place)
    if bounds is None or (pod.namespace, name) not in bounds:
        return Located.unknown(f"the Job {name} that made it is not in what was read", template.place)
    return Located(Known(bounds[pod.namespace, name]), Place(object=f"Job/{pod.namespace}/{name}"))


def _one(works: Sequence[VerificationWork], away: Mapping[str, Sequence[str]]) -> VerificationWork:
    """The worst bound speaks for all of them."""
    worst = min(works, key=lambda each: (each.bound.state != Known(None), not isinstance(each.bound.state, Known)))
    pods = tuple(sorted((pod for each in works for pod in each.pods), key=lambda pod: pod.object))
    nodes = dict.fromkeys(pod.node for pod in pods)
    # An event need not say on which node it was.
    rejected = dict.fromkeys(name for node in (*nodes, "") for name in away.get(node, ()))
    return VerificationWork(
        worst.name,
        worst.why,
        worst.template,
        pods,
        sum(each.gpus for each in works),
        worst.bound,
        worst.now,
        tuple(sorted(rejected)),
    )

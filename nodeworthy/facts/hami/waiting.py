"""Pods of which the rules of HAMi say why they wait, and whether HAMi is there at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from nodeworthy.facts.hami.asks import beyond_any_gpu, impossible, too_large
from nodeworthy.facts.hami.cluster import HamiInstallations
from nodeworthy.facts.hami.fault import HamiSums, UnmutatedPods
from nodeworthy.facts.hami.health import HamiComponents
from nodeworthy.facts.hami.pod import HamiPod
from nodeworthy.facts.hami.setup import HamiSetup
from nodeworthy.facts.hami.shares import HamiGpus
from nodeworthy.records import dataclass


@dataclass(frozen=True)
class OfHami:
    is_there: bool = False
    # The fleet wants it, it is not there, and another rule says so.
    is_missed: bool = False
    explained: frozenset[str] = frozenset()


def waiting_for_hami(facts: Sequence[Any]) -> OfHami:
    installed = [bool(each.cluster.found) for each in facts if isinstance(each, HamiInstallations)]
    return OfHami(
        any(installed), bool(installed) and not any(installed), frozenset((*_of_parts(facts), *_that_never_fit(facts)))
    )


def _of_parts(facts: Iterable[Any]) -> Iterator[str]:
    for fact in facts:
        if isinstance(fact, HamiSums) and fact.first_short is not None:
            yield from fact.waiting
        elif isinstance(fact, HamiSums):
            yield from (name for each in fact.used_up for name in each.waiting)
        elif isinstance(fact, UnmutatedPods):
            yield from fact.fault.victims
        elif isinstance(fact, HamiComponents):
            yield from (name for fault in fact.faults for name in fault.victims)


def _that_never_fit(facts: Sequence[Any]) -> Iterator[str]:
    setup = next((each for each in facts if isinstance(each, HamiSetup)), None)
    gpus = [each for each in facts if isinstance(each, HamiGpus)]
    for pod in (each for each in facts if isinstance(each, HamiPod)):
        if setup is not None and pod.pod.live is not None and _never_fits(pod, setup, gpus):
            yield from pod.pod.live.unscheduled


def _never_fits(pod: HamiPod, setup: HamiSetup, gpus: Sequence[HamiGpus]) -> bool:
    willing = [each for each in gpus if each.size.may_run(pod.pod.selection)]
    asks = (impossible(pod), beyond_any_gpu(pod, setup), too_large(pod, setup, willing))
    return any(True for some in asks for _ in some)

"""What HAMi is judged by at the moments of files and plans: all its settings at once, its pods, the pools."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from nodeworthy.facts.hami.gpus import gpus_of_fleet
from nodeworthy.facts.hami.opted_out_namespace import OptedOutNamespace
from nodeworthy.facts.hami.pod import HamiPod, is_hamis
from nodeworthy.facts.hami.policies import Policy, policies_of_arguments, policies_of_values
from nodeworthy.facts.hami.runtime import runtimes
from nodeworthy.facts.hami.setup import HamiSetup
from nodeworthy.facts.hami.values import HamiNodeConfigs, HamiValues
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.fleet.model import Fleet


def hami_facts(facts: Sequence[Any], fleet: Fleet | None) -> Iterator[Any]:
    """Nothing where nobody asks for HAMi."""
    values = tuple(fact for fact in facts if isinstance(fact, HamiValues))
    has_all = fleet is not None and fleet.hami is not None
    if not facts:
        return
    opted_out = tuple(fact for fact in facts if isinstance(fact, OptedOutNamespace))
    setup = HamiSetup(values[0].place if values else facts[0].place, values, has_all, opted_out)
    templates = [fact for fact in facts if isinstance(fact, PodTemplate)]
    pods = [HamiPod(each, setup.names) for each in templates if is_hamis(each, setup.names, has_all_gpus=has_all)]
    yield from policies(values, templates)
    if not (pods or values or has_all or any(isinstance(fact, HamiNodeConfigs) for fact in facts)):
        return
    yield setup
    yield from runtimes(setup, facts)
    yield from pods
    if fleet is not None:
        yield from gpus_of_fleet(fleet)


def policies(values: Iterable[HamiValues], pods: Iterable[PodTemplate]) -> Iterator[Policy]:
    """What the whole cluster is placed by."""
    for each in values:
        yield from policies_of_values(each)
    for pod in pods:
        yield from policies_of_arguments(pod)

"""What a pod asks of HAMi against what there is: memory, cores, GPUs of one node."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from nodeworthy.facts.gpus_in_words import gpus_in_words
from nodeworthy.facts.hami.pod import HamiPod
from nodeworthy.facts.hami.setup import HamiSetup
from nodeworthy.facts.hami.shares import HamiGpus, largest_memory
from nodeworthy.facts.pod.containers import Container
from nodeworthy.verdict import Draft, Known, Located, Related, Severity, Unknown, fail, unknown, value_if_known

# A CUDA context alone takes more than this, in MB: who asks for fewer meant GB.
LEAST_MEMORY = 100
_MOST = 6


def impossible(pod: HamiPod) -> Iterator[Draft]:
    """Requests that no GPU can fulfil."""
    for container in pod.asking:
        yield from _percent(pod, container)
        yield from _units(pod, container)
        yield from _twice(pod, container)


def _twice(pod: HamiPod, container: Container) -> Iterator[Draft]:
    """HAMi goes by the percentage only where no amount is said."""
    amount = pod.amount(container, pod.names.memory)
    percentage = pod.amount(container, pod.names.memory_percentage)
    if amount is None or percentage is None or not isinstance(amount.state, Known) or not amount.state.value:
        return
    yield fail(
        percentage,
        f"{pod.title}: {container.name} asks for GPU memory twice, and the percentage is passed over",
        is_=f"{pod.names.memory} and {pod.names.memory_percentage}",
        should="one of them",
        related=[Related(amount.place, f"this is what counts: {amount.state.value} MB")],
        cause=f"HAMi can't use {pod.names.memory_percentage} beside {pod.names.memory}, and says nothing",
        remedy="leave one of them out",
        severity=Severity.WARNING,
    )


def _percent(pod: HamiPod, container: Container) -> Iterator[Draft]:
    for resource, outcome in (
        (pod.names.cores, "HAMi takes it for 100, which is the whole GPU for this container alone"),
        (pod.names.memory_percentage, "no GPU has more than all of its memory: the pod stays Pending"),
    ):
        asked = pod.amount(container, resource)
        if asked is not None and (value_if_known(asked) or 0) > 100:
            says = f"{container.name} asks for more than 100 percent of each GPU"
            remedy = f"ask for at most 100, and for more GPUs by {pod.names.count}"
            yield _draft_of_ask(
                pod,
                asked,
                says,
                "at most 100",
                cause=f"{resource} is a percentage of one GPU: {outcome}",
                remedy=remedy,
            )


def _units(pod: HamiPod, container: Container) -> Iterator[Draft]:
    asked = pod.amount(container, pod.names.memory)
    if asked is None or isinstance(asked.state, Unknown):
        return
    amount = asked.state.value
    if 0 < amount < LEAST_MEMORY:
        says = f"{container.name} asks for {amount} MB of GPU memory, with which no CUDA program starts"
        remedy = f"write MB: {amount} GB are {amount * 1024}"
        yield _draft_of_ask(
            pod, asked, says, f"MB, {amount * 1024} say", cause=f"{pod.names.memory} counts MB", remedy=remedy
        )


def too_large(pod: HamiPod, setup: HamiSetup, willing: Sequence[HamiGpus]) -> Iterator[Draft]:
    """What none of these GPUs can give."""
    for container in pod.asking:
        yield from _memory(pod, container, setup, willing)
        yield from _count(pod, container, willing)


def _memory(pod: HamiPod, container: Container, setup: HamiSetup, willing: Sequence[HamiGpus]) -> Iterator[Draft]:
    asked = pod.amount(container, pod.names.memory)
    if asked is None or isinstance(asked.state, Unknown):
        return
    factor = _factor(setup)
    amounts = [each.memory_scaled(factor or 1) for each in willing]
    most = max([each for each in amounts if each is not None], default=None)
    if None in amounts or most is None or asked.state.value <= most:
        return
    scaled = next((each for each in willing if not each.is_scaled), None) is not None
    yield _draft_of_ask(
        pod,
        asked,
        f"{container.name} asks for more GPU memory than any GPU has that may be given to it",
        f"at most {most} MB",
        cause=f"{pod.names.memory} is counted on one GPU, and for each of {pod.names.count}: the pod stays Pending",
        remedy=f"ask for less, or for a part of it on each of several GPUs ({pod.names.count}); write MB",
        is_=f"{asked.state.value} MB",
        related=tuple(_says(each, factor or 1) for each in willing[:_MOST]),
        why_unknown=_why_scaled(setup) if scaled and factor is None else None,
    )


def _factor(setup: HamiSetup) -> float | None:
    """How many of what pods ask for one MB of a GPU is."""
    states = (setup.memory_scaling.state, setup.memory_unit.state)
    try:
        scaling, unit = (float(each.value) if isinstance(each, Known) else None for each in states)
        factor = scaling / unit if scaling is not None and unit else None
    except (TypeError, ValueError, OverflowError):
        return None
    return factor if factor is not None and math.isfinite(factor) else None


def _why_scaled(setup: HamiSetup) -> str:
    states = (setup.memory_scaling.state, setup.memory_unit.state)
    return next((each.why for each in states if isinstance(each, Unknown)), "deviceMemoryScaling is no number")


def _says(gpus: HamiGpus, factor: float) -> Related:
    scaled = f" (deviceMemoryScaling {factor:g})" if factor != 1 and not gpus.is_scaled else ""
    return Related(gpus.place, f"a GPU of {gpus.title} has {gpus.memory_scaled(factor)} MB{scaled}")


def _count(pod: HamiPod, container: Container, willing: Sequence[HamiGpus]) -> Iterator[Draft]:
    asked = pod.counts(container)
    if isinstance(asked.state, Unknown) or not willing:
        return
    known = [(each.per_node.state.value, each) for each in willing if isinstance(each.per_node.state, Known)]
    most = max((count for count, _ in known), default=0)
    if len(known) < len(willing) or asked.state.value <= most:
        return
    yield _draft_of_ask(
        pod,
        asked,
        f"{container.name} asks for shares of more GPUs than any node has that may take it",
        f"at most {most}",
        cause=f"each of a container's {pod.names.count} is on a GPU of its own: "
        "the split count does not make more of them",
        remedy=f"ask for at most {most}, or make several pods of it",
        is_=gpus_in_words(asked.state.value),
        related=tuple(
            Related(each.place, f"a node of {each.title} has {gpus_in_words(count)}") for count, each in known[:_MOST]
        ),
    )


def beyond_any_gpu(pod: HamiPod, setup: HamiSetup) -> Iterator[Draft]:
    """Requests for more memory than the largest GPU has. For clusters whose GPUs are not known."""
    factor = max(_factor(setup) or 1, 1)
    most = int(largest_memory() * factor)
    for container in pod.asking:
        asked = pod.amount(container, pod.names.memory)
        megabytes = value_if_known(asked) or 0
        if asked is not None and megabytes > most:
            yield _draft_of_ask(
                pod,
                asked,
                f"{container.name} asks for more GPU memory than any GPU has",
                f"at most {most} MB",
                cause=f"{pod.names.memory} counts MB of one GPU, and a suffix multiplies: 16Gi are 17179869184 MB",
                remedy="write the number of MB alone, 16384 for 16 GB",
                is_=f"{megabytes} MB",
            )


def _draft_of_ask(
    pod: HamiPod,
    asked: Located[Any],
    says: str,
    should: str,
    *,
    cause: str,
    remedy: str,
    is_: str | None = None,
    related: Iterable[Related] = (),
    why_unknown: str | None = None,
) -> Draft:
    """`why_unknown` is why it may fit all the same."""
    if why_unknown is not None:
        return unknown(asked, f"whether {pod.title} can have its memory is not known: {why_unknown}")
    victims = pod.pod.live.unscheduled if pod.pod.live is not None else ()
    message = f"{pod.title}: {says}"
    return fail(asked, message, is_=is_, should=should, related=related, cause=cause, remedy=remedy, victims=victims)

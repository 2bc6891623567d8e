"""HAMi's pods of a cluster: who was left alone by its webhook, and what all of them ask for together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from nodeworthy.facts.hami.asks import beyond_any_gpu, too_large
from nodeworthy.facts.hami.gpus import HamiGpus
from nodeworthy.facts.hami.pod import HamiPod
from nodeworthy.facts.hami.registered import Total
from nodeworthy.facts.hami.setup import HamiSetup
from nodeworthy.facts.hami.sums import Dimension, HamiSums
from nodeworthy.facts.pod.containers import Container
from nodeworthy.verdict import Known, Place


def sums(
    pods: Iterable[HamiPod], setup: HamiSetup, gpus: Sequence[HamiGpus], has: Total, place: Place
) -> HamiSums | None:
    """None where not all that is asked for is known. Who asks for what no GPU has is told by itself."""
    asking = [each for each in pods if each.asking and not _never_fits(each, setup, gpus)]
    largest = max((each.memory.state.value for each in gpus if isinstance(each.memory.state, Known)), default=0)
    asked = [0, 0, 0]
    for pod in asking:
        one = list(_of_pod(pod, largest))
        if None in one:
            return None
        times = len(pod.pod.live.objects) if pod.pod.live is not None else 1
        for index in range(3):
            asked[index] += times * sum(each[index] for each in one if each is not None)
    waiting = [name for each in asking if each.pod.live is not None for name in each.pod.live.unscheduled]
    return HamiSums(place, tuple(_dimensions(asked, has)), tuple(waiting))


def _never_fits(pod: HamiPod, setup: HamiSetup, gpus: Sequence[HamiGpus]) -> bool:
    willing = [each for each in gpus if each.size.may_run(pod.pod.selection)]
    return any(True for _ in beyond_any_gpu(pod, setup)) or any(True for _ in too_large(pod, setup, willing))


def _of_pod(pod: HamiPod, largest: int) -> Iterator[tuple[int, int, int] | None]:
    for container in pod.asking:
        count = pod.counts(container).state
        memory, cores = _memory(pod, container, largest), _amount(pod, container, pod.names.cores)
        if not isinstance(count, Known) or memory is None or cores is None:
            yield None
        else:
            yield count.value, count.value * memory, count.value * cores


def _memory(pod: HamiPod, container: Container, largest: int) -> int | None:
    """Of each GPU: who says nothing asks for all of it."""
    if pod.amount(container, pod.names.memory) is not None:
        return _amount(pod, container, pod.names.memory)
    if pod.amount(container, pod.names.memory_percentage) is not None:
        percent = _amount(pod, container, pod.names.memory_percentage)
        return None if percent is None else largest * percent // 100
    return largest


def _amount(pod: HamiPod, container: Container, resource: str) -> int | None:
    asked = pod.amount(container, resource)
    if asked is None:
        return 0
    return asked.state.value if isinstance(asked.state, Known) else None


def _dimensions(asked: Sequence[int], has: Total) -> Iterator[Dimension]:
    more = "end what is not needed, or add GPUs"
    yield Dimension("GPU slots", asked[0], has.slots, f"raise devicePlugin.deviceSplitCount, {more}")
    yield Dimension(
        "MB of GPU memory", asked[1], has.memory, f"ask for less gpumem, set deviceMemoryScaling above 1, {more}"
    )
    yield Dimension("percent of GPU cores", asked[2], has.cores, f"ask for less gpucores, {more}")

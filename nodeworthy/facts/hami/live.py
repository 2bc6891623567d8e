"""HAMi's pods of a cluster: who was left alone by its webhook, and what all of them ask for together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from nodeworthy.facts.hami.asks import beyond_any_gpu, too_large
from nodeworthy.facts.hami.fault import Dimension, HamiSums, UsedUp
from nodeworthy.facts.hami.pod import HamiPod
from nodeworthy.facts.hami.setup import HamiSetup
from nodeworthy.facts.hami.shares import Amount, HamiGpus, SharedDevice, Total
from nodeworthy.facts.pod.containers import Container
from nodeworthy.records import replace
from nodeworthy.verdict import Known, Place, Related, value_if_known


def sums(
    pods: Iterable[HamiPod],
    setup: HamiSetup,
    gpus: Sequence[HamiGpus],
    has: Total,
    devices: Sequence[SharedDevice],
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
    summed = HamiSums(setup.place, tuple(_dimensions(asked, has)), tuple(waiting))
    if summed.first_short is not None:
        return summed
    return replace(summed, used_up=tuple(used_up_devices(asking, devices, largest)))


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
    """The memory that is asked of each GPU: a container that says nothing asks for all of it."""
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
    return value_if_known(asked)


def _dimensions(asked: Sequence[int], has: Total) -> Iterator[Dimension]:
    more = "end what is not needed, or add GPUs"
    yield Dimension("GPU slots", asked[0], has.slots, f"raise devicePlugin.deviceSplitCount, {more}")
    yield Dimension(
        "MB of GPU memory", asked[1], has.memory, f"ask for less gpumem, set deviceMemoryScaling above 1, {more}"
    )
    yield Dimension("percent of GPU cores", asked[2], has.cores, f"ask for less gpucores, {more}")


def used_up_devices(pods: Iterable[HamiPod], devices: Sequence[SharedDevice], largest: int) -> Iterator[UsedUp]:
    """The pods on no node for which too little is left of every GPU that is shared."""
    by_node: dict[str, list[SharedDevice]] = defaultdict(list)
    for each in devices:
        if each.healthy:
            by_node[each.node].append(each)
    for pod in pods:
        for container in pod.asking if pod.pod.live is not None and pod.pod.live.unscheduled else ():
            count = value_if_known(pod.counts(container))
            asked = _of_each_gpu(pod, container, largest)
            if count is not None and not any(_fits(own, count, asked) for own in by_node.values()):
                yield _used_up(pod, by_node, count, asked)
                break


def _of_each_gpu(pod: HamiPod, container: Container, largest: int) -> Mapping[str, int]:
    """What it asks for of one GPU, by the names of an Amount of a shared device."""
    memory, cores = _memory(pod, container, largest), _amount(pod, container, pod.names.cores)
    return {"memory": memory or 0, "cores": cores or 0, "slots": 1}


def _fits(devices: Iterable[SharedDevice], count: int, asked: Mapping[str, int]) -> bool:
    return sum(_has_left(each, asked) for each in devices) >= count


def _has_left(device: SharedDevice, asked: Mapping[str, int]) -> bool:
    return all(_amount_named(device, name).free >= amount for name, amount in asked.items())


def _amount_named(device: SharedDevice, name: str) -> Amount:
    found: Amount = getattr(device, name)
    return found


_UNITS = {"memory": "MB of GPU memory", "cores": "percent of GPU cores", "slots": "slots of a GPU"}
_ASK_FOR_LESS = {
    "memory": "ask for less gpumem, set deviceMemoryScaling above 1 where memory may be swapped, ",
    "cores": "ask for less gpucores, ",
    "slots": "raise devicePlugin.deviceSplitCount, ",
}


def _used_up(
    pod: HamiPod, by_node: Mapping[str, Sequence[SharedDevice]], count: int, asked: Mapping[str, int]
) -> UsedUp:
    """The dimension that alone keeps the pod from every node; else its memory."""
    alone = (
        name for name, amount in asked.items() if not any(_fits(own, count, {name: amount}) for own in by_node.values())
    )
    short = next(alone, "memory")
    every = [each for own in by_node.values() for each in own]
    most = max(every, key=lambda each: _amount_named(each, short).free)
    amount = _amount_named(most, short)
    left = f"at most {amount.free} of {amount.capacity} {_UNITS[short]} left on a GPU"
    slots = sum(each.slots.free for each in every)
    besides = (
        f", of {slots} of {sum(each.slots.capacity for each in every)} slots that are free" if short != "slots" else ""
    )
    fullest = sorted(every, key=lambda each: -_amount_named(each, short).held)[:3]
    held = tuple(
        Related(
            Place(object=f"Node/{each.node}"),
            f"{each.id}: {_amount_named(each, short).held} of {_amount_named(each, short).capacity} "
            f"{_UNITS[short]} held by {', '.join(each.held_by[:3]) or 'nobody'}",
        )
        for each in fullest
    )
    on = "one GPU" if count == 1 else f"each of {count} GPUs of one node"
    return UsedUp(
        pod.pod.place,
        pod.title,
        f"{asked[short]} {_UNITS[short]} on {on}",
        f"{left}{besides}",
        held,
        f"{_ASK_FOR_LESS[short]}end what is not needed (see nodeworthy diagnose --ledger), or add GPUs",
        pod.pod.live.unscheduled if pod.pod.live is not None else (),
    )

"""HAMi's GPUs can give what pods ask for, after splitting and scaling.

`nvidia.com/gpu: 2` under HAMi means a share of two different GPUs of one node, so that it can be no more than the node
has, whatever `deviceSplitCount` is; the split count says into how many containers one GPU may be shared.
`nvidia.com/gpumem` counts MB on each of them, at most what one GPU has times `deviceMemoryScaling`: `16Gi` is
seventeen thousand million MB, and `16` is less than CUDA itself needs. `nvidia.com/gpucores` and
`nvidia.com/gpumem-percentage` are percentages of one GPU. A scaling or a split count of zero leaves nothing to give.

In a cluster the GPUs are what HAMi's device plugin registered on the nodes, and only pods that no node has taken are
judged; where all of them together are more than there is, the one finding names what runs out first. A pod that asks
for no more than a GPU has may still wait: too little is left of each.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from nodeworthy.facts.hami.asks import beyond_any_gpu, impossible, too_large
from nodeworthy.facts.hami.fault import HamiSums
from nodeworthy.facts.hami.pod import HamiPod
from nodeworthy.facts.hami.setup import HamiSetup
from nodeworthy.facts.hami.shares import HamiGpus
from nodeworthy.facts.hami.values import HamiNodeConfigs, HamiValues
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Located, Severity, fail, need, skip, unknown

RULE = Rule(
    "hami-capacity-adds-up",
    severity=Severity.ERROR,
    incident="C",
    title="HAMi's GPUs can give what pods ask for",
    remedy="ask for what one GPU has: MB of its memory, at most 100 of its cores, no more GPUs than a node has",
)

# Of the chart's values and of a node's own entry: what has to be more than nothing, and whether it is a count.
_AMOUNTS = {"deviceSplitCount": True, "deviceMemoryScaling": False, "deviceCoreScaling": False}
_OF_NODES = {"devicesplitcount": True, "devicememoryscaling": False, "devicecorescaling": False}


@RULE.check
def a_gpu_can_give_it(pod: HamiPod, setup: HamiSetup) -> Findings:
    if not pod.asking:
        skip("it asks for no GPU")
    for container in pod.asking:
        for resource in (pod.names.memory, pod.names.cores, pod.names.memory_percentage):
            asked = pod.amount(container, resource)
            if asked is not None and not container.miscounts(resource):
                need(asked)
    found = [*impossible(pod), *beyond_any_gpu(pod, setup)]
    yield from found
    if not found and pod.unseen_nodes is not None:
        yield unknown(pod, f"whether a node has what {pod.title} asks for is not known: {pod.unseen_nodes}")


@RULE.check
def its_nodes_have_as_much(pod: HamiPod, setup: HamiSetup, gpus: Sequence[HamiGpus]) -> Findings:
    if pod.pod.live is not None and not pod.pod.live.unscheduled:
        skip("a node has taken it")
    if list(beyond_any_gpu(pod, setup)):
        return
    willing = [each for each in gpus if each.size.may_run(pod.pod.selection)]
    yield from too_large(pod, setup, willing)


@RULE.check
def there_is_something_to_give(values: HamiValues) -> Findings:
    for name, counts in _AMOUNTS.items():
        written = values.written("devicePlugin", name)
        if written is not None:
            yield from _more_than_nothing(name, values.said("devicePlugin", name), counts=counts)


@RULE.check
def a_node_has_something_to_give(configs: HamiNodeConfigs) -> Findings:
    if configs.broken is not None:
        skip("the config is not read at all")
    for entry in configs.entries:
        for name, counts in _OF_NODES.items():
            amount = entry.get(name)
            # Zero says nothing here: the device plugin goes by the chart's values then.
            if not (amount.says_nothing or amount.value == 0):
                yield from _more_than_nothing(name, amount.located(), counts=counts)


def _more_than_nothing(name: str, said: Located[Any] | None, *, counts: bool) -> Findings:
    if said is None:
        return
    amount = _number(need(said))
    whole = amount is not None and amount == int(amount)
    if amount is not None and amount > 0 and (whole or not counts):
        return
    yield fail(
        said,
        f"{name} leaves nothing to share, or is no number",
        should="a whole number from 1" if counts else "a number above 0, 1 for what the GPU has",
        cause=f"HAMi multiplies what each GPU has by it: with this {name} nothing is left that a pod could ask for",
        remedy=f"set {name} to 10" if counts else f"set {name} to 1, or to more where memory may be swapped",
    )


def _number(value: Any) -> float | None:
    try:
        number = None if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if number is not None and math.isfinite(number) else None


def _waiting(count: int) -> str:
    return "one pod waits" if count == 1 else f"{count} pods wait"


@RULE.check
def all_of_them_fit_together(sums: HamiSums) -> Findings:
    for each in sums.used_up:
        yield fail(
            each.where,
            f"{each.title} waits: of no GPU that HAMi shares enough is left",
            is_=each.left,
            should=each.asked,
            related=each.held,
            cause=f"{_waiting(len(each.waiting))} for a node: a share comes from one GPU, however much is left of all",
            remedy=each.remedy,
            victims=each.waiting,
        )
    short = sums.first_short
    if short is None or not sums.waiting:
        return
    yield fail(
        sums,
        f"pods ask for more {short.what} than HAMi has to give in the whole cluster",
        is_=f"{short.asked} asked for",
        should=f"at most {short.has}",
        related=sums.related,
        cause=f"{_waiting(len(sums.waiting))} for a node, until others end",
        remedy=short.remedy,
        victims=sums.waiting,
    )

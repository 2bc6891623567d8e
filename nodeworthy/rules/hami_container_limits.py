"""The variables in a container, and its pod's annotations, say the same as what it asks HAMi for.

HAMi puts the limits of a share into the container as variables (`CUDA_DEVICE_MEMORY_LIMIT_0`, `CUDA_DEVICE_SM_LIMIT`,
`NVIDIA_VISIBLE_DEVICES`), and one that the pod sets itself wins over HAMi's: the container then takes what was never
counted for it, and its neighbours on the GPU run out of memory. `CUDA_DISABLE_CONTROL=true` switches all limits off,
`GPU_CORE_UTILIZATION_POLICY` (`default`, `force`, `disable`) the one of cores. `nvidia.com/use-gpuuuid` with fewer GPUs
than a container asks for, or with words that are no UUIDs, leaves the pod Pending.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from nodeworthy.facts.hami.pod import HamiPod
from nodeworthy.facts.pod.containers import Container
from nodeworthy.known.hami import annotation_names, variables
from nodeworthy.patterns import pattern
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Known, Located, Severity, Unknown, fail, need, skip, value_if_known

RULE = Rule(
    "hami-container-limits",
    severity=Severity.WARNING,
    incident="C",
    title="The variables in a container say the same as what it asks HAMi for",
    remedy="remove the variable: HAMi sets it to what the pod asks for",
)


@RULE.check
def its_variables_agree(pod: HamiPod) -> Findings:
    if not pod.asking:
        skip("it asks for no GPU")
    yield from _contradictions(pod)


_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_LIMIT = pattern(r"(\d{1,18})([kmg]?)", re.IGNORECASE)
_WINS = "a variable of the pod wins over the one that HAMi's device plugin gives to the container"


def _contradictions(pod: HamiPod) -> Findings:
    for container in pod.asking:
        yield from _switched_off(pod, container)
        yield from _policy(pod, container)
        yield from _limits(pod, container)
        yield from _visible(pod, container)
    if pod.asking:
        yield from _uuids(pod)


def _switched_off(pod: HamiPod, container: Container) -> Findings:
    said = container.variable(variables().off)
    if said is None or container not in pod.sharing:
        return
    if isinstance(said.state, Unknown) or str(said.state.value) in variables().true or said.state.value is True:
        cause = "HAMi's library is not loaded: the share that was counted for the container limits nothing in it"
        remedy = f"remove {variables().off}: it is there for debugging"
        message = f"{container.name} asks for a share of a GPU and switches its limits off"
        yield _draft_of_limit(pod, said, message, "false, or no such variable", cause=cause, remedy=remedy)


def _policy(pod: HamiPod, container: Container) -> Findings:
    said = container.variable(variables().policy)
    if said is None:
        return
    value = str(said.state.value) if isinstance(said.state, Known) else ""
    known = (*variables().policies, *(each.upper() for each in variables().policies))
    if isinstance(said.state, Unknown) or value not in known:
        cause = "it is compared letter by letter, and for any other word the default holds"
        message = f"{variables().policy} of {container.name} is no policy that HAMi knows"
        yield _draft_of_limit(
            pod, said, message, " or ".join(variables().policies), cause=cause, remedy="write one of these three"
        )
    elif value.lower() == "disable" and pod.amount(container, pod.names.cores) is not None:
        cause = "the scheduler counts the share of cores, and in the container nothing holds it to them"
        remedy = f"remove {pod.names.cores}, or {variables().policy}"
        message = f"{container.name} asks for a share of a GPU's cores and has their limit disabled"
        yield _draft_of_limit(pod, said, message, "default or force", cause=cause, remedy=remedy)


def _limits(pod: HamiPod, container: Container) -> Findings:
    """Whole GPUs that a program limits by itself contradict nothing."""
    for name, asked in (
        (variables().memory_limit, pod.amount(container, pod.names.memory)),
        (variables().cores_limit, pod.amount(container, pod.names.cores)),
    ):
        for said in _set_by_hand(container, name) if asked is not None else ():
            if asked is None or isinstance(asked.state, Unknown) or _same(said, asked.state.value, name):
                continue
            shown = f"{asked.state.value}m" if name == variables().memory_limit else str(asked.state.value)
            message = f"{container.name} limits itself to another share than the one that it asks for"
            yield _draft_of_limit(
                pod, said, message, f"{shown}, or no such variable", cause=_WINS, remedy=f"remove {name}: HAMi sets it"
            )


def _set_by_hand(container: Container, name: str) -> Iterator[Located[Any]]:
    """The variable itself, and for memory one a GPU: `CUDA_DEVICE_MEMORY_LIMIT_0`."""
    pattern = re.compile(rf"{name}(_\d+)?")
    names = {each.get("name").string for each in container.tree.get("env").sequence}
    for each in sorted(names):
        said = container.variable(each) if pattern.fullmatch(each) else None
        if said is not None:
            yield said


def _same(said: Located[Any], asked: int, name: str) -> bool:
    if isinstance(said.state, Unknown):
        return False
    found = _LIMIT.fullmatch(str(said.state.value).strip())
    if found is None:
        return False
    amount = int(found[1]) * _UNITS[found[2].lower()]
    return amount == (asked << 20 if name == variables().memory_limit else asked)


def _visible(pod: HamiPod, container: Container) -> Findings:
    said = container.variable(variables().visible)
    if said is None or container not in pod.sharing:
        return
    message = f"{container.name} asks for a share of a GPU and chooses by hand which ones it sees"
    cause = f"{_WINS}: it sees these GPUs, whichever were counted for it"
    remedy = f"remove {variables().visible}; nvidia.com/use-gpuuuid on the pod chooses GPUs"
    yield _draft_of_limit(pod, said, message, "no such variable", cause=cause, remedy=remedy)


def _uuids(pod: HamiPod) -> Findings:
    names = annotation_names()
    for name in (names.use_uuid, names.no_uuid):
        said = pod.annotated(name)
        if said is None:
            continue
        listed = str(said.state.value).split(",") if isinstance(said.state, Known) else ["?"]
        # Some releases trim each of them, some do not.
        if any(not each.strip().startswith(("GPU-", "MIG-")) for each in listed):
            cause = "it is compared with whole UUIDs: no GPU has this one"
            yield _draft_of_limit(
                pod,
                said,
                f"{name} names no GPU",
                "GPU-…, with commas between",
                cause=cause,
                remedy="nvidia-smi -L prints them",
            )
        elif name == names.use_uuid:
            yield from _too_few(pod, said, len({each.strip() for each in listed}))


def _too_few(pod: HamiPod, said: Located[Any], allowed: int) -> Findings:
    for container in pod.asking:
        asked = value_if_known(pod.counts(container)) or 0
        if asked > allowed:
            message = f"{container.name} asks for shares of {asked} GPUs and allows only {allowed}"
            cause = "each share of a container is on a GPU of its own: the pod stays Pending"
            yield _draft_of_limit(
                pod, said, message, f"{asked} UUIDs", cause=cause, remedy="name more GPUs, or ask for fewer"
            )


def _draft_of_limit(pod: HamiPod, said: Located[Any], message: str, should: str, *, cause: str, remedy: str) -> Draft:
    need(said)
    return fail(said, message, should=should, cause=cause, remedy=remedy, victims=pod.victims)

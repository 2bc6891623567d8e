"""Whether KAI's scheduler takes the part of a GPU that a pod asks for by its annotations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.pod.containers import GPU
from nodeworthy.facts.pod.refused import MADE_LATER, PodRefusal
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.patterns import pattern
from nodeworthy.rules.pod_can_use_gpus import RULE
from nodeworthy.verdict import Findings, Related, fail, skip

_SCHEDULER, _QUEUE = "kai-scheduler", "kai.scheduler/queue"
_FRACTION, _MEMORY, _DEVICES = "gpu-fraction", "gpu-memory", "gpu-fraction-num-devices"
_COUNT = pattern(r"0*[1-9]\d*")


@RULE.check
def kai_takes_its_part(pod: PodTemplate) -> Findings:
    if pod.live is not None or pod.elsewhere is not None:
        skip("the server has taken it, or others say the rest of it")
    said = {name: tree for name, tree in pod.template.get("metadata", "annotations").mapping.items() if name in _ALL}
    if not said or not _is_of_kai(pod):
        skip("it asks KAI for no part of a GPU")
    found = [*_of_words(said), *_beside_others(pod, said)]
    if found:
        first, *others = found
        yield fail(
            first.place,
            f"KAI's scheduler refuses this: {pod.title} {first.says}",
            is_=first.is_,
            should=first.should,
            related=[Related(each.place, f"it {each.says}: {each.is_}") for each in others],
            cause=f"its admission webhook ends with: {first.cause}; no pod is made",
            remedy=f"write {first.should}; `kubectl apply --dry-run=server -f` tells",
        )


_ALL = (_FRACTION, _MEMORY, _DEVICES)


def _is_of_kai(pod: PodTemplate) -> bool:
    return pod.spec.get("schedulerName").text == _SCHEDULER or _QUEUE in pod.labels


def _of_words(said: Mapping[str, Tree]) -> Iterator[PodRefusal]:
    """Source: KAI-Scheduler, pkg/binder/plugins/gpusharing/gpu-request."""
    for name, tree in said.items():
        is_one, should, cause = _FORMS[name]
        text = tree.text
        if text and not is_one(text) and not MADE_LATER.search(text):
            yield PodRefusal(tree.place, f"asks for {name} {text}", text, should, cause)


def _is_part(text: str) -> bool:
    try:
        return 0 < float(text) < 1
    except ValueError:
        return False


def _is_count(text: str) -> bool:
    return _COUNT.fullmatch(text) is not None


_FORMS = {
    _FRACTION: (
        _is_part,
        'gpu-fraction: "0.5", less than one',
        "gpu-fraction annotation value must be a positive number smaller than 1.0",
    ),
    _MEMORY: (_is_count, 'gpu-memory: "2000", MiB without a unit', "must be a positive integer greater than 0"),
    _DEVICES: (_is_count, 'gpu-fraction-num-devices: "2"', "must be a positive integer greater than 0"),
}


def _beside_others(pod: PodTemplate, said: Mapping[str, Tree]) -> Iterator[PodRefusal]:
    whole = [each.limits.get(GPU) for each in pod.containers if not each.limits.get(GPU).is_absent]
    part = said.get(_FRACTION) or said.get(_MEMORY)
    if part is not None and whole and not whole[0].is_unknown:
        yield PodRefusal(
            whole[0].heading,
            f"asks for a part of a GPU and for {GPU}",
            f"{GPU}: {whole[0].value}",
            "the part or the whole GPU",
            "cannot have both GPU fraction request and whole GPU resource request/limit",
        )
    if _FRACTION in said and _MEMORY in said:
        memory = said[_MEMORY]
        cause = "cannot request both GPU and GPU memory"
        yield PodRefusal(memory.place, f"asks for {_FRACTION} and {_MEMORY}", _MEMORY, "one of the two", cause)
    if part is None:
        devices, cause = (
            said[_DEVICES],
            "cannot request multiple fractional devices without specifying fraction portion",
        )
        yield PodRefusal(
            devices.place, f"asks for no part of its {_DEVICES}", _DEVICES, f"{_FRACTION} beside it", cause
        )

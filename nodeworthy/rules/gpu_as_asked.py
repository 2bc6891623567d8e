"""The GPU that answers is the GPU that was asked for.

Where a label, a gres or a pool's name says one model and the card is another, nothing fails: a job for V100s ran on
A6000s, with other memory and another speed, and its numbers were compared with the wrong floors. So the name that the
driver gives each GPU is compared with the one that the job asked for, and they are counted.
"""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.facts.accept.given import SeenGpus
from nodeworthy.facts.accept.measure import Gpu
from nodeworthy.known.gpus import gpu_named
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Severity, fail, unknown

RULE = Rule(
    "gpu-as-asked",
    severity=Severity.ERROR,
    incident="E",
    title="The GPU that answers is the GPU that was asked for",
    remedy="nvidia-smi -L on the node; then its label nvidia.com/gpu.product, its line in gres.conf, or the pool",
)


@RULE.check
def it_is(seen: SeenGpus) -> Findings:
    if not seen.gpus:
        yield unknown(seen, "which GPUs the job was given is not known: none told its name")
        return
    if seen.asked.gpu is not None or not seen.asked.slices:
        yield from _models(seen)
    if seen.asked.slices:
        yield from _slices(seen)
    if seen.asked.has_whole_gpus:
        yield from _count(seen, [each for each in seen.gpus if not each.profile or not seen.asked.slices])


def _count(seen: SeenGpus, came: Sequence[Gpu]) -> Findings:
    if seen.asked.count is None:
        yield unknown(seen, f"how many GPUs were asked for is not known; {len(came)} came")
    elif len(came) != seen.asked.count:
        yield fail(
            seen,
            "another number of GPUs came than was asked for",
            is_=f"{len(came)}",
            should=f"{seen.asked.count}",
            cause="programs that count on what they asked for end at once, or leave GPUs idle",
        )


def _slices(seen: SeenGpus) -> Findings:
    """One of each profile was asked for."""
    came = sorted(each.profile for each in seen.gpus if each.profile)
    should = sorted(each.profile for each in seen.asked.slices)
    if came != should:
        yield fail(
            seen,
            "other slices of GPUs came than were asked for",
            is_=", ".join(came) or "none",
            should=", ".join(should),
            cause="a slice of another profile has other memory and another speed than whoever asked was promised",
            remedy="nvidia-smi -L on the node; beside it the label nvidia.com/mig.config and what the node offers",
        )


def _models(seen: SeenGpus) -> Findings:
    asked = gpu_named(seen.asked.gpu) if seen.asked.gpu is not None else None
    if asked is None:
        why = f"{seen.asked.gpu} is no GPU that we know" if seen.asked.gpu else "nothing says which one was asked for"
        yield unknown(seen, f"whether {seen.gpus[0].name} is the GPU that was asked for is not known: {why}")
        return
    for name in dict.fromkeys(each.name for each in seen.gpus):
        there = gpu_named(Gpu("", name).whole)
        if there is None:
            yield unknown(seen, f"whether {name} is the {asked.name} that was asked for is not known")
        elif there.name != asked.name:
            yield fail(
                seen,
                f"{asked.name} was asked for, and {there.name} came",
                is_=name,
                should=asked.name,
                cause="memory, speed and precision are another card's, and so are all floors",
            )

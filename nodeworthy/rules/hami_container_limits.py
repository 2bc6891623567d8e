"""The variables in a container, and its pod's annotations, say the same as what it asks HAMi for.

HAMi puts the limits of a share into the container as variables (`CUDA_DEVICE_MEMORY_LIMIT_0`, `CUDA_DEVICE_SM_LIMIT`,
`NVIDIA_VISIBLE_DEVICES`), and one that the pod sets itself wins over HAMi's: the container then takes what was never
counted for it, and its neighbours on the GPU run out of memory. `CUDA_DISABLE_CONTROL=true` switches all limits off,
`GPU_CORE_UTILIZATION_POLICY` (`default`, `force`, `disable`) the one of cores. `nvidia.com/use-gpuuuid` with fewer GPUs
than a container asks for, or with words that are no UUIDs, leaves the pod Pending.
"""

from __future__ import annotations

from nodeworthy.facts.hami.limits import contradictions
from nodeworthy.facts.hami.pod import HamiPod
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Severity, fail, need, skip

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
    for each in contradictions(pod):
        need(each.where)
        yield fail(
            each.where,
            each.message,
            should=each.should,
            cause=each.cause,
            remedy=each.remedy,
            victims=pod.victims,
        )

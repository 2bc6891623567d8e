"""A pod meant for profiling has `SYS_ADMIN`.

The driver lets only administrators read the GPU's performance counters. In a container that is the capability SYS_ADMIN
(or `privileged: true`): in the incident PERFMON and SYS_PTRACE were not enough, and Nsight said `driver resource
unavailable` or ERR_NVGPUCTRPERM. Capabilities are written without `CAP_`: with it, the runtime looks for a capability
of that name, and the container does not start.

Meant for profiling is what runs `ncu` or `dcgmproftester`, `nsys` with `--gpu-metrics-devices`, what is marked
`gpu.monitoring/profiling`, and what asks for GPUs on nodes dedicated to profiling. `nsys` without GPU metrics traces
calls in its own process, reads no counters, and needs nothing.
"""

from __future__ import annotations

from nodeworthy.documents.settled import why_incomplete
from nodeworthy.facts.pod.containers import Container
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.facts.profiling.asked import why_container_profiles, why_pod_profiles
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Severity, Unknown, fail, skip, unknown, value_if_known

RULE = Rule(
    "profiling-pod-privileged",
    severity=Severity.ERROR,
    incident="D",
    title="A pod meant for profiling has SYS_ADMIN",
    remedy="give the container securityContext.capabilities.add: [SYS_ADMIN]",
)


@RULE.check
def who_profiles_is_an_administrator(pod: PodTemplate) -> Findings:
    if not pod.uses_gpus:
        skip("nothing here says that it has GPUs")
    profiling = [(each, why) for each in pod.containers if (why := why_container_profiles(each)) is not None]
    for container, why in profiling:
        yield from _of_a_container(pod, container, why)
    if profiling:
        return
    why_all = why_pod_profiles(pod)
    if why_all is None:
        skip("nothing says that it is meant for profiling")
    yield from _of_the_pod(pod, why_all)


def _of_a_container(pod: PodTemplate, container: Container, why: str) -> Findings:
    allowed = container.is_administrator
    if isinstance(allowed.state, Unknown):
        yield unknown(allowed, f"whether {container.name} has SYS_ADMIN is not known: {allowed.state.why}", is_=why)
    elif not allowed.state.value and pod.elsewhere is not None:
        yield unknown(container, f"whether {container.name} has SYS_ADMIN is not known: {pod.elsewhere}", is_=why)
    elif not allowed.state.value:
        yield _lacks(pod, container, why)


def _of_the_pod(pod: PodTemplate, why: str) -> Findings:
    """One of the containers that run has to have it: which of them profiles, nothing says."""
    running = [each for each in pod.containers if not each.is_init]
    said = [each.is_administrator for each in running]
    if any(map(value_if_known, said)) or not running:
        return
    hidden = next((each.state.why for each in said if isinstance(each.state, Unknown)), None)
    hidden = hidden or why_incomplete(pod.spec.get("containers")) or pod.elsewhere
    asking = next((each for each in running if each.gpu_resources), running[0])
    if hidden is not None:
        yield unknown(asking, f"whether {pod.title} has SYS_ADMIN is not known: {hidden}", is_=why)
    else:
        yield _lacks(pod, asking, why)


def _lacks(pod: PodTemplate, container: Container, why: str) -> Draft:
    has = [each for each in container.capabilities if each not in ("SYS_ADMIN", "ALL")]
    prefixed = "CAP_SYS_ADMIN" in has
    return fail(
        container.is_administrator.place,
        f"{container.name} is meant for profiling and has no SYS_ADMIN ({why})",
        is_=", ".join(has) or "no capability is added",
        should="SYS_ADMIN",
        cause="Kubernetes puts CAP_ before the name, and there is no CAP_CAP_SYS_ADMIN"
        if prefixed
        else "the driver shows its performance counters to administrators only; PERFMON and SYS_PTRACE are not enough",
        remedy="write SYS_ADMIN, without CAP_" if prefixed else None,
        victims=pod.live.objects if pod.live is not None else (),
    )

"""How far a Job of a run is by what the cluster says of it and its pods: what it waits for, and why it ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from nodeworthy.collect.in_cluster.cluster import container_state, exit_code
from nodeworthy.collect.in_cluster.state import ends_a_job, waiting
from nodeworthy.collect.workload.live.piece import Now
from nodeworthy.documents.plain import mapping_at, mappings_at, text_at
from nodeworthy.known.acceptance import NotRun
from nodeworthy.records import dataclass


@dataclass(frozen=True)
class Patience:
    """Seconds that something may take before nobody waits for it any longer."""

    # For the scheduler to find room; longer is queueing with others who come first anyway.
    scheduling: float = 60.0
    # For a registry that does not answer at once.
    starting: float = 60.0
    # For the others of a group, from the first that has its GPUs.
    gang: float = 60.0
    # For the pods that the Job's controller can't make.
    pods: float = 3.0
    # For a queue (Kueue) that has to let the Job in.
    queue: float = 120.0


@dataclass(frozen=True)
class JobNow:
    """A Job as it is now, and for how long it has been so."""

    job: Mapping[str, Any] | None
    pods: Sequence[Mapping[str, Any]]
    # What the cluster says against it, asked for where it has no pod.
    warnings: Sequence[str]
    # Seconds since it was made, and since the first of its pods had its GPUs.
    age: float
    held: float
    # What it did when it was last seen.
    before: str
    # How many pods it should have.
    count: int


_PULLS = ("ErrImagePull", "ImagePullBackOff", "ErrImageNeverPull", "InvalidImageName")
_AT_ONCE = ("ErrImageNeverPull", "InvalidImageName")
# What a container runtime says of an image in which there is nothing to begin.
_NO_PROGRAM: Final = (127, 128)
_DISRUPTIONS: Final[Mapping[str, NotRun]] = {
    "PreemptionByScheduler": NotRun.PREEMPTED,
    "EvictionByEvictionAPI": NotRun.PREEMPTED,
    "TerminationByKubelet": NotRun.PREEMPTED,
    "DeletionByTaintManager": NotRun.NODE_GONE,
    "DeletionByPodGC": NotRun.NODE_GONE,
}


def judge_state(seen: JobNow, patience: Patience) -> Now:
    if seen.job is None:
        return Now("somebody has deleted its Job", is_over=True, ended=NotRun.NOT_HEARD)
    condition = next((each for each in mappings_at(seen.job, "status", "conditions") if ends_a_job(each)), None)
    if condition is not None:
        return _over(condition, seen)
    return _hopeless(seen, patience) or Now(_doing(seen), holds=seen.held > 0)


def _over(condition: Mapping[str, Any], seen: JobNow) -> Now:
    if condition.get("type") == "Complete":
        return Now("ran", holds=True, is_over=True)
    reason, why = _why_failed(condition, seen)
    return Now(why, holds=seen.held > 0, is_over=True, ended=reason)


def _why_failed(condition: Mapping[str, Any], seen: JobNow) -> tuple[NotRun, str]:
    if text_at(condition, "reason") == "DeadlineExceeded":
        return NotRun.DEADLINE, f"Kubernetes ended it at its deadline; before: {seen.before}"
    ends = (_disruption(pod) or _own_end(pod) for pod in seen.pods)
    found = next(filter(None, ends), None)
    if found is not None:
        return found
    said = f"{text_at(condition, 'reason')}: {text_at(condition, 'message')}"
    is_disruption = "DisruptionTarget" in said
    return (NotRun.PREEMPTED, f"it made room ({said})") if is_disruption else (NotRun.BROKEN, said)


def _disruption(pod: Mapping[str, Any]) -> tuple[NotRun, str] | None:
    for each in mappings_at(pod, "status", "conditions"):
        if each.get("type") == "DisruptionTarget" and each.get("status") == "True":
            kind = _DISRUPTIONS.get(text_at(each, "reason"), NotRun.PREEMPTED)
            return kind, f"it made room: {text_at(each, 'message') or text_at(each, 'reason')}"
    reason, message = text_at(pod, "status", "reason"), text_at(pod, "status", "message")
    if reason == "UnexpectedAdmissionError":
        return NotRun.IN_USE, f"{reason}: {message}"
    return (NotRun.PREEMPTED, f"{reason}: {message}") if reason in ("Evicted", "Preempting") else None


def _own_end(pod: Mapping[str, Any]) -> tuple[NotRun, str] | None:
    code = exit_code(pod)
    if not code:
        return None
    ended = mapping_at(container_state(pod), "state", "terminated")
    told = ": ".join(filter(None, (text_at(ended, "reason"), text_at(ended, "message"))))
    if code in _NO_PROGRAM:
        return NotRun.IMAGE, f"nothing began ({told or code}): the image needs python3 on its PATH"
    return NotRun.BROKEN, f"it ended with {code} ({told or 'no reason given'})"


def _hopeless(seen: JobNow, patience: Patience) -> Now | None:
    """What waiting does not help against, or no longer."""
    doing = _doing(seen)
    found = (
        _of_queue(seen, patience)
        or _of_no_pod(seen, patience)
        or _of_images(seen, patience)
        or _of_scheduling(seen, patience)
        or _of_gang(seen, patience)
    )
    return Now(doing, holds=seen.held > 0, is_over=True, ended=found) if found is not None else None


def _of_queue(seen: JobNow, patience: Patience) -> NotRun | None:
    assert seen.job is not None
    if not _is_suspended(seen.job):
        return None
    if seen.held:  # it would be let in again, on top of those for whom it was taken back
        return NotRun.PREEMPTED
    return NotRun.QUOTA if seen.age >= patience.queue else None


def _is_suspended(job: Mapping[str, Any]) -> bool:
    return mapping_at(job, "spec").get("suspend") is True


def _of_no_pod(seen: JobNow, patience: Patience) -> NotRun | None:
    said = " ".join(seen.warnings)
    if seen.pods or seen.age < patience.pods or not said:
        return None
    if "exceeded quota" in said:
        return NotRun.QUOTA
    return NotRun.NO_RIGHT if "violates PodSecurity" in said or "forbidden" in said else None


def _of_images(seen: JobNow, patience: Patience) -> NotRun | None:
    reasons = [text_at(container_state(each), "state", "waiting", "reason") for each in seen.pods]
    wanted = _PULLS if seen.age >= patience.starting else _AT_ONCE
    if any(each in wanted for each in reasons):
        return NotRun.IMAGE
    is_late = seen.age >= patience.starting
    return NotRun.BROKEN if is_late and "CreateContainerConfigError" in reasons else None


def _of_scheduling(seen: JobNow, patience: Patience) -> NotRun | None:
    waits = [each for each in seen.pods if not text_at(each, "spec", "nodeName")]
    is_late = seen.age >= patience.scheduling and len(waits) == len(seen.pods)
    return NotRun.IN_USE if waits and is_late else None


def _of_gang(seen: JobNow, patience: Patience) -> NotRun | None:
    """Part of a group would hold its GPUs for nothing; or has gone home already."""
    phases = [text_at(each, "status", "phase") for each in seen.pods]
    there = phases.count("Running") + phases.count("Succeeded")
    is_over = seen.held >= patience.gang or "Succeeded" in phases
    return NotRun.IN_USE if 0 < there < seen.count and is_over else None


def _doing(seen: JobNow) -> str:
    assert seen.job is not None
    if _is_suspended(seen.job):
        return "its queue has taken it back" if seen.held else "its queue has not let it in"
    staying = [each for each in seen.pods if not text_at(each, "metadata", "deletionTimestamp")]
    if not staying and seen.held:  # Kubernetes takes them away before it says why
        return seen.before
    late = [each for each in staying if text_at(each, "status", "phase") == "Pending"]
    there = len(staying) - len(late)
    said = waiting(late or staying, seen.warnings)
    return f"{there} of {seen.count} are there; {said}" if late and there else said


def holds_gpus(pod: Mapping[str, Any]) -> bool:
    """Whether the scheduler has given it its GPUs."""
    return bool(text_at(pod, "spec", "nodeName")) and text_at(pod, "status", "phase") not in ("Succeeded", "Failed")

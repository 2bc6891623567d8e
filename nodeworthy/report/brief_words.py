"""Plain words for people who run jobs and not clusters: what they see, and what is behind it."""

from __future__ import annotations

from nodeworthy.records import dataclass

# What an object's trouble is called by Kubernetes, and what that means for whoever waits for it.
TROUBLES = {
    "FailedCreatePodSandBox": "cannot start: stuck in ContainerCreating",
    "UnexpectedAdmissionError": "cannot run: turned away by the node",
    "OutOfnvidia.com/gpu": "cannot run: turned away by the node",
    "TopologyAffinityError": "cannot run: turned away by the node",
    "FailedScheduling": "must wait in Pending: no node to run on",
    "FailedCreate": "cannot make pods: they are refused",
    "FailedCreatePod": "cannot make pods: they are refused",
    "FailedMount": "cannot start: a volume cannot be mounted",
    "FailedAttachVolume": "cannot start: a volume cannot be attached",
    "CrashLoopBackOff": "cannot stay up: crashes again and again",
    "BackOff": "cannot stay up: crashes again and again, or its image cannot be fetched",
    "ImagePullBackOff": "cannot start: the image cannot be fetched",
    "ErrImagePull": "cannot start: the image cannot be fetched",
    "CreateContainerConfigError": "cannot start: something that its settings name is not there",
    "OOMKilled": "ended: more memory was taken than is allowed",
    "Evicted": "ended: the node ran out of something",
}


@dataclass(frozen=True)
class Plain:
    says: str
    # Whether those who run jobs mend it themselves, in their jobs; None where that differs from case to case.
    theirs: bool | None = False


_HAMI = "HAMi, which shares GPUs between jobs,"
RULES = {
    "containerd-paths": Plain(
        "the part that gives containers their GPUs was set up for another container runtime than the one that "
        "Kubernetes uses on these machines, so containers that need GPUs cannot be started there"
    ),
    "toolkit-reaches-containerd": Plain(
        "the container runtime that Kubernetes uses on these machines was not told about GPUs, so containers that need "
        "them cannot be started there"
    ),
    "toolkit-env-wellformed": Plain("the part that gives containers their GPUs has settings that it cannot use"),
    "runtime-class-agrees": Plain(
        "the name under which jobs ask for the GPU runtime is not the name under which the machines have it",
        theirs=None,
    ),
    "operator-release-works": Plain("the GPU operator is of a release that is known to break here"),
    "one-driver": Plain("not exactly one source installs the GPU driver"),
    "one-device-plugin": Plain("not exactly one program offers the machines' GPUs to jobs"),
    "gpu-count-complete": Plain("not all GPUs of these machines can be given to jobs"),
    "verification-yields": Plain("a test of the machines holds their GPUs, and does not give them back for jobs"),
    "dcgm-off-profiling-nodes": Plain(
        "a program that measures GPUs runs where only profilers may, and the two get in each other's way"
    ),
    "profiling-node-exists": Plain("fewer machines are set aside for profiling than should be"),
    "database-replicated": Plain("the database that keeps the job queue is not set up as it should be"),
    "no-secret-in-plain-sight": Plain("a password, token or key can be read where it should not"),
    "hami-installed-once": Plain(f"{_HAMI} is not installed exactly once"),
    "hami-components-healthy": Plain(f"{_HAMI} does not run whole"),
    "hami-plugin-configured": Plain(f"{_HAMI} cannot work with the settings that it has on the machines"),
    "hami-pods-mutated": Plain(f"{_HAMI} was passed by, so what these pods asked for was not arranged", theirs=None),
    "driver-capabilities-allowed": Plain("a container asks the GPU driver for something it may not have", theirs=True),
    "gpu-fits-a-node": Plain("a job asks for something that no machine here has", theirs=True),
    "gpu-quantity": Plain("a job asks for GPUs in a way that Kubernetes does not take", theirs=True),
    "profiling-pod-privileged": Plain("a job that profiles lacks the right to read the counters", theirs=True),
}

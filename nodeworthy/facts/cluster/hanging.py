"""Why a pod hangs that has no fault: it waits in an init container, or for one that was never started."""

from __future__ import annotations

from nodeworthy.facts.cluster.pod import ClusterPod
from nodeworthy.known.gpu_stack import why_it_hangs

_NEVER_STARTED = (
    "its container {} was made and is not started: the container runtime was restarted between the two (the toolkit "
    "restarts containerd once it has written its runtime), and kubelet waits for the start that was lost"
)
_MAKE_IT_ANEW = (
    "delete the pod, another one is made: kubectl delete pod -n {} {}; to be sure, on its node: crictl ps -a | grep {} "
    "shows it as Created"
)


def why_hanging(pod: ClusterPod) -> tuple[str, str]:
    """Why, and what to do; empty where that is not known."""
    if pod.never_started:
        return (
            _NEVER_STARTED.format(pod.never_started),
            _MAKE_IT_ANEW.format(pod.namespace, pod.name, pod.never_started),
        )
    hangs, remedy = why_it_hangs(pod.waits_in)
    return (f"its init container {pod.waits_in} does not end: {hangs}", remedy) if hangs else ("", "")

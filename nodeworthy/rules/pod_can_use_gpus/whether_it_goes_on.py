"""What a controller keeps running, against a program that ends: kubelet starts it again, for ever."""

from __future__ import annotations

from nodeworthy.documents.settled import why_incomplete
from nodeworthy.facts.pod.containers import NOT_KNOWN, Container
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.known.served_images import starts_nothing
from nodeworthy.patterns import pattern
from nodeworthy.rules.pod_can_use_gpus import RULE
from nodeworthy.verdict import Draft, Findings, fail, skip, value_if_known

# Whose pods are started again, whatever they end with.
_KEPT_RUNNING = ("DaemonSet", "Deployment", "ReplicaSet", "StatefulSet")
# It tells of the GPUs once, if it is not told to go on (-l, dmon).
_TELLS_ONCE = pattern(r"(?:(?:/bin/)?(?:ba)?sh -[ex]*c )?(?:/usr/bin/)?nvidia-smi(?: -L| -q| --list-gpus)?;?")
_SLEEPS = "[sh, -c, 'nvidia-smi && exec sleep infinity'], or a Job"


@RULE.check
def its_program_goes_on(pod: PodTemplate) -> Findings:
    if pod.live is not None or not pod.uses_gpus or pod.elsewhere is not None:
        skip("how it ended is seen in its status, it asks for no GPUs, or others say the rest of it")
    if pod.kind not in _KEPT_RUNNING:
        skip("its pods may end")
    for container in pod.containers:
        if not container.is_init and (should := _what_would_go_on(container)) is not None:
            yield _ends(pod, container, should)


def _what_would_go_on(container: Container) -> str | None:
    """None where its program goes on, or may."""
    tree = container.tree
    is_held_open = tree.get("stdin").value is True or tree.get("tty").value is True
    if is_held_open or why_incomplete(tree) or NOT_KNOWN in container.words:
        return None
    if container.words:
        return _SLEEPS if _TELLS_ONCE.fullmatch(" ".join(" ".join(container.words).split())) else None
    says_nothing = tree.get("command").is_absent and tree.get("args").is_absent
    image = value_if_known(container.image)
    return starts_nothing(image) if says_nothing and isinstance(image, str) else None


def _ends(pod: PodTemplate, container: Container, should: str) -> Draft:
    said = " ".join(container.words)
    image = value_if_known(container.image)
    ends = "it tells of the GPUs and ends" if said else "the image starts a shell, which ends without a terminal"
    return fail(
        container.tree.get("command").place if said else container.image,
        f"{container.name} of {pod.title} ends at once, and is started again for ever",
        is_=said or f"{image}, and no command",
        should=should,
        cause=f"{ends}; a {pod.kind} keeps its containers running: CrashLoopBackOff, and the pod is never Ready while "
        "it holds its GPUs",
        remedy=f"write {should}",
    )

"""Whether what somebody tells NCCL has a name that it reads: of one that it does not know it says nothing."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.facts.pod.containers import Container
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.known.nccl import variable_meant
from nodeworthy.patterns import pattern
from nodeworthy.rules.pod_can_use_gpus import RULE
from nodeworthy.verdict import Findings, Place, Severity, fail, skip

# As `mpirun -x NAME=value`, `export NAME=value` and `NAME=value program` set it.
_SET = pattern(r"\b(NCCL_[A-Z0-9_]{2,60})=", words=("NCCL_",))


@RULE.check
def nccl_reads_what_it_is_told(pod: PodTemplate) -> Findings:
    if pod.live is not None:
        skip("what NCCL makes of its variables is seen in its log")
    for container in pod.containers:
        for name, place in _told_to_nccl(container):
            meant = variable_meant(name)
            if meant:
                yield fail(
                    place,
                    f"{container.name} of {pod.title} sets {name}, which NCCL does not read",
                    is_=name,
                    should=meant,
                    cause=f"NCCL passes over a variable that it does not know, in silence: {meant} keeps its default",
                    remedy=f"write {meant}",
                    severity=Severity.WARNING,
                )


def _told_to_nccl(container: Container) -> Iterator[tuple[str, Place]]:
    for each in container.tree.get("env").sequence:
        name = each.get("name")
        if name.string.startswith("NCCL_"):
            yield name.string, name.place
    seen: set[str] = set()
    for field in ("command", "args"):
        for tree in (container.tree.get(field), *container.tree.get(field).sequence):
            for name in _SET.findall(tree.string):
                if name not in seen:
                    seen.add(name)
                    yield name, tree.place

"""Whether what is named as the program of a runtime is one: NVIDIA's hook, its CLI and its helpers run no container."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.boot.content import Line
from nodeworthy.facts.node.files import NodeFiles
from nodeworthy.facts.node.paths import NodeFileKind
from nodeworthy.patterns import pattern
from nodeworthy.rules.containerd_config_read import RULE
from nodeworthy.verdict import Draft, Findings, fail

_RUNTIME = "nvidia-container-runtime"
_NAMED = pattern(
    r"(?:\"path\"\s{0,9}:|\bBinaryName\s{0,9}=)\s{0,9}[\"'](?P<path>[^\"']{0,200}?(?P<program>nvidia-(?:container-toolkit|"
    r"container-runtime-hook|container-cli|ctk|smi|cdi-hook)))[\"']",
    words=("nvidia-",),
)
_KINDS = (NodeFileKind.DOCKER, NodeFileKind.CONFIG)


@RULE.check
def its_runtimes_are_programs_that_run_containers(files: NodeFiles) -> Findings:
    for file in files.only(*_KINDS).files:
        for line in file.content.lines:
            yield from _no_runtime(line)


def _no_runtime(line: Line) -> Iterator[Draft]:
    found = _NAMED.search(line.text.shown())
    if found is not None:
        yield fail(
            line.place,
            f"the program of a runtime is {found['program']}, which runs no containers",
            is_=found["path"],
            should=found["path"].removesuffix(found["program"]) + _RUNTIME,
            cause="it is called with a runtime's options and ends at once (flag provided but not defined: -root): no "
            "container of this runtime is made",
            remedy=f"name {_RUNTIME}: `nvidia-ctk runtime configure` writes it",
        )

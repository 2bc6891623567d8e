"""The RuntimeClass exists, names the handler that containerd has, and pods that name it get it.

A pod that names a RuntimeClass which is not there is refused (`RuntimeClass "nvidia-gpu" not found`). One whose class
names a handler that containerd lacks stays in ContainerCreating (`no runtime for "…" is configured`). The GPU operator
makes the class `operator.runtimeClass` (`nvidia`), and `nvidia-cdi` and `nvidia-legacy` beside it, each with its own
name as handler; its toolkit writes the runtime into containerd under CONTAINERD_RUNTIME_CLASS, so the two must agree.
A RuntimeClass has a handler, an overhead and a scheduling of `nodeSelector` and `tolerations`: with another field
(`scheduling.nodeAffinity`) kubectl refuses it.

In files nobody sees the whole cluster: a class is missing only where it is called like NVIDIA's, and where the
operator's settings, the fleet or NVIDIA's own RuntimeClass stand there to say which there are. On a node, the default
runtime must be one that containerd has: else its CRI plugin does not load.
"""

from __future__ import annotations

from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.known.containerd import defaults
from nodeworthy.known.operator_parts import RUNTIME_CLASS
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Related, Severity, fail, need, skip

RULE = Rule(
    "runtime-class-agrees",
    severity=Severity.ERROR,
    incident="A",
    title="The RuntimeClass exists, names the handler containerd has, and pods that name it get it",
    remedy="name the class that the GPU operator makes: runtimeClassName: nvidia",
)

BASE = defaults().runtime_class


@RULE.check
def the_operator_and_its_toolkit_agree(values: OperatorValues) -> Findings:
    if values.toolkit.named(RUNTIME_CLASS) is None:
        skip(f"the toolkit is not told another name ({RUNTIME_CLASS})")
    wanted, written = values.runtime_name, values.toolkit_runtime_name
    if wanted.state == written.state or not need(values.toolkit.enabled) or need(values.toolkit.uses_nri):
        return
    if need(wanted) != need(written):
        yield fail(
            written,
            "the toolkit writes its runtime under another name than the operator's RuntimeClass names",
            should=wanted.shown(),
            related=[Related(wanted.place, f"operator.runtimeClass is {wanted.shown()}")],
            cause=f'pods of the class stay in ContainerCreating: no runtime for "{wanted.shown()}" is configured',
            remedy=f"give {RUNTIME_CLASS} and operator.runtimeClass the same name",
        )

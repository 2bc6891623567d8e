"""The NVIDIA runtime must be in the containerd that kubelet uses, once the toolkit has been there.

Whoever brings the toolkit (the AMI, a boot script, the operator's DaemonSet) has to write the runtime `nvidia` into
containerd's configuration and restart containerd. Where that did not happen, every pod of the RuntimeClass `nvidia`
stays in `ContainerCreating` with `no runtime for "nvidia" is configured`. On the node the effective
configuration is read (`containerd config dump`): a section that this containerd ignores, or a drop-in that nothing
imports, is not there. Until the toolkit was due, nothing can be said. If the runtime is in a containerd that
kubelet does not use, the cause is another one, and `containerd-paths` names it.
"""

from __future__ import annotations

from nodeworthy.facts.node import Node, RuntimeProcess
from nodeworthy.known.containerd import defaults
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Related, Severity, fail, need, skip

RULE = Rule(
    "toolkit-reaches-containerd",
    severity=Severity.ERROR,
    incident="A",
    title="The NVIDIA runtime is in the containerd that kubelet uses",
    remedy="let the toolkit configure the containerd that kubelet uses, and restart it",
)


@RULE.check
def the_runtime_is_there(node: Node) -> Findings:
    handler = defaults().runtime_class
    used = node.containerd_of_kubelet(handler)
    if handler in need(used.handlers):
        return
    if node.elsewhere(handler):
        skip(f"the runtime {handler} is in a containerd that kubelet does not use: containerd-paths names it")
    need(node.toolkit_due)
    yield fail(
        used,
        f"the containerd that kubelet uses does not have the runtime {handler}",
        is_=", ".join(need(used.handlers)) or "no runtime",
        should=f"{handler} among the runtimes of {used.title}",
        related=[
            node.says_its_endpoint(),
            *(each.related() for each in node.others if each.is_containerd),
            Related(node.toolkit_due.place, str(node.toolkit_due.place.subject)),
        ],
        cause=f'the toolkit has not reached it, so pods that need it end with: no runtime for "{handler}" is configured',
        remedy=_remedy(used),
    )


def _remedy(used: RuntimeProcess) -> str:
    restart = f"systemctl restart {used.unit}" if used.unit else "a restart of containerd"
    return (
        "with the operator, read the log of its toolkit pod on this node; else run "
        f"nvidia-ctk runtime configure --runtime=containerd --config={used.config}, then {restart}"
    )

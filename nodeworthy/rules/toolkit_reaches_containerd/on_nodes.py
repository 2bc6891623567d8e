"""The runtime in the containerd of a node, as that tells itself."""

from __future__ import annotations

from nodeworthy.facts.node.containerd import lost_runtime
from nodeworthy.facts.node.identity import NodeIdentity
from nodeworthy.facts.node.runtimes import NodeRuntimes, NodeToolkit, RuntimeProcess
from nodeworthy.known.containerd import defaults
from nodeworthy.rules.toolkit_reaches_containerd import RULE
from nodeworthy.verdict import Findings, Related, fail, need, skip, value_if_known


@RULE.check
def the_runtime_is_there(runtimes: NodeRuntimes, toolkit: NodeToolkit, identity: NodeIdentity) -> Findings:
    handler = defaults().runtime_class
    used = runtimes.meant_for_gpus(handler, toolkit, identity)
    if handler in need(used.loaded):
        _only_where_it_can_run(used, handler)
        return
    lost = lost_runtime(used, handler)
    if lost is not None:
        skip(f"it is written in {lost.path}, which containerd does not read so: containerd-config-read says why")
    if runtimes.elsewhere(handler):
        skip(f"the runtime {handler} is in a containerd that kubelet does not use: containerd-paths names it")
    need(toolkit.due)
    yield fail(
        used,
        f"the containerd that kubelet uses does not have the runtime {handler}",
        is_=", ".join(need(used.loaded)) or "no runtime",
        should=f"{handler} among the runtimes of {used.title}",
        related=[
            runtimes.says_its_endpoint(),
            *(each.related() for each in runtimes.others if each.is_containerd),
            Related(toolkit.due.place, str(toolkit.due.place.subject)),
        ],
        cause=f'the toolkit has not reached it; pods that need it end with: no runtime for "{handler}" is configured',
        remedy=_remedy(used),
    )


def _only_where_it_can_run(used: RuntimeProcess, handler: str) -> None:
    path, fault = (used.said.programs or {}).get(handler, ("", None))
    if says := value_if_known(fault):
        skip(f"its program {path} {says}, which containerd-config-read says")


def _remedy(used: RuntimeProcess) -> str:
    restart = f"systemctl restart {used.unit}" if used.unit else "a restart of containerd"
    return (
        "with the operator, read the log of its toolkit pod on this node; else run "
        f"nvidia-ctk runtime configure --runtime=containerd --config={used.config_to_write}, then {restart}"
    )

"""The runtimes that a node's containerd has."""

from __future__ import annotations

from nodeworthy.facts.node.runtimes import NodeRuntimes
from nodeworthy.rules.runtime_class_agrees import RULE
from nodeworthy.verdict import Findings, fail, need, skip, unknown


@RULE.check
def the_default_runtime_is_there(runtimes: NodeRuntimes) -> Findings:
    used = runtimes.kubelets_containerd()
    default = need(used.default)
    if default is None:
        skip("containerd names no default runtime")
    if used.is_older and default in need(used.handlers):
        yield unknown(used, used.is_older)
    if default not in need(used.handlers):
        yield fail(
            used,
            f"{default} is the default runtime, and containerd has no such runtime",
            is_=", ".join(need(used.handlers)) or "no runtime",
            should=f"{default} among them, or default_runtime_name of one that is there",
            cause="the CRI plugin does not load: no corresponding runtime configured in `containerd.runtimes`",
            remedy=f"write the runtime {default} into {used.config_to_write}, then restart {used.service}",
        )

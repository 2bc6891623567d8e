"""The containerd of a node: the one that kubelet uses, and the others that are there."""

from __future__ import annotations

from nodeworthy.facts.node.identity import NodeIdentity
from nodeworthy.facts.node.runtimes import NodeRuntimes, NodeToolkit
from nodeworthy.known.containerd import defaults
from nodeworthy.known.operator_parts import CONFIG, SOCKET
from nodeworthy.rules.containerd_paths import CAUSE, RULE
from nodeworthy.verdict import Findings, fail, need, unknown


@RULE.check
def the_runtime_is_not_in_another_containerd(
    runtimes: NodeRuntimes, toolkit: NodeToolkit, identity: NodeIdentity
) -> Findings:
    handler = defaults().runtime_class
    used = runtimes.meant_for_gpus(handler, toolkit, identity)
    if handler in need(used.loaded):
        return
    elsewhere, unread = runtimes.beside(handler)
    for other in unread:
        yield unknown(other, f"whether {other.title} has the runtime {handler} is not known: {other.says}")
    for other in elsewhere:
        yield fail(
            other,
            f"the runtime {handler} is in a containerd that kubelet does not use",
            is_=other.title,
            should=used.title,
            related=[runtimes.says_its_endpoint(), used.related(), other.related()],
            cause=CAUSE,
            remedy=f"set {CONFIG}={used.config_to_write} and {SOCKET}={used.socket.shown()} in toolkit.env",
        )


@RULE.check
def kubelet_uses_the_containerd_of_its_pool(
    runtimes: NodeRuntimes, toolkit: NodeToolkit, identity: NodeIdentity
) -> Findings:
    used = runtimes.meant_for_gpus(defaults().runtime_class, toolkit, identity)
    pool, declared = identity.declared_runtime()
    if declared.is_containerd and any(declared.accepts_socket(need(each)) for each in (runtimes.endpoint, used.socket)):
        return
    yield fail(
        runtimes.endpoint,
        "kubelet does not talk to the containerd that the fleet says it does",
        should=declared.socket or declared.runtime,
        on=pool.title,
        related=[pool.declares_its_runtime(), used.related()],
        cause="the operator's values follow from the fleet: its toolkit goes to a containerd that kubelet does not use",
        remedy=f"correct distribution or containerdBaseDir of {pool.title}: here kubelet uses {used.service}",
    )

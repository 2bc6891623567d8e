"""Collectives go by the fabric that the node has.

Where the plugin of EFA, or the driver of InfiniBand, is missing from an image, NCCL takes ordinary sockets and says
so nowhere but in its own log. Everything works, at a tenth of the speed that was paid for. So the transport is read
from what NCCL says, and compared with the devices that the node has.
"""

from __future__ import annotations

from nodeworthy.facts.accept.given import Transport
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Severity, fail, skip, unknown

RULE = Rule(
    "transport-as-built",
    severity=Severity.ERROR,
    title="Collectives go by the fabric that the node has",
    remedy="an image with the fabric's plugin (EFA: aws-ofi-nccl), and the device asked for (vpc.amazonaws.com/efa)",
)

_BY_FABRIC = {"efa": ("libfabric", "efa", "ofi"), "infiniband": ("net/ib", "ibext", "ucx")}
_CALLED = {"efa": "EFA", "infiniband": "InfiniBand"}


@RULE.check
def they_do(seen: Transport) -> Findings:
    if seen.fabric == "none":
        skip("the node has neither EFA nor InfiniBand")
    if seen.fabric not in _BY_FABRIC:
        yield unknown(seen, "whether the node has EFA or InfiniBand is not known: the program did not say")
        return
    if not seen.seen:
        yield unknown(seen, f"by what collectives went is not known, and the node has {_CALLED[seen.fabric]}")
        return
    if not any(each in seen.seen.lower() for each in _BY_FABRIC[seen.fabric]):
        yield fail(
            seen,
            f"collectives go by {seen.seen}, and the node has {_CALLED[seen.fabric]}",
            is_=seen.seen,
            should=" or ".join(_BY_FABRIC[seen.fabric]),
            cause="they go through the kernel's sockets, at a small part of the fabric's speed",
        )

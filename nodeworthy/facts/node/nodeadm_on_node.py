"""What was done to containerd's config behind nodeadm's back: the next boot writes it as if nobody had."""

from __future__ import annotations

from nodeworthy.facts.node.node import RuntimeProcess
from nodeworthy.facts.node.units import CONFIG, SAME_SECONDS, UNSURE_SECONDS, NodeNodeadm
from nodeworthy.known.containerd import containerd_of
from nodeworthy.verdict import Findings, fail, need, skip, unknown

NODEADMS = "eks-al2023"
SAY_IT = (
    "say it in `containerd: config: |` of the NodeConfig, which nodeadm lays over its own; "
    "registries belong in HOST/hosts.toml"
)


def lost_to_nodeadm(nodeadm: NodeNodeadm, used: RuntimeProcess) -> Findings:
    writes = nodeadm.writes_at_boot()
    if writes is False:
        return
    younger_by = need(nodeadm.younger_by)
    if younger_by is None or younger_by <= SAME_SECONDS:
        return
    edited = f"{used.config} was edited after {CONFIG} had written it"
    if younger_by <= UNSURE_SECONDS:
        why = f"it was changed within {UNSURE_SECONDS} s of the end of {CONFIG}"
        yield unknown(nodeadm, f"whether {used.config} is as nodeadm wrote it is not known: {why}")
    elif nodeadm.toolkit:
        skip(f"the operator's toolkit writes into {used.config} whenever it starts ({nodeadm.toolkit})")
    elif writes is None or nodeadm.repeated_by:
        why = (
            f"{nodeadm.repeated_by[0]} may edit it so at every boot" if nodeadm.repeated_by else f"what starts {CONFIG}"
        )
        yield unknown(nodeadm, f"{edited}, and whether the edit is there after the next boot is not known: {why}")
    else:
        yield fail(
            nodeadm,
            f"{edited}, and the next boot writes it anew",
            is_="edited by the boot script, which does not run again, or by hand",
            should="containerd.config of the NodeConfig",
            cause=f"{containerd_of(NODEADMS).written_when}: the edit is gone before containerd reads it",
            remedy=SAY_IT,
        )

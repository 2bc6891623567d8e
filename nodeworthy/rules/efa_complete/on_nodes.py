"""A node has every EFA interface of its type attached, and the kernel offers each to programs."""

from __future__ import annotations

from nodeworthy.facts.node.efa import NodeEfa, efa_drafts
from nodeworthy.facts.node.identity import NodeIdentity
from nodeworthy.rules.efa_complete import RULE, SLOW
from nodeworthy.verdict import Findings


@RULE.check
def the_kernel_offers_every_interface(efa: NodeEfa, identity: NodeIdentity) -> Findings:
    yield from efa_drafts(efa, identity, SLOW)

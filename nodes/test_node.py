"""Every rule that can be proven on a node, on every host of --hosts."""

from __future__ import annotations

from nodeworthy.suite.session import NodeVerdict


def test_rule(node_verdict: NodeVerdict) -> None:
    node_verdict.check()

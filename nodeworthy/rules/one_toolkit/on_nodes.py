"""One toolkit, on a node itself and in a running cluster."""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.facts.node.runtimes import NodeToolkit
from nodeworthy.facts.operator.toolkit_daemonset import ToolkitDaemonSet
from nodeworthy.facts.operator.toolkit_on_nodes import ToolkitOnNodes
from nodeworthy.rules.one_toolkit import OWN_TOOLKIT, RULE, TWICE
from nodeworthy.verdict import Draft, Findings, Related, fail, need, skip


@RULE.check
def one_is_on_the_node(toolkit: NodeToolkit) -> Findings:
    if toolkit.packaged is None or toolkit.operators is None:
        skip("this recording was made before both were told apart")
    packaged, operators = need(toolkit.packaged), need(toolkit.operators)
    if not packaged and not operators:
        skip("no container toolkit is on it")
    if not packaged or not operators:
        return
    yield fail(
        toolkit,
        "the container toolkit is on this node twice: a package's and the operator's",
        is_=f"{packaged} and {operators}",
        should="one of them",
        cause=TWICE,
        remedy="keep the node's own: toolkit.enabled: false in the operator's values, or kubectl label node NODE "
        f"{OWN_TOOLKIT}; or remove the package (apt-get remove nvidia-container-toolkit, dnf remove …)",
    )


@RULE.check
def one_operators_is_on_nodes(toolkit: ToolkitOnNodes, toolkits: Sequence[ToolkitOnNodes]) -> Findings:
    """Two toolkits on one node; the one that comes first by name is reported."""
    own, names = toolkit.daemonset, {each.name for each in toolkit.nodes}
    for other in (each for each in toolkits if _key(own) < _key(each.daemonset)):
        shared = sorted(names & {each.name for each in other.nodes})
        if shared:
            yield _two(toolkit, other, shared)


def _key(daemonset: ToolkitDaemonSet) -> tuple[str, str]:
    return daemonset.namespace, daemonset.name


def _two(toolkit: ToolkitOnNodes, other: ToolkitOnNodes, shared: Sequence[str]) -> Draft:
    one, two = (f"{each.daemonset.name} of {each.daemonset.namespace}" for each in (toolkit, other))
    return fail(
        toolkit,
        f"two DaemonSets bring the container toolkit to the same nodes: {one}, {two}",
        is_="two of them",
        should="one",
        on=[f"node '{name}'" for name in shared],
        related=[Related(other.place, "the other one")],
        cause=TWICE,
        remedy="uninstall one of the two operators: helm list -A | grep gpu-operator",
        nodes=shared,
    )
